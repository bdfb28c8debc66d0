package meanfield

import (
	"fmt"
	"math"

	"qlimit/ctmc"
)

// smooth is the equilibrium of a policy without priority levels: power-of-d
// and random routing.
//
// The climb starts from s_1 = λ - lost. With an unlimited buffer nothing is
// lost; with a buffer b the lost rate is the root of λ h(s_b) = lost, one
// scalar equation whose left side falls as lost grows.
func (p *equilibriumProblem) smooth() (*Fixpoint, error) {
	if p.buffer == ctmc.Unlimited {
		return p.smoothUnlimited()
	}
	f := &Fixpoint{Method: "climb over the levels, lost rate by bracketing"}
	var unknown float64
	var scale int
	if p.load < 1 {
		unknown, f.Iterations = p.lostBelowOne()
	} else {
		unknown, scale, f.Iterations = p.rootAboveOne(1, p.smoothStart)
	}
	c := p.smoothStart(unknown, scale)
	lost := c.lost
	p.recordClimb(f, &c)
	f.BlockProb = lost / p.load
	if lost < math.SmallestNonzeroFloat64*0x1p52 && unknown > 0 {
		f.Warnings = append(f.Warnings, fmt.Sprintf("the fraction of lost jobs, about 10^%.0f, is too small for a float64",
			math.Log10(unknown)-float64(scale)*math.Log10(2)))
	}
	f.WaitProb = p.kernel.tail(f.Tail[0], 1-f.Tail[0])
	return p.finish(f), nil
}

// smoothStart is the climb at level 1, where an idle server turns busy in
// phase 1:
//
//	s_1 = λ - lost, s_{1,2} = p s_1/μ2, f_1 = λ (1 - h(s_1)).
//
// The unknown is min(lost, 1 - s_1): below load 1 the lost rate, from load 1
// on the fraction of idle servers, so that it holds all that is small.
func (p *equilibriumProblem) smoothStart(unknown float64, scale int) climb {
	c := climb{law: &p.law, kernel: &p.kernel, rate: p.load, level: 1, scale: scale,
		lost: math.Max(p.load-1, 0) + math.Ldexp(unknown, -scale),
		pass: math.Max(1-p.load, 0) + unknown}
	c.deficit = c.pass
	switch {
	case scale > 0:
		c.s = 1
		c.flow = p.load * p.kernel.slopeAtOne() * c.deficit
	case p.load < 1:
		c.s = p.load - unknown
		c.flow = p.load * p.kernel.shortfall(c.deficit)
	default:
		c.s = 1 - unknown
		c.flow = p.load * p.kernel.shortfall(c.deficit)
	}
	c.first, c.second = c.s*p.law.phase1, c.s*p.law.phase2
	return c
}

// surplusAtBuffer climbs to the buffer and returns λ h(s_b) - lost there, or
// -1 for a climb that ends early.
func (p *equilibriumProblem) surplusAtBuffer(c climb) float64 {
	if !(c.s > 0) {
		return -1
	}
	for c.level < p.buffer {
		if !c.step() {
			return -1
		}
	}
	return c.surplus()
}

// logSurplusAtBuffer returns log λh(s_b) - log lost. At load exactly 1 both
// can be far below the smallest float64 and still decide where the front
// between full and empty levels stands. Once s_i is tiny, h(s_{i+1}) and
// h(s_i)/s_i vanish against the rates, and with φ = s_{i,2}/s_i
//
//	s_{i+1} = λ h(s_i) w,  w = (1-φ)/μ1 + (φ + p(1-φ))/μ2.
func (p *equilibriumProblem) logSurplusAtBuffer(c climb, logLost float64) float64 {
	for c.level < p.buffer && (c.s > tinyTail || p.kernel.choices < 2) {
		if !c.step() {
			return -1
		}
	}
	if c.scale > 0 {
		return 1 // s_b is still 1
	}
	if p.kernel.choices < 2 {
		return math.Log(c.rate*c.kernel.tail(c.s, c.deficit)) - logLost
	}
	l, logTail, share := &p.law, math.Log(c.s), c.second/c.s
	for ; c.level < p.buffer && logTail > logLost; c.level++ {
		second := (share + l.p*(1-share)) / l.mu2
		weight := (1-share)/l.mu1 + second
		logTail = math.Log(c.rate*weight) + p.kernel.d*logTail
		share = second / weight
	}
	return math.Log(c.rate) + p.kernel.d*logTail - logLost
}

const tinyTail = 1e-100

