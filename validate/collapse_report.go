package validate

import (
	"context"
	"math"

	"qlimit/ctmc"
	"qlimit/stein"
	"qlimit/validate/estimate"
)

// CollapseStep is a step of the state-space collapse with its tail bounds
// beside the tail probabilities.
type CollapseStep struct {
	Step stein.Step // with its hypotheses

	Levels []float64 // numbers j of double jumps
	Bound  []float64 // on P(V > Start + 2 Jump j), with the bounds of the steps before
	Reach  float64   // the bound on P(V > Reach), the probability of leaving the set

	Below []float64 // values of V below Start, where there is no bound

	Audit *StepAudit // of the exact chain, nil where there is none

	// Simulated are estimates of the tail at Levels, SimulatedBelow at Below, and
	// SimulatedReach is that of P(V > Reach); nil without simulation.
	Simulated, SimulatedBelow []estimate.Estimate
	SimulatedReach            *estimate.Estimate
}

// mostAuditStates is the largest chain that is solved to show a collapse.
const mostAuditStates = 200_000

// Collapse sets the bounds of a chain of sets beside the truth: exact where the
// chain of the system is small, simulated where samples are asked for. The
// steps must belong to the system.
func Collapse(ctx context.Context, s ctmc.System, steps []stein.Step, settings StateSimulation) ([]CollapseStep, error) {
	list := make([]CollapseStep, len(steps))
	for k := range steps {
		list[k] = boundedStep(steps, k)
	}
	if ctmc.CountStates(s.Servers, s.Buffer, s.Phases()) <= mostAuditStates {
		audits, err := AuditCollapse(ctx, s, steps)
		if err != nil {
			return nil, err
		}
		for k := range list {
			list[k].Audit = &audits[k]
		}
	}
	if settings.Samples == 0 {
		return list, nil
	}
	return list, simulateTails(ctx, s, list, settings)
}

// boundedStep evaluates the bounds of a step.
func boundedStep(steps []stein.Step, k int) CollapseStep {
	c := CollapseStep{Step: steps[k], Levels: tailLevels(&steps[k]), Below: belowLevels(&steps[k]), Reach: math.Min(1, math.Exp(steps[k].LogTail))}
	outside := 0.0
	for _, given := range steps[k].Given {
		outside += math.Exp(steps[given].LogTail)
	}
	for _, j := range c.Levels {
		c.Bound = append(c.Bound, math.Min(1, steps[k].Lemma(j, outside)))
	}
	return c
}

// columns is the number of tails of a step that are simulated.
func (c *CollapseStep) columns() int { return len(c.Levels) + len(c.Below) + 1 }

// observe writes the indicators of the tails at a value of V.
func (c *CollapseStep) observe(v float64, values []float64) {
	beyond := func(k int, level float64) {
		if v > level+lattice {
			values[k] = 1
		}
	}
	for k, j := range c.Levels {
		beyond(k, c.Step.Start+2*c.Step.Jump*j)
	}
	for k, level := range c.Below {
		beyond(len(c.Levels)+k, level)
	}
	beyond(c.columns()-1, c.Step.Reach)
}

// simulateTails estimates every tail of every step along the same paths.
func simulateTails(ctx context.Context, s ctmc.System, list []CollapseStep, settings StateSimulation) error {
	columns := 0
	for k := range list {
		columns += list[k].columns()
	}
	s.Service = s.Service.Normalized()
	series, err := simulateStates(ctx, s, settings, columns, func() (func([]int64, []float64), error) {
		g, err := stein.NewGenerator(s)
		return func(state []int64, values []float64) {
			shape := g.Shape(state)
			for k := range list {
				list[k].observe(list[k].Step.Value(shape), values)
				values = values[list[k].columns():]
			}
		}, err
	})
	if err != nil {
		return err
	}
	at := 0
	for k := range list {
		var estimates []estimate.Estimate
		for range list[k].columns() {
			estimates = append(estimates, series.Mean(at, estimate.NoWarmUp(), estimate.DefaultLevel))
			at++
		}
		levels := len(list[k].Levels)
		list[k].Simulated, list[k].SimulatedBelow = estimates[:levels], estimates[levels:len(estimates)-1]
		list[k].SimulatedReach = &estimates[len(estimates)-1]
	}
	return nil
}
