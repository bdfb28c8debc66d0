package main

import (
	"context"
	"math"

	"github.com/spf13/cobra"

	"qlimit/ctmc"
	"qlimit/stein"
)

// steinOptions are the flags of bound stein.
type steinOptions struct {
	*environment
	system systemFlags
	tau    float64
}

func newSteinCommand(env *environment, run func(context.Context, *steinOptions) error) *cobra.Command {
	o := &steinOptions{environment: env}
	c := leaf(&cobra.Command{
		Use:   "stein",
		Short: "Upper bounds at finite N by Stein's method and state-space collapse",
		Long: `Bound the mean number of jobs X per server, the probability of being sent to a
busy server and the waiting time, for Coxian-2 service with a finite buffer of at
least 2, at the given number of servers. All follow from H >= E(X - eta)^+ with
eta = load + k log(N)/sqrt(N):

  paper     the theorem as published, for N large enough, constants not verified
  explicit  every constant traced through the proof (bound_excess = H, bound_mean,
            bound_p_wait, and eta, k, kappa, e0 .. e3)
  best      the same proof with its free choices optimised at this N (best_bound_..)
  lower     what no policy can go below, so that the truth lies between

A bound whose conditions fail does not exist: it is null and the conditions say
which one fails. vacuous tells that one of bound_excess, bound_mean and
bound_p_wait says nothing (vacuous_bounds names it); smallest_servers is the
smallest N at which all three do, with the load growing in the way it was given.

A power-of-d policy must send few arrivals to busy servers: with at most a
fraction 1 - tau (1 - load) of the servers busy, no more than one in sqrt(N).
routed is the exact probability, smallest_d the smallest d with which power-of-d
meets this and all other conditions on tau (or does at the --tau given).`,
		Example: `  qlimit bound stein --servers 1e8 --load-exponent 0.25 --buffer 2 --service coxian:mu1=2,p=0.5,mu2=1 --policy jsq
  qlimit bound stein --servers 1e12 --load-exponent 0.25 --buffer 2 --policy pod:d=50000
  qlimit bound stein --servers 1000 --load 0.9 --buffer 5 --policy jiq`,
	}, func(ctx context.Context) error { return run(ctx, o) })
	o.system.addTo(c)
	c.Flags().Var(&decimal{target: &o.tau, accept: proportion, allowed: "a number > 0 and < 1"}, "tau", "`tau` of the set of policies; default the smallest that the policy allows")
	return c
}

// scaling is how the load depends on the number of servers, by the flag given.
func (f *systemFlags) scaling() stein.Scaling {
	switch f.loadFlagsGiven()[0] {
	case "spare":
		return stein.SpareServers(f.spare)
	case "load-exponent":
		return stein.LoadExponent(f.loadExponent)
	}
	return stein.FixedLoad(f.load)
}

// steinProblem is what the flags ask of the bounds.
func steinProblem(f *systemFlags, tau float64) (stein.Problem, error) {
	if f.flags.Changed("buffer") && f.buffer < 2 || !f.flags.Changed("buffer") {
		return stein.Problem{}, &ctmc.FieldError{Field: "buffer", Value: f.buffer, Allowed: ">= 2",
			Reason: "the bounds by Stein's method need a finite buffer with room for a waiting job"}
	}
	s, err := f.system(finiteSystem)
	if err != nil {
		return stein.Problem{}, err
	}
	p := stein.Problem{Servers: s.Servers, Scaling: f.scaling(), Buffer: s.Buffer, Service: s.Service, Policy: s.Policy, Tau: tau}
	return p, p.Validate()
}

func runStein(_ context.Context, o *steinOptions) error {
	p, err := steinProblem(&o.system, o.tau)
	if err != nil {
		return err
	}
	bounds, err := stein.Solve(p)
	if err != nil {
		return err
	}
	return o.show(steinReport(bounds))
}

