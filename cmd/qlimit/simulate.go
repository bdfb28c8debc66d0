package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"qlimit/ctmc"
	"qlimit/meanfield"
	"qlimit/validate/estimate"
	"qlimit/validate/sim"
)

// Whether control variates are used.
const (
	controlsOn  = "on"
	controlsOff = "off"
)

// controlsByName are the sets of control variates that may be asked for.
var controlsByName = map[string]sim.Controls{
	controlsOn: sim.ControlsOn, controlsOff: sim.ControlsOff,
	"generator": sim.ControlsGenerator, "pooled": sim.ControlsPooled, "all": sim.ControlsAll, "all-single": sim.ControlsAllSingle,
}

// Ways to start a simulation.
const (
	startAuto      = "auto"
	startFluid     = "fluid"
	startDiffusion = "diffusion"
	startEmpty     = "empty"
)

var startNames = []string{startAuto, startFluid, startDiffusion, startEmpty}

type simulateOptions struct {
	*environment
	system       systemFlags
	events       int64
	precision    float64
	replications int
	level        float64
	warmUp       warmUpTime
	start        string
	controls     string
	budget       time.Duration
	checkpoint   string
	compare      string
	samples      samplesOptions
}

func newSimulateCommand(env *environment, run func(context.Context, *simulateOptions) error) *cobra.Command {
	o := &simulateOptions{environment: env, events: sim.DefaultEvents, replications: sim.DefaultReplications, level: estimate.DefaultLevel, start: startAuto, controls: controlsOn}
	c := leaf(&cobra.Command{
		Use:   "simulate",
		Short: "Simulate a system with confidence intervals",
		Long: `Simulate the occupancy of a system of 1 to 1e9 servers in independent
replications and estimate its stationary measures, each with a confidence
interval: mean jobs, mean response of accepted jobs (Little's law), P(wait),
P(block), occupancy and tail.

Control variates from the system's generator make heavy-traffic runs hundreds to
millions of times shorter; they are on unless --controls off, and left out with a
warning where they cannot be trusted. plain_mean_jobs and variance_ratio say what
they did. For comparison, pooled uses nothing but a queue with the same arrivals
and the same potential ends of service (M/M/N, with Coxian-2 service one server
of speed N), all uses it beside the generator, all-single takes one server of
speed N for any law; generator is what on means at present.

The run ends when the events are spent, or earlier when the half widths of mean
jobs and mean response are within --precision of the values, or when the time
--budget is spent. The result depends on --seed and --replications, never on
--threads; with --budget it depends on the machine's speed as well.

--checkpoint keeps the state of a run in a file: the same command goes on where
it was stopped or killed, and ends with the same digits as a run without a stop.

--compare simulates several policies with common random numbers and says for
every two of them which is better, by how much and with what confidence.

--samples writes the occupancy at regular times to a file, as qlimit validate
--stein reads it; warm-up auto then leaves out a tenth of the samples' time.

Start: fluid begins at the equilibrium of the mean-field limit, empty with idle
servers, diffusion at an own draw for every replication from the averaged
birth-death chain (JSQ, JIQ, I1F and power-of-d, a buffer that is unlimited or,
for power-of-d, hardly ever full). auto takes diffusion where the mean number of
jobs is felt to lie above the mean-field limit, else fluid where that exists and
is unique, else empty. Warm-up: auto chooses it from theory and data (twice
MSER-5; from theory alone for starts that are drawn); a number leaves out that
much time, in the unit of the service law; none nothing.

relaxation_time and autocorrelation_time are those of the limit, planned_events
is what plain averages need.`,
		Example: `  qlimit simulate --servers 1000 --policy jiq --load 0.95
  qlimit simulate -n 100 --policy pod:d=2 --load 0.9 --service coxian:mean=1,scv=10 --precision 1% --format json
  qlimit simulate -n 100 --load 0.999 --precision 0.1%
  qlimit simulate -n 100 --load 0.99 --compare jsq,jiq,i1f --events 1e7
  qlimit simulate -n 10 --load 0.8 --samples samples.csv --sample-count 20000`,
	}, func(ctx context.Context) error { return run(ctx, o) })
	o.system.addTo(c)
	o.system.takePull()
	o.addRunFlags(c)
	return c
}

func (o *simulateOptions) addRunFlags(c *cobra.Command) {
	flags := c.Flags()
	flags.Var(&count{&o.events, 1, 1 << 53, "an integer between 1 and 2^53"}, "events", "`number` of events, all replications together (1e8 may be written)")
	flags.Var(&decimal{target: &o.precision, accept: proportion, allowed: "a number > 0 and < 1, or a percentage", percent: true}, "precision", "relative half `width` to stop at, such as 1% or 0.01; default: spend all events")
	flags.Var(&countInt{&o.replications, 4, 10_000, "an integer between 4 and 10000"}, "replications", "`number` of independent runs")
	flags.Var(&decimal{target: &o.level, accept: proportion, allowed: "a number > 0 and < 1, or a percentage", percent: true}, "level", "confidence `level` of the intervals")
	controls := []string{controlsOn, controlsOff, "generator", "pooled", "all", "all-single"}
	flags.Var(&choice{&o.controls, controls}, "controls", "control variates: `on`, off, generator, pooled, all or all-single")
	flags.Var(&timeLimit{&o.budget}, "budget", "`time` on the clock to stop at, such as 30s, 5m or 2h; --events is then no limit unless given")
	flags.Var(&fileName{&o.checkpoint}, "checkpoint", "`file` that keeps the state of the run and is gone on from")
	flags.StringVar(&o.compare, "compare", "", "`policies` to compare with common random numbers, such as jsq,jiq,i1f")
	o.samples.addTo(flags)
	flags.Var(&o.warmUp, "warmup", "`time` to leave out, auto or none")
	flags.Var(&choice{&o.start, startNames}, "start", "`start`: auto, fluid, diffusion or empty")
}

