package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"qlimit/ctmc"
	"qlimit/ctmc/slotted"
	"qlimit/validate"
	"qlimit/validate/estimate"
	"qlimit/validate/sim"
)

type simulateSlottedOptions struct {
	*environment
	system       slottedFlags
	policy       string
	slots        int64
	replications int
	level        float64
	warmUp       warmUpTime
	controls     string
	compare      string
	slacks       []float64
}

func newSimulateSlottedCommand(env *environment, run func(context.Context, *simulateSlottedOptions) error) *cobra.Command {
	o := &simulateSlottedOptions{environment: env, slots: sim.DefaultSlots, replications: sim.DefaultReplications, level: estimate.DefaultLevel, controls: controlsOn}
	c := leaf(&cobra.Command{
		Use:   "slotted",
		Short: "Simulate a time-slotted system: unequal servers, several dispatchers, memory, messages",
		Long: `Simulate slots of time. At the start of a slot each dispatcher sends all its
arrivals to one server; then every server serves as many jobs as its law says and
it has; then memories, thresholds and estimates are updated.

mean_queue is the total number of jobs when a slot begins, and mean_response
follows by Little's law: the number of slot starts a job sees, so that one served
in the slot it comes in counts 0. Messages are counted by kind, per job and per
slot and dispatcher with arrivals.

Control variates: the resource-pooled queue on the same arrivals and service,
whose mean is known exactly, and the drifts of the total queue and its square; on
unless --controls off. In heavy traffic the mean queue is also estimated from
what happens where service is left unused; the best estimate is given, and
queue_method names it.

An unstable system has no mean queue: stable is false and throughput says what it
serves. Policies with the same servers, laws, load and seed meet the same
arrivals and service; --compare runs several side by side and estimates their
differences.

--heavy-traffic runs the policy at several slacks (sum of the rates less mean
arrivals) and judges whether slack x mean queue tends to the limit of the pooled
queue. In the policy of such a sweep, "0.5*slack" stands for half the slack.`,
		Example: `  qlimit simulate slotted --servers 10 --policy jbt:d=2,T=1000 --load 0.9
  qlimit simulate slotted --rates 1x5,10x5 --policy jbtg:d=2,T=1000 --load 0.9 --format json
  qlimit simulate slotted --servers 10 --service-law burst:k=10 --load 0.9 --compare jsq,jiq,jbt:d=2,T=1000
  qlimit simulate slotted --rates 1x10,10x10 --dispatchers 10 --policy lsq:refresh=0.1 --heavy-traffic 0.5,0.2,0.1,0.05`,
	}, func(ctx context.Context) error { return run(ctx, o) })
	o.system.addTo(c)
	o.system.addPolicyTo(c, &o.policy)
	o.addRunFlags(c)
	return c
}

func (o *simulateSlottedOptions) addRunFlags(c *cobra.Command) {
	flags := c.Flags()
	flags.Var(&count{&o.slots, 1, 1e12, "an integer between 1 and 1e12"}, "slots", "`number` of slots, all replications together (1e7 may be written)")
	flags.Var(&countInt{&o.replications, 4, 1000, "an integer between 4 and 1000"}, "replications", "`number` of independent runs")
	flags.Var(&decimal{target: &o.level, accept: proportion, allowed: "a number > 0 and < 1, or a percentage", percent: true}, "level", "confidence `level` of the intervals")
	flags.Var(&o.warmUp, "warmup", "`slots` of each replication to leave out, auto or none")
	controls := []string{controlsOn, controlsOff}
	flags.Var(&choice{&o.controls, controls}, "controls", "control variates: `on` or off")
	flags.StringVar(&o.compare, "compare", "", "`policies` to compare with common random numbers, such as jsq,jiq,jbt:d=2,T=1000")
	flags.Var(&decimals{&o.slacks}, "heavy-traffic", "`slacks` of a heavy-traffic sweep, at least three, such as 0.5,0.2,0.1,0.05; instead of the load")
}

func runSimulateSlotted(ctx context.Context, o *simulateSlottedOptions) error {
	flags := o.system.flags
	switch compared, swept := flags.Changed("compare"), flags.Changed("heavy-traffic"); {
	case compared && swept:
		return badRequest("--compare and --heavy-traffic were both given (give one of them)")
	case compared:
		return o.runCompare(ctx)
	case swept:
		return o.runHeavyTraffic(ctx)
	}
	m, err := o.system.model()
	if err != nil {
		return err
	}
	policy, err := slotted.ParsePolicy(o.policy)
	if err != nil {
		return err
	}
	if err := o.checkOutput(); err != nil {
		return err
	}
	progress := o.newProgress("simulating")
	result, err := sim.RunSlotted(ctx, m, policy, o.settings(ctx, progress))
	progress.close()
	if err != nil {
		return progress.explain(err)
	}
	if err := o.show(slottedReport(result, o)); err != nil {
		return err
	}
	return o.interruption(result)
}

// interruption ends the program with its exit code if there was one.
func (o *simulateSlottedOptions) interruption(result *sim.SlottedResult) error {
	if result.Ending != sim.Interrupted {
		return nil
	}
	return &failure{exitInterrupted, fmt.Errorf("interrupted after %.3g of %.3g slots: the estimates use what had been simulated", float64(result.Slots), float64(o.slots))}
}

