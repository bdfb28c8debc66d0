package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"qlimit/ctmc"
)

type autocovarianceOptions struct {
	*environment
	system    systemFlags
	at        []float64
	tolerance float64
	maxStates int64
	memory    int64
}

func newAutocovarianceCommand(env *environment, run func(context.Context, *autocovarianceOptions) error) *cobra.Command {
	o := &autocovarianceOptions{environment: env, tolerance: 1e-10}
	c := leaf(&cobra.Command{
		Use:   "autocovariance",
		Short: "How long a finite system in equilibrium remembers its number of jobs",
		Long: `Compute the variance of the number of jobs in the whole system in equilibrium, its
autocovariance and autocorrelation at the lags --at, the integral of the
autocorrelation over all lags (integrated_autocorrelation, a time), and
asymptotic_variance: T times the variance of the average number of jobs over a
long run of length T. Such a run is worth T/(2 integrated_autocorrelation)
independent observations: what a simulation needs to plan its length.

Lags are followed by uniformization, autocorrelation_error bounding the error of each
one; the integral solves Poisson's equation, to integral_residual.`,
		Example: `  qlimit ctmc autocovariance -n 5 --policy jsq --load 0.9 --buffer 8 --at 0,1,10,100
  qlimit ctmc autocovariance -n 3 --policy jsq --load 0.7 --format json`,
	}, func(ctx context.Context) error { return run(ctx, o) })
	o.system.addTo(c)
	flags := c.Flags()
	flags.Var(&decimals{&o.at}, "at", "`lags` >= 0, increasing, separated by commas")
	flags.Var(&decimal{target: &o.tolerance, accept: uniformizable, allowed: "a number between 1e-14 and 0.5"}, "tolerance", "`error` of the autocorrelations, 1e-14 to 0.5")
	flags.Var(&count{&o.maxStates, 1, 1 << 40, "an integer >= 1"}, "max-states", "largest `number` of states (default: 5e7, or 2e6 where the buffer is unlimited)")
	flags.Var(&count{&o.memory, 1, 1 << 20, "an integer >= 1"}, "memory", "most `GiB` for the chain and its solution (default: 12)")
	return c
}

func runAutocovariance(ctx context.Context, o *autocovarianceOptions) error {
	boundMemory(o.memory)
	system, err := o.system.system(finiteSystem)
	if err != nil {
		return err
	}
	if err := o.checkOutput(); err != nil {
		return err
	}
	progress := o.newProgress("solving")
	found, err := ctmc.SolveAutocovariance(ctx, system, o.at, ctmc.TransientSettings{
		Tolerance: o.tolerance, MaxStates: o.maxStates, Memory: o.memory << 30, Threads: o.threads,
		Progress: func(done, total float64, what string) {
			progress.report(done/total, fmt.Sprintf("%.0f %s", done, what))
		},
	})
	progress.close()
	if err != nil {
		return progress.explain(err)
	}
	if err := o.show(autocovarianceReport(system, found)); err != nil {
		return err
	}
	if law := found.Stationary.Law; law.Status != ctmc.Converged {
		return notConverged("the stationary law did not converge (%s): residual %.2g after %d sweeps", law.Status, law.Residual, law.Iterations)
	}
	if found.Status != ctmc.Converged {
		return notConverged("Poisson's equation was not solved (%s): residual %.2g after %d sweeps", found.Status, found.Residual, found.Iterations)
	}
	return nil
}

func autocovarianceReport(asked ctmc.System, found *ctmc.Autocovariance) *report {
	r := stationaryReport(asked, found.Stationary)
	r.command = "ctmc autocovariance"
	r.quantities = []quantity{
		{"mean_total", found.Mean, unitSystemJobs},
		{"variance_total", found.Variance, "jobs²"},
		{"integrated_autocorrelation", found.Time, unitTime},
		{"asymptotic_variance", found.AsymptoticVariance, "jobs² time"},
	}
	r.tables = nil
	if len(found.Lags) > 0 {
		r.tables = []table{{columns: []column{numberColumn("lag", 0, found.Lags),
			numberColumn("autocovariance", 0, found.Covariance), numberColumn("autocorrelation", 0, found.Correlation)}}}
	}
	r.work = append(r.work, fact{"autocorrelation_error", found.Error},
		fact{"integral_residual", found.Residual}, fact{"integral_iterations", found.Iterations})
	if found.Status != ctmc.Converged {
		r.status = found.Status.String()
		r.addWarnings(fmt.Sprintf("the integral over lags did not converge: residual %.2g", found.Residual))
	}
	return r
}
