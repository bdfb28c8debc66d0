package sim

import (
	"math"

	"qlimit/ctmc"
	"qlimit/diffusion"
	"qlimit/meanfield"
	"qlimit/validate/estimate"
)

// Plan says from theory how long a run has to be. Times are in the unit of the
// service law; 0 means unknown.
type Plan struct {
	// RelaxationTime is that of the slowest mode: how long a start is felt.
	RelaxationTime float64
	// AutocorrelationTime is the integral of the autocorrelation function of the
	// number of jobs over t >= 0: a time average over T has the variance
	// 2 AutocorrelationTime/T times that of the number.
	AutocorrelationTime float64
	// Events, of all replications together, with which each of them spans the 30
	// correlation times, and all together the 500, that plain intervals ask for.
	// Control variates get by with less.
	Events float64
	// Source is "diffusion", "averaged chain", "mean-field" or "" if nothing is
	// known.
	Source string
}

const (
	plannedCorrelations = 30
	plannedTogether     = 500
	// batchTimes is the length of the batches of an interval in autocorrelation
	// times: neighbours are then correlated by an eighth at most.
	batchTimes = 4
	// A start that is not drawn from its law is given so many relaxation times,
	// or this share of the run if that is less.
	warmUpTimes = 2
	warmUpShare = 0.25
)

// NewPlan looks for the slowest time scale of a system:
//
//   - policies that find idle servers (JSQ, JIQ, I1F), unlimited buffer: the
//     non-degenerate slowdown limit with α = N (1-λ) spare servers and σ² = 1 +
//     scv, time stretched by N. Its relaxation time is 9σ²/(4α²) for JIQ and
//     between that and 2σ²/α² for the others; the autocorrelation time is computed;
//   - power-of-d: the averaged birth-death chain of its number of jobs;
//   - random routing and single servers: the heavy-traffic limit of M/G/1, a
//     reflected Brownian motion, relaxation time 2λσ²/(1-λ)² and half of that;
//   - everything else: the spectrum of the mean-field limit, its relaxation time
//     in the place of the autocorrelation time, which it bounds.
//
// The diffusion's times are not less than what the mean-field limit says, which
// knows nothing of excursions far above the equilibrium: for power-of-two with N =
// 100 its relaxation time is too short by a factor of 2.7 at load 0.99 and of 30 at
// load 0.999. The plan is a guide, no estimate rests on it.
func NewPlan(s ctmc.System, replications int) Plan {
	law, _ := newSamplingLaw(s)
	return newPlan(s, replications, law)
}

// planFrom takes the law from a start of the same system, if that has one.
func planFrom(start Start, s ctmc.System, replications int) Plan {
	if start.law != nil && start.law.system.String() == s.String() {
		law, _ := start.law.law.(*samplingLaw)
		return newPlan(s, replications, law)
	}
	return NewPlan(s, replications)
}

// newPlan takes the law of the number of jobs under power-of-d, nil if there is none.
func newPlan(s ctmc.System, replications int, law *samplingLaw) Plan {
	p := Plan{}
	unit := s.Service.Mean()
	spare := float64(s.Servers) * (1 - s.Load)
	noise := 1 + s.Service.SCV()
	lossless := s.Buffer == ctmc.Unlimited
	switch discipline, err := diffusion.Dispatching(s.Policy); {
	case lossless && (s.Servers == 1 || s.Policy.Depth == 0 && isUniform(s.Policy.Fallback)):
		gap := 1 - s.Load
		p.RelaxationTime = unit * math.Max(1, 2*s.Load*noise/(gap*gap))
		p.AutocorrelationTime = p.RelaxationTime / 2
		p.Source = "diffusion"
	case lossless && err == nil && spare >= diffusion.MinSpare && spare <= diffusion.MaxSpare:
		law, err := diffusion.NDS{Discipline: discipline, Spare: spare, Service: s.Service}.Engine()
		if err != nil {
			return p
		}
		n := float64(s.Servers)
		slowest := 1 / math.Min(s.Service.Mu1, secondRate(s))
		p.RelaxationTime = math.Max(slowest, unit*n*9*noise/(4*spare*spare))
		p.AutocorrelationTime = math.Max(slowest, unit*n*law.AutocorrelationTime())
		p.Source = "diffusion"
	case law != nil:
		p.AutocorrelationTime, p.RelaxationTime = law.times()
		p.AutocorrelationTime *= unit
		p.RelaxationTime *= unit
		p.Source = "averaged chain"
	default:
		modes, err := meanfield.Spectrum(s)
		if err != nil || !(modes.Gap > 0) || math.IsInf(modes.RelaxationTime, 0) {
			return p
		}
		p.RelaxationTime, p.AutocorrelationTime, p.Source = modes.RelaxationTime, modes.RelaxationTime, "mean-field"
	}
	runs := float64(replications)
	span := math.Max(plannedCorrelations, plannedTogether/runs) * 2 * p.AutocorrelationTime
	p.Events = runs * (span + warmUpTimes*p.RelaxationTime) / unit * eventRate(s)
	return p
}

func isUniform(k ctmc.Kernel) bool { return k == ctmc.Kernel(ctmc.Uniform) }

// secondRate is μ2 where there is a second phase.
func secondRate(s ctmc.System) float64 {
	if s.Phases() == 1 {
		return s.Service.Mu1
	}
	return s.Service.Mu2
}

// cells converts a time to cells of a run.
func (e *experiment) cells(time float64) float64 {
	return time / e.system.Service.Mean() / e.cellTime
}

// plannedWarmUp is what the plan asks to leave out of plain averages.
func (e *experiment) plannedWarmUp() estimate.WarmUp {
	times := float64(warmUpTimes)
	if e.settings.Start.law != nil {
		times = 1
	}
	wanted := times * e.cells(e.source.plan.RelaxationTime)
	return e.series.FixedWarmUp(int(math.Min(wanted, warmUpShare*float64(e.series.OriginalCells()))))
}
