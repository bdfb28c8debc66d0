package sim

import (
	"math"

	"qlimit/ctmc"
)

// levelDrifts writes the time averages of
//
//	Gm_i = λN P(level is i-1) - departures from level i
//
// for i = 1, 2, .., exponential service and levels whose routing does not wait
// for the priority levels to be empty.
func (o *occupancy) levelDrifts(passed float64, out []float64) {
	enters := o.arrival * passed // ∫ λN P(level >= i-1) dt
	for k := range out {
		i := k + 1
		l := &o.levels[i]
		departures := l.countTime - o.levels[i+1].countTime
		out[k] = (enters - l.routeTime - departures) / passed
		enters = l.routeTime
	}
}

// phaseDrifts writes the time averages, for Coxian-2 service and i = 1, 2, ..,
// of the drift of the number of servers with at least i jobs,
//
//	Gm_i = λN P(level is i-1) - (1-p) μ1 n_{i,1} - μ2 n_{i,2},
//
// and, in the second half of out, of those among them in phase 2,
//
//	Gm_{i,2} = λN P(level is i-1, phase 2) + Σ_{j>=i} (p μ1 n_{j,1} - μ2 n_{j,2}).
func (o *occupancy) phaseDrifts(passed float64, out []float64) {
	levels := len(out) / 2
	change := 0.0 // ∫ Σ_{j>=i} (p μ1 n_{j,1} - μ2 n_{j,2}) dt
	for i := len(o.levels) - 2; i >= 1; i-- {
		second := o.second[i].time
		first := o.levels[i].countTime - o.levels[i+1].countTime - second
		change += (1-o.leave)*o.mu1*first - o.mu2*second
		if i > levels {
			continue
		}
		enters := o.arrival * passed
		if i > 1 {
			enters = o.levels[i-1].routeTime
		}
		out[i-1] = (enters - o.levels[i].routeTime - o.leave*o.mu1*first - o.mu2*second) / passed
		out[levels+i-1] = (o.second[i-1].flow + change) / passed
	}
}

// workSquaresDrift is the time average of G Σ w²/2, the sum over servers, w the
// expected remaining work of one: i with i jobs and phase 1, i + e in phase 2,
// e = 1/μ2 - 1. With B1, B2 servers in phase 1, 2 and service of mean 1 it is
//
//	Σ_{0<=i<b} λN P(level is i) (i + 1/2) + e λN P(level < b, phase 2)
//	- W + μ1 ((1-p) + p e²) B1/2 + B2/(2 μ2).
func (o *occupancy) workSquaresDrift(passed float64) float64 {
	e := 1/o.mu2 - 1
	second, jobs, drift := 0.0, 0.0, 0.0
	reaches := o.arrival * passed // ∫ λN P(level >= i) dt
	for i := 0; i < len(o.levels)-1 && i <= o.buffer; i++ {
		if i > 0 {
			second += o.second[i].time
			jobs += o.levels[i].countTime
		}
		if i < o.buffer {
			beyond := o.levels[i+1].routeTime
			drift += (reaches-beyond)*(float64(i)+0.5) + e*o.second[i].flow
			reaches = beyond
		}
	}
	first := o.levels[1].countTime - second
	drift -= jobs + e*second
	drift += o.mu1*(o.leave+(1-o.leave)*e*e)*first/2 + second/o.mu2/2
	return drift / passed
}

// hasSquares reports whether the drift of Σ_i i m_i, half the sum over servers
// of jobs × (jobs + 1), follows from the integrals kept: exponential service,
// and either no level whose routing waits for priority levels, or a uniform
// fallback.
func hasSquares(s ctmc.System) bool {
	switch {
	case s.Phases() > 1 || s.Buffer > firstLevels:
		return false
	case s.Policy.Depth == 0 || s.Buffer != ctmc.Unlimited && s.Policy.Depth >= s.Buffer || s.Policy.Depth == ctmc.AllLevels:
		return true
	}
	k, ok := s.Policy.Fallback.(ctmc.Sampling)
	return ok && k.Choices == 1 && s.Buffer == ctmc.Unlimited
}

// squaresDrift is the time average of
//
//	G Σ_i i m_i = λN (Σ_{0<=i<b} P(level >= i) - b P(level >= b)) - jobs.
func (o *occupancy) squaresDrift(passed float64) float64 {
	drift := o.arrival * passed
	for i := 1; i < len(o.levels); i++ {
		l := &o.levels[i]
		drift -= l.countTime
		switch {
		case i < o.buffer && (i <= o.depth || o.depth == 0):
			drift += l.routeTime
		case i == o.buffer:
			drift -= float64(o.buffer) * l.routeTime
		}
	}
	if o.depth > 0 && o.depth != math.MaxInt {
		drift += o.linear * o.spline.gated
	}
	return drift / passed
}
