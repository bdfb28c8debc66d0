package main

import (
	"context"

	"github.com/spf13/cobra"

	"qlimit/ctmc/slotted"
	"qlimit/validate"
	"qlimit/validate/sim"
)

type stabilityOptions struct {
	*environment
	slotted slottedFlags
	policy  string
	method  string
	slots   int64
	width   float64
	level   float64
}

const defaultStabilitySlots = 1_000_000

func newStabilityCommand(env *environment, run func(context.Context, *stabilityOptions) error) *cobra.Command {
	o := &stabilityOptions{environment: env, method: validate.AnyMethod, slots: defaultStabilitySlots, width: 0.02, level: 0.95}
	c := leaf(&cobra.Command{
		Use:   "stability",
		Short: "Load up to which a slotted dispatcher is stable",
		Long: `Find the critical load λ_Σ/μ_Σ of a slotted system: stable below, unstable above.

  theory       exact: sq, random, weighted by what saturated servers receive; jsq, sed,
               jbtg, local estimates refreshed at random, and all policies with equal
               servers whose distributions are tilted (see class-pi): the whole region
  saturation   estimate, for jiq: the slowest servers are kept busy and the load sought
               at which what reaches them is all they can serve
  detection    estimate: bisection with runs from empty queues, judged by a test whether
               the mean queue keeps growing; the interval is from the largest load found
               stable to the smallest found unstable, level the confidence of these two

auto takes the first that answers. With --load the answer whether the system is stable
there; null within the interval.`,
		Example: `  qlimit bound stability --policy sq:d=2 --rates 1x5,10x5
  qlimit bound stability --policy jiq --rates 1x5,10x5 --slots 1e5
  qlimit bound stability --policy jbt:d=2,T=1000 --rates 1x5,10x5 --slots 1e5 --format json`,
	}, func(ctx context.Context) error { return run(ctx, o) })
	o.slotted.addTo(c)
	o.slotted.addPolicyTo(c, &o.policy)
	methods := []string{validate.AnyMethod, validate.Theory, validate.Saturated, validate.Detection}
	c.Flags().Var(&choice{&o.method, methods}, "method", "`method`: auto, theory, saturation or detection")
	c.Flags().Var(&count{&o.slots, 1e5, 1e12, "an integer between 1e5 and 1e12"}, "slots", "`number` of slots of each simulation, all replications together")
	c.Flags().Var(&decimal{target: &o.width, accept: proportion, allowed: "a number > 0 and < 1"}, "width", "`width` of the interval that detection aims at")
	c.Flags().Var(&decimal{target: &o.level, accept: proportion, allowed: "a number > 0 and < 1", percent: true}, "level", "confidence `level` of the interval by saturation")
	return c
}

func runStability(ctx context.Context, o *stabilityOptions) error {
	m, asked, err := o.model()
	if err != nil {
		return err
	}
	policy, err := slotted.ParsePolicy(o.policy)
	if err != nil {
		return err
	}
	progress := o.newProgress("simulating")
	found, err := validate.FindCriticalLoad(ctx, m, policy, o.method, o.width, sim.SlottedSettings{
		Seed: o.seed, Threads: o.threads, Slots: o.slots, Level: o.level,
		Progress: func(done, total float64, what string) { progress.report(done/total, what) },
	})
	progress.close()
	if err != nil {
		return progress.explain(err)
	}
	return o.show(stabilityReport(m, policy, found, asked))
}

// model is the model, with the load that was asked about, nil if there is none.
func (o *stabilityOptions) model() (m *slotted.Model, asked *float64, err error) {
	if len(o.slotted.load.loadFlagsGiven()) == 0 {
		m, err = o.slotted.modelWithoutLoad()
		return m, nil, err
	}
	if m, err = o.slotted.model(); err != nil {
		return nil, nil, err
	}
	return m, &m.Load, nil
}

func stabilityReport(m *slotted.Model, policy slotted.Policy, c *validate.CriticalLoad, asked *float64) *report {
	r := &report{command: "bound stability", kind: c.Kind}
	r.quantities = []quantity{
		{"policy", policy.String(), unitNone},
		{"critical_load", c.Value, unitNone},
		{"critical_load_low", c.Low, unitNone},
		{"critical_load_high", c.High, unitNone},
		{"critical_arrival_rate", c.Value * m.TotalRate(), "jobs per slot"},
		{"method", c.Method, unitNone},
	}
	if c.Fraction != "" {
		r.quantities = append(r.quantities, quantity{"critical_load_fraction", c.Fraction, unitNone})
	}
	if asked != nil {
		r.quantities = append(r.quantities, quantity{"stable", stableAt(*asked, c), unitNone})
	}
	if len(c.Trials) > 0 {
		r.records = trialRecords(c.Trials)
	}
	r.work = []fact{{"because", c.Because}, {"level", c.Level}, {"slots", c.Slots}}
	for _, f := range modelFacts(m) {
		if asked != nil || f.name != "load" && f.name != "arrival_rate" && f.name != "slack" {
			r.work = append(r.work, f)
		}
	}
	r.addWarnings(c.Warnings...)
	return r
}

// stableAt is nil within the interval.
func stableAt(load float64, c *validate.CriticalLoad) any {
	switch {
	case load >= 1 || load >= c.High:
		return false
	case load < c.Low:
		return true
	}
	return nil
}

func trialRecords(trials []sim.StabilityTrial) *records {
	list := &records{name: "trials", group: -1, fields: []recordField{
		{name: "load", heading: "load"}, {name: "verdict", heading: "verdict"}, {name: "confidence", heading: "confidence"},
		{name: "growth", heading: "growth per slot"}, {name: "standard_error", heading: "standard error"}, {name: "slots", heading: "slots"}, {name: "reason"},
	}}
	for _, t := range trials {
		verdict := "unstable"
		switch {
		case t.Undecided:
			verdict = "undecided"
		case t.Stable:
			verdict = "stable"
		}
		list.rows = append(list.rows, []any{t.Load, verdict, t.Confidence, t.Growth, t.StandardError, t.Slots, t.Reason})
	}
	return list
}
