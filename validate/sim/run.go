package sim

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"qlimit/ctmc"
	"qlimit/internal/stream"
	"qlimit/validate/estimate"
)

// MaxServers is the largest system that Run takes.
const MaxServers = int64(1e9)

// minLoad is the smallest load that Run takes: below it next to nothing
// happens.
const minLoad = 1e-9

// Defaults of Settings.
const (
	DefaultReplications = 16
	DefaultEvents       = int64(1e8)
)

// minReplications keeps the Student factor of independent replications small.
const minReplications = 4

// Settings of Run; the zero value is the documented default.
type Settings struct {
	Seed         uint64
	Threads      int     // goroutines at once; 0 = all cores; never changes a result
	Replications int     // independent runs; 0 = DefaultReplications, at least 4
	Events       int64   // budget, all replications together, approximately; 0 = DefaultEvents
	Precision    float64 // stop once half width <= Precision × value for mean jobs and mean response; 0 = use the whole budget
	Level        float64 // confidence; 0 = 0.95
	WarmUp       float64 // time to leave out, in the unit of the service law; negative = none; 0 = chosen from the data (MSER-5)
	Start        Start   // zero value: empty system
	Progress     ctmc.Progress
}

// Start is an initial state: the number of servers with at least 1, 2, ..
// jobs, and of those among them with the job in service in phase 2.
type Start struct {
	Tail, TailPhase2 []int64
}

// RoundedStart scales tail fractions to a number of servers.
func RoundedStart(servers int64, tail, tailPhase2 []float64) Start {
	var s Start
	for i, fraction := range tail {
		n := int64(math.Round(fraction * float64(servers)))
		if n == 0 {
			break
		}
		s.Tail = append(s.Tail, n)
		second := int64(0)
		if i < len(tailPhase2) {
			second = int64(math.Round(tailPhase2[i] * float64(servers)))
		}
		s.TailPhase2 = append(s.TailPhase2, second)
	}
	s.makeConsistent()
	return s
}

// makeConsistent lowers rounded counts so that every class keeps a
// non-negative number of servers.
func (s *Start) makeConsistent() {
	nextTotal, nextSecond := int64(0), int64(0)
	for i := len(s.Tail) - 1; i >= 0; i-- {
		s.Tail[i] = max(s.Tail[i], nextTotal)
		exactly := s.Tail[i] - nextTotal
		second := min(max(s.TailPhase2[i]-nextSecond, 0), exactly)
		nextTotal = s.Tail[i]
		nextSecond += second
		s.TailPhase2[i] = nextSecond
	}
}

// Ending says why a run stopped.
type Ending string

const (
	BudgetSpent      Ending = "budget spent"
	PrecisionReached Ending = "precision reached"
	Interrupted      Ending = "interrupted"
)