// simulator is [sim.Run] or, in tests, a stand-in.
type simulator func(context.Context, ctmc.System, sim.Settings) (*sim.Result, error)

func runSimulate(ctx context.Context, o *simulateOptions) error {
	if o.system.flags.Changed("compare") {
		return o.runCompare(ctx)
	}
	if o.samples.file != "" {
		return o.runSamples(ctx)
	}
	return o.runWith(ctx, sim.Run)
}

func (o *simulateOptions) runWith(ctx context.Context, simulate simulator) error {
	if pull, ok, err := o.system.pullSystem(finiteSystem); err != nil {
		return err
	} else if ok && remembers(pull) {
		return o.runPull(ctx, pull)
	}
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
	settings := o.settings(progress)
	settings.Start = start
	result, err := simulate(ctx, system, settings)
	progress.close()
	if err != nil {
		return progress.explain(err)
	}
	r := simulationReport(result, o)
	r.work = append(r.work, fact{"start", startName})
	return o.showSimulation(r, result)
}

// showSimulation shows what there is, also of a run that was interrupted.
func (o *simulateOptions) showSimulation(r *report, result *sim.Result) error {
	if err := o.show(r); err != nil {
		return err
	}
	if result.Ending == sim.Interrupted {
		return &failure{exitInterrupted, fmt.Errorf("interrupted after %.3g of %.3g events: the estimates use what had been simulated", float64(result.Events), float64(o.events))}
	}
	return nil
}

// settings are those that do not depend on the system.
func (o *simulateOptions) settings(progress *progress) sim.Settings {
	s := sim.Settings{
		Seed: o.seed, Threads: o.threads, Replications: o.replications,
		Events: o.events, Precision: o.precision, Level: o.level,
		WarmUp: o.warmUp.setting(), Budget: o.budget, Checkpoint: o.checkpoint,
		Progress: func(done, total float64, what string) {
			if what == "simulating" {
				what = ""
			}
			progress.report(done/total, what)
		},
	}
	if o.budget > 0 && !o.system.flags.Changed("events") {
		s.Events = 0
	}
	s.Controls = controlsByName[o.controls]
	return s
}

// chooseStart returns the initial state and what it is called.
func chooseStart(system ctmc.System, wanted string) (sim.Start, string, error) {
	if wanted == startEmpty || system.Servers > sim.MaxServers {
		return sim.Start{}, startEmpty, nil
	}
	switch law := sim.NearCritical(system); {
	case wanted == startDiffusion:
		law, err := sim.NewStartLaw(system)
		if err != nil {
			return sim.Start{}, "", fmt.Errorf("start = diffusion (must be fluid, empty or auto here): %w", err)
		}
		return law.Start(), startDiffusion, nil
	case wanted == startAuto && law != nil:
		return law.Start(), startDiffusion, nil
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
	if result.Controls.Used {
		r.quantities = append(r.quantities, quantity{"plain_mean_jobs", result.Plain.MeanJobs, unitJobs})
	}
	r.tables = []table{{index: "jobs", columns: []column{
		estimateColumn("occupancy", 0, result.Occupancy), estimateColumn("tail", 1, result.Tail),
	}}}
	r.work = simulationFacts(result, o)
	r.addWarnings(estimateWarnings(r.quantities[:4])...) // plain averages may be poor where controls help
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
		{"relaxation_time", known(result.Plan.RelaxationTime)},
		{"autocorrelation_time", known(result.Plan.AutocorrelationTime)},
		{"planned_events", known(result.Plan.Events)},
		{"controls", controlsName(result)},
		{"variance_ratio", varianceRatio(result)},
		{"seed", o.seed},
		{"ending", string(result.Ending)},
	}
}

// known is nil for 0, which says that nothing is known.
func known(x float64) any {
	if x == 0 {
		return nil
	}
	return x
}

// controlsName says what became of the control variates.
func controlsName(result *sim.Result) string {
	switch {
	case result.Controls.Used:
		return fmt.Sprintf("%d of %d", result.Controls.Rank, result.Controls.Offered)
	case result.Controls.Offered > 0:
		return "not trusted"
	}
	return controlsOff
}

// varianceRatio is nil where no variance was reduced.
func varianceRatio(result *sim.Result) any {
	if !result.Controls.Used {
		return nil
	}
	return result.Controls.VarianceRatio
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

// timeLimit is a positive duration.
type timeLimit struct{ target *time.Duration }

func (v *timeLimit) Set(text string) error {
	limit, err := time.ParseDuration(text)
	if err != nil || limit <= 0 {
		return refuse(text, "a time > 0 with its unit, such as 30s, 5m or 2h")
	}
	*v.target = limit
	return nil
}

func (v *timeLimit) Type() string { return "time" }
func (v *timeLimit) explains()    {}
func (v *timeLimit) String() string {
	if v.target == nil || *v.target == 0 {
		return ""
	}
	return v.target.String()
}
