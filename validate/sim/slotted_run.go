package sim

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"qlimit/ctmc"
	"qlimit/ctmc/slotted"
	"qlimit/validate/estimate"
)

// DefaultSlots is the number of slots that RunSlotted simulates unless told
// otherwise.
const DefaultSlots = int64(4e6)

// SlottedSettings of RunSlotted; the zero value is the documented default.
type SlottedSettings struct {
	Seed         uint64   // of all random numbers
	Threads      int      // goroutines at once; 0 = all cores; never changes a result
	Replications int      // independent runs; 0 = DefaultReplications, at least 4
	Slots        int64    // all replications together, rounded up to whole cells; 0 = DefaultSlots
	Level        float64  // confidence; 0 = 0.95
	WarmUp       float64  // slots to leave out; negative = none; 0 = chosen from the data (MSER-5)
	Controls     Controls // control variates; the zero value uses those that help
	// PooledMean is E q of the resource-pooled queue of a model, exact: the
	// control variates need it. nil = they are off.
	PooledMean func(*slotted.Model) (float64, error)
	Progress   ctmc.Progress // nil = nobody listens
}

const (
	slottedCells      = 256
	slottedRounds     = 16
	mostSlots         = int64(1e12)
	mostSlottedRuns   = 1000
	leastSlotsPerCell = 4
)

func (s SlottedSettings) withDefaults() (SlottedSettings, error) {
	if s.Threads <= 0 {
		s.Threads = runtime.GOMAXPROCS(0)
	}
	if s.Replications == 0 {
		s.Replications = DefaultReplications
	}
	if s.Slots == 0 {
		s.Slots = DefaultSlots
	}
	if s.Level == 0 {
		s.Level = estimate.DefaultLevel
	}
	least := int64(s.Replications) * slottedCells * leastSlotsPerCell
	switch {
	case s.Replications < minReplications || s.Replications > mostSlottedRuns:
		return s, &ctmc.FieldError{Field: "replications", Value: s.Replications, Allowed: fmt.Sprintf("between %d and %d", minReplications, mostSlottedRuns)}
	case s.Slots < least || s.Slots > mostSlots:
		return s, &ctmc.FieldError{Field: "slots", Value: s.Slots, Allowed: fmt.Sprintf("between %d, for %d replications, and 1e12", least, s.Replications)}
	case !(s.Level > 0 && s.Level < 1):
		return s, &ctmc.FieldError{Field: "level", Value: s.Level, Allowed: "between 0 and 1"}
	case math.IsNaN(s.WarmUp) || math.IsInf(s.WarmUp, 0):
		return s, &ctmc.FieldError{Field: "warmup", Value: s.WarmUp, Allowed: "finite"}
	}
	return s, nil
}

// RunSlotted simulates a slotted system from empty queues and estimates its
// stationary measures, with independent replications and intervals by batch
// means (package estimate). A cancelled context ends the run with what all
// replications have simulated, Ending = Interrupted, if that suffices for an
// estimate, else with the context's error.
func RunSlotted(ctx context.Context, m *slotted.Model, p slotted.Policy, settings SlottedSettings) (*SlottedResult, error) {
	e, err := newSlottedExperiment(m, []slotted.Policy{p}, settings)
	if err != nil {
		return nil, err
	}
	interrupted, err := e.run(ctx)
	if err != nil {
		return nil, err
	}
	return e.result(0, interrupted), nil
}

// slottedExperiment is a run of one policy or of several on common random
// numbers.
type slottedExperiment struct {
	model    *slotted.Model
	policies []slotted.Policy
	settings SlottedSettings
	layout   *slottedLayout
	runs     []*slottedReplication
	series   *estimate.Series
	slots    int // of a cell
	started  time.Time
	done     atomic.Int64 // cells
}

type slottedReplication struct {
	draws  *slottedDraws
	states []*slottedState
}

func newSlottedExperiment(m *slotted.Model, policies []slotted.Policy, settings SlottedSettings) (*slottedExperiment, error) {
	if err := m.Validate(); err != nil {
		return nil, err
	}
	for _, p := range policies {
		if err := p.Validate(m); err != nil {
			return nil, err
		}
	}
	settings, err := settings.withDefaults()
	if err != nil {
		return nil, err
	}
	e := &slottedExperiment{model: m, policies: policies, settings: settings, started: time.Now()}
	pooled := math.NaN()
	if settings.PooledMean != nil && settings.Controls == ControlsOn && m.Load < 1 {
		if pooled, err = settings.PooledMean(m); err != nil {
			return nil, fmt.Errorf("mean of the pooled queue: %w", err)
		}
	}
	if e.layout, err = newSlottedLayout(m, pooled); err != nil {
		return nil, err
	}
	perRun := float64(settings.Slots) / float64(settings.Replications)
	e.slots = int(math.Ceil(perRun / slottedCells))
	e.series = estimate.NewSeries(settings.Replications, e.layout.columns(len(policies)), slottedCells)
	for r := range settings.Replications {
		one := &slottedReplication{}
		if one.draws, err = newSlottedDraws(m, settings.Seed, r); err != nil {
			return nil, err
		}
		for _, p := range policies {
			one.states = append(one.states, newSlottedState(m, p, settings.Seed, r, e.layout.perServer > 0))
		}
		e.runs = append(e.runs, one)
	}
	return e, nil
}

// run brings all replications forward together, a round of cells at a time.
func (e *slottedExperiment) run(ctx context.Context) (interrupted bool, err error) {
	for round := 1; round <= slottedRounds; round++ {
		group, groupCtx := errgroup.WithContext(ctx)
		group.SetLimit(e.settings.Threads)
		for r := range e.runs {
			group.Go(func() (err error) {
				defer faultToError(&err)
				return e.extend(groupCtx, r, round*slottedCells/slottedRounds)
			})
		}
		err := group.Wait()
		switch {
		case err == nil:
		case ctx.Err() != nil && e.series.Cells() >= minCells:
			return true, nil
		default:
			return false, err
		}
	}
	return false, nil
}

func (e *slottedExperiment) extend(ctx context.Context, r, cells int) error {
	one, row := e.runs[r], make([]float64, e.series.Columns())
	atOnce := slotsAtOnce(e.model)
	for e.series.Appended(r) < cells {
		for slot := range e.slots {
			if slot%atOnce == 0 {
				if err := ctx.Err(); err != nil {
					return err
				}
				e.tell(float64(slot) / float64(e.slots))
			}
			one.draws.next()
			for _, s := range one.states {
				s.advance(one.draws)
			}
		}
		e.layout.writeShared(one.draws, float64(e.slots), row)
		for i, s := range one.states {
			e.layout.write(s, i, float64(e.slots), row)
		}
		if err := e.series.Append(r, row); err != nil {
			return err
		}
		e.done.Add(1)
		e.tell(0)
	}
	return nil
}

// tell reports the cells done and the part of one that is behind.
func (e *slottedExperiment) tell(part float64) {
	if e.settings.Progress != nil {
		e.settings.Progress(float64(e.done.Load())+part, slottedCells*float64(len(e.runs)), "simulating")
	}
}

// slotsAtOnce is the number of slots between looks at the context.
func slotsAtOnce(m *slotted.Model) int { return max(1, 1<<20/m.Servers()) }
