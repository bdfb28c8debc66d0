package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"qlimit/ctmc"
	"qlimit/meanfield"
	"qlimit/validate/estimate"
	"qlimit/validate/sim"
)

// Ways to start a simulation.
const (
	startAuto  = "auto"
	startFluid = "fluid"
	startEmpty = "empty"
)

type simulateOptions struct {
	*environment
	system       systemFlags
	events       int64
	precision    float64
	replications int
	level        float64
	warmUp       warmUpTime
	start        string
}

func newSimulateCommand(env *environment, run func(context.Context, *simulateOptions) error) *cobra.Command {
	o := &simulateOptions{environment: env, events: sim.DefaultEvents, replications: sim.DefaultReplications, level: estimate.DefaultLevel, start: startAuto}
	c := leaf(&cobra.Command{
		Use:   "simulate",
		Short: "Simulate a system with confidence intervals",
		Long: `Simulate the occupancy of a system of 1 to 1e9 servers in independent
replications and estimate its stationary measures, each with a confidence
interval: mean jobs, mean response of accepted jobs (Little's law), P(wait),
P(block), occupancy and tail.

The run ends when the events are spent, or earlier when the half widths of mean
jobs and mean response are within --precision of the values. The result depends
on --seed and --replications, never on --threads.

Start: auto begins at the equilibrium of the mean-field limit where that exists
and is unique, else with empty servers; fluid insists on the former, empty on
the latter. Warm-up: auto chooses it from the data (twice MSER-5); a number
leaves out that much time, in the unit of the service law; none nothing.`,
		Example: `  qlimit simulate --servers 1000 --policy jiq --load 0.95
  qlimit simulate -n 100 --policy pod:d=2 --load 0.9 --service coxian:mean=1,scv=10 --precision 1% --format json`,
	}, func(ctx context.Context) error { return run(ctx, o) })
	o.system.addTo(c)
	o.addRunFlags(c)
	return c
}

func (o *simulateOptions) addRunFlags(c *cobra.Command) {
	flags := c.Flags()
	flags.Var(&count{&o.events, 1, 1 << 53, "an integer >= 1"}, "events", "`number` of events, all replications together (1e8 may be written)")
	flags.Var(&decimal{target: &o.precision, accept: proportion, allowed: "a number > 0 and < 1, or a percentage", percent: true}, "precision", "relative half `width` to stop at, such as 1% or 0.01; default: spend all events")
	flags.Var(&countInt{&o.replications, 4, 10_000, "an integer between 4 and 10000"}, "replications", "`number` of independent runs")
	flags.Var(&decimal{target: &o.level, accept: proportion, allowed: "a number > 0 and < 1, or a percentage", percent: true}, "level", "confidence `level` of the intervals")
	flags.Var(&o.warmUp, "warmup", "`time` to leave out, auto or none")
	starts := []string{startAuto, startFluid, startEmpty}
	flags.Var(&choice{&o.start, starts}, "start", "`start`: auto, fluid or empty")
	_ = c.RegisterFlagCompletionFunc("start", cobra.FixedCompletions(starts, cobra.ShellCompDirectiveNoFileComp))
}

// simulator is [sim.Run] or, in tests, a stand-in.
type simulator func(context.Context, ctmc.System, sim.Settings) (*sim.Result, error)

func runSimulate(ctx context.Context, o *simulateOptions) error { return o.runWith(ctx, sim.Run) }

func (o *simulateOptions) runWith(ctx context.Context, simulate simulator) error {
	system, err := o.system.system(finiteSystem)
	if err != nil {
		return err
	}
	start, startName, err := chooseStart(system, o.start)
	if err != nil {
		return err
	}
	if err := o.checkOutput(); err != nil {
		return err
	}
	progress := o.newProgress("simulating")
	result, err := simulate(ctx, system, sim.Settings{
		Seed: o.seed, Threads: o.threads, Replications: o.replications,
		Events: o.events, Precision: o.precision, Level: o.level,
		WarmUp: o.warmUp.setting(), Start: start,
		Progress: func(done, total float64, _ string) { progress.report(done/total, "") },
	})
	progress.close()
	if err != nil {
		return progress.explain(err)
	}
	r := simulationReport(result, o)
	r.work = append(r.work, fact{"start", startName})
	if err := o.show(r); err != nil {
		return err
	}
	if result.Ending == sim.Interrupted {
		return &failure{exitInterrupted, fmt.Errorf("interrupted after %.3g of %.3g events: the estimates use what had been simulated", float64(result.Events), float64(o.events))}
	}
	return nil
}

