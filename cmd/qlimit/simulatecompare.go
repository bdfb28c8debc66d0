package main

import (
	"context"
	"fmt"
	"strings"

	"qlimit/ctmc"
	"qlimit/validate/estimate"
	"qlimit/validate/sim"
)

// runCompare holds several policies against each other.
func (o *simulateOptions) runCompare(ctx context.Context) error {
	for _, name := range []string{"precision", "budget", "checkpoint", "policy"} {
		if o.system.flags.Changed(name) {
			return badRequest("--compare and --%s were both given (a comparison takes its policies from --compare and ends with --events)", name)
		}
	}
	systems, starts, err := o.contestants()
	if err != nil {
		return err
	}
	if err := o.checkOutput(); err != nil {
		return err
	}
	progress := o.newProgress("comparing")
	result, err := sim.Compare(ctx, systems, starts, o.settings(progress))
	progress.close()
	if err != nil {
		return progress.explain(err)
	}
	return o.show(comparisonReport(result, o))
}

func (o *simulateOptions) contestants() (systems []ctmc.System, starts []sim.Start, err error) {
	for _, text := range splitPolicies(o.compare) {
		o.system.policy = text
		system, err := o.system.system(finiteSystem)
		if err != nil {
			return nil, nil, err
		}
		start, _, err := chooseStart(system, o.start)
		if err != nil {
			return nil, nil, err
		}
		systems, starts = append(systems, system), append(starts, start)
	}
	return systems, starts, nil
}

// splitPolicies cuts a list at the commas that do not belong to the options of
// a policy: what follows those is an assignment.
func splitPolicies(list string) []string {
	var policies []string
	for i, part := range strings.Split(list, ",") {
		name, _, _ := strings.Cut(part, ":")
		if i > 0 && strings.Contains(name, "=") {
			policies[len(policies)-1] += "," + part
			continue
		}
		policies = append(policies, part)
	}
	return policies
}

func comparisonReport(result *sim.Comparison, o *simulateOptions) *report {
	first := result.Systems[0]
	r := &report{command: "simulate --compare", service: &first.Service, kind: ctmc.Estimate, status: "completed"}
	r.records = policyRecords(result)
	r.work = []fact{
		{"servers", first.Servers}, {"load", first.Load}, {"buffer", first.Buffer},
		{"events", result.Events},
		{"seconds", result.Elapsed.Seconds()},
		{"replications", result.Replications},
		{"duration", result.Duration},
		{"warmup", result.WarmUp},
		{"seed", o.seed},
	}
	r.addWarnings(result.Warnings...)
	for _, p := range result.Pairs {
		r.addWarnings(p.MeanJobs.Warnings...)
	}
	return r
}

// policyRecords has a row for each policy and measure, and one for each
// pair of policies and measure.
func policyRecords(result *sim.Comparison) *records {
	rows := newComparisonRows()
	lossless := true
	for _, s := range result.Systems {
		lossless = lossless && s.Buffer == ctmc.Unlimited
	}
	for _, m := range comparedMeasures {
		if m.name == "p_block" && lossless {
			continue
		}
		for i, s := range result.Systems {
			rows.addAlone(m.name, s.Policy.String(), m.alone(result.Measures[i]))
		}
		for _, p := range result.Pairs {
			rows.addDifference(m.name, result.Systems[p.First].Policy.String(), result.Systems[p.Second].Policy.String(), p.First, m.difference(p))
		}
	}
	return rows.records
}

// comparisonRows are the rows of a comparison of policies, measure by measure.
type comparisonRows struct{ *records }

func newComparisonRows() comparisonRows {
	return comparisonRows{&records{name: "rows", group: 0, fields: []recordField{
		{name: "measure"},
		{name: "policy", heading: "policy"},
		{name: "against", heading: "minus"},
		{name: "estimate", heading: "value ± half width", text: intervalText},
		{name: "half_width"},
		{name: "joint_half_width"},
		{name: "level"},
		{name: "better", heading: "better"},
		{name: "confidence", heading: "confidence", text: func(row []any) string { return confidenceText(row[8]) }},
		{name: "gain", heading: "gain", text: func(row []any) string { return gainText(row[9]) }},
	}}}
}

func intervalText(row []any) string {
	value, ok := row[3].(float64)
	if !ok {
		return noNumber
	}
	return interval(estimate.Estimate{Status: estimate.Usable, Value: value, HalfWidth: row[4].(float64)})
}

// addAlone adds a measure of one policy; what does not exist is empty.
func (r comparisonRows) addAlone(measure, policy string, e estimate.Estimate) {
	row := []any{measure, policy, "", nil, nil, nil, e.Level, "", nil, nil}
	if e.Status != estimate.Undefined {
		row[3], row[4] = e.Value, e.HalfWidth
	}
	r.rows = append(r.rows, row)
}

// addDifference adds first minus second; index is that of the first policy.
func (r comparisonRows) addDifference(measure, first, second string, index int, d sim.Difference) {
	better := "undecided"
	switch {
	case d.Better == index:
		better = first
	case d.Better >= 0:
		better = second
	}
	r.rows = append(r.rows, []any{measure, first, second, d.Value, d.HalfWidth, d.JointHalfWidth, d.Level, better, d.Confidence, d.Gain})
}

// comparedMeasures are the measures in the order of their tables.
var comparedMeasures = []struct {
	name       string
	alone      func(sim.ComparedMeasures) estimate.Estimate
	difference func(sim.Pair) sim.Difference
}{
	{"mean_jobs", func(m sim.ComparedMeasures) estimate.Estimate { return m.MeanJobs }, func(p sim.Pair) sim.Difference { return p.MeanJobs }},
	{"mean_response", func(m sim.ComparedMeasures) estimate.Estimate { return m.MeanResponse }, func(p sim.Pair) sim.Difference { return p.MeanResponse }},
	{"p_wait", func(m sim.ComparedMeasures) estimate.Estimate { return m.WaitProb }, func(p sim.Pair) sim.Difference { return p.WaitProb }},
	{"p_block", func(m sim.ComparedMeasures) estimate.Estimate { return m.BlockProb }, func(p sim.Pair) sim.Difference { return p.BlockProb }},
}

// confidenceText keeps a confidence next to 1 from being rounded up to it.
func confidenceText(v any) string {
	x, ok := v.(float64)
	switch {
	case !ok || x == 0:
		return ""
	case x > 0.9999:
		return "> 99.99%"
	}
	return fmt.Sprintf("%.2f%%", 100*x)
}

func gainText(v any) string {
	x, ok := v.(float64)
	if !ok || x == 0 {
		return ""
	}
	return fmt.Sprintf("%.2g", x)
}
