package validate

import (
	"context"

	"qlimit/stein"
	"qlimit/validate/estimate"
)

// simulate adds the estimates of all terms and of the gap.
func (r *DecompositionReport) simulate(ctx context.Context, settings StateSimulation) error {
	d := r.Decomposition
	const gap = int(stein.Terms)
	series, err := simulateStates(ctx, d.System, settings, gap+1, func() (func([]int64, []float64), error) {
		own, err := stein.NewDecomposition(d.System, d.Eta, d.Delta)
		if err != nil {
			return nil, err
		}
		var terms [stein.Terms]float64
		return func(state []int64, values []float64) {
			own.At(state, &terms)
			copy(values, terms[:])
			values[gap] = gapOf(terms)
		}, nil
	})
	if err != nil {
		return err
	}
	for t := range r.Terms {
		e := series.Mean(t, estimate.NoWarmUp(), estimate.DefaultLevel)
		r.Terms[t].Simulated = &e
	}
	e := series.Mean(gap, estimate.NoWarmUp(), estimate.DefaultLevel)
	r.Gap.Simulated = &e
	return nil
}
