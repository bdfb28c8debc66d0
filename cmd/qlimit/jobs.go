package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"qlimit/coxian"
	"qlimit/ctmc"
	"qlimit/validate/estimate"
	"qlimit/validate/sim"
)

type jobsOptions struct {
	*environment
	system         systemFlags
	size, arrivals string
	jobs           int64
	replications   int
	level          float64
	warmUp         warmUpTime
	start          string
	precision      float64
	budget         time.Duration
}

const (
	sizeUsage     = "law of the sizes `S` of jobs instead of --service: all it takes, deterministic, erlang:k=4, lognormal:scv=4, pareto:alpha=1.5,low=1,high=1000 (bounded), csv:FILE or csv:FILE,column=NAME (independent draws); mean= may be added to all but pareto and csv"
	arrivalsUsage = "law `A` of the time between arrivals, its mean set by the load: exp, erlang:k=4, hyperexp:scv=4 (balanced means), deterministic, lognormal:scv=4, csv:FILE or csv:FILE,column=NAME"
	jobsPolicies  = "dispatching policy `P`: jsq, jiq (iqf), i1f, random, pod:d=2 with their options; rr (round robin), ll (least work of all), ll:d=2 (of two sampled), sq:d=2,m=3 (two sampled, three remembered), sita (size intervals), pull:memory=M,rate=R (M stored IDs of idle servers, each sending at rate R)"
)

func newJobsCommand(env *environment, run func(context.Context, *jobsOptions) error) *cobra.Command {
	o := &jobsOptions{environment: env, arrivals: "exp", jobs: sim.DefaultJobs, replications: sim.DefaultReplications, level: estimate.DefaultLevel, start: startAuto}
	c := leaf(&cobra.Command{
		Use:   "jobs",
		Short: "Simulate a system job by job: quantiles, any service law, messages",
		Long: `Follow every job through a system of 1 to 1e7 servers, first come first served,
in independent replications, and estimate what jobs meet: waiting and response
time (mean, quantiles, histogram), P(wait), P(block) and the messages between
dispatcher and servers, by kind. Arrivals may be any renewal process and sizes
any law.

Policies that look at more than queue lengths are here, too: round robin, least
work, shortest of sampled and remembered servers, size intervals.

Policies with the same servers, load, arrivals, sizes and seed meet the same jobs
at the same times. The result depends on --seed and --replications, never on
--threads.

The run ends when the jobs are done, or earlier when the half width of the mean
response is within --precision of the value, or when the time --budget is spent.

Start and warm-up are as for simulate; fluid and diffusion need a policy that
looks at lengths alone and a service law of simulate.`,
		Example: `  qlimit simulate jobs --servers 100 --policy pod:d=2 --load 0.9
  qlimit simulate jobs -n 10 --policy ll --load 0.9 --size lognormal:scv=4 --arrivals erlang:k=2
  qlimit simulate jobs -n 20 --policy jiq --load 0.8 --precision 2%
  qlimit simulate jobs -n 4 --policy sita --load 0.7 --size pareto:alpha=1.5,low=1,high=1e4 --format json`,
	}, func(ctx context.Context) error { return run(ctx, o) })
	o.system.addTo(c)
	c.Flags().Lookup("policy").Usage = jobsPolicies
	o.system.policies = jobsOffered
	o.addRunFlags(c)
	return c
}

func (o *jobsOptions) addRunFlags(c *cobra.Command) {
	flags := c.Flags()
	flags.StringVar(&o.size, "size", "", sizeUsage)
	flags.StringVar(&o.arrivals, "arrivals", o.arrivals, arrivalsUsage)
	flags.Var(&count{&o.jobs, 1, 1e12, "an integer between 1 and 1e12"}, "jobs", "`number` of jobs, all replications together (1e8 may be written)")
	flags.Var(&countInt{&o.replications, 4, 1000, "an integer between 4 and 1000"}, "replications", "`number` of independent runs")
	flags.Var(&decimal{target: &o.level, accept: proportion, allowed: "a number > 0 and < 1, or a percentage", percent: true}, "level", "confidence `level` of the intervals")
	flags.Var(&decimal{target: &o.precision, accept: proportion, allowed: "a number > 0 and < 1, or a percentage", percent: true}, "precision", "relative half `width` of the mean response to stop at, such as 1% or 0.01; default: simulate all jobs")
	flags.Var(&timeLimit{&o.budget}, "budget", "`time` on the clock to stop at, such as 30s, 5m or 2h; --jobs is then no limit unless given")
	flags.Var(&o.warmUp, "warmup", "`time` to leave out, auto or none")
	flags.Var(&choice{&o.start, startNames}, "start", "`start`: auto, fluid, diffusion or empty")
}

// withSubcommands hangs commands under one that runs by itself.
func withSubcommands(parent *cobra.Command, members ...*cobra.Command) *cobra.Command {
	parent.AddCommand(members...)
	parent.Args = func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		names := commandNames(c)
		return badRequest("unexpected argument %q for %q (%sall settings are flags; subcommands: %s)", args[0], c.CommandPath(), suggestion(args[0], names), strings.Join(names, ", "))
	}
	return parent
}

