package main

import (
	"context"
	"fmt"
	"math"

	"github.com/spf13/cobra"

	"qlimit/diffusion"
)

type diffusionTransientOptions struct {
	*environment
	limit     slowdownFlags
	start     float64
	at        []float64
	levels    []float64
	cells     int
	tolerance float64
}

func newDiffusionTransientCommand(env *environment, run func(context.Context, *diffusionTransientOptions) error) *cobra.Command {
	o := &diffusionTransientOptions{environment: env, start: 1, cells: diffusion.DefaultCells, tolerance: 1e-7}
	c := leaf(&cobra.Command{
		Use:   "transient",
		Short: "Law of a non-degenerate slowdown limit over time",
		Long: `Compute mean, variance and quantiles of X = jobs in the system/N at the times --at
after a start, in the non-degenerate slowdown limit. Times are real times divided
by N, in the unit of the service law.

mean_error bounds the error of the means by their difference from those of a
second solution with half the cells and coarser steps.`,
		Example: `  qlimit diffusion transient --process jsq --spare 1 --start 1 --at 0.1,0.5,1,2,5,10
  qlimit diffusion transient --process iqf --spare 0.5 --start 4 --at 1,10,100 --format json`,
	}, func(ctx context.Context) error { return run(ctx, o) })
	o.limit.addTo(c, limitProcesses)
	flags := c.Flags()
	flags.Var(&decimal{target: &o.start, accept: atLeastOne, allowed: "a number >= 1"}, "start", "`X` at time 0, jobs per server")
	flags.Var(&decimals{&o.at}, "at", "`times`, increasing, separated by commas")
	flags.Var(&decimals{&o.levels}, "quantiles", "`levels` of the quantiles, separated by commas")
	flags.Var(&countInt{&o.cells, 10, diffusion.MaxCells, "an integer between 10 and 1e6"}, "cells", "`number` of cells of the scheme")
	flags.Var(&decimal{target: &o.tolerance, accept: proportion, allowed: "a number > 0 and < 1"}, "tolerance", "local `error` of a time step, in total variation")
	return c
}

func atLeastOne(x float64) bool { return x >= 1 }

func runDiffusionTransient(ctx context.Context, o *diffusionTransientOptions) error {
	if len(o.at) == 0 {
		return badRequest("--at is missing (times >= 0, increasing, separated by commas)")
	}
	levels, err := quantileLevels(o.levels)
	if err != nil {
		return err
	}
	n, err := o.limit.nds()
	if err != nil {
		return err
	}
	process, err := n.Process()
	if err != nil {
		return err
	}
	times := make([]float64, len(o.at))
	for i, t := range o.at {
		times[i] = t / timeUnit(n.Service)
	}
	found, err := process.Transient(ctx, o.start-1, times, diffusion.TransientSettings{Cells: o.cells, Tolerance: o.tolerance})
	if err != nil {
		return err
	}
	// Half the cells and eight times the tolerance: both errors, of second
	// order, grow by 4.
	coarse, err := process.Transient(ctx, o.start-1, times, diffusion.TransientSettings{Cells: max(10, o.cells/2), Tolerance: min(8*o.tolerance, 0.5)})
	if err != nil {
		return err
	}
	r := o.report(n, found, levels)
	r.work = append(r.work, fact{"mean_error", meanError(found, coarse)})
	return o.show(r)
}

// meanError is the largest difference of the means. At second order the error of
// the finer solution is a third of it; from a start at the boundary, where the
// order is lower for a while, up to all of it.
func meanError(fine, coarse *diffusion.Transient) float64 {
	largest := 0.0
	for k := range fine.Mean {
		largest = math.Max(largest, math.Abs(fine.Mean[k]-coarse.Mean[k]))
	}
	return largest
}

func (o *diffusionTransientOptions) report(n diffusion.NDS, found *diffusion.Transient, levels []float64) *report {
	r := &report{command: "diffusion transient", service: &n.Service, kind: n.Kind()}
	mean := make([]float64, len(o.at))
	quantiles := make([][]float64, len(o.at))
	distance := make([]float64, len(o.at))
	for k := range o.at {
		mean[k] = 1 + found.Mean[k]
		distance[k] = found.Distance(k)
		for _, q := range levels {
			quantiles[k] = append(quantiles[k], 1+found.Quantile(k, q))
		}
	}
	r.tables = []table{
		{
			columns: []column{
				numberColumn("t", 0, o.at), numberColumn("mean", 0, mean),
				numberColumn("variance", 0, found.Variance), numberColumn("distance_to_stationary", 0, distance),
			},
			matrix: &matrix{name: "quantiles", heading: func(k int) string { return fmt.Sprintf("q%g", levels[k]) }, rows: quantiles},
		},
		{columns: []column{numberColumn("q", 0, levels)}},
	}
	r.work = append(slowdownFacts(n), fact{"start", o.start}, fact{"cells", found.Cells}, fact{"steps", found.Stats.Steps}, fact{"mass_error", found.MassError})
	r.addWarnings(limitNote)
	return r
}
