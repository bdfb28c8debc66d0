package sim

import (
	"context"
	"math"
	"math/rand/v2"

	"qlimit/ctmc"
	"qlimit/internal/stream"
)

// SnapshotSettings of Snapshots. Times are in the unit of the service law.
type SnapshotSettings struct {
	Seed   uint64  // of all random numbers
	Start  Start   // zero value: empty system
	WarmUp float64 // time before the first snapshot
	Every  float64 // time between snapshots, > 0
	Count  int64   // number of snapshots, > 0

	// Progress is told how much of the time has been simulated.
	Progress ctmc.Progress
}

// mostSnapshotEvents bounds the events of a path: some days.
const mostSnapshotEvents = 1e12

// time is that of the whole path.
func (s SnapshotSettings) time() float64 { return s.WarmUp + float64(s.Count-1)*s.Every }

// Snapshots simulates one path of a system and calls use with its state at
// regular times: counts[c] servers in class c (idle; 1, 2, .. jobs, for a law of
// two phases 1.1, 1.2, 2.1, .. as level.phase), up to the highest level in use.
// The slice is valid during the call. An error of use ends the run.
func Snapshots(ctx context.Context, s ctmc.System, settings SnapshotSettings, use func(time float64, counts []int64) error) error {
	if err := checkSystem(s); err != nil {
		return err
	}
	switch {
	case !(settings.Every > 0) || math.IsInf(settings.Every, 1):
		return &ctmc.FieldError{Field: "time between samples", Value: settings.Every, Allowed: "> 0 and finite"}
	case settings.Count < 1:
		return &ctmc.FieldError{Field: "samples", Value: settings.Count, Allowed: ">= 1"}
	case !(settings.WarmUp >= 0) || math.IsInf(settings.WarmUp, 1):
		return &ctmc.FieldError{Field: "warmup", Value: settings.WarmUp, Allowed: ">= 0 and finite"}
	}
	if err := settings.Start.validate(s); err != nil {
		return err
	}
	if events := settings.time() / s.Service.Mean() * eventRate(s); !(events <= mostSnapshotEvents) {
		return &ctmc.TooLargeError{What: "events of the samples", Value: events, Limit: mostSnapshotEvents,
			Hint: "take fewer samples, less time between them, a shorter warm-up or fewer servers"}
	}
	walk := newSnapshotWalk(s, settings)
	var counts []int64
	until := settings.WarmUp / s.Service.Mean()
	for k := range settings.Count {
		if err := walk.advance(ctx, until); err != nil {
			return err
		}
		counts = walk.state.classCounts(counts)
		if err := use(settings.WarmUp+float64(k)*settings.Every, counts); err != nil {
			return err
		}
		until = settings.Every / s.Service.Mean()
	}
	return nil
}

// snapshotWalk follows a path in real time: holding times are drawn, not
// replaced by their means, so that a snapshot sees the state at its moment.
type snapshotWalk struct {
	state  *occupancy
	events *rand.PCG
	clock  *rand.Rand // of the holding times
	done   int64

	tell        ctmc.Progress // nil: nobody listens
	passed, all float64       // time, in mean service times
}

func newSnapshotWalk(s ctmc.System, settings SnapshotSettings) *snapshotWalk {
	key := stream.Key{Seed: settings.Seed, Cell: "samples " + s.String(), Purpose: stream.Events}
	w := &snapshotWalk{state: newOccupancy(s), events: stream.New(key), tell: settings.Progress, all: settings.time() / s.Service.Mean()}
	key.Purpose = startPurpose
	random := stream.New(key)
	w.state.start(settings.Start.at(unit(random), random))
	key.Purpose = stream.Clock
	w.clock = rand.New(stream.New(key))
	return w
}

// eventsAtOnce is the number of events between looks at the context.
const eventsAtOnce = 1 << 16

// advance moves on by the given time, in mean service times. What is left of
// the last holding time is forgotten: it has no memory.
func (w *snapshotWalk) advance(ctx context.Context, time float64) error {
	o := w.state
	w.passed += time
	for {
		time -= w.clock.ExpFloat64() / o.eventRate()
		if time < 0 {
			return nil
		}
		o.clock = 0
		o.runUntil(math.SmallestNonzeroFloat64, w.events) // one event
		if w.done++; w.done%eventsAtOnce == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
			if w.tell != nil {
				w.tell(w.passed-time, w.all, "simulating")
			}
		}
	}
}

// eventRate is the rate at which the present state is left, or would be by an
// arrival that is lost.
func (o *occupancy) eventRate() float64 {
	if o.phases == 1 {
		return o.arrival + float64(o.levels[1].count)
	}
	return o.arrival + o.mu1*float64(o.busyPhase[1]) + o.mu2*float64(o.busyPhase[2])
}

// classCounts writes the servers in each class.
func (o *occupancy) classCounts(counts []int64) []int64 {
	counts = append(counts[:0], o.servers-o.levels[1].count)
	for i := 1; o.levels[i].count > 0; i++ {
		if o.phases == 2 {
			counts = append(counts, o.inPhase[1][i], o.inPhase[2][i])
		} else {
			counts = append(counts, o.levels[i].count-o.levels[i+1].count)
		}
	}
	return counts
}
