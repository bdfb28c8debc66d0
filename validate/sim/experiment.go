package sim

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"golang.org/x/sync/errgroup"

	"qlimit/ctmc"
	"qlimit/internal/stream"
	"qlimit/validate/estimate"
)

const (
	// minCells and minCellEvents bound how finely a small budget is cut.
	minCells      = 16
	minCellEvents = 64
	// maxCellEvents bounds how long a replication runs between looks at the
	// context.
	maxCellEvents = 1e6
	// fullCells is the number of cells of a replication in a first round.
	fullCells = 256
	// A run towards a precision takes its first look after a sixteenth of the
	// budget, or after four million events if that is less.
	firstShare = 16
	firstLook  = 4e6
	// tailLevels is the number of levels whose occupancy is recorded.
	tailLevels = 64
)

// experiment is a run in progress.
type experiment struct {
	system   ctmc.System
	settings Settings
	states   []replica
	source   source
	basis    controlBasis
	events   []int64
	random   []*rand.PCG
	series   *estimate.Series
	tails    int
	cellTime float64 // of an original cell, in mean service times
	maxCells int     // budget of original cells of a replication
	goal     int     // original cells of a replication at the next look
	reached  bool    // the last look found the precision by control variates; another has to confirm it, for a first one may be lucky
	started  time.Time
	before   time.Duration // spent before the run was resumed
	saved    time.Time     // when the last checkpoint was written
	troubles []string      // warnings about checkpoints
	progress progress
}

// replica is the state of one replication.
type replica interface {
	// simulateCell runs for about the given time, in mean service times, and
	// writes its averages over time, one for each column.
	simulateCell(time float64, random *rand.PCG, averages []float64, basis controlBasis) (events int64)
	// state is what a replica goes on from: servers by jobs, and stored IDs.
	state() (Start, int64)
}

// source is where replicas of a kind of system come from.
type source struct {
	plan      Plan
	eventRate float64                          // in mean service times, about
	columns   int                              // behind those of the tail, before those of control variates
	begin     func(s Start, ids int64) replica // without control variates
}

func newExperiment(s ctmc.System, settings Settings) *experiment {
	return newExperimentOf(s, settings, source{
		plan:      planFrom(settings.Start, s, settings.Replications),
		eventRate: eventRate(s),
		begin: func(start Start, _ int64) replica {
			state := newOccupancy(s)
			state.start(start)
			return state
		},
	})
}

func newExperimentOf(s ctmc.System, settings Settings, from source) *experiment {
	e := &experiment{system: s, settings: settings, source: from, tails: tailLevels, started: time.Now(), saved: time.Now()}
	if s.Buffer != ctmc.Unlimited {
		e.tails = min(s.Buffer, tailLevels)
	}
	perReplication := float64(settings.Events) / float64(settings.Replications)
	e.maxCells = int(math.Min(math.Max(perReplication/(16*minCellEvents), minCells), fullCells))
	e.goal = e.maxCells
	if settings.sequential() {
		// Room to stop early.
		share := math.Max(firstShare, perReplication*float64(settings.Replications)/firstLook)
		e.maxCells = int(math.Min(share*float64(e.maxCells), perReplication/minCellEvents))
		e.goal = max(int(float64(e.maxCells)/share), minCells)
	}
	// A cell is what a cancelled run has to wait for.
	if least := int(perReplication / maxCellEvents); least > e.maxCells {
		e.goal = max(e.goal, e.goal*least/e.maxCells)
		e.maxCells = least
	}
	e.cellTime = perReplication / float64(e.maxCells) / from.eventRate
	columns := firstTail + e.tails + from.columns
	if settings.Controls != ControlsOff {
		e.basis = newControlBasis(s, settings.Controls, pilotKnots(s, settings), columns)
		columns += e.basis.columns()
	}
	e.series = estimate.NewSeries(settings.Replications, columns, 0)
	e.series.SetLeastBatch(int(math.Min(batchTimes*e.cells(e.source.plan.AutocorrelationTime), 1<<40)))
	for r := 0; r < settings.Replications; r++ {
		e.states = append(e.states, e.begin(r))
		e.random = append(e.random, stream.New(stream.Key{Seed: settings.Seed, Cell: s.String(), Replication: r, Purpose: stream.Events}))
	}
	e.events = make([]int64, settings.Replications)
	return e
}

