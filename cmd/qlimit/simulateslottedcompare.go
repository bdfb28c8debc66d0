package main

import (
	"context"
	"slices"
	"strings"

	"qlimit/ctmc"
	"qlimit/ctmc/slotted"
	"qlimit/validate/estimate"
	"qlimit/validate/sim"
)

// runCompare holds several policies against each other.
func (o *simulateSlottedOptions) runCompare(ctx context.Context) error {
	if o.system.flags.Changed("policy") {
		return badRequest("--compare and --policy were both given (a comparison takes its policies from --compare)")
	}
	m, err := o.system.model()
	if err != nil {
		return err
	}
	var policies []slotted.Policy
	for _, text := range splitSlottedPolicies(o.compare) {
		policy, err := slotted.ParsePolicy(text)
		if err != nil {
			return err
		}
		policies = append(policies, policy)
	}
	if err := o.checkOutput(); err != nil {
		return err
	}
	progress := o.newProgress("comparing")
	result, err := sim.CompareSlotted(ctx, m, policies, o.settings(ctx, progress))
	progress.close()
	if err != nil {
		return progress.explain(err)
	}
	if err := o.show(slottedComparisonReport(result, o)); err != nil {
		return err
	}
	return o.interruption(result.Results[0])
}

// splitSlottedPolicies cuts a list at the commas that do not belong to the
// options of a policy: what follows those is an assignment or a word that is
// no policy's name.
func splitSlottedPolicies(list string) []string {
	var policies []string
	for _, part := range strings.Split(list, ",") {
		name, _, _ := strings.Cut(part, ":")
		option := strings.Contains(name, "=") || slices.Contains([]string{"average", "smart", "stale"}, strings.TrimSpace(name))
		if option && len(policies) > 0 {
			policies[len(policies)-1] += "," + part
			continue
		}
		policies = append(policies, part)
	}
	return policies
}

// slottedCompared are the measures in the order of their tables.
var slottedCompared = []struct {
	name       string
	alone      func(*sim.SlottedResult) estimate.Estimate
	difference func(sim.SlottedPair) sim.Difference // nil = no differences
}{
	{"mean_queue", func(r *sim.SlottedResult) estimate.Estimate { return r.MeanQueue }, func(p sim.SlottedPair) sim.Difference { return p.MeanQueue }},
	{"mean_response", func(r *sim.SlottedResult) estimate.Estimate { return r.MeanResponse }, func(p sim.SlottedPair) sim.Difference { return p.MeanResponse }},
	{"messages_per_arrival_slot", func(r *sim.SlottedResult) estimate.Estimate { return r.MessagesPerArrivalSlot }, func(p sim.SlottedPair) sim.Difference { return p.MessagesPerArrivalSlot }},
	{"throughput", func(r *sim.SlottedResult) estimate.Estimate { return r.Throughput }, nil},
}

func slottedComparisonReport(result *sim.SlottedComparison, o *simulateSlottedOptions) *report {
	first := result.Results[0]
	r := &report{command: "simulate slotted --compare", kind: ctmc.Estimate, status: "completed"}
	if first.Ending == sim.Interrupted {
		r.status = ctmc.Interrupted.String()
	}
	rows := newComparisonRows()
	stable := []bool{}
	for _, m := range slottedCompared {
		for _, one := range result.Results {
			rows.addAlone(m.name, one.Policy.String(), m.alone(one))
		}
		if m.difference == nil {
			continue
		}
		for _, p := range result.Pairs {
			rows.addDifference(m.name, result.Results[p.First].Policy.String(), result.Results[p.Second].Policy.String(), p.First, m.difference(p))
		}
	}
	for _, one := range result.Results {
		stable = append(stable, one.Stability.Stable)
		r.addWarnings(prefixed(one.Policy.String(), slottedWarnings([]quantity{{"mean_queue", one.MeanQueue, ""}, {"messages_per_arrival_slot", one.MessagesPerArrivalSlot, ""}}))...)
		r.addWarnings(prefixed(one.Policy.String(), one.Warnings)...)
		if noted, ok := one.Policy.(slotted.Noted); ok && noted.Note() != "" {
			r.addWarnings(noted.Note())
		}
	}
	r.records = rows.records
	r.work = []fact{
		{"system", newSlottedText(first.Model, nil)},
		{"stable", stable},
		{"slots", first.Slots},
		{"seconds", result.Elapsed.Seconds()},
		{"replications", first.Replications},
		{"seed", o.seed},
	}
	if first.PooledKnown {
		r.work = slices.Insert(r.work, 1, fact{"pooled_mean_queue", first.PooledMean})
	}
	r.addWarnings(result.Warnings...)
	return r
}

func prefixed(name string, texts []string) []string {
	var out []string
	for _, text := range texts {
		out = append(out, name+": "+text)
	}
	return out
}
