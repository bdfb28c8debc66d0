package ode

import "math"

// stages is the number of stages of the explicit pairs, the last of which is
// the first of the next step (FSAL).
const stages = 7

// tableau holds the coefficients of an explicit pair 5(4) with seven stages.
// Row i of a forms the argument of stage i; the last row is the solution of
// order 5.
type tableau struct {
	nodes [stages]float64
	a     [stages][]float64
	// err forms the difference of the two solutions, and caution multiplies it:
	// it is chosen so that a tolerance means the same error with every pair.
	err     [stages]float64
	caution float64
	// quartic forms the coefficient of θ²(1−θ)² in the free continuous
	// extension of order 4, the other terms of which interpolate states and
	// slopes at both ends.
	quartic [stages]float64
	// stability is the length of the real stability interval.
	stability float64
}

// explicitPair is a Runge–Kutta pair at work.
type explicitPair struct {
	*course
	tableau  *tableau
	control  proportionalIntegral
	k        [stages][]float64 // slopes at the stages
	argument []float64         // argument of the stage before the last
	trial    []float64         // end of the attempted step
	errors   []float64
	extra    [2][]float64 // slopes at the two extra stages of the dense output
	retrying bool
}

func newExplicitPair(c *course, t *tableau) *explicitPair {
	p := &explicitPair{course: c, tableau: t, control: proportionalIntegral{Controller: c.settings.Controller}}
	vectors := make([]float64, (stages+5)*c.problem.Dim)
	take := func() []float64 {
		v := vectors[:c.problem.Dim:c.problem.Dim]
		vectors = vectors[c.problem.Dim:]
		return v
	}
	for i := range p.k {
		p.k[i] = take()
	}
	p.argument, p.trial, p.errors = take(), take(), take()
	p.extra = [2][]float64{take(), take()}
	return p
}

func (p *explicitPair) restart() {
	p.control.restart()
	p.retrying = false
	copy(p.k[0], p.slope)
	p.proposed = p.firstStep(5, [2][]float64{p.argument, p.trial})
}

func (p *explicitPair) advance() Status {
	for {
		h, status := p.nextStep()
		if status != Running {
			return status
		}
		p.evaluateStages(h)
		e := p.estimate(h)
		fixed := p.settings.FixedStep > 0
		switch {
		case !isFinite(e):
			if fixed {
				return NotFinite
			}
			p.reject(0.2*math.Abs(h), true)
			p.retrying = true
		case e <= 1 || fixed:
			p.acceptStep(h, e)
			return Running
		default:
			p.reject(math.Abs(h)*p.control.rejected(e), false)
			p.retrying = true
		}
	}
}

// evaluateStages fills k[1..6] and trial. The slope at the start is in slope.
func (p *explicitPair) evaluateStages(h float64) {
	copy(p.k[0], p.slope)
	for s := 1; s < stages; s++ {
		into := p.argument
		if s == stages-1 {
			into = p.trial
		}
		combine(into, p.tableau.a[s], &p.k)
		for i := range into {
			into[i] = p.y[i] + h*into[i]
		}
		p.evaluate(p.t+p.tableau.nodes[s]*h, into, p.k[s])
	}
}

// combine writes Σ_j weights_j·k_j into dst.
func combine(dst, weights []float64, k *[stages][]float64) {
	w, first := weights[0], k[0][:len(dst)]
	for i := range dst {
		dst[i] = w * first[i]
	}
	for j := 1; j < len(weights); j++ {
		w, kj := weights[j], k[j][:len(dst)]
		for i := range dst {
			dst[i] += w * kj[i]
		}
	}
}

// estimate returns the error of the attempted step in units of the tolerance.
func (p *explicitPair) estimate(h float64) float64 {
	combine(p.errors, p.tableau.err[:], &p.k)
	return p.tableau.caution * math.Abs(h) * p.tolerance.normBetween(p.errors, p.y, p.trial)
}

func (p *explicitPair) acceptStep(h, e float64) {
	p.watchStability(h)
	size := math.Abs(h)
	factor := p.control.accepted(e)
	if p.retrying {
		factor = min(factor, 1)
		p.retrying = false
	}
	if p.settings.FixedStep > 0 {
		size, factor = p.settings.FixedStep, 1
	}
	p.accept(h, p.trial, size*factor)
	copy(p.slope, p.k[stages-1])
	p.dense.degree = 0
}

// watchStability estimates |h·λ| for the dominant eigenvalue from the last two
// stages, which share the time t+h (Shampine; Hairer & Wanner 1996, §IV.2).
func (p *explicitPair) watchStability(h float64) {
	var slopes, states float64
	last, before := p.k[stages-1], p.k[stages-2]
	for i, y := range p.trial {
		slopes = max(slopes, math.Abs(last[i]-before[i]))
		states = max(states, math.Abs(y-p.argument[i]))
	}
	if math.Abs(h)*slopes > 0.97*p.tableau.stability*states {
		p.stats.StabilityLimited++
	}
}