// lostBelowOne returns the lost rate at load < 1. The rate λ h(s_b) that
// would be lost if nothing were is an upper bound.
func (p *equilibriumProblem) lostBelowOne() (lost float64, evaluations int) {
	surplus := func(lost float64) float64 { return p.surplusAtBuffer(p.smoothStart(lost, 0)) }
	high := surplus(0)
	if high <= 0 {
		return 0, 1
	}
	high = math.Min(high, p.load)
	// One step of the iteration lost <- λ h(s_b(lost)) gives a lower bound.
	low := surplus(high) + high
	if !(low > 0) || low >= high*(1-4*epsilon) {
		low = high * 0x1p-900
	}
	low = math.Max(low*(1-8*epsilon), math.SmallestNonzeroFloat64)
	lost, evaluations = rootOfDecreasing(surplus, low, high*(1+8*epsilon))
	return lost, evaluations + 2
}

// rootAboveOne returns the unknown of a climb at load >= 1, as unknown
// 2^-scale: it shrinks with the number of levels like the inverse of the
// growth of the deficit along them.
func (p *equilibriumProblem) rootAboveOne(from int, start func(unknown float64, scale int) climb) (unknown float64, scale, evaluations int) {
	surplus := func(u float64) float64 { return p.surplusAtBuffer(start(u, scale)) }
	if p.load == 1 {
		surplus = func(u float64) float64 {
			return p.logSurplusAtBuffer(start(u, scale), math.Log(u)-float64(scale)*math.Ln2)
		}
	}
	if growth := p.deficitGrowth(start(1, scaleStep), p.buffer-from); growth > 800 {
		scale = scaleStep * int(growth/scaleStep)
	}
	// A wide front leaves fewer levels to the growth than there are.
	for scale > 0 && surplus(linearLimit) > 0 {
		scale -= scaleStep
		evaluations++
	}
	high := 1.0
	if scale > 0 {
		high = linearLimit
	}
	unknown, more := rootOfDecreasing(surplus, 0x1p-1000, high)
	return unknown, scale, evaluations + more
}

// deficitGrowth is log2 of the factor by which a small deficit grows over the
// given number of levels.
func (p *equilibriumProblem) deficitGrowth(c climb, levels int) float64 {
	growth := 0.0
	c.scale = math.MaxInt32
	for range levels {
		c.linearStep()
		if c.deficit > 0x1p60 {
			growth += 60
			c.deficit, c.flow, c.pass = c.deficit*0x1p-60, c.flow*0x1p-60, c.pass*0x1p-60
		}
	}
	if c.deficit <= 0 {
		return growth
	}
	return growth + math.Log2(c.deficit)
}

// recordClimb appends the levels from the climb's own on.
func (p *equilibriumProblem) recordClimb(f *Fixpoint, c *climb) {
	if !(c.s > 0) {
		return
	}
	for {
		// A part must not exceed its whole by rounding.
		f.record(c.s, math.Min(c.second, c.s))
		if c.level == p.buffer || len(f.Tail) == MaxLevels || !c.step() {
			return
		}
	}
}

// smoothUnlimited climbs until the tail ends.
func (p *equilibriumProblem) smoothUnlimited() (*Fixpoint, error) {
	f := &Fixpoint{Method: "climb over the levels", Tail: make([]float64, 0, 32), TailPhase2: make([]float64, 0, 32)}
	c := p.smoothStart(0, 0)
	p.recordClimb(f, &c)
	f.WaitProb = p.kernel.tail(f.Tail[0], 1-f.Tail[0])
	p.finish(f)
	if len(f.Tail) < MaxLevels {
		return f, nil
	}
	return p.cutTail(f)
}

// cutTail handles a tail that does not end within MaxLevels. Random routing
// makes each server an M/G/1 queue, whose mean is known.
func (p *equilibriumProblem) cutTail(f *Fixpoint) (*Fixpoint, error) {
	last := f.Tail[len(f.Tail)-1]
	switch {
	case p.kernel.choices == 1:
		f.MeanJobs = pollaczekKhinchine(p.load, p.sys.Service.SCV())
		f.setResponse(p.sys)
		f.Method += ", mean by the Pollaczek-Khinchine formula"
	case last*MaxLevels > 1e-14*f.MeanJobs:
		return nil, &ctmc.TooLargeError{What: "levels", Value: 2 * MaxLevels, Limit: MaxLevels,
			Hint: fmt.Sprintf("at level %d a fraction %.3g of the servers is still above; give a finite --buffer", MaxLevels, last)}
	}
	f.Warnings = append(f.Warnings, fmt.Sprintf("the tail is listed up to level %d, where it is %.3g", MaxLevels, last))
	return f, nil
}

// pollaczekKhinchine is the mean number of jobs in an M/G/1 queue with load ρ
// and squared coefficient of variation c² of the service,
// ρ + ρ²(1+c²)/(2(1-ρ)).
func pollaczekKhinchine(load, scv float64) float64 {
	return load + load*load*(1+scv)/(2*(1-load))
}
