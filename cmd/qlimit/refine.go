package main

import (
	"context"

	"github.com/spf13/cobra"

	"qlimit/meanfield"
)

type refineOptions struct {
	*environment
	system systemFlags
	order  int
}

func newRefineCommand(env *environment, run func(context.Context, *refineOptions) error) *cobra.Command {
	o := &refineOptions{environment: env, order: 2}
	c := leaf(&cobra.Command{
		Use:   "refine",
		Short: "Mean-field limit with its corrections of order 1/N and 1/N²",
		Long: `Expand the stationary means in powers of 1/N about the mean-field limit:

  mean_jobs_order1 = mean_jobs_limit + correction1/N
  mean_jobs_order2 = mean_jobs_order1 + correction2/N²

Only for policies with a smooth drift (power-of-d, random): the expansion of a
policy with priority levels does not exist. A note says when the terms fall too
slowly to be trusted.`,
		Example: `  qlimit meanfield refine --servers 10 --policy pod:d=2,replacement=true --load 0.9
  qlimit meanfield refine --servers 50 --policy pod:d=2 --load 0.9 --service coxian:mean=1,scv=4 --order 1`,
	}, func(ctx context.Context) error { return run(ctx, o) })
	o.system.addTo(c)
	c.Flags().Var(&countInt{&o.order, 1, 2, "1 or 2"}, "order", "highest `order` in 1/N, 1 or 2")
	return c
}

func runRefine(ctx context.Context, o *refineOptions) error {
	system, err := o.system.system(finiteSystem)
	if err != nil {
		return err
	}
	progress := o.newProgress("expanding")
	refinement, err := meanfield.Refine(ctx, system, o.order)
	progress.close()
	if err != nil {
		return progress.explain(err)
	}
	return o.show(refinementReport(refinement))
}

func refinementReport(f *meanfield.Refinement) *report {
	r := &report{command: "meanfield refine", system: &f.System, kind: f.Kind}
	secondOrder := func(x float64) any {
		if f.Order < 2 {
			return nil
		}
		return x
	}
	r.quantities = []quantity{
		{"mean_jobs_limit", f.MeanJobsLimit, unitJobs},
		{"mean_jobs_order1", f.MeanJobsOrder1, unitJobs},
		{"mean_jobs_order2", secondOrder(f.MeanJobsOrder2), unitJobs},
		{"correction1", f.Correction1, unitJobs},
		{"correction2", secondOrder(f.Correction2), unitJobs},
		{"mean_response_limit", f.MeanResponseLimit, unitTime},
		{"mean_response_order1", f.MeanResponseOrder1, unitTime},
		{"mean_response_order2", secondOrder(f.MeanResponseOrder2), unitTime},
	}
	tails := table{index: "jobs", columns: []column{
		numberColumn("tail_limit", 1, f.TailLimit), numberColumn("tail_order1", 1, f.TailOrder1),
	}}
	if f.Order == 2 {
		tails.columns = append(tails.columns, numberColumn("tail_order2", 1, f.TailOrder2))
	}
	r.tables = []table{tails}
	r.work = []fact{
		{"order", f.Order}, {"levels", f.Levels}, {"neglected", f.Neglected},
		{"error_indication", f.ErrorIndication}, {"trusted", f.Trusted},
	}
	r.addWarnings(f.Warnings...)
	return r
}
