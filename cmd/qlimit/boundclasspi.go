package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"qlimit/ctmc"
	"qlimit/ctmc/slotted"
	"qlimit/stein"
	"qlimit/validate"
	"qlimit/validate/sim"
)

type classPiOptions struct {
	*environment
	slotted   slottedFlags
	policy    string
	state     []int64
	threshold int64
	levels    int64
	slots     int64 // to measure the errors of local estimates with; 0 = not
}

func newClassPiCommand(env *environment, run func(context.Context, *classPiOptions) error) *cobra.Command {
	o := &classPiOptions{environment: env, threshold: -1}
	c := leaf(&cobra.Command{
		Use:   "class-pi",
		Short: "Whether a slotted dispatcher is throughput and heavy-traffic delay optimal by class Π",
		Long: `Look at a policy's dispatching distributions. Queues in increasing order, P_n is
the probability that the jobs of a slot join the n-th and Δ_n = P_n - μ_n/μ_Σ. Tilted:
Δ_n >= 0 up to some n and <= 0 behind it; δ-tilted: also Δ_1 >= δ and Δ_N <= -δ.
Probability may be moved between tied queues. A policy in class Π is tilted in every
state, and δ-tilted at least once in every window of T slots, δ and T the same for all
loads: it is throughput optimal and delay optimal in heavy traffic.

Without --state all states with at most --levels jobs at each server (local
estimates, for lsq and its kin) are checked: a failure is proved by a witness, a
success says there is none up to there. A threshold that has just been sampled is
averaged over; in other slots every threshold up to --levels is tried.

With --state the distribution in that state: by rank, and its equivalent with the
largest δ. drift is E[⟨Q, A-S⟩ | Q] at --load.

For policies with local estimates the conditions on their updates are checked on
the declaration, at --load; with --slots the error of the estimates is measured there
and at half and a quarter of the slack.`,
		Example: `  qlimit bound class-pi --policy sq:d=2 --rates 1x5,10x5
  qlimit bound class-pi --policy jbt:d=1,T=1000 --rates 1x3 --state 0,1,2
  qlimit bound class-pi --policy lsq:refresh=0.1 --rates 1x10,10x10 --dispatchers 10 --levels 1 --load 0.99`,
	}, func(ctx context.Context) error { return run(ctx, o) })
	o.slotted.addTo(c)
	o.slotted.addPolicyTo(c, &o.policy)
	c.Flags().Var(&lengthList{&o.state}, "state", "queue `lengths` Q_1,Q_2,.. by server, in the order of --rates")
	c.Flags().Var(&count{&o.threshold, 0, 1 << 40, "an integer between 0 and 2^40"}, "threshold", "`length` in force in --state, instead of one just sampled")
	c.Flags().Var(&count{&o.levels, 1, 1 << 20, "an integer >= 1"}, "levels", "most `jobs` at a server in the states checked; default: as many as are checked in a second or two")
	c.Flags().Var(&count{&o.slots, 1e5, 1e12, "an integer between 1e5 and 1e12"}, "slots", "measure the errors of local estimates with simulations of this many `slots`")
	return c
}

// lengthList reads queue lengths.
type lengthList struct{ target *[]int64 }

func (v *lengthList) Set(text string) error {
	*v.target = nil
	for _, part := range strings.Split(text, ",") {
		n, ok := parseCount(strings.TrimSpace(part))
		if !ok || n < 0 || n > 1<<40 {
			return refuse(text, "integers >= 0 separated by commas")
		}
		*v.target = append(*v.target, n)
	}
	return nil
}

func (v *lengthList) Type() string   { return "lengths" }
func (v *lengthList) explains()      {}
func (v *lengthList) String() string { return "" }