// begin makes the state of a replication. A system and the queue beside it start
// from the same quantile of their laws, as far as the system has one.
func (e *experiment) begin(r int) replica {
	random := stream.New(stream.Key{Seed: e.settings.Seed, Cell: e.system.String(), Replication: r, Purpose: startPurpose})
	u := unit(random)
	state := e.replicaAt(e.settings.Start.at(u, random), unknownIDs)
	if o, ok := state.(*occupancy); ok && e.basis.pooled {
		o.pooled = newPooled(e.system, e.basis.single, u, random)
	}
	return state
}

// replicaAt is a replication in the given state.
func (e *experiment) replicaAt(start Start, ids int64) replica {
	state := e.source.begin(start, ids)
	if o, ok := state.(*occupancy); ok && e.controlled() {
		o.watchControls(e.basis)
	}
	return state
}

func (e *experiment) controlled() bool { return e.settings.Controls != ControlsOff }

// eventRate is the rate of events in mean service times: arrivals, departures
// of what is accepted at most, and changes of phase.
func eventRate(s ctmc.System) float64 {
	served := math.Min(s.Load, 1) * float64(s.Servers)
	return s.Load*float64(s.Servers) + served*(1+s.Service.P)
}

// errOutOfTime ends a run whose budget of time is spent.
var errOutOfTime = errors.New("the budget of time is spent")

// run simulates from look to look until one of them ends it.
func (e *experiment) run(ctx context.Context) (*Result, error) {
	if err := checkWarmUp(e.settings.WarmUp, float64(e.maxCells)*e.cellTime*e.system.Service.Mean()); err != nil {
		return nil, err
	}
	if err := e.resume(); err != nil {
		return nil, err
	}
	for {
		err := e.advance(ctx)
		switch {
		case ctx.Err() != nil:
			return e.interrupted(ctx)
		case errors.Is(err, errOutOfTime):
			return e.outOfTime()
		case err != nil:
			return nil, err
		}
		if result := e.decide(); result != nil {
			e.save()
			result.Warnings = append(result.Warnings, e.troubles...)
			return result, nil
		}
	}
}

// decide ends the run with a result or sets the goal of the next look.
func (e *experiment) decide() *Result {
	cells := e.series.OriginalCells()
	if e.settings.Precision == 0 {
		if cells >= e.maxCells {
			return e.result()
		}
		// Only the clock will tell; a look shows how far the run has come.
		e.progress.looked(e.look().meanJobs())
		e.goal = min(2*e.goal, e.maxCells)
		return nil
	}
	now := e.look()
	jobs, response := now.meanJobs(), now.meanResponse()
	e.progress.looked(jobs)
	target := estimate.Target{RelativePrecision: e.settings.Precision, Level: e.settings.Level}
	stored, span := e.series.Cells(), e.series.Span()
	more := span * max(target.NextCells(stored, jobs), target.NextCells(stored, response))
	switch {
	case more == 0 && (e.reached || !now.report.Used || cells >= e.maxCells):
		result := e.result()
		result.Ending = PrecisionReached
		return result
	case more == 0:
		more = (cells + 1) / 2
		e.reached = true
	case cells >= e.maxCells:
		result := e.result()
		result.Warnings = append(result.Warnings, fmt.Sprintf("the budget of %d events was spent before the precision %g was reached%s", e.settings.Events, e.settings.Precision, e.needed(jobs)))
		return result
	default:
		e.reached = false
	}
	e.goal = min(cells+more, e.maxCells)
	e.progress.planned(e.plannedCells(jobs), len(e.states))
	return nil
}

