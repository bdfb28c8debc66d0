package main

import (
	"context"
	"fmt"
	"math"

	"github.com/spf13/cobra"

	"qlimit/ctmc"
)

type chainResponseOptions struct {
	*environment
	system    systemFlags
	at        []float64
	levels    []float64
	tolerance float64
	maxStates int64
	memory    int64
}

func newChainResponseCommand(env *environment, run func(context.Context, *chainResponseOptions) error) *cobra.Command {
	o := &chainResponseOptions{environment: env, tolerance: defaultTolerance}
	c := leaf(&cobra.Command{
		Use:   "response",
		Short: "Exact law of response and waiting times of a finite system",
		Long: `Compute the law of the response time (and of the wait before service) of accepted
jobs, first come first served, in a finite system in equilibrium: means,
variances, quantiles, and at the times --at the probabilities that a response or
a wait is longer. As elsewhere, p_wait counts lost jobs among those that meet a busy
server; p_wait_accepted is the probability that an accepted job waits. The law of
the states that jobs meet is that of ctmc stationary; given the state, both times
are of phase type.`,
		Example: `  qlimit ctmc response -n 5 --policy jsq --load 0.7 --at 0,1,2,5
  qlimit ctmc response -n 10 --policy pod:d=2 --load 0.9 --buffer 4 --service coxian:mean=1,scv=4 --quantiles 0.5,0.9,0.999 --format json`,
	}, func(ctx context.Context) error { return run(ctx, o) })
	o.system.addTo(c)
	flags := c.Flags()
	flags.Var(&decimals{&o.at}, "at", "`times` >= 0, separated by commas")
	flags.Var(&decimals{&o.levels}, "quantiles", "`levels` of the quantiles, separated by commas")
	flags.Var(&decimal{target: &o.tolerance, accept: proportion, allowed: "a number > 0 and < 1"}, "tolerance", "`residual` of the stationary law")
	flags.Var(&count{&o.maxStates, 1, 1 << 40, "an integer between 1 and 2^40"}, "max-states", "largest `number` of states (default: 5e7, or 2e6 where the buffer is unlimited)")
	flags.Var(&count{&o.memory, 1, 1 << 20, "an integer >= 1"}, "memory", "most `GiB` for the chain and its solution (default: 12)")
	return c
}

func runChainResponse(ctx context.Context, o *chainResponseOptions) error {
	boundMemory(o.memory)
	levels, err := quantileLevels(o.levels)
	if err != nil {
		return err
	}
	for _, t := range o.at {
		if !(t >= 0) || math.IsInf(t, 1) {
			return &ctmc.FieldError{Field: "at", Value: t, Allowed: ">= 0"}
		}
	}
	system, err := o.system.system(finiteSystem)
	if err != nil {
		return err
	}
	if err := o.checkOutput(); err != nil {
		return err
	}
	progress := o.newProgress("solving")
	found, err := ctmc.SolveStationary(ctx, system, ctmc.SolverSettings{
		Tolerance: o.tolerance, Threads: o.threads, Memory: o.memory << 30,
		Progress: func(iteration int, residual float64) {
			progress.report(math.Log(residual)/math.Log(o.tolerance), fmt.Sprintf("sweep %d, residual %.1e", iteration, residual))
		},
	}, o.maxStates)
	progress.close()
	if err != nil {
		return progress.explain(err)
	}
	r, err := chainResponseReport(ctx, system, found, o.at, levels)
	if err != nil {
		return err
	}
	if err := o.show(r); err != nil || found.Law.Status == ctmc.Converged {
		return err
	}
	return notConverged("the stationary law did not converge (%s): residual %.2g above the tolerance %.2g after %d sweeps", found.Law.Status, found.Law.Residual, o.tolerance, found.Law.Iterations)
}

func chainResponseReport(ctx context.Context, asked ctmc.System, found *ctmc.Stationary, at, levels []float64) (*report, error) {
	law, err := found.ResponseLaw(ctx)
	if err != nil {
		return nil, err
	}
	r := stationaryReport(asked, found)
	r.command = "ctmc response"
	r.quantities = []quantity{
		{"mean_response", law.MeanResponse, unitTime}, {"variance_response", law.VarianceResponse, unitSquaredTime},
		{"mean_wait", law.MeanWait, unitTime}, {"variance_wait", law.VarianceWait, unitSquaredTime},
		{"p_wait", found.WaitProb, unitProbability}, {"p_wait_accepted", law.WaitTail(0), unitProbability},
	}
	response, wait := make([]float64, len(levels)), make([]float64, len(levels))
	for k, p := range levels {
		if response[k], err = law.ResponseQuantile(p); err != nil {
			return nil, err
		}
		if wait[k], err = law.WaitQuantile(p); err != nil {
			return nil, err
		}
	}
	r.tables = []table{{columns: []column{numberColumn("q", 0, levels),
		numberColumn("response_quantile", 0, response), numberColumn("wait_quantile", 0, wait)}}}
	if len(at) > 0 {
		response, wait := make([]float64, len(at)), make([]float64, len(at))
		for k, t := range at {
			response[k], wait[k] = law.ResponseTail(t), law.WaitTail(t)
		}
		r.tables = append(r.tables, table{columns: []column{numberColumn("t", 0, at),
			numberColumn("response_tail", 0, response), numberColumn("wait_tail", 0, wait)}})
	}
	return r, nil
}