func runClassPi(ctx context.Context, o *classPiOptions) error {
	m, err := o.model()
	if err != nil {
		return err
	}
	policy, err := slotted.ParsePolicy(o.policy)
	if err != nil {
		return err
	}
	rule, err := stein.NewDispatchRule(m, policy)
	if err != nil {
		return err
	}
	if o.slotted.flags.Changed("state") {
		return o.showState(rule)
	}
	if o.slotted.flags.Changed("threshold") {
		return badRequest("--threshold needs --state")
	}
	members, err := rule.Member(ctx, o.levels)
	if err != nil {
		return err
	}
	report := membershipReport(rule, members)
	if !rule.Local() {
		if o.slots > 0 {
			return badRequest("--slots measures the errors of local estimates, and %s keeps none", policy)
		}
		return o.show(report)
	}
	if err := addUpdateConditions(report, rule); err != nil {
		return err
	}
	if o.slots > 0 {
		if report.records, err = o.measured(ctx, rule); err != nil {
			return err
		}
	}
	return o.show(report)
}

// measured are the errors of local estimates at falling slack.
func (o *classPiOptions) measured(ctx context.Context, rule *stein.DispatchRule) (*records, error) {
	progress := o.newProgress("simulating")
	errors, err := validate.MeasureEstimateErrors(ctx, &rule.Model, rule.Policy, sim.SlottedSettings{
		Seed: o.seed, Threads: o.threads, Slots: o.slots,
		Progress: func(done, total float64, what string) { progress.report(done/total, what) },
	})
	progress.close()
	if err != nil {
		return nil, progress.explain(err)
	}
	list := &records{name: "estimate_errors", group: -1, fields: []recordField{
		{name: "load", heading: "load"}, {name: "slack", heading: "slack"},
		{name: "estimate_error", heading: "E|Q - estimate|"}, {name: "half_width", heading: "half width (95%)"},
		{name: "estimate_error_squared", heading: "E|Q - estimate|²"}, {name: "bound", heading: "bound"},
	}}
	for _, e := range errors {
		list.rows = append(list.rows, []any{e.Load, e.Slack, e.Measured.Value, e.Measured.HalfWidth, e.Second.Value, given(e.HasBound, e.Bound)})
	}
	return list, nil
}

// model has load 0.9 unless told otherwise: the distributions do not depend on
// it.
func (o *classPiOptions) model() (*slotted.Model, error) {
	if len(o.slotted.load.loadFlagsGiven()) > 0 {
		return o.slotted.model()
	}
	m, err := o.slotted.modelWithoutLoad()
	if err != nil {
		return nil, err
	}
	m.Load = 0.9
	return m, m.Validate()
}

func (o *classPiOptions) showState(rule *stein.DispatchRule) error {
	if n := rule.Model.Servers(); len(o.state) != n {
		return badRequest("state = %d lengths (must be one for each of the %d servers)", len(o.state), n)
	}
	p, threshold := rule.Sampled(o.state), any(nil)
	if o.slotted.flags.Changed("threshold") {
		if rule.Policy.Declaration().Memory != slotted.Threshold {
			return badRequest("--threshold is for policies with reporting servers (jiq, jbt, jbtg), not %s", rule.Policy)
		}
		p, threshold = rule.At(o.state, o.threshold), o.threshold
	}
	return o.show(stateReport(rule, rule.Inspect(o.state, p), threshold))
}

func stateReport(rule *stein.DispatchRule, s stein.DispatchState, threshold any) *report {
	r := &report{command: "bound class-pi", kind: ctmc.Exact, kinds: map[string]ctmc.Kind{"drift_bound": ctmc.UpperBound}}
	r.quantities = []quantity{
		{"tilted", s.Ranked.Tilted(), unitNone},
		{"delta", s.Ranked.Tilt(), unitProbability},
		{"equivalent_tilted", s.Best.Tilted(), unitNone},
		{"equivalent_delta", s.Best.Tilt(), unitProbability},
		{"inner_product", s.Ranked.InnerProduct(), unitSystemJobs},
		{"perpendicular", s.Perpendicular, unitSystemJobs},
		{"drift", s.Drift, unitNone},
		{"drift_bound", s.DriftBound, unitNone},
	}
	servers, lengths := column{name: "server", first: 1}, column{name: "queue", first: 1}
	for k, server := range s.Order {
		servers.values = append(servers.values, server+1)
		lengths.values = append(lengths.values, s.Ranked.Lengths[k])
	}
	r.tables = []table{{index: "rank", columns: []column{
		servers, lengths,
		numberColumn("p", 1, s.Ranked.P), numberColumn("share", 1, s.Ranked.Fair), numberColumn("excess", 1, s.Ranked.Excess()),
		numberColumn("p_equivalent", 1, s.Best.P), numberColumn("excess_equivalent", 1, s.Best.Excess()),
	}}}
	r.work = append(modelFacts(&rule.Model), fact{"policy", rule.Policy.String()}, fact{"threshold", threshold})
	if rule.Local() {
		r.addWarnings("the state is one dispatcher's estimates of the queues")
	}
	return r
}