func (o *simulateSlottedOptions) settings(ctx context.Context, progress *progress) sim.SlottedSettings {
	s := sim.SlottedSettings{
		Seed: o.seed, Threads: o.threads, Replications: o.replications, Slots: o.slots, Level: o.level,
		WarmUp: o.warmUp.setting(), PooledMean: validate.SlottedPooledMean(ctx),
		Progress: func(done, total float64, what string) {
			if what == "simulating" {
				what = ""
			}
			progress.report(done/total, what)
		},
	}
	if o.controls == controlsOff {
		s.Controls = sim.ControlsOff
	}
	return s
}

const (
	unitMessages = "messages"
	unitPerSlot  = "jobs per slot"
)

func slottedReport(result *sim.SlottedResult, o *simulateSlottedOptions) *report {
	r := &report{command: "simulate slotted", kind: ctmc.Estimate, status: "completed"}
	if result.Ending == sim.Interrupted {
		r.status = ctmc.Interrupted.String()
	}
	r.quantities = []quantity{
		{"mean_queue", result.MeanQueue, unitSystemJobs},
		{"mean_queue_per_server", perServer(result.MeanQueue, result.Model.Servers()), unitJobs},
		{"mean_response", result.MeanResponse, unitSlots},
		{"throughput", result.Throughput, unitPerSlot},
		{"messages_per_job", result.MessagesPerJob, unitMessages},
		{"messages_per_arrival_slot", result.MessagesPerArrivalSlot, unitMessages},
	}
	for kind, e := range result.Messages {
		r.quantities = append(r.quantities, quantity{ctmc.Message(kind).String() + "_messages_per_arrival_slot", e, unitMessages})
	}
	r.quantities = append(r.quantities,
		quantity{"cross_term", result.Cross, "jobs²"},
		quantity{"unused_service", result.Unused, unitPerSlot},
		quantity{"unused_service_squared", result.UnusedTwo, "jobs²"},
		quantity{"perpendicular_mean", result.Across[0], unitSystemJobs},
		quantity{"perpendicular_moment2", result.Across[1], "jobs²"},
		quantity{"perpendicular_moment4", result.Across[2], "jobs⁴"},
	)
	if keepsEstimates(result) {
		r.quantities = append(r.quantities,
			quantity{"estimate_error", result.EstimateError, unitSystemJobs},
			quantity{"estimate_error_squared", result.EstimateErrorSq, "jobs²"})
	}
	r.quantities = append(r.quantities, quantity{"plain_mean_queue", result.PlainQueue, unitSystemJobs})
	warnings := slottedWarnings(r.quantities)
	r.quantities = slices.Insert(r.quantities, 4, quantity{"stable", result.Stability.Stable, unitNone})
	if len(result.ServerLoad) > 0 {
		r.tables = []table{serverTable(result)}
	} else {
		r.addWarnings("single servers are not listed beyond 200")
	}
	r.work = slottedRunFacts(result, o)
	r.addWarnings(warnings...)
	r.addWarnings(result.Warnings...)
	if noted, ok := result.Policy.(slotted.Noted); ok && noted.Note() != "" {
		r.addWarnings(noted.Note())
	}
	return r
}

func keepsEstimates(result *sim.SlottedResult) bool {
	return result.Policy.Declaration().Memory == slotted.Local
}

// slottedWarnings are those of the quantities that matter, as far as they exist.
func slottedWarnings(named []quantity) []string {
	var kept []quantity
	for _, q := range named {
		matters := slices.Contains([]string{"mean_queue", "mean_response", "messages_per_arrival_slot", "cross_term"}, q.name)
		if matters && q.value.(estimate.Estimate).Status != estimate.Undefined {
			kept = append(kept, q)
		}
	}
	return estimateWarnings(kept)
}

func perServer(e estimate.Estimate, servers int) estimate.Estimate {
	n := float64(servers)
	e.Value, e.HalfWidth, e.StandardError = e.Value/n, e.HalfWidth/n, e.StandardError/n
	return e
}

func serverTable(result *sim.SlottedResult) table {
	t := table{index: "server", columns: []column{
		numberColumn("server_rate", 1, result.Model.Rates),
		estimateColumn("server_load", 1, result.ServerLoad),
	}}
	if len(result.ServerQueue) > 0 {
		t.columns = append(t.columns, estimateColumn("server_queue", 1, result.ServerQueue))
	}
	if len(result.ServerError) > 0 {
		t.columns = append(t.columns, estimateColumn("server_estimate_error", 1, result.ServerError))
	}
	return t
}

func slottedRunFacts(result *sim.SlottedResult, o *simulateSlottedOptions) []fact {
	var pooled any
	if result.PooledKnown {
		pooled = result.PooledMean
	}
	variance := any(nil)
	if result.Controls.Used {
		variance = result.Controls.VarianceRatio
	}
	return []fact{
		{"system", newSlottedText(result.Model, result.Policy)},
		{"pooled_mean_queue", pooled},
		{"zeta", result.Zeta},
		{"memory_bits", result.MemoryBits},
		{"queue_method", queueMethod(result)},
		{"variance_ratio", variance},
		{"growth_per_slot", result.Stability.Growth},
		{"stability_confidence", result.Stability.Confidence},
		{"stability_reason", result.Stability.Reason},
		{"slots", result.Slots},
		{"seconds", result.Elapsed.Seconds()},
		{"slots_per_second", result.SlotsPerSecond()},
		{"replications", result.Replications},
		{"slots_per_replication", result.SlotsPerRun},
		{"warmup", result.WarmUp},
		{"warmup_rule", result.WarmUpRule},
		{"seed", o.seed},
		{"ending", string(result.Ending)},
	}
}

func queueMethod(result *sim.SlottedResult) any {
	if result.QueueMethod == "" {
		return nil
	}
	return result.QueueMethod
}