// Result of a run. Means are per server, times in the unit of the service
// law. Every estimate is of kind ctmc.Estimate.
type Result struct {
	System       ctmc.System
	MeanJobs     estimate.Estimate
	MeanResponse estimate.Estimate // of accepted jobs
	WaitProb     estimate.Estimate // P(routed server is not idle), lost jobs counted
	BlockProb    estimate.Estimate
	Occupancy    []estimate.Estimate // fraction of servers with exactly 0, 1, .. jobs
	Tail         []estimate.Estimate // fraction of servers with at least 1, 2, .. jobs

	Events       int64         // simulated, warm-up included
	Elapsed      time.Duration // wall clock
	Replications int
	Duration     float64 // simulated time of a replication, warm-up included
	WarmUp       float64 // of which left out
	WarmUpRule   string
	Ending       Ending
	Warnings     []string
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
	if err := s.Validate(); err != nil {
		return nil, err
	}
	if s.Load < minLoad {
		return nil, &ctmc.FieldError{Field: "load", Value: s.Load, Allowed: "at least 1e-9 for the simulator"}
	}
	if s.Servers > MaxServers {
		return nil, &ctmc.FieldError{Field: "servers", Value: s.Servers, Allowed: "at most 1e9 for the simulator"}
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

func (s Settings) withDefaults() (Settings, error) {
	if s.Threads <= 0 {
		s.Threads = runtime.GOMAXPROCS(0)
	}
	if s.Replications == 0 {
		s.Replications = DefaultReplications
	}
	if s.Events == 0 {
		s.Events = DefaultEvents
	}
	if s.Level == 0 {
		s.Level = estimate.DefaultLevel
	}
	switch {
	case s.Replications < minReplications || s.Replications > 10_000:
		return s, &ctmc.FieldError{Field: "replications", Value: s.Replications, Allowed: fmt.Sprintf("between %d and 10000", minReplications)}
	case s.Events < int64(s.Replications)*minCells*minCellEvents:
		return s, &ctmc.FieldError{Field: "events", Value: s.Events, Allowed: fmt.Sprintf("at least %d for %d replications", s.Replications*minCells*minCellEvents, s.Replications)}
	case !(s.Precision >= 0 && s.Precision < 1):
		return s, &ctmc.FieldError{Field: "precision", Value: s.Precision, Allowed: "between 0 and 1 (0 = no target)"}
	case !(s.Level > 0 && s.Level < 1):
		return s, &ctmc.FieldError{Field: "level", Value: s.Level, Allowed: "between 0 and 1"}
	case math.IsNaN(s.WarmUp) || math.IsInf(s.WarmUp, 0):
		return s, &ctmc.FieldError{Field: "warmup", Value: s.WarmUp, Allowed: "finite"}
	}
	return s, nil
}

func (s Start) validate(system ctmc.System) error {
	before := system.Servers
	for i, n := range s.Tail {
		if n < 0 || n > before || (system.Buffer != ctmc.Unlimited && i >= system.Buffer && n > 0) {
			return &ctmc.FieldError{Field: "start", Value: s.Tail, Allowed: "counts of servers with at least 1, 2, .. jobs, non-increasing, at most the number of servers and within the buffer"}
		}
		before = n
	}
	return nil
}

const (
	// minCells and minCellEvents bound how finely a small budget is cut.
	minCells      = 16
	minCellEvents = 64
	// maxCellEvents bounds how long a replication runs between looks at the
	// context.
	maxCellEvents = 1e6
	// fullCells is the number of cells of a replication in a first round.
	fullCells = 256
	// tailLevels is the number of levels whose occupancy is recorded.
	tailLevels = 64
)

// Columns of the cell averages; tail s_i is column firstTail + i - 1.
const (
	jobsColumn = iota
	waitColumn
	blockColumn
	firstTail
)

// experiment is a run in progress.
type experiment struct {
	system   ctmc.System
	settings Settings
	states   []*occupancy
	events   []int64
	random   []*rand.PCG
	series   *estimate.Series
	tails    int
	cellTime float64 // of an original cell, in mean service times
	maxCells int     // budget of original cells of a replication
	done     atomic.Int64
	started  time.Time
}

func newExperiment(s ctmc.System, settings Settings) *experiment {
	e := &experiment{system: s, settings: settings, tails: tailLevels, started: time.Now()}
	if s.Buffer != ctmc.Unlimited {
		e.tails = min(s.Buffer, tailLevels)
	}
	perReplication := float64(settings.Events) / float64(settings.Replications)
	e.maxCells = int(math.Min(math.Max(perReplication/(16*minCellEvents), minCells), fullCells))
	if settings.Precision > 0 {
		// Room to stop early: the first round is a sixteenth of the budget.
		e.maxCells *= 16
		e.maxCells = min(e.maxCells, int(perReplication/minCellEvents))
	}
	// A cell is what a cancelled run has to wait for.
	e.maxCells = max(e.maxCells, int(perReplication/maxCellEvents))
	e.cellTime = perReplication / float64(e.maxCells) / eventRate(s)
	e.series = estimate.NewSeries(settings.Replications, firstTail+e.tails, 0)
	for r := 0; r < settings.Replications; r++ {
		state := newOccupancy(s)
		state.start(settings.Start)
		e.states = append(e.states, state)
		e.random = append(e.random, stream.New(stream.Key{Seed: settings.Seed, Cell: s.String(), Replication: r, Purpose: stream.Events}))
	}
	e.events = make([]int64, settings.Replications)
	return e
}

// eventRate is the rate of events in mean service times: arrivals, departures
// of what is accepted at most, and changes of phase.
func eventRate(s ctmc.System) float64 {
	served := math.Min(s.Load, 1) * float64(s.Servers)
	return s.Load*float64(s.Servers) + served*(1+s.Service.P)
}

func (e *experiment) run(ctx context.Context) (*Result, error) {
	target := estimate.Target{RelativePrecision: e.settings.Precision, Level: e.settings.Level}
	cells := e.maxCells
	if e.settings.Precision > 0 {
		cells = max(e.maxCells/16, minCells)
	}
	for {
		err := e.simulate(ctx, cells)
		if ctx.Err() != nil {
			return e.interrupted(ctx)
		}
		if err != nil {
			return nil, err
		}
		result := e.result()
		left := e.maxCells - e.series.OriginalCells()
		if e.settings.Precision > 0 {
			stored, span := e.series.Cells(), e.series.Span()
			more := span * max(target.NextCells(stored, result.MeanJobs), target.NextCells(stored, result.MeanResponse))
			if more == 0 {
				result.Ending = PrecisionReached
				return result, nil
			}
			cells = more
		}
		if left <= 0 {
			if e.settings.Precision > 0 {
				result.Warnings = append(result.Warnings, fmt.Sprintf("the budget of %d events was spent before the precision %g was reached", e.settings.Events, e.settings.Precision))
			}
			return result, nil
		}
		cells = min(cells, left)
	}
}

func (e *experiment) interrupted(ctx context.Context) (*Result, error) {
	if e.series.Cells() < minCells {
		return nil, ctx.Err()
	}
	result := e.result()
	result.Ending = Interrupted
	result.Warnings = append(result.Warnings, "interrupted: the estimates use what had been simulated")
	return result, nil
}

// simulate adds cells to every replication, the replications in parallel and
// in step, so that an interrupted run has about as much of each.
func (e *experiment) simulate(ctx context.Context, cells int) error {
	for cells > 0 {
		step := min(cells, max(1, e.maxCells/steps))
		group, ctx := errgroup.WithContext(ctx)
		group.SetLimit(e.settings.Threads)
		for r := range e.states {
			group.Go(func() (err error) {
				defer faultToError(&err)
				return e.extend(ctx, r, step)
			})
		}
		if err := group.Wait(); err != nil {
			return err
		}
		cells -= step
	}
	return nil
}

// steps is the number of steps in which the replications advance together.
const steps = 64

// faultToError keeps a fault in one replication from ending the program.
func faultToError(err *error) {
	if fault := recover(); fault != nil {
		*err = fmt.Errorf("simulation: internal error: %v", fault)
	}
}

func (e *experiment) extend(ctx context.Context, r, cells int) error {
	averages := make([]float64, e.series.Columns())
	for k := 0; k < cells; k++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		e.events[r] += e.states[r].simulateCell(e.cellTime, e.random[r], averages)
		if err := e.series.Append(r, averages); err != nil {
			return err
		}
		e.report(e.done.Add(1))
	}
	return nil
}

func (e *experiment) report(done int64) {
	if e.settings.Progress != nil {
		e.settings.Progress(float64(done), float64(e.maxCells)*float64(len(e.states)), "simulating")
	}
}

// simulateCell runs for about the given time and writes its time averages.
func (o *occupancy) simulateCell(time float64, random *rand.PCG, averages []float64) int64 {
	o.clearIntegrals()
	events := o.runUntil(time, random)
	passed := o.settle()
	servers := float64(o.servers)
	jobs := 0.0
	for i := 1; i < len(o.levels); i++ {
		jobs += o.levels[i].countTime
	}
	averages[jobsColumn] = jobs / passed / servers
	averages[waitColumn] = o.levels[1].routeTime / passed / o.arrival
	averages[blockColumn] = o.lostTime() / passed / o.arrival
	for i := 1; i <= len(averages)-firstTail; i++ {
		averages[firstTail+i-1] = o.levels[i].countTime / passed / servers
	}
	return events
}

// lostTime is ∫ λN P(an arrival is lost) dt.
func (o *occupancy) lostTime() float64 {
	if o.gatedFull {
		return o.fullTime
	}
	if o.buffer < len(o.levels) {
		return o.levels[o.buffer].routeTime
	}
	return 0
}

func (e *experiment) result() *Result {
	s := e.system
	mean := s.Service.Mean()
	warm := e.warmUp()
	level := e.settings.Level
	series := e.series
	r := &Result{
		System:       s,
		MeanJobs:     series.Mean(jobsColumn, warm, level),
		WaitProb:     series.Mean(waitColumn, warm, level),
		BlockProb:    series.Mean(blockColumn, warm, level),
		MeanResponse: e.meanResponse(warm),
		Elapsed:      time.Since(e.started),
		Replications: e.settings.Replications,
		Duration:     float64(series.OriginalCells()) * e.cellTime * mean,
		WarmUp:       float64(warm.Cells*max(warm.Span, 1)) * e.cellTime * mean,
		WarmUpRule:   warm.Rule,
		Ending:       BudgetSpent,
	}
	for _, events := range e.events {
		r.Events += events
	}
	e.addOccupancy(r, warm)
	r.Warnings = e.warnings(r, warm)
	return r
}

func (e *experiment) warmUp() estimate.WarmUp {
	switch w := e.settings.WarmUp; {
	case w < 0:
		return estimate.NoWarmUp()
	case w > 0:
		return e.series.FixedWarmUp(int(math.Ceil(w / e.system.Service.Mean() / e.cellTime)))
	}
	return e.series.WarmUp(jobsColumn, waitColumn)
}

// meanResponse is Little's law on accepted jobs:
// E[jobs] / (load (1 - P(block))) mean service times.
func (e *experiment) meanResponse(warm estimate.WarmUp) estimate.Estimate {
	scale := e.system.Service.Mean() / e.system.Load
	return e.series.Function([]int{jobsColumn, blockColumn}, func(x []float64) (float64, []float64) {
		accepted := 1 - x[1]
		value := scale * x[0] / accepted
		return value, []float64{scale / accepted, value / accepted}
	}, warm, e.settings.Level)
}

// addOccupancy fills in the levels that were ever reached.
func (e *experiment) addOccupancy(r *Result, warm estimate.WarmUp) {
	level := e.settings.Level
	for i := 0; i <= e.tails; i++ {
		if i > 0 {
			tail := e.series.Mean(firstTail+i-1, warm, level)
			if tail.Value == 0 {
				return
			}
			r.Tail = append(r.Tail, tail)
		}
		r.Occupancy = append(r.Occupancy, e.occupancyOf(i, warm))
	}
}

// occupancyOf estimates q_i = s_i - s_{i+1}.
func (e *experiment) occupancyOf(i int, warm estimate.WarmUp) estimate.Estimate {
	upper, lower := firstTail+i-1, firstTail+i
	switch {
	case i == 0:
		return e.series.Function([]int{lower}, func(x []float64) (float64, []float64) {
			return 1 - x[0], []float64{-1}
		}, warm, e.settings.Level)
	case i == e.tails:
		return e.series.Mean(upper, warm, e.settings.Level)
	}
	return e.series.Function([]int{upper, lower}, func(x []float64) (float64, []float64) {
		return x[0] - x[1], []float64{1, -1}
	}, warm, e.settings.Level)
}

func (e *experiment) warnings(r *Result, warm estimate.WarmUp) []string {
	var list []string
	list = append(list, r.MeanJobs.Warnings...)
	if !warm.Reliable && e.settings.WarmUp >= 0 {
		list = append(list, "the warm-up may be longer than the run: run longer or start closer to equilibrium")
	}
	if services := r.Duration / e.system.Service.Mean(); services < shortRun {
		list = append(list, fmt.Sprintf("each replication covers %.3g mean service times only: the interval cannot show a bias left by the start", services))
	}
	if e.system.Buffer == ctmc.Unlimited && len(r.Occupancy) > tailLevels {
		list = append(list, fmt.Sprintf("occupancy is recorded up to %d jobs; the last entry counts servers with that many or more", tailLevels))
	}
	return list
}

// shortRun is the number of mean service times below which a replication is
// too short for its own warm-up to be seen.
const shortRun = 20
