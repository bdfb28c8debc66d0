package main

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"qlimit/ctmc"
	"qlimit/meanfield"
	"qlimit/meanfield/ode"
)

// pathFlags describe a path of the many-server limit.
type pathFlags struct {
	system    systemFlags
	start     string
	at        []float64
	tolerance float64
	method    string
	work      int64
}

// integrators are the ODE methods by the names of the command line.
var integrators = map[string]ode.Method{
	"auto": ode.Tsitouras5, "dopri5": ode.DormandPrince5, "radau5": ode.RadauIIA5,
}

func (f *pathFlags) addTo(c *cobra.Command) {
	f.start, f.method, f.work = "empty", "auto", meanfield.DefaultPathWork
	f.system.addTo(c)
	flags := c.Flags()
	f.system.takePull()
	flags.StringVar(&f.start, "start", f.start, "`start`: empty, jobs=2, jobs=3,phase=2, classes 0:0.2,1.1:0.3,3.2:0.5 (level.phase:fraction), or a CSV file")
	flags.Var(&decimals{&f.at}, "at", "`times` of the output, increasing, separated by commas")
	flags.Var(&decimal{target: &f.tolerance, accept: integrable, allowed: "a number between 1e-14 and 0.5"}, "rtol", "relative `tolerance` of the integration, 1e-14 to 0.5 (default 1e-10)")
	methods := []string{"auto", "dopri5", "radau5"}
	flags.Var(&choice{&f.method, methods}, "method", "integration `method`: auto, dopri5 (explicit) or radau5 (implicit)")
	flags.Var(&count{&f.work, 1, 1 << 53, "an integer between 1 and 2^53"}, "max-work", "most `work`, steps times unknowns: the default is about a minute")
}

func integrable(tolerance float64) bool { return tolerance >= 1e-14 && tolerance <= 0.5 }

// follow computes the path at the given times.
func (f *pathFlags) follow(ctx context.Context, env *environment, times []float64) (ctmc.System, *meanfield.Path, error) {
	progress := env.newProgress("integrating")
	defer progress.close()
	settings := ode.Settings{Method: integrators[f.method], RelTol: f.tolerance, MaxWork: f.work,
		Progress: func(share float64) { progress.report(share, "") }}
	system, path, err := f.followWith(ctx, times, settings)
	return system, path, progress.explain(err)
}

func (f *pathFlags) followWith(ctx context.Context, times []float64, settings ode.Settings) (ctmc.System, *meanfield.Path, error) {
	if pull, ok, err := f.system.pullSystem(limitPath); ok {
		if err != nil {
			return ctmc.System{}, nil, err
		}
		return f.followPull(ctx, pull, times, settings)
	}
	system, err := f.system.system(limitPath)
	if err != nil {
		return system, nil, err
	}
	start, err := startState(f.start, system)
	if err != nil {
		return system, nil, err
	}
	path, err := meanfield.Trajectory(ctx, system, start, times, settings)
	return system, path, err
}

// startState reads a start as text or, where it is none, from a file.
func startState(text string, system ctmc.System) (meanfield.State, error) {
	if meanfield.IsStartText(text) {
		return meanfield.ParseStart(text, system)
	}
	file, err := os.Open(text)
	if err != nil {
		return nil, badRequest("start = %q (must be empty, jobs=2, jobs=3,phase=2, classes such as 0:0.2,1.1:0.8, or a CSV file: %w)", text, reason(err))
	}
	defer file.Close()
	state, err := meanfield.ReadStart(file, system)
	if err != nil {
		return nil, badRequest("start %s: %w", text, reason(err))
	}
	return state, nil
}

type trajectoryOptions struct {
	*environment
	path pathFlags
}

func newTrajectoryCommand(env *environment, run func(context.Context, *trajectoryOptions) error) *cobra.Command {
	o := &trajectoryOptions{environment: env}
	c := leaf(&cobra.Command{
		Use:   "trajectory",
		Short: "The mean-field limit over time from any start",
		Long: `Follow the many-server limit from a start: jobs per server, idle servers and the
fraction of servers with exactly 0, 1, 2, .. jobs (levels) at the times --at.

With priority levels (jsq, jiq, i1f) the solution is Filippov's: empty levels
that stay empty slide, and the times at which the regime changes are located and
listed. Load may be below, at or above 1, also without a buffer limit.`,
		Example: `  qlimit meanfield trajectory --policy jsq --load 0.9 --service erlang2 --buffer 6 --start jobs=2 --at 1,2,5,10,20
  qlimit meanfield trajectory --policy pod:d=2 --load 1.2 --start empty --at 1,10 --format json`,
	}, func(ctx context.Context) error { return run(ctx, o) })
	o.path.addTo(c)
	return c
}

func runTrajectory(ctx context.Context, o *trajectoryOptions) error {
	if len(o.path.at) == 0 {
		return badRequest("--at is missing (times >= 0, increasing, separated by commas)")
	}
	system, path, err := o.path.follow(ctx, o.environment, o.path.at)
	if err != nil {
		return err
	}
	if err := o.show(trajectoryReport(system, path)); err != nil || path.Status.OK() {
		return err
	}
	return notConverged("the integration ended early (%s) at time %g", path.Status, path.Reached)
}

func trajectoryReport(system ctmc.System, p *meanfield.Path) *report {
	r := &report{command: "meanfield trajectory", system: &system, kind: p.Kind, status: p.Status.String()}
	r.tables = []table{{
		columns: []column{numberColumn("t", 0, p.Times), numberColumn("jobs", 0, p.Jobs), numberColumn("idle", 0, p.Idle)},
		matrix:  &matrix{name: "levels", heading: jobsHeading, rows: p.ByJobs},
	}}
	times, words := []float64{}, []string{}
	for _, change := range p.RegimeChanges {
		times = append(times, change.Time)
		words = append(words, fmt.Sprintf("t = %s: %v -> %v", significant(change.Time), change.From, change.To))
	}
	r.tables = append(r.tables, table{index: "regime change", columns: []column{numberColumn("regime_changes", 1, times)}})
	if !system.Policy.Smooth() {
		r.work = append(r.work, fact{"begin", p.Begin.String()}, fact{"regimes", words})
	}
	r.work = append(r.work,
		fact{"method", p.Method.String()},
		fact{"steps", p.Stats.Accepted}, fact{"rejected_steps", p.Stats.Rejected},
		fact{"evaluations", p.Stats.Evaluations},
		fact{"mass_error", p.MassError}, fact{"most_negative", p.MostNegative},
		fact{"lost_jobs", p.Lost}, fact{"neglected_mass", p.NeglectedMass},
	)
	r.addWarnings(p.Warnings...)
	return r
}
