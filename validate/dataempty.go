package validate

import (
	"context"
	"fmt"
	"math"

	"qlimit/ctmc"
	"qlimit/validate/estimate"
	"qlimit/validate/sim"
)

// A run of length T from empty servers that keeps its warm-up estimates a mean
// as
//
//	x - D/T,   D = ∫ (x - E X(t)) dt,
//
// once T is long against the memory of the system. D of the mean jobs comes from
// our own short runs from empty, T is fitted to all rows.

const (
	// emptyRuns are the short runs.
	emptyRuns = 400
	// deficitAllowance is the relative error that the reading is granted.
	deficitAllowance = 0.2
	// largestBias is the relative effect up to which the formula is believed.
	largestBias = 0.3
	// fewestEmptyRows: with fewer rows one number fitted explains too easily.
	fewestEmptyRows = 3
)

// fromEmpty fits the length of a run from empty without warm-up; nil where the
// rows do not ask for it.
func (c *dataComparison) fromEmpty(ctx context.Context, stated *Reading) (*Reading, error) {
	deficits := map[string]float64{}
	concerns := func(row *DataRow) bool {
		return (row.Quantity == MeanJobs || row.Quantity == MeanResponse) && row.System.Servers <= sim.MaxServers/1000
	}
	low, rows := 0, 0
	numerator, denominator := 0.0, 0.0 // of the least squares for 1/T
	for i := range c.set.Rows {
		row := &c.set.Rows[i]
		if !concerns(row) {
			continue
		}
		rows++
		if stated.rows[i].Difference > 0 {
			low++
		}
	}
	if rows < fewestEmptyRows || low < rows*2/3 {
		return nil, nil
	}
	for i := range c.set.Rows {
		row := &c.set.Rows[i]
		if !concerns(row) {
			continue
		}
		deficit, err := c.theories.deficit(ctx, row.System)
		if err != nil {
			return nil, err
		}
		deficits[row.System.String()] = deficit
		d := deficitOf(row, deficit)
		unit := stated.rows[i].Tolerance/c.sigmas + deficitAllowance*stated.rows[i].Difference
		numerator += d * stated.rows[i].Difference / (unit * unit)
		denominator += d * d / (unit * unit)
	}
	if !(numerator > 0 && denominator > 0) {
		return nil, nil
	}
	length := denominator / numerator
	reading := &Reading{Name: "warm-up", What: fmt.Sprintf("the runs begin with empty servers, keep the warm-up and last about %.2g mean service times", length), applies: concerns,
		value: func(ctx context.Context, c *dataComparison, row *DataRow) (bestKnown, error) {
			best, err := c.known(ctx, row, row.System, row.Quantity)
			bias := deficitOf(row, deficits[row.System.String()]) / length
			if bias > largestBias*best.value {
				return best, err // the run would be too short for the formula
			}
			best.value -= bias
			best.allowance += deficitAllowance * bias
			best.why = "20% of the effect"
			return best, err
		}}
	return reading, c.compare(ctx, reading)
}

// deficitOf turns the deficit of the mean jobs into that of a row's quantity, by
// Little's law for the response.
func deficitOf(row *DataRow, jobs float64) float64 {
	if row.Quantity == MeanResponse {
		return jobs / row.System.Load * row.System.Service.Mean()
	}
	return jobs
}

// deficit is D of the mean jobs per server, in mean service times.
func (t *theories) deficit(ctx context.Context, s ctmc.System) (float64, error) {
	one, err := t.system(ctx, s)
	if err != nil || one.deficit != 0 {
		return one.deficit, err
	}
	length := memory(s)
	rate := 2 * math.Min(s.Load, 1) * float64(s.Servers)
	settings := sim.Settings{Seed: t.simulation.Seed, Threads: t.simulation.Threads, Replications: emptyRuns,
		Events: max(int64(emptyRuns*length*rate), 1024*emptyRuns), WarmUp: -1, Controls: sim.ControlsOff}
	result, err := sim.Run(ctx, s, settings)
	if err != nil {
		return 0, err
	}
	best, err := t.of(ctx, s, MeanJobs, 0.01*s.Load)
	if err != nil {
		return 0, err
	}
	t.Events += result.Events
	if result.MeanJobs.Status == estimate.Usable {
		one.deficit = (best.value - result.MeanJobs.Value) * result.Duration / s.Service.Mean()
	}
	return one.deficit, nil
}

// memory is a time long against that in which a system forgets its start: of
// the pooled queue, and of one server in the many-server limit.
func memory(s ctmc.System) float64 {
	n := float64(s.Servers)
	gap := math.Max(math.Abs(1-math.Sqrt(s.Load)), 0.02)
	pooled := 1 / (n * gap * gap)
	single := 1 / math.Max(math.Abs(1-s.Load), 0.02)
	return 6 * (1 + s.Service.SCV()) / 2 * math.Max(pooled, single)
}
