package main

import (
	"context"

	"github.com/spf13/cobra"

	"qlimit/ctmc"
	"qlimit/meanfield"
)

func newMeanFieldCommand(env *environment) *cobra.Command {
	return group("meanfield", "The many-server limit", `The mean-field limit: N grows with the load fixed, and the fractions of servers
with 0, 1, 2, .. jobs follow a deterministic course.`,
		newEquilibriumCommand(env, runEquilibrium),
		newTrajectoryCommand(env, runTrajectory),
		newRefineCommand(env, runRefine),
		newSpectrumCommand(env, runSpectrum),
	)
}

type equilibriumOptions struct {
	*environment
	system systemFlags
}

func newEquilibriumCommand(env *environment, run func(context.Context, *equilibriumOptions) error) *cobra.Command {
	o := &equilibriumOptions{environment: env}
	c := leaf(&cobra.Command{
		Use:   "equilibrium",
		Short: "Equilibrium of the mean-field limit",
		Long: `Compute the equilibrium of the mean-field limit: the fractions s_1, s_2, .. of
servers with at least 1, 2, .. jobs (tail), those of them with the job in
service in phase 2 (tail_phase2), and the means that follow.

--servers is needed only with --spare and --load-exponent, which define the
load by it. A load of 1 and above needs a finite --buffer.`,
		Example: `  qlimit meanfield equilibrium --policy pod:d=2 --load 0.9
  qlimit meanfield equilibrium --policy jiq --load 1.2 --buffer 10 --service erlang2`,
	}, func(ctx context.Context) error { return run(ctx, o) })
	o.system.addTo(c)
	o.system.takePull()
	return c
}

func runEquilibrium(_ context.Context, o *equilibriumOptions) error {
	if pull, ok, err := o.system.pullSystem(manyServerLimit); ok {
		if err != nil {
			return err
		}
		r, err := pullEquilibriumReport(pull)
		if err != nil {
			return err
		}
		return o.show(r)
	}
	system, err := o.system.system(manyServerLimit)
	if err != nil {
		return err
	}
	fixpoint, err := meanfield.Equilibrium(system)
	if err != nil {
		return err
	}
	if err := o.show(equilibriumReport(system, fixpoint)); err != nil || fixpoint.Status == ctmc.Converged {
		return err
	}
	return notConverged("the equilibrium did not converge (%s): residual %.2g", fixpoint.Status, fixpoint.Residual)
}

func equilibriumReport(system ctmc.System, f *meanfield.Fixpoint) *report {
	r := &report{command: "meanfield equilibrium", system: &system, kind: f.Kind, status: f.Status.String()}
	r.quantities = []quantity{
		{"mean_jobs", f.MeanJobs, unitJobs},
		{"mean_response", f.MeanResponse, unitTime},
		{"p_wait", f.WaitProb, unitProbability},
		{"p_block", f.BlockProb, unitProbability},
	}
	r.tables = []table{{index: "jobs", columns: []column{
		numberColumn("tail", 1, f.Tail), numberColumn("tail_phase2", 1, f.TailPhase2),
	}}}
	r.work = []fact{{"levels", f.Levels}, {"method", f.Method}, {"iterations", f.Iterations}, {"residual", f.Residual}}
	r.addWarnings(f.Warnings...)
	return r
}
