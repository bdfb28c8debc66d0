package main

import (
	"context"
	"fmt"
	"math"

	"github.com/spf13/cobra"

	"qlimit/coxian"
	"qlimit/ctmc"
	"qlimit/ctmc/slotted"
	"qlimit/stein"
)

type pooledOptions struct {
	*environment
	slotted slottedFlags
	service string
	force   bool // slotted without any of the flags that imply it
}

// slottedOnly are the flags that make the pooled system a slotted one.
var slottedOnly = []string{"rates", "arrivals", "service-law", "dispatchers", "slotted"}

func newPooledCommand(env *environment, run func(context.Context, *pooledOptions) error) *cobra.Command {
	o := &pooledOptions{environment: env, service: "exp"}
	c := leaf(&cobra.Command{
		Use:   "pooled",
		Short: "Jobs that no dispatcher can avoid: all servers pooled",
		Long: `Put all servers and queues together: no dispatching policy has fewer jobs.

In slots, with any of --rates, --arrivals, --service-law, --dispatchers, --slotted:
the queue q(t+1) = (q(t) + arrivals - service)⁺ of the whole system, in jobs when
a slot begins.

  mean_queue   its exact mean, by Spitzer's identity; mean_queue_second the same by
               Wiener-Hopf factorisation
  zeta         σ² + ν² + ε²: variances per slot of arrivals and service, squared slack
  lower_bound  zeta/(2ε) - S/2, S the most that all servers serve in a slot; null
               where service is unbounded
  limit        (σ² + ν²)/2 at load 1: what ε·mean_queue tends to as ε -> 0;
               limit_at_load has the variance of the arrivals at this load

In continuous time, otherwise: Poisson arrivals at N servers of unit speed. Jobs
are per server, times in the unit of the service law.

  mean_jobs_mmn   M/M/N (exponential service only)
  mean_jobs_mg1   M/G/1, one server of speed N; its work bounds that of the N servers,
                  and its jobs bound theirs if scv <= 1
  mean_jobs_work  jobs at least, if the work is at least that of M/G/1, for every law
  mean_jobs       the largest of those that are lower bounds, from the system named`,
		Example: `  qlimit bound pooled --rates 1x10 --load 0.9
  qlimit bound pooled --rates 1x5,10x5 --load 0.99 --service-law burst:k=20 --format json
  qlimit bound pooled --servers 10 --load 0.9
  qlimit bound pooled --servers 1e15 --load-exponent 0.25 --service coxian:mean=1,scv=4`,
	}, func(ctx context.Context) error { return run(ctx, o) })
	o.slotted.addTo(c)
	c.Flags().Lookup("servers").Value = &count{&o.slotted.servers, 1, ctmc.MaxServers, "an integer between 1 and 1e15"}
	c.Flags().Lookup("servers").Usage = "`number` of servers: of rate 1 in slots, up to 1e6; of unit speed in continuous time, up to 1e15"
	c.Flags().BoolVar(&o.force, "slotted", false, "in slots, with Poisson arrivals and service")
	c.Flags().StringVar(&o.service, "service", o.service, "in continuous time: "+serviceUsage)
	offer(c, "service", &servicesOffered)
	return c
}

func runPooled(ctx context.Context, o *pooledOptions) error {
	for _, name := range slottedOnly {
		if !o.slotted.flags.Changed(name) {
			continue
		}
		if o.slotted.flags.Changed("service") {
			return badRequest("--service is for continuous time and --%s for slots (give --service-law for the service in a slot)", name)
		}
		return o.inSlots(ctx)
	}
	return o.inContinuousTime()
}

func (o *pooledOptions) inSlots(ctx context.Context) error {
	m, err := o.slotted.model()
	if err != nil {
		return err
	}
	pooled, err := stein.PoolSlotted(ctx, m)
	if err != nil {
		return err
	}
	return o.show(slottedPooledReport(m, pooled))
}

