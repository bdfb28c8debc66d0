package sim

import (
	"context"
	"math"

	"qlimit/ctmc"
	"qlimit/validate/estimate"
)

// PullResult of RunPull. MeanJobs and the other measures are those of [Result];
// control variates are not used.
type PullResult struct {
	Result
	EmptyProb   estimate.Estimate // fraction of time without a stored ID
	Stored      estimate.Estimate // mean number of stored IDs
	MessageRate estimate.Estimate // messages per server and unit of time, those that change nothing included: Rate × fraction idle
}

// RunPull simulates a system whose dispatcher needs its memory (for the others,
// see [ctmc.PullRule.Memoryless], Run does) and estimates its stationary
// measures: occupancy and number of stored IDs are a Markov chain, of which
// every event is simulated. Everything said of [Run] holds. Errors: a
// dispatcher that needs no memory, and those of Run.
func RunPull(ctx context.Context, s ctmc.PullSystem, settings Settings) (*PullResult, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	if policy, ok := s.Pull.Memoryless(); ok {
		return nil, &ctmc.FieldError{Field: "policy", Value: s.Pull, Allowed: "a dispatcher that needs its memory", Reason: "it equals " + policy.Name + ", which Run simulates"}
	}
	if err := checkSize(s.Described()); err != nil {
		return nil, err
	}
	settings, err := settings.withDefaults()
	if err != nil {
		return nil, err
	}
	if err := settings.Start.validate(s.Described()); err != nil {
		return nil, err
	}
	e := newPullExperiment(s, settings)
	result, err := e.run(ctx)
	if err != nil {
		return nil, err
	}
	return e.pullResult(s, result), nil
}

// Columns of a pull experiment behind those of the tail.
const (
	emptyColumn = iota
	storedColumn
	pullColumns
)

func newPullExperiment(s ctmc.PullSystem, settings Settings) *experiment {
	system := s.Described()
	system.Service.Mu1, system.Service.P = 1/s.Service.Mean(), 0
	// An ID is stored for each job that finds one.
	messages := float64(s.Servers) * math.Min(s.Load, s.ServerRate())
	settings.Controls = ControlsOff
	return newExperimentOf(system, settings, source{
		eventRate: eventRate(system) + messages,
		columns:   pullColumns,
		begin:     func(start Start, stored int64) replica { return newPullOccupancy(s, start, stored) },
	})
}

func (e *experiment) pullResult(s ctmc.PullSystem, r *Result) *PullResult {
	l := e.look()
	first := firstTail + e.tails
	p := &PullResult{Result: *r,
		EmptyProb: l.plain.Mean(first+emptyColumn, e.settings.Level),
		Stored:    l.plain.Mean(first+storedColumn, e.settings.Level),
	}
	p.System = s.Described()
	p.MessageRate = scaled(p.Occupancy[0], s.Pull.Rate)
	return p
}
