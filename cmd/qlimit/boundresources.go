package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"qlimit/stein"
	"qlimit/validate"
	"qlimit/validate/sim"
)

type resourcesOptions struct {
	*environment
	load          float64
	service, size string
	memory        float64
	queries       int64
	messageRate   float64
	messageClock  float64
	gamma, theta  float64
	simulate      bool
	policies      policyFlags

	flags *pflag.FlagSet
}

func newResourcesCommand(env *environment, run func(context.Context, *resourcesOptions) error) *cobra.Command {
	o := &resourcesOptions{environment: env, service: "exp", memory: 1, queries: 2, policies: policyFlags{jobs: defaultResourceJobs}}
	c := leaf(&cobra.Command{
		Use:   "resources",
		Short: "Delay that no policy with limited memory and messages can avoid",
		Long: `A dispatcher with a memory of C·log2(N) bits that asks at most D servers about
each job, or exchanges at most A·N messages per unit of time on average, keeps a
waiting time above zero however many servers there are. Compute a lower bound on
lim inf E[waiting time] for every symmetric policy within these limits (Poisson
arrivals, load below 1), at the gamma and theta that make it largest or at given
ones, with the probabilities of the events that it is built on:

  p_work          the next K = floor(C)+1 jobs are of size 2·gamma or more
  p_arrivals      they arrive, and no server speaks unasked, before gamma/N
  p_busy          lower bound on P(a fraction theta of the servers is busy for 2·gamma)
  p_no_departure  lower bound on P(no job leaves before gamma/N)

gamma is in mean service times. The bound is a statement about the limit; for
finite N nothing is promised. With --message-rate it shrinks like a tower of
powers: log10_bound and, beyond that, iterated_log10, the logarithm (base 10)
taken iterations times with the sign changed after the first.

--message-clock is the rate, per server, of the moments at which servers may
speak unasked.

A table of policies follows: what memory and messages they need, and their delay
(mean waiting time) as N grows, for D servers asked, C stored IDs (pull) and, if
given, A messages (pull; else as many as jobs). --simulate puts simulations at
several N beside it, which show what vanishes and what does not.`,
		Example: `  qlimit bound resources --load 0.9 --memory 1 --queries 2
  qlimit bound resources --load 0.9 --memory 1 --queries 2 --message-clock 1 --gamma 0.1 --theta 0.1 --size deterministic
  qlimit bound resources --load 0.9 --memory 2 --message-rate 0.9 --format json
  qlimit bound resources --load 0.7 --simulate --servers 10,30 --jobs 1e4`,
	}, func(ctx context.Context) error { return run(ctx, o) })
	o.addFlags(c)
	return c
}

// resourceAliases are the symbols of the theory for some flags.
var resourceAliases = map[string]string{"c": "memory", "d": "queries", "alpha": "message-rate"}

func (o *resourcesOptions) addFlags(c *cobra.Command) {
	o.flags = c.Flags()
	o.flags.SortFlags = false
	o.flags.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if long, ok := resourceAliases[name]; ok {
			name = long
		}
		return pflag.NormalizedName(name)
	})
	o.flags.Var(&decimal{target: &o.load, accept: proportion, allowed: "a number > 0 and < 1"}, "load", "load `L` = arrival rate x mean service / servers")
	o.flags.StringVar(&o.service, "service", o.service, serviceUsage)
	offer(c, "service", &servicesOffered)
	o.flags.StringVar(&o.size, "size", "", sizeUsage)
	o.flags.Var(&decimal{target: &o.memory, accept: notNegative, allowed: "a number >= 0"}, "memory", "`C` of a memory of C log2(N) bits (also --c)")
	o.flags.Var(&count{&o.queries, 0, 1e15, "an integer >= 0"}, "queries", "most servers `D` that are asked about a job (also --d)")
	o.flags.Var(&decimal{target: &o.messageRate, accept: notNegative, allowed: "a number >= 0"}, "message-rate", "instead: messages `A` per unit of time and server, on average (also --alpha)")
	o.flags.Var(&decimal{target: &o.messageClock, accept: notNegative, allowed: "a number >= 0"}, "message-clock", "`rate` per server of the moments at which servers may speak unasked")
	o.flags.Var(&decimal{target: &o.gamma, accept: proportion, allowed: "a number > 0 and < 1"}, "gamma", "`time` in mean service times instead of the best one")
	o.flags.Var(&decimal{target: &o.theta, accept: proportion, allowed: "a number > 0 and < 1"}, "theta", "busy `fraction` instead of the best one")
	o.flags.BoolVar(&o.simulate, "simulate", false, "simulate the policies of the table")
	o.policies.addTo(o.flags)
}

func (f *policyFlags) addTo(flags *pflag.FlagSet) {
	flags.Var(&decimals{&f.servers}, "servers", "`numbers` of servers to simulate (default 10,100,1000,1e4,1e5)")
	flags.Var(&count{&f.jobs, 1e4, 1e11, "an integer between 1e4 and 1e11"}, "jobs", "least `number` of jobs of each simulation")
}

const defaultResourceJobs = 1_000_000

func notNegative(x float64) bool { return x >= 0 }