// plannedCells are the original cells that the square-root law asks for.
func (e *experiment) plannedCells(now estimate.Estimate) float64 {
	cells := float64(e.series.OriginalCells())
	if now.Status == estimate.Usable && now.Value != 0 {
		shortfall := now.HalfWidth / (e.settings.Precision * math.Abs(now.Value))
		cells *= shortfall * shortfall
	}
	return math.Min(math.Max(cells, float64(e.goal)), float64(e.maxCells))
}

// needed says how many events the precision would take.
func (e *experiment) needed(now estimate.Estimate) string {
	if now.Status != estimate.Usable || now.Value == 0 {
		return ""
	}
	events := 0.0
	for _, n := range e.events {
		events += float64(n)
	}
	shortfall := now.HalfWidth / (e.settings.Precision * math.Abs(now.Value))
	if shortfall <= 1 {
		return ""
	}
	if wanted := events * shortfall * shortfall; wanted < 1e300 {
		return fmt.Sprintf("; it takes about %.1g", wanted)
	}
	return "; no run is long enough"
}

func (e *experiment) interrupted(ctx context.Context) (*Result, error) {
	e.save()
	if e.series.Cells() < minCells {
		return nil, ctx.Err()
	}
	result := e.result()
	result.Ending = Interrupted
	result.Warnings = append(result.Warnings, "interrupted: the estimates use what had been simulated")
	result.Warnings = append(result.Warnings, e.troubles...)
	return result, nil
}

func (e *experiment) outOfTime() (*Result, error) {
	e.save()
	if e.series.Cells() < minCells {
		return nil, &ctmc.FieldError{Field: "budget", Value: e.settings.Budget, Allowed: "longer: there is no result yet"}
	}
	result := e.result()
	result.Ending = TimeSpent
	if e.settings.Precision > 0 {
		result.Warnings = append(result.Warnings, fmt.Sprintf("the budget of %v was spent before the precision %g was reached%s", e.settings.Budget, e.settings.Precision, e.needed(result.MeanJobs)))
	}
	result.Warnings = append(result.Warnings, e.troubles...)
	return result, nil
}

// steps is the number of steps in which the replications advance together.
const steps = 64

// advance brings every replication to the goal, in parallel and in step, so
// that a run that is interrupted has about as much of each.
func (e *experiment) advance(ctx context.Context) error {
	e.progress.begin(e)
	for done := e.series.OriginalCells(); done < e.goal; done = e.series.OriginalCells() {
		next := min(e.goal, done+max(1, min(e.goal, e.maxCells)/steps))
		group, ctx := errgroup.WithContext(ctx)
		group.SetLimit(e.settings.Threads)
		for r := range e.states {
			group.Go(func() (err error) {
				defer faultToError(&err)
				return e.extend(ctx, r, next)
			})
		}
		if err := group.Wait(); err != nil {
			return err
		}
		if e.settings.Budget > 0 && time.Since(e.started) >= e.settings.Budget {
			return errOutOfTime
		}
		if time.Since(e.saved) >= e.settings.checkpointPause {
			e.save()
		}
	}
	return nil
}

// faultToError keeps a fault in one replication from ending the program.
func faultToError(err *error) {
	if fault := recover(); fault != nil {
		*err = fmt.Errorf("simulation: internal error: %v", fault)
	}
}

// extend brings one replication to the given number of cells.
func (e *experiment) extend(ctx context.Context, r, cells int) error {
	averages := make([]float64, e.series.Columns())
	for e.series.Appended(r) < cells {
		if err := ctx.Err(); err != nil {
			return err
		}
		e.events[r] += e.states[r].simulateCell(e.cellTime, e.random[r], averages, e.basis)
		if err := e.series.Append(r, averages); err != nil {
			return err
		}
		e.progress.advanced()
	}
	return nil
}