// boundValue is the number, or nothing where there is no bound.
func boundValue(b stein.Bound) any {
	if !b.Known {
		return nil
	}
	return b.Value
}

func steinReport(b *stein.Bounds) *report {
	r := &report{command: "bound stein", system: &b.System, kind: ctmc.UpperBound}
	e := &b.Explicit
	r.quantities = []quantity{
		{"bound_excess", boundValue(e.Excess), unitJobs},
		{"bound_mean", boundValue(e.MeanJobs), unitJobs},
		{"bound_p_wait", boundValue(e.WaitProb), unitProbability},
		{"bound_p_wait_by_work", boundValue(e.WaitProbByWork), unitProbability},
		{"bound_p_block", boundValue(e.BlockProb), unitProbability},
		{"bound_mean_wait", boundValue(e.MeanWait), unitTime},
		{"best_bound_excess", boundValue(b.Best.Excess.Bound), unitJobs},
		{"best_bound_mean", boundValue(b.Best.MeanJobs.Bound), unitJobs},
		{"best_bound_p_wait", boundValue(b.Best.WaitProb.Bound), unitProbability},
		{"best_bound_p_block", boundValue(b.Best.BlockProb), unitProbability},
		{"best_bound_mean_wait", boundValue(b.Best.MeanWait), unitTime},
	}
	r.records = conditionRecords(e.Conditions)
	r.further = []*records{intervalRecords(b), corollaryRecords(e.Corollary)}
	r.work = append(steinFacts(b), bestFacts(b)...)
	for _, n := range e.Named() {
		if !n.Known {
			r.addWarnings(n.Name + ": " + n.Reason)
		}
	}
	if b.Paper.Excess.Known {
		r.addWarnings("paper: true for N large enough; from which N on is not known, and its constants have not been verified")
	}
	return r
}

// steinFacts are the constants of the explicit version.
func steinFacts(b *stein.Bounds) []fact {
	e := &b.Explicit
	var alpha any
	if b.Alpha > 0 {
		alpha = b.Alpha
	}
	facts := []fact{{"alpha", alpha}}
	if len(e.Steps) == 0 {
		facts = append(facts, fact{"eta", nil}, fact{"k", nil}, fact{"kappa", nil}, fact{"delta", nil})
	} else {
		facts = append(facts, fact{"eta", e.Eta}, fact{"k", e.K}, fact{"kappa", e.Kappa}, fact{"delta", e.Delta},
			fact{"jumps", e.Steps[0].Jumps})
		logs := e.LogTails()
		for i, name := range []string{"e0", "e1", "e2", "e3"} {
			facts = append(facts, fact{name, math.Exp(logs[i])}, fact{"log10_" + name, logs[i] / math.Ln10})
		}
	}
	vacuous := e.Vacuous()
	return append(facts,
		fact{"vacuous", len(vacuous) > 0}, fact{"vacuous_bounds", vacuous},
		fact{"smallest_servers", serversOrNil(b.Smallest.All)},
		fact{"smallest_servers_excess", serversOrNil(b.Smallest.Excess)},
		fact{"smallest_servers_mean", serversOrNil(b.Smallest.MeanJobs)},
		fact{"smallest_servers_p_wait", serversOrNil(b.Smallest.WaitProb)},
		fact{"tau", b.Member.Tau}, fact{"member", b.Member.Holds},
		fact{"routed", b.Member.Routed}, fact{"routed_limit", b.Member.Limit},
		fact{"smallest_d", serversOrNil(b.Member.Smallest)})
}

