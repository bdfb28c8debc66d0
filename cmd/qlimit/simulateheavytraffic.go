package main

import (
	"context"
	"fmt"
	"regexp"
	"strconv"

	"qlimit/ctmc"
	"qlimit/ctmc/slotted"
	"qlimit/validate/estimate"
	"qlimit/validate/sim"
)

// runHeavyTraffic sweeps the slack and judges the trend.
func (o *simulateSlottedOptions) runHeavyTraffic(ctx context.Context) error {
	if given := o.system.load.loadFlagsGiven(); len(given) > 0 {
		return badRequest("--heavy-traffic and --%s were both given (the sweep sets the load)", given[0])
	}
	m, err := o.system.modelWithoutLoad()
	if err != nil {
		return err
	}
	at := func(slack float64) (slotted.Policy, error) { return slotted.ParsePolicy(withSlack(o.policy, slack)) }
	for _, slack := range o.slacks {
		if _, err := at(slack); err != nil {
			return err
		}
	}
	if err := o.checkOutput(); err != nil {
		return err
	}
	progress := o.newProgress("sweeping")
	result, err := sim.SweepHeavyTraffic(ctx, m, at, o.slacks, o.settings(ctx, progress))
	progress.close()
	if err != nil {
		return progress.explain(err)
	}
	return o.show(heavyTrafficReport(m, result, o))
}

var timesSlack = regexp.MustCompile(`([0-9.]+(?:[eE][+-]?[0-9]+)?)\*slack`)

// withSlack replaces "0.5*slack" by the number it is.
func withSlack(policy string, slack float64) string {
	return timesSlack.ReplaceAllStringFunc(policy, func(text string) string {
		factor, err := strconv.ParseFloat(timesSlack.FindStringSubmatch(text)[1], 64)
		if err != nil {
			return text
		}
		return strconv.FormatFloat(factor*slack, 'g', -1, 64)
	})
}

func heavyTrafficReport(m *slotted.Model, result *sim.HeavyTraffic, o *simulateSlottedOptions) *report {
	r := &report{command: "simulate slotted --heavy-traffic", kind: ctmc.Estimate, status: "completed"}
	r.quantities = []quantity{
		{"verdict", string(result.Verdict), unitNone},
		{"confidence", result.Confidence, unitProbability},
	}
	if result.Fitted > 0 && result.ExponentError > 0 {
		r.quantities = append(r.quantities,
			quantity{"cross_term_exponent", result.Exponent, unitNone},
			quantity{"cross_term_exponent_error", result.ExponentError, unitNone})
	}
	rows := &records{name: "points", group: -1, fields: []recordField{
		{name: "slack", heading: "slack"},
		{name: "load", heading: "load"},
		{name: "policy"},
		{name: "stable", heading: "stable"},
		{name: "mean_queue"},
		{name: "scaled_queue", heading: "slack × mean queue", text: estimateText(5)},
		{name: "half_zeta", heading: "zeta/2"},
		{name: "ratio", heading: "ratio", text: estimateText(7)},
		{name: "cross_term", heading: "cross term", text: estimateText(8)},
		{name: "estimate_error", heading: "estimate error", text: estimateText(9)},
		{name: "slots"},
	}}
	for _, p := range result.Points {
		rows.rows = append(rows.rows, []any{p.Slack, p.Load, p.Policy.String(), p.Stable, p.MeanQueue, p.Scaled, p.HalfZeta, p.Ratio, p.Cross, p.Error, p.Slots})
		name := fmt.Sprintf("slack %g", p.Slack)
		r.addWarnings(prefixed(name, p.Warnings)...)
		r.addWarnings(prefixed(name, slottedWarnings([]quantity{{"mean_queue", p.MeanQueue, ""}, {"cross_term", p.Cross, ""}}))...)
	}
	r.records = rows
	if arrivals, service, err := m.WithSlack(0).Variances(); err == nil {
		r.work = append(r.work, fact{"limit", (arrivals + service) / 2})
	}
	r.work = append(r.work,
		fact{"system", newSlottedText(m, nil)},
		fact{"policy", o.policy},
		fact{"points_fitted", result.Fitted},
		fact{"replications", o.replications},
		fact{"seed", o.seed})
	return r
}

func estimateText(k int) func(row []any) string {
	return func(row []any) string { return interval(row[k].(estimate.Estimate)) }
}