// chooseStart returns the initial state and what it is called.
func chooseStart(system ctmc.System, wanted string) (sim.Start, string, error) {
	if wanted == startEmpty || system.Servers > sim.MaxServers {
		return sim.Start{}, startEmpty, nil
	}
	fixpoint, err := meanfield.Equilibrium(system)
	switch {
	case err == nil:
		return sim.RoundedStart(system.Servers, fixpoint.Tail, fixpoint.TailPhase2), startFluid, nil
	case wanted == startFluid:
		return sim.Start{}, "", fmt.Errorf("start = fluid (must be empty or auto here): %w", err)
	}
	return sim.Start{}, startEmpty, nil
}

func simulationReport(result *sim.Result, o *simulateOptions) *report {
	r := &report{command: "simulate", system: &result.System, kind: ctmc.Estimate, status: simulationStatus(result)}
	block := result.BlockProb
	if result.System.Buffer == ctmc.Unlimited {
		block.Warnings = nil // it is 0 by definition, not for want of events
	}
	r.quantities = []quantity{
		{"mean_jobs", result.MeanJobs, unitJobs},
		{"mean_response", result.MeanResponse, unitTime},
		{"p_wait", result.WaitProb, unitProbability},
		{"p_block", block, unitProbability},
	}
	r.tables = []table{{index: "jobs", columns: []column{
		estimateColumn("occupancy", 0, result.Occupancy), estimateColumn("tail", 1, result.Tail),
	}}}
	r.work = simulationFacts(result, o)
	r.addWarnings(estimateWarnings(r.quantities)...)
	for _, text := range result.Warnings {
		if !slices.Contains(result.MeanJobs.Warnings, text) {
			r.addWarnings(text)
		}
	}
	return r
}

// estimateWarnings lists the warnings of estimates, each once with the names
// of the quantities it limits.
func estimateWarnings(quantities []quantity) []string {
	var texts []string
	names := map[string][]string{}
	for _, q := range quantities {
		for _, text := range q.value.(estimate.Estimate).Warnings {
			if names[text] == nil {
				texts = append(texts, text)
			}
			names[text] = append(names[text], q.name)
		}
	}
	for i, text := range texts {
		texts[i] = strings.Join(names[text], ", ") + ": " + text
	}
	return texts
}

func simulationFacts(result *sim.Result, o *simulateOptions) []fact {
	fraction := 0.0
	if result.Duration > 0 {
		fraction = result.WarmUp / result.Duration
	}
	return []fact{
		{"events", result.Events},
		{"seconds", result.Elapsed.Seconds()},
		{"events_per_second", result.EventsPerSecond()},
		{"replications", result.Replications},
		{"duration", result.Duration},
		{"warmup", result.WarmUp},
		{"warmup_fraction", fraction},
		{"warmup_rule", result.WarmUpRule},
		{"seed", o.seed},
		{"ending", string(result.Ending)},
	}
}

// simulationStatus says whether the run came to its own end; why it ended
// then is the fact "ending".
func simulationStatus(result *sim.Result) string {
	if result.Ending == sim.Interrupted {
		return ctmc.Interrupted.String()
	}
	return "completed"
}

// warmUpTime is auto (the zero value), none or a time.
type warmUpTime struct {
	none bool
	time float64
}

func (w *warmUpTime) Set(text string) error {
	switch text {
	case "auto":
		*w = warmUpTime{}
		return nil
	case "none":
		*w = warmUpTime{none: true}
		return nil
	}
	time, err := parseDecimal(text)
	if err != nil || time < 0 || math.IsInf(time, 0) {
		return refuse(text, "auto, none or a time >= 0")
	}
	*w = warmUpTime{none: time == 0, time: time}
	return nil
}

func (w *warmUpTime) Type() string { return "time" }
func (w *warmUpTime) explains()    {}
func (w *warmUpTime) String() string {
	switch {
	case w.none:
		return "none"
	case w.time > 0:
		return fmt.Sprint(w.time)
	}
	return "auto"
}

// setting is the warm-up as [sim.Settings] states it.
func (w *warmUpTime) setting() float64 {
	if w.none {
		return -1
	}
	return w.time
}
