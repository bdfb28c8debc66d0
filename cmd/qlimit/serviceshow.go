package main

import (
	"context"

	"github.com/spf13/cobra"

	"qlimit/coxian"
	"qlimit/ctmc"
)

func newServiceCommand(env *environment) *cobra.Command {
	return group("service", "Look at a service law or fit one", `Service laws are Coxian-2: a phase of rate mu1, then with probability p a second
phase of rate mu2. That covers exponential, Erlang-2, hypoexponential and
hyperexponential-2 laws, and every squared coefficient of variation (scv) from
1/2 up.`,
		newServiceShowCommand(env, runServiceShow),
		newServiceFitCommand(env, runServiceFit),
	)
}

type serviceShowOptions struct {
	*environment
	service string
	at      []float64
}

func newServiceShowCommand(env *environment, run func(context.Context, *serviceShowOptions) error) *cobra.Command {
	o := &serviceShowOptions{environment: env, service: "exp"}
	c := leaf(&cobra.Command{
		Use:   "show",
		Short: "Moments, density, survival and hazard rate of a service law",
		Long: `Show the moments of a service law, whether its hazard rate increases, decreases
or is constant, and with --at its density (pdf), distribution function (cdf),
survival function and hazard rate.

Times are in the unit of the law as written; p is the probability of going on
to phase 2.`,
		Example: `  qlimit service show --service coxian:mu1=2,p=0.25,mu2=0.5
  qlimit service show --service coxian:mean=1,scv=4 --at 0,0.5,1,10,200 --format json`,
	}, func(ctx context.Context) error { return run(ctx, o) })
	c.Flags().SortFlags = false
	c.Flags().StringVar(&o.service, "service", o.service, serviceUsage)
	offer(c, "service", &servicesOffered)
	c.Flags().Var(&decimals{&o.at}, "at", "`times` at which to evaluate the law, separated by commas")
	return c
}

func runServiceShow(_ context.Context, o *serviceShowOptions) error {
	law, err := parseService(o.service)
	if err != nil {
		return err
	}
	r := &report{command: "service show", service: &law, kind: ctmc.Exact}
	r.quantities = append(parameterQuantities(law),
		quantity{"variance", law.Variance(), unitSquaredTime},
		quantity{"phases", law.Phases(), unitNone},
		quantity{"hazard_monotone", law.HazardClass().String(), unitNone},
	)
	if len(o.at) > 0 {
		r.tables = []table{lawTable(law, o.at)}
	}
	return o.show(r)
}

// parameterQuantities are the parameters and the standardised moments.
func parameterQuantities(d coxian.Dist) []quantity {
	return []quantity{
		{"mu1", d.Mu1, unitRate},
		{"p", d.P, unitProbability},
		{"mu2", d.Mu2, unitRate},
		{"mean", d.Mean(), unitTime},
		{"scv", d.SCV(), unitNone},
		{"skewness", d.Skewness(), unitNone},
	}
}

func lawTable(d coxian.Dist, at []float64) table {
	over := func(name string, f func(float64) float64) column {
		values := make([]float64, len(at))
		for i, x := range at {
			values[i] = f(x)
		}
		return numberColumn(name, 0, values)
	}
	return table{columns: []column{
		numberColumn("x", 0, at),
		over("pdf", d.Prob), over("cdf", d.CDF), over("survival", d.Survival), over("hazard", d.Hazard),
	}}
}
