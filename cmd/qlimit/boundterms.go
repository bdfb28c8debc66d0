package main

import (
	"context"
	"math"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"qlimit/ctmc"
	"qlimit/stein"
	"qlimit/validate"
)

type termsOptions struct {
	*environment
	system     systemFlags
	eta, delta float64
	samples    int64

	flags *pflag.FlagSet
}

func newTermsCommand(env *environment, run func(context.Context, *termsOptions) error) *cobra.Command {
	o := &termsOptions{environment: env}
	c := leaf(&cobra.Command{
		Use:   "terms",
		Short: "Terms of Stein's decomposition of E(X - eta)^+: exact, closed form, simulated",
		Long: `Stein's method writes E(X - eta)^+, X = jobs per server, exactly as a sum of terms
that compare the system with a fluid queue that drains at the rate delta. Print
every term evaluated under the law of the exact chain (up to 200,000 states), under
a closed form of that law where there is one (uniform routing with exponential
service; a buffer of 1 with idle servers served first or uniform routing), and by
simulation with --samples. gap is the left side less the sum of the terms: 0 but
for rounding or the error of the simulation.

split_bound and sharp_split_bound are the bounds that the proofs make of the sum,
with the exact probability of X > eta and too few departures.`,
		Example: `  qlimit bound terms --servers 10 --load 0.9 --buffer 3 --service coxian:mean=1,scv=2 --samples 2e4
  qlimit bound terms --servers 20 --load 0.8 --buffer 1 --policy jiq --eta 0.85 --delta 0.1`,
	}, func(ctx context.Context) error { return run(ctx, o) })
	o.flags = c.Flags()
	o.system.addTo(c)
	c.Flags().Var(&decimal{target: &o.eta, accept: anyNumber, allowed: "a number"}, "eta", "`level` of jobs per server; default load + delta")
	c.Flags().Var(&decimal{target: &o.delta, accept: positive, allowed: "a number > 0"}, "delta", "`rate` at which the fluid queue drains; default log(N)/sqrt(N), 1 for one server")
	c.Flags().Var(&count{&o.samples, 0, 1 << 40, "an integer between 0 (no simulation) and 2^40"}, "samples", "simulate and sample the state this `number` of times, once per mean service time")
	return c
}

func runTerms(ctx context.Context, o *termsOptions) error {
	s, err := o.system.system(finiteSystem)
	if err != nil {
		return err
	}
	delta, eta := o.delta, o.eta
	if delta == 0 {
		n := float64(s.Servers)
		if delta = math.Log(n) / math.Sqrt(n); s.Servers == 1 {
			delta = 1
		}
	}
	if !o.flags.Changed("eta") {
		eta = s.Load + delta
	}
	progress := o.newProgress("simulating")
	result, err := validate.Decompose(ctx, s, eta, delta, o.stateSimulation(o.samples, progress))
	progress.close()
	if err != nil {
		return progress.explain(err)
	}
	return o.show(termsReport(s, result))
}

func termsReport(s ctmc.System, d *validate.DecompositionReport) *report {
	r := &report{command: "bound terms", system: &s, kind: ctmc.Exact}
	if d.Gap.Exact == nil {
		r.kind = ctmc.Estimate
	}
	list := &records{name: "terms", group: -1, fields: []recordField{
		{name: "term", heading: "term"}, {name: "exact", heading: "exact"}, {name: "closed_form", heading: "closed form"},
		{name: "simulated", heading: "simulated"}, {name: "half_width", heading: "half width"}, {name: "in_sum", heading: "in the sum"},
	}}
	add := func(name string, v validate.TermValues, inSum bool) {
		row := []any{name, optional(v.Exact), optional(v.Closed), nil, nil, inSum}
		if v.Simulated != nil {
			row[3], row[4] = estimateCells(*v.Simulated)
		}
		list.rows = append(list.rows, row)
	}
	for _, v := range d.Terms {
		add(v.Term.String(), v, v.Term != stein.LeftSide && v.Term != stein.LackProb)
	}
	add("gap", d.Gap, false)
	r.records = list
	r.work = []fact{{"eta", d.Decomposition.Eta}, {"delta", d.Decomposition.Delta},
		{"split_bound", optional(d.Split)}, {"sharp_split_bound", optional(d.SharpSplit)}}
	if d.Gap.Exact == nil && d.Gap.Simulated == nil {
		r.addWarnings("the chain is too large to be solved; --samples evaluates the terms by simulation")
	}
	return r
}

// optional is a number that may be missing.
func optional(x *float64) any {
	if x == nil {
		return nil
	}
	return *x
}