func runJobs(ctx context.Context, o *jobsOptions) error {
	system, err := o.jobSystem()
	if err != nil {
		return err
	}
	start, startName, err := o.chooseStart(system)
	if err != nil {
		return err
	}
	if err := o.checkOutput(); err != nil {
		return err
	}
	progress := o.newProgress("simulating")
	settings := sim.JobSettings{
		Seed: o.seed, Threads: o.threads, Replications: o.replications, Jobs: o.jobs,
		Level: o.level, WarmUp: o.warmUp.setting(), Start: start,
		Precision: o.precision, Budget: o.budget,
		Progress: func(done, total float64, what string) {
			if what == "simulating" {
				what = ""
			}
			progress.report(done/total, what)
		},
	}
	if o.budget > 0 && !o.system.flags.Changed("jobs") {
		settings.Jobs = 0
	}
	result, err := sim.RunJobs(ctx, system, settings)
	progress.close()
	if err != nil {
		return progress.explain(err)
	}
	if err := o.show(jobsReport(result, o, startName)); err != nil {
		return err
	}
	if result.Ending == sim.Interrupted {
		return &failure{exitInterrupted, fmt.Errorf("interrupted after %d jobs in %d of %d replications: the estimates use those", result.Jobs, result.Replications, o.replications)}
	}
	return nil
}

// jobSystem builds the system that the flags describe.
func (o *jobsOptions) jobSystem() (sim.JobSystem, error) {
	s := sim.JobSystem{Servers: int(o.system.servers), Buffer: o.system.buffer}
	if !o.system.flags.Changed("servers") {
		return s, badRequest("--servers is missing (an integer between 1 and 1e7)")
	}
	var err error
	if s.Service, err = o.serviceLaw(); err != nil {
		return s, err
	}
	if s.Arrivals, err = sim.ParseArrivals(o.arrivals, lawFile("arrivals")); err != nil {
		return s, &failure{exitRequest, err}
	}
	if s.Policy, err = sim.ParseJobPolicy(o.system.policy); err != nil {
		return s, err
	}
	if s.Load, err = o.system.systemLoad(); err != nil {
		return s, err
	}
	return s, s.Validate()
}

func (o *jobsOptions) serviceLaw() (sim.Law, error) {
	return serviceLaw(o.system.service, o.size, o.system.flags.Changed("service"))
}

// serviceLaw reads --size where it is given, else --service.
func serviceLaw(service, size string, serviceGiven bool) (sim.Law, error) {
	if size == "" {
		d, err := parseService(service)
		return sim.CoxianLaw(d), err
	}
	if serviceGiven {
		return nil, badRequest("--service and --size were both given (give one of them)")
	}
	law, err := sim.ParseServiceLaw(size, lawFile("size"))
	if err != nil {
		return nil, &failure{exitRequest, err}
	}
	return law, nil
}

// lawFile reads "FILE" or "FILE,column=NAME" for a flag.
func lawFile(flag string) sim.ReadSample {
	return func(text string) ([]float64, error) {
		name, column, _ := strings.Cut(text, ",column=")
		file, err := os.Open(name)
		if err != nil {
			return nil, badRequest("cannot read --%s %s: %w", flag, name, reason(err))
		}
		defer file.Close()
		if err := checkSampleFile(file); err != nil {
			return nil, badRequest("--%s %s: %w", flag, name, err)
		}
		sample, err := readColumn(file, column)
		if err != nil {
			return nil, badRequest("--%s %s: %w", flag, name, err)
		}
		return sample, nil
	}
}

// chooseStart begins as [chooseStart] where the system has a fluid equilibrium,
// which does not depend on the kind of arrivals; the diffusion does.
func (o *jobsOptions) chooseStart(s sim.JobSystem) (sim.Start, string, error) {
	policy, service, err := o.fluidParts()
	switch {
	case err == nil:
		system := ctmc.System{Servers: int64(s.Servers), Load: s.Load, Buffer: s.Buffer, Service: service, Policy: policy}
		if err := system.Validate(); err != nil {
			return sim.Start{}, "", err
		}
		wanted := o.start
		if o.arrivals != "exp" {
			switch wanted {
			case startDiffusion:
				return sim.Start{}, "", badRequest("start = diffusion (must be fluid, empty or auto here): it needs --arrivals exp")
			case startAuto:
				return o.fluidOrEmpty(system)
			}
		}
		return chooseStart(system, wanted)
	case o.start == startFluid || o.start == startDiffusion:
		return sim.Start{}, "", badRequest("start = %s (must be empty or auto here): it needs a policy that looks at lengths alone and a service law given by --service, or by --size in the same words", o.start)
	}
	return sim.Start{}, startEmpty, nil
}

// fluidOrEmpty is the fluid equilibrium if there is one.
func (o *jobsOptions) fluidOrEmpty(system ctmc.System) (sim.Start, string, error) {
	if start, name, err := chooseStart(system, startFluid); err == nil {
		return start, name, nil
	}
	return sim.Start{}, startEmpty, nil
}