// bestFacts are the constants found by the optimisation, the published ones and
// the lower bounds.
func bestFacts(b *stein.Bounds) []fact {
	facts := []fact{{"best_vacuous_bounds", b.Best.Vacuous()}}
	for _, best := range []struct {
		name string
		stein.Best
	}{{"excess", b.Best.Excess}, {"mean", b.Best.MeanJobs}, {"p_wait", b.Best.WaitProb}} {
		if best.Known {
			facts = append(facts, fact{"best_eta_" + best.name, best.Eta}, fact{"best_delta_" + best.name, best.Delta},
				fact{"best_k_" + best.name, best.K}, fact{"best_sweeps_" + best.name, best.Sweeps})
		}
	}
	if b.Paper.Excess.Known {
		facts = append(facts, fact{"paper_k", b.Paper.K}, fact{"paper_eta", b.Paper.Eta}, fact{"paper_bound_excess", b.Paper.Excess.Value})
	}
	return append(facts, fact{"lower_mean", b.Lower.MeanJobs}, fact{"lower_p_wait", b.Lower.WaitProb},
		fact{"lower_mean_wait", b.Lower.MeanWait}, fact{"lower_source", b.Lower.Source})
}

// serversOrNil is a count, nothing where there is none.
func serversOrNil(n int64) any {
	if n == 0 {
		return nil
	}
	return n
}

func conditionRecords(conditions []stein.Condition) *records {
	list := &records{name: "conditions", group: -1, fields: []recordField{
		{name: "name", heading: "condition"}, {name: "holds", heading: "holds"}, {name: "value", heading: "value"},
		{name: "relation", heading: "is"}, {name: "limit", heading: "limit"}, {name: "meaning", heading: "about"},
	}}
	for _, c := range conditions {
		list.rows = append(list.rows, []any{c.Name, c.Holds, c.Value, c.Relation, c.Limit, c.Meaning})
	}
	return list
}

// intervalRecords set lower and upper bounds side by side, each with its kind.
func intervalRecords(b *stein.Bounds) *records {
	list := &records{name: "bounds", group: -1, fields: []recordField{
		{name: "quantity", heading: "quantity"}, {name: "version", heading: "version"}, {name: "value", heading: "value"},
		{name: "kind", heading: "kind"}, {name: "trivial", heading: "trivial"}, {name: "vacuous", heading: "vacuous"}, {name: "reason"},
	}}
	upper := func(quantity, version string, x stein.Bound) {
		var reason any
		if !x.Known {
			reason = x.Reason
		}
		list.rows = append(list.rows, []any{quantity, version, boundValue(x), x.Kind.String(), x.Trivial, x.Vacuous(), reason})
	}
	lower := func(quantity string, value, trivial float64) {
		list.rows = append(list.rows, []any{quantity, "lower", value, b.Lower.Kind.String(), trivial, value <= trivial, nil})
	}
	e := &b.Explicit
	upper("excess", "paper", b.Paper.Excess)
	upper("excess", "explicit", e.Excess)
	upper("excess", "best", b.Best.Excess.Bound)
	lower("mean", b.Lower.MeanJobs, 0)
	upper("mean", "explicit", e.MeanJobs)
	upper("mean", "best", b.Best.MeanJobs.Bound)
	lower("p_wait", b.Lower.WaitProb, 0)
	upper("p_wait", "explicit", e.WaitProb)
	upper("p_wait", "explicit, by work", e.WaitProbByWork)
	upper("p_wait", "best", b.Best.WaitProb.Bound)
	lower("mean_wait", b.Lower.MeanWait, 0)
	upper("mean_wait", "explicit", e.MeanWait)
	upper("mean_wait", "best", b.Best.MeanWait)
	upper("p_block", "explicit", e.BlockProb)
	upper("p_block", "best", b.Best.BlockProb)
	return list
}

// corollaryRecords are the orders of the published corollary with constants.
func corollaryRecords(orders []stein.Order) *records {
	list := &records{name: "corollary", group: -1, fields: []recordField{
		{name: "quantity", heading: "corollary"}, {name: "offset", heading: "offset"}, {name: "constant", heading: "constant"},
		{name: "order", heading: "times"}, {name: "size", heading: "size here"},
	}}
	for _, o := range orders {
		list.rows = append(list.rows, []any{o.Quantity, o.Offset, boundValue(o.Constant), o.Scale, o.Size})
	}
	return list
}
