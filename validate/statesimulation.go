package validate

import (
	"context"
	"fmt"
	"runtime"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"qlimit/ctmc"
	"qlimit/internal/stream"
	"qlimit/validate/estimate"
	"qlimit/validate/sim"
)

// StateSimulation says how to sample states along simulated paths; Samples 0 = not at all.
type StateSimulation struct {
	Samples int64  // snapshots of all paths together, one per mean service time
	Seed    uint64 // of all random numbers
	Threads int    // 0 = all cores; never changes a result

	Progress ctmc.Progress // told the samples taken; nil = nobody listens
}

const (
	// statePaths is the number of independent paths, each cut into stateCells
	// cells.
	statePaths = 16
	stateCells = 64
	// stateWarmUp is the first part of each path that is left out, as a share
	// of the rest.
	stateWarmUp = 0.1
)

// minStateSamples lets every cell have a sample.
const minStateSamples = statePaths * stateCells

// simulateStates averages functions of the state over independent paths from
// the empty system and returns the cells of all paths. observe adds the values
// in a state, service of mean 1, to sums; each path gets one of its own.
func simulateStates(ctx context.Context, s ctmc.System, settings StateSimulation, columns int, observer func() (func(state []int64, values []float64), error)) (*estimate.Series, error) {
	if settings.Samples < minStateSamples {
		return nil, &ctmc.FieldError{Field: "samples", Value: settings.Samples, Allowed: fmt.Sprintf("at least %d, or 0 for no simulation", minStateSamples)}
	}
	s.Service = s.Service.Normalized()
	series := estimate.NewSeries(statePaths, columns, stateCells)
	perCell := settings.Samples / minStateSamples
	group, ctx := errgroup.WithContext(ctx)
	threads := settings.Threads
	if threads <= 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	group.SetLimit(threads)
	var cells atomic.Int64
	for path := range statePaths {
		group.Go(func() error {
			observe, err := observer()
			if err != nil {
				return err
			}
			values, cell, seen := make([]float64, columns), make([]float64, columns), int64(0)
			seed := stream.New(stream.Key{Seed: settings.Seed, Cell: "states of " + s.String(), Replication: path, Purpose: stream.Events}).Uint64()
			return sim.Snapshots(ctx, s, sim.SnapshotSettings{
				Seed: seed, Every: 1, Count: perCell * stateCells, WarmUp: stateWarmUp * float64(perCell*stateCells),
			}, func(_ float64, counts []int64) error {
				clear(values)
				observe(counts, values)
				for k, x := range values {
					cell[k] += x / float64(perCell)
				}
				if seen++; seen%perCell != 0 {
					return nil
				}
				err := series.Append(path, cell)
				clear(cell)
				if done := cells.Add(1); settings.Progress != nil {
					settings.Progress(float64(done*perCell), float64(minStateSamples*perCell), "samples")
				}
				return err
			})
		})
	}
	return series, group.Wait()
}