func (o *jobsOptions) fluidParts() (ctmc.Policy, coxian.Dist, error) {
	text := o.size
	if text == "" {
		text = o.system.service
	}
	service, err := coxian.Parse(text)
	if err != nil {
		return ctmc.Policy{}, service, err
	}
	policy, err := ctmc.ParsePolicy(o.system.policy)
	return policy, service, err
}

func jobsReport(result *sim.JobResult, o *jobsOptions, start string) *report {
	r := &report{command: "simulate jobs", kind: ctmc.Estimate, status: "completed"}
	if result.Ending == sim.Interrupted {
		r.status = ctmc.Interrupted.String()
	}
	r.quantities = []quantity{
		{"mean_wait", result.MeanWait, unitTime},
		{"mean_response", result.MeanResponse, unitTime},
		{"mean_jobs", result.MeanJobs, unitJobs},
		{"p_wait", result.WaitProb, unitProbability},
		{"p_block", result.BlockProb, unitProbability},
		{"messages_per_job", result.MessagesPerJob, "messages"},
	}
	for _, kind := range sim.MessageKinds() {
		r.quantities = append(r.quantities, quantity{kind.String() + "_messages_per_job", result.Messages[kind], "messages"})
	}
	r.tables = []table{quantileTable(result, o.format), histogramTable(result)}
	r.work = jobsFacts(result, o, start)
	r.addWarnings(estimateWarnings(r.quantities)...)
	r.addWarnings(quantileWarnings("wait", result.WaitQuantiles)...)
	r.addWarnings(quantileWarnings("response", result.ResponseQuantiles)...)
	r.addWarnings(result.Warnings...)
	return r
}

func jobsFacts(result *sim.JobResult, o *jobsOptions, start string) []fact {
	fraction := 0.0
	if result.Duration > 0 {
		fraction = result.WarmUp / result.Duration
	}
	return []fact{
		{"system", newJobSystemText(result.System)},
		{"jobs", result.Jobs},
		{"jobs_used", result.JobsUsed},
		{"seconds", result.Elapsed.Seconds()},
		{"jobs_per_second", result.JobsPerSecond()},
		{"replications", result.Replications},
		{"duration", result.Duration},
		{"warmup", result.WarmUp},
		{"warmup_fraction", fraction},
		{"warmup_rule", result.WarmUpRule},
		{"start", start},
		{"seed", o.seed},
		{"ending", string(result.Ending)},
	}
}

// jobSystemText is a system: an object in JSON, a line elsewhere.
type jobSystemText struct {
	orderedObject
	text string
}

func newJobSystemText(s sim.JobSystem) jobSystemText {
	scv := s.Service.SCV()
	return jobSystemText{orderedObject{
		{"servers", s.Servers}, {"load", s.Load}, {"buffer", s.Buffer}, {"policy", s.Policy.Name},
		{"arrivals", orderedObject{{"text", s.Arrivals.String()}, {"scv", jsonValue(s.Arrivals.SCV())}, {"rate", s.ArrivalRate()}}},
		{"service", orderedObject{{"text", s.Service.String()}, {"mean", s.Service.Mean()}, {"scv", jsonValue(scv)}}},
	}, s.String()}
}

func (s jobSystemText) String() string { return s.text }

// quantileTable: JSON records carry p and both ends of the interval, which
// need not be symmetric.
func quantileTable(result *sim.JobResult, format string) table {
	levels := column{name: "quantile_levels"}
	for _, q := range result.WaitQuantiles {
		levels.values = append(levels.values, q.P)
	}
	return table{columns: []column{
		levels,
		quantileColumn("wait_quantiles", result.WaitQuantiles, format),
		quantileColumn("response_quantiles", result.ResponseQuantiles, format),
	}}
}

func quantileColumn(name string, list []sim.JobQuantile, format string) column {
	c := column{name: name}
	for _, q := range list {
		if format == formatJSON {
			c.values = append(c.values, quantileObject(q))
		} else {
			c.values = append(c.values, q.Time)
		}
	}
	return c
}

func quantileObject(q sim.JobQuantile) orderedObject {
	object := orderedObject{{"p", q.P}}
	ends := orderedObject{{"lower", jsonValue(q.Lower)}, {"upper", jsonValue(q.Upper)}}
	if q.Time.Status == estimate.Undefined {
		ends = orderedObject{{"lower", nil}, {"upper", nil}}
	}
	return append(append(object, estimateObject(q.Time)...), ends...)
}

func quantileWarnings(of string, list []sim.JobQuantile) []string {
	var named []quantity
	for _, q := range list {
		named = append(named, quantity{fmt.Sprintf("%s p%g", of, 100*q.P), q.Time, unitTime})
	}
	return estimateWarnings(named)
}

func histogramTable(result *sim.JobResult) table {
	from, to := column{name: "histogram_from"}, column{name: "histogram_to"}
	wait, response := column{name: "histogram_wait"}, column{name: "histogram_response"}
	for _, b := range result.Histogram {
		from.values = append(from.values, b.From)
		to.values = append(to.values, b.To)
		wait.values = append(wait.values, b.Wait)
		response.values = append(response.values, b.Response)
	}
	return table{columns: []column{from, to, wait, response}}
}
