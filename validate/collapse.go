package validate

import (
	"context"
	"fmt"
	"math"

	"qlimit/ctmc"
	"qlimit/stein"
)

// StepAudit holds one step of a state-space collapse against every state of the
// exact chain: the hypotheses of its tail lemma at their worst, and the tail
// itself beside the bound.
type StepAudit struct {
	Step stein.Step // audited

	// Worst cases over the states that a hypothesis speaks of; NaN-free: -Inf
	// where there is no such state.
	Drift   float64 // largest drift of V where V >= Start in E; must be <= -Step.Drift
	Outside float64 // the same outside E; must be <= Step.Outside
	UpRate  float64 // largest Jump × rate of what raises V where V > Start - 2 Jump; must be <= Step.UpRate
	Jump    float64 // largest change of V; must be <= Step.Jump

	OutsideProb float64   // P(outside E), exact
	Levels      []float64 // numbers j of double jumps, 0 .. Step.Jumps
	Tail        []float64 // P(V > Start + 2 Jump j), exact
	BelowTail   []float64 // P(V > v), exact, at values v below Start, see belowLevels
	Lemma       []float64 // the bounds of the lemma with OutsideProb
	ReachProb   float64   // P(V > Reach), exact

	Faults []string // what does not hold
}

// auditTolerance is far above the rounding of a sum of rates and far below any
// constant of the proof.
const auditTolerance = 1e-9

// lattice separates the values of V, multiples of 1/N plus a constant.
const lattice = 1e-11

// AuditCollapse checks the steps of a collapse on the exact chain of a system.
// Rates are compared in mean service times.
func AuditCollapse(ctx context.Context, s ctmc.System, steps []stein.Step) ([]StepAudit, error) {
	chain, law, err := stationaryLaw(ctx, s)
	if err != nil {
		return nil, err
	}
	return auditUnder(chain, law, steps)
}

// auditUnder checks the steps under a given law of the states.
func auditUnder(chain *ctmc.SystemChain, law []float64, steps []stein.Step) ([]StepAudit, error) {
	g, err := stein.NewGenerator(chain.System)
	if err != nil {
		return nil, err
	}
	audits := make([]StepAudit, len(steps))
	for k, step := range steps {
		audits[k] = newStepAudit(step)
	}
	state := make([]int64, chain.Classes())
	for i, p := range law {
		chain.Unrank(int64(i), state)
		shape := g.Shape(state)
		for k := range audits {
			audits[k].observe(p, g.Motion(&steps[k], state), insideAll(steps, steps[k].Given, shape))
		}
	}
	for k := range audits {
		audits[k].judge()
	}
	return audits, nil
}

// stationaryLaw is the chain of a system with service of mean 1 and the
// probabilities of its states.
func stationaryLaw(ctx context.Context, s ctmc.System) (*ctmc.SystemChain, []float64, error) {
	s.Service = s.Service.Normalized()
	chain, err := s.Chain()
	if err != nil {
		return nil, nil, err
	}
	generator, err := ctmc.Explore(ctx, chain, 0)
	if err != nil {
		return nil, nil, err
	}
	law, err := generator.Stationary(ctx, ctmc.SolverSettings{Tolerance: 1e-14})
	if err != nil {
		return nil, nil, err
	}
	if law.Status != ctmc.Converged && law.Residual > 1e-12 {
		return nil, nil, &ctmc.NotConvergedError{What: "exact chain", Status: law.Status, Steps: law.Iterations, Residual: law.Residual}
	}
	return chain, law.Probability, nil
}

// insideAll says that a state is in the sets of all the given steps.
func insideAll(steps []stein.Step, given []int, shape stein.Shape) bool {
	for _, k := range given {
		if steps[k].Value(shape) > steps[k].Reach+lattice {
			return false
		}
	}
	return true
}

// mostTails is the number of levels at which a tail is looked at.
const mostTails = 50

// tailLevels spreads numbers of double jumps evenly from 0 to Jumps or, if that
// is more, to where the first term of the lemma has fallen by e^-12, as far as V
// can go.
func tailLevels(step *stein.Step) []float64 {
	last := step.Jumps
	if step.UpRate > 0 {
		last = math.Max(last, math.Ceil(12/math.Log1p(step.Drift/step.UpRate)))
	}
	last = math.Max(0, math.Min(last, math.Floor((step.Largest()-step.Start)/(2*step.Jump))))
	count := math.Min(last, mostTails)
	levels := []float64{0}
	for k := 1.0; k <= count; k++ {
		levels = append(levels, math.Round(last*k/count))
	}
	return levels
}

// belowLevels are values of V from where it usually is up to Start, at which
// there is no bound, to see the tail come down.
func belowLevels(step *stein.Step) []float64 {
	from, width := step.Usual(), step.Start-step.Usual()
	count := math.Max(1, math.Min(30, math.Floor(width/step.Jump)))
	var levels []float64
	for k := 0.0; k < count; k++ {
		levels = append(levels, from+width*k/count)
	}
	return levels
}

func newStepAudit(step stein.Step) StepAudit {
	levels := tailLevels(&step)
	return StepAudit{Step: step, Drift: math.Inf(-1), Outside: math.Inf(-1), Levels: levels,
		Tail: make([]float64, len(levels)), BelowTail: make([]float64, len(belowLevels(&step)))}
}

func (a *StepAudit) observe(p float64, m stein.Motion, inside bool) {
	s := &a.Step
	a.Jump = math.Max(a.Jump, m.Largest)
	if m.Value > s.Start-2*s.Jump+lattice {
		a.UpRate = math.Max(a.UpRate, s.Jump*m.UpRate)
	}
	if m.Value >= s.Start-lattice {
		if inside {
			a.Drift = math.Max(a.Drift, m.Drift)
		} else {
			a.Outside = math.Max(a.Outside, m.Drift)
		}
	}
	if !inside {
		a.OutsideProb += p
	}
	if m.Value > s.Reach+lattice {
		a.ReachProb += p
	}
	for k, j := range a.Levels {
		if m.Value > s.Start+2*s.Jump*j+lattice {
			a.Tail[k] += p
		}
	}
	for k, v := range belowLevels(s) {
		if m.Value > v+lattice {
			a.BelowTail[k] += p
		}
	}
}

// judge lists what does not hold.
func (a *StepAudit) judge() {
	s := &a.Step
	check := func(what string, value, limit float64) {
		if !(value <= limit+auditTolerance*math.Max(1, math.Abs(limit))) {
			a.Faults = append(a.Faults, fmt.Sprintf("%s: %s is %.9g, more than %.9g", s.Focus, what, value, limit))
		}
	}
	check("the drift inside E", a.Drift, -s.Drift)
	check("the drift outside E", a.Outside, s.Outside)
	check("jump size times up-rate", a.UpRate, math.Max(s.UpRate, 0))
	check("the largest jump", a.Jump, s.Jump)
	check("Start + 2 Jump Jumps", s.Start+2*s.Jump*s.Jumps, s.Reach)
	for k, j := range a.Levels {
		a.Lemma = append(a.Lemma, s.Lemma(j, a.OutsideProb))
		check(fmt.Sprintf("P(V > Start + %g jumps)", 2*j), a.Tail[k], math.Min(1, a.Lemma[k]))
	}
	check("P(V > Reach)", a.ReachProb, math.Min(1, math.Exp(s.LogTail)))
}