func runResources(ctx context.Context, o *resourcesOptions) error {
	law, err := o.law()
	if err != nil {
		return err
	}
	resources, err := o.resources(law)
	if err != nil {
		return err
	}
	bound, err := o.evaluate(resources)
	if err != nil {
		return err
	}
	if err := o.checkOutput(); err != nil {
		return err
	}
	r := resourcesReport(o, resources, bound, law)
	policies, notes, err := o.comparePolicies(ctx, law)
	if err != nil {
		return err
	}
	r.records = policies
	if o.queries > mostTableChoices {
		r.addWarnings(fmt.Sprintf("the table leaves out the policies that ask %d servers: it goes up to %d", o.queries, mostTableChoices))
	}
	r.addWarnings(notes...)
	return o.show(r)
}

func (o *resourcesOptions) law() (sim.Law, error) {
	if !o.flags.Changed("load") {
		return nil, badRequest("--load is missing (a number > 0 and < 1)")
	}
	return serviceLaw(o.service, o.size, o.flags.Changed("service"))
}

func (o *resourcesOptions) resources(law sim.Law) (stein.Resources, error) {
	if o.flags.Changed("queries") && o.flags.Changed("message-rate") {
		return stein.Resources{}, badRequest("--queries and --message-rate were both given (give one of them)")
	}
	tail, err := validate.ServiceTailOf(law)
	if err != nil {
		return stein.Resources{}, err
	}
	return stein.Resources{
		Load: o.load, Service: tail, Memory: o.memory, Queries: float64(o.queries),
		Averaged: o.flags.Changed("message-rate"), MessageRate: o.messageRate, MessageClock: o.messageClock,
	}, nil
}

func (o *resourcesOptions) evaluate(r stein.Resources) (*stein.ResourceBound, error) {
	gamma, theta := o.flags.Changed("gamma"), o.flags.Changed("theta")
	switch {
	case gamma && theta:
		return r.At(o.gamma, o.theta)
	case gamma || theta:
		return nil, badRequest("--gamma and --theta must be given together (or neither: the best ones are found)")
	}
	return r.Best()
}

func resourcesReport(o *resourcesOptions, resources stein.Resources, b *stein.ResourceBound, law sim.Law) *report {
	r := &report{command: "bound resources", kind: b.Kind}
	last := b.Steps[len(b.Steps)-1]
	r.quantities = []quantity{
		{"bound", logValue(b.Delay), unitTime},
		{"log10_bound", log10Value(b.Delay), unitNone},
		{"iterated_log10", iteratedValue(b.Delay), unitNone},
		{"p_work", b.Work, unitProbability},
		{"p_arrivals", b.Arrivals, unitProbability},
		{"p_busy", b.Busy, unitProbability},
		{"p_no_departure", b.NoDeparture, unitProbability},
		{"p0", logValue(b.Start), unitProbability},
		{"log10_p0", log10Value(b.Start), unitNone},
		{"p_k", logValue(last), unitProbability},
		{"log10_p_k", log10Value(last), unitNone},
	}
	r.work = []fact{
		{"gamma", b.Gamma}, {"theta", b.Theta},
		{"load", o.load}, {"service", law.String()},
		{"memory", o.memory}, {"jobs_in_a_row", b.Jobs},
	}
	if resources.Averaged {
		r.work = append(r.work, fact{"message_rate", o.messageRate})
		r.tables = []table{stepsTable(b)}
	} else {
		r.work = append(r.work, fact{"queries", o.queries})
	}
	r.work = append(r.work, fact{"message_clock", o.messageClock}, fact{"iterations", b.Delay.Iterations}, fact{"statement", "lim inf of E[waiting time] as N grows, every symmetric policy within the resources"})
	r.addWarnings("the bound speaks of the limit N to infinity and of Poisson arrivals; finite systems are not promised to obey it")
	if b.Delay.Iterations == 0 {
		r.addWarnings("at this gamma and theta p_busy + p_no_departure is 1 at most: no bound but 0; leave out --gamma and --theta to find the best ones")
	}
	if b.Delay.Iterations > 1 {
		r.addWarnings("the logarithm of the bound is beyond floating-point numbers: see iterated_log10")
	}
	return r
}

// stepsTable lists p_1, .., p_K, or the last of them.
func stepsTable(b *stein.ResourceBound) table {
	first := b.Jobs - len(b.Steps) + 1
	iterations, values := column{name: "step_iterations", first: first}, column{name: "step_iterated_log10", first: first}
	for _, p := range b.Steps {
		iterations.values = append(iterations.values, p.Iterations)
		values.values = append(values.values, iteratedValue(p))
	}
	return table{index: "k", columns: []column{iterations, values}}
}

// logValue is the number, nil where no float64 is as small.
func logValue(l stein.IteratedLog) any {
	if x, ok := l.Float(); ok {
		return x
	}
	return nil
}

func log10Value(l stein.IteratedLog) any {
	if x, ok := l.Log10(); ok {
		return x
	}
	return nil
}

func iteratedValue(l stein.IteratedLog) any {
	if l.Iterations == 0 {
		return nil
	}
	return l.Value
}
