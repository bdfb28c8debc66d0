package sim

import (
	"context"
	"time"

	"qlimit/ctmc"
	"qlimit/validate/estimate"
)

// MaxServers is the largest system that Run takes.
const MaxServers = int64(1e9)

// minLoad is the smallest load that Run takes: below it next to nothing
// happens.
const minLoad = 1e-9

// Ending says why a run stopped.
type Ending string

const (
	BudgetSpent      Ending = "budget spent"      // all events, jobs or slots asked for
	TimeSpent        Ending = "time spent"        // the Budget on the wall clock
	PrecisionReached Ending = "precision reached" // the interval is as narrow as asked
	Interrupted      Ending = "interrupted"       // by the context
)

// Measures are the stationary measures of a system. Means are per server,
// times in the unit of the service law. Every estimate is of kind
// ctmc.Estimate.
type Measures struct {
	MeanJobs     estimate.Estimate   // per server
	MeanResponse estimate.Estimate   // of accepted jobs
	WaitProb     estimate.Estimate   // P(routed server is not idle), lost jobs counted
	BlockProb    estimate.Estimate   // P(a job is lost)
	Occupancy    []estimate.Estimate // fraction of servers with exactly 0, 1, .. jobs
	Tail         []estimate.Estimate // fraction of servers with at least 1, 2, .. jobs
}

// Result of a run.
type Result struct {
	System   ctmc.System   // that was simulated
	Measures               // the best that the run has to say: improved by control variates where they help
	Plain    Measures      // time averages without control variates; the same where they are off
	Controls ControlReport // what the control variates did
	Plan     Plan          // how long a run should be, by theory

	Events       int64         // simulated, warm-up included
	Elapsed      time.Duration // wall clock
	Replications int           // independent runs
	Duration     float64       // simulated time of a replication, warm-up included
	WarmUp       float64       // of which left out
	WarmUpRule   string        // how it was chosen
	Ending       Ending        // why the run stopped
	Warnings     []string      // sentences for footnotes
}

// EventsPerSecond is the speed of the run over all threads.
func (r *Result) EventsPerSecond() float64 {
	if r.Elapsed <= 0 {
		return 0
	}
	return float64(r.Events) / r.Elapsed.Seconds()
}

// Run simulates a system and estimates its stationary measures.
//
// Replications are independent and start from Settings.Start. After every
// round the warm-up is chosen again (MSER-5 on the average over replications)
// and the intervals recomputed (package estimate); rounds go on until the
// precision or the budget is reached. A cancelled context ends the run with
// what has been simulated, Ending = Interrupted, if that suffices for an
// estimate, else with the context's error.
func Run(ctx context.Context, s ctmc.System, settings Settings) (*Result, error) {
	if err := checkSystem(s); err != nil {
		return nil, err
	}
	settings, err := settings.withDefaults()
	if err != nil {
		return nil, err
	}
	if err := settings.Start.validate(s); err != nil {
		return nil, err
	}
	return newExperiment(s, settings).run(ctx)
}

// checkSystem names what the simulator cannot take.
func checkSystem(s ctmc.System) error {
	if err := s.Validate(); err != nil {
		return err
	}
	return checkSize(s)
}

// checkSize holds load and servers against what a simulation can do.
func checkSize(s ctmc.System) error {
	if s.Load < minLoad {
		return &ctmc.FieldError{Field: "load", Value: s.Load, Allowed: "at least 1e-9 for the simulator"}
	}
	if s.Servers > MaxServers {
		return &ctmc.FieldError{Field: "servers", Value: s.Servers, Allowed: "at most 1e9 for the simulator"}
	}
	return nil
}