func membershipReport(rule *stein.DispatchRule, m *stein.PiMembership) *report {
	r := &report{command: "bound class-pi", kind: ctmc.Exact}
	r.quantities = []quantity{
		{"member", m.Member, unitNone},
		{"tilted", m.Tilted, unitNone},
		{"delta", m.Tilt, unitProbability},
		{"window", m.Window, unitSlots},
		{"not_tilted_witness", witnessText(m.NotTilted), unitNone},
		{"not_delta_tilted_witness", witnessText(m.NotDelta), unitNone},
	}
	if m.NotTilted != nil {
		r.tables = append(r.tables, witnessTable(rule, "not_tilted", m.NotTilted))
	}
	if m.NotDelta != nil {
		r.tables = append(r.tables, witnessTable(rule, "not_delta_tilted", m.NotDelta))
	}
	r.work = append(modelFacts(&rule.Model), fact{"policy", rule.Policy.String()}, fact{"levels", m.Levels}, fact{"states", m.States}, fact{"states_last", m.Persistent})
	r.addWarnings(membershipNotes(rule, m)...)
	return r
}

func membershipNotes(rule *stein.DispatchRule, m *stein.PiMembership) []string {
	var notes []string
	if m.Member {
		notes = append(notes, fmt.Sprintf("no witness among the %d states with at most %d jobs at a server; policies that look only at the order of the queues show all cases with %d", m.States, m.Levels, rule.Model.Servers()))
	}
	if m.NotDelta != nil && m.Window == 1 {
		text := "a state that lasts is a witness against δ-tilted distributions in every window"
		if m.Persistent {
			text = "the witness against δ-tilted distributions may last: with positive probability nothing arrives and nothing is served for any number of slots"
		}
		notes = append(notes, text)
	}
	if !m.Member {
		notes = append(notes, "class Π is sufficient, not necessary: a policy outside may be optimal all the same")
	}
	if rule.Local() {
		notes = append(notes, "checked in the order of one dispatcher's local estimates")
	}
	return notes
}

func witnessText(w *stein.Witness) any {
	if w == nil {
		return nil
	}
	return w.String()
}

// witnessTable has a row for each server.
func witnessTable(rule *stein.DispatchRule, name string, w *stein.Witness) table {
	lengths := column{name: name + "_queue", first: 1}
	for _, q := range w.Lengths {
		lengths.values = append(lengths.values, q)
	}
	shares := make([]float64, len(w.P))
	for n, rate := range rule.Model.Rates {
		shares[n] = rate / rule.Model.TotalRate()
	}
	return table{index: "server", columns: []column{lengths, numberColumn(name+"_p", 1, w.P), numberColumn(name+"_share", 1, shares)}}
}

// promised is nil where the declaration does not say: the truth may be either.
func promised(holds bool) any {
	if holds {
		return true
	}
	return nil
}

// addUpdateConditions adds what the updates of the local estimates promise.
func addUpdateConditions(r *report, rule *stein.DispatchRule) error {
	q, err := stein.LocalEstimates(&rule.Model, rule.Policy)
	if err != nil {
		return err
	}
	r.quantities = append(r.quantities,
		quantity{"estimate_error_bounded", promised(q.Bounded), unitNone},
		quantity{"estimate_error_bounded_uniformly", promised(q.Uniform), unitNone},
		quantity{"refresh_probability", given(q.Bounded, q.Refresh), unitProbability},
		quantity{"estimate_error_bound", given(q.Bounded, q.ErrorBound), unitSystemJobs},
	)
	r.kinds = map[string]ctmc.Kind{"refresh_probability": ctmc.LowerBound, "estimate_error_bound": ctmc.UpperBound}
	r.addWarnings("updates: " + q.Because)
	return nil
}