func slottedPooledReport(m *slotted.Model, p *stein.SlottedPooling) *report {
	r := &report{command: "bound pooled", kind: ctmc.Exact, kinds: map[string]ctmc.Kind{
		"lower_bound": ctmc.LowerBound, "limit": ctmc.Limit, "limit_at_load": ctmc.Limit,
	}}
	r.quantities = []quantity{
		{"mean_queue", p.MeanQueue, unitSystemJobs},
		{"zeta", p.Zeta, unitNone},
		{"lower_bound", given(p.HasExplicitBound, p.ExplicitBound), unitSystemJobs},
		{"limit", given(p.HasLimit, p.Limit), unitNone},
		{"limit_at_load", p.LimitAtLoad, unitNone},
		{"scaled_mean_queue", p.Slack * p.MeanQueue, unitNone},
		{"mean_response", given(p.HasResponse, p.MeanResponse), unitSlots},
		{"variance_queue", p.VarianceQueue, unitNone},
		{"p_empty", p.EmptyProbability, unitProbability},
		{"mean_queue_second", given(p.HasSecondRoute, p.SecondRoute), unitSystemJobs},
	}
	r.work = append(modelFacts(m),
		fact{"statement", "the pooled queue itself; no dispatching policy has a smaller mean total queue"},
		fact{"lower_bound_reason", reasonOrNil(p.ExplicitBoundReason)},
		fact{"arrival_variance", p.ArrivalVariance}, fact{"service_variance", p.ServiceVariance},
		fact{"method", "Spitzer's identity"}, fact{"error", p.MeanQueueError}, fact{"evaluations", p.Evaluations},
		fact{"second_method", "Wiener-Hopf factorisation"}, fact{"second_error", given(p.HasSecondRoute, p.SecondRouteError)},
		fact{"block", p.Block}, fact{"iterations", p.Iterations},
	)
	switch {
	case !p.HasExplicitBound:
		r.addWarnings("no lower_bound: " + p.ExplicitBoundReason)
	case p.ExplicitBound <= 0:
		r.addWarnings("lower_bound is not above 0 and says nothing at this load")
	}
	if !p.HasLimit {
		r.addWarnings("no limit: " + p.LimitReason)
	}
	if !p.HasSecondRoute {
		r.addWarnings("no second route: " + p.SecondRouteReason)
	}
	return r
}

// given is a value that may not exist.
func given(exists bool, x float64) any {
	if exists {
		return x
	}
	return nil
}

func reasonOrNil(text string) any {
	if text == "" {
		return nil
	}
	return text
}

func (o *pooledOptions) inContinuousTime() error {
	if !o.slotted.flags.Changed("servers") {
		return badRequest("--servers is missing (an integer between 1 and 1e15; or give --rates for a slotted system)")
	}
	law, err := parseService(o.service)
	if err != nil {
		return err
	}
	o.slotted.load.servers = o.slotted.servers
	load, err := o.slotted.load.systemLoad()
	if err != nil {
		return err
	}
	p, err := stein.PoolContinuous(o.slotted.servers, o.slack(load), law)
	if err != nil {
		return err
	}
	return o.show(continuousPooledReport(p, law))
}

// slack is 1 - load with all its digits where the flags give it directly.
func (o *pooledOptions) slack(load float64) float64 {
	n := float64(o.slotted.servers)
	switch {
	case o.slotted.flags.Changed("spare"):
		return o.slotted.load.spare / n
	case o.slotted.flags.Changed("load-exponent"):
		return math.Pow(n, -o.slotted.load.loadExponent)
	}
	return 1 - load
}

func continuousPooledReport(p *stein.ContinuousPooling, law coxian.Dist) *report {
	r := &report{command: "bound pooled", service: &law, kind: ctmc.LowerBound, kinds: map[string]ctmc.Kind{"p_wait_mmn": ctmc.Exact}}
	r.quantities = []quantity{
		{"mean_jobs", p.Lower, unitJobs},
		{"mean_response", p.LowerResponse, unitTime},
		{"mean_jobs_mmn", given(p.HasCentral, p.Central), unitJobs},
		{"mean_jobs_mg1", p.Fast, unitJobs},
		{"mean_jobs_work", p.Conserved, unitJobs},
		{"mean_response_mmn", given(p.HasCentral, p.CentralResponse), unitTime},
		{"mean_response_mg1", p.FastResponse, unitTime},
		{"mean_response_work", p.ConservedResponse, unitTime},
		{"mean_work", p.Work, "mean service times per server"},
		{"p_wait_mmn", given(p.HasCentral, p.CentralWait), unitProbability},
	}
	if !p.FastIsBound {
		// True of that system, and no bound of the N servers.
		r.kinds["mean_jobs_mg1"], r.kinds["mean_response_mg1"] = ctmc.Exact, ctmc.Exact
		r.addWarnings(fmt.Sprintf("mean_jobs_mg1 is no lower bound of the jobs at scv %s: N servers may hold fewer jobs than one of N times the speed, though never less work; mean_jobs_work is a bound", significant(law.SCV())))
	}
	if !p.HasCentral {
		r.addWarnings("M/M/N needs exponential service; without it the bounds come from the work alone")
	}
	r.work = []fact{
		{"servers", p.Servers}, {"load", p.Load}, {"system", p.LowerFrom},
		{"statement", "every policy that does not know job sizes, first come first served at each server, unlimited buffers"},
	}
	return r
}

// modelFacts identify a slotted model among the circumstances of a result.
func modelFacts(m *slotted.Model) []fact {
	var facts []fact
	for _, f := range slottedFacts(m) {
		facts = append(facts, fact(f))
	}
	return facts
}
