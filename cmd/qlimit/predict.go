package main

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/spf13/cobra"

	"qlimit/validate"
	"qlimit/validate/sim"
)

type predictOptions struct {
	*environment
	system    systemFlags
	simulate  bool
	precision float64
	events    int64
	timeLimit time.Duration
}

func newPredictCommand(env *environment) *cobra.Command {
	o := &predictOptions{environment: env, precision: 0.001, events: 1e7, timeLimit: time.Second}
	c := leaf(&cobra.Command{
		Use:   "predict",
		Short: "What every theory says of a system, and which to trust",
		Long: `Put one system to every method: the exact chain, the mean-field limit with its
corrections, the averaged birth-death chain, the diffusion limits, and the bounds;
with --simulate also a simulation. One row for each method and quantity, with its
kind and the size to which it may be off; a method that does not apply says why.

The recommendation is the value of the mean jobs with the smallest expected
error. The expected errors of approximations are measured, docs/accuracy.md has
them; bounds, and limits of another system, are never recommended.

The exact chain is given up after --time-limit.`,
		Example: `  qlimit predict --servers 100 --policy jsq --load 0.99
  qlimit predict --servers 10 --policy pod:d=2 --load 0.9 --simulate --format csv
  qlimit predict --servers 1e8 --policy jiq --load-exponent 0.25 --buffer 2`,
	}, o.run)
	o.system.addTo(c)
	flags := c.Flags()
	flags.BoolVar(&o.simulate, "simulate", false, "simulate the system too")
	flags.Var(&decimal{target: &o.precision, accept: proportion, allowed: "a number > 0 and < 1, or a percentage", percent: true}, "precision", "relative half `width` at which the simulation stops")
	flags.Var(&count{&o.events, 1, 1 << 53, "an integer between 1 and 2^53"}, "events", "largest `number` of events of the simulation")
	flags.Var(&timeLimit{&o.timeLimit}, "time-limit", "`time` on the clock for the exact chain, such as 10s")
	return c
}

func (o *predictOptions) run(ctx context.Context) error {
	system, err := o.system.system(finiteSystem)
	if err != nil {
		return err
	}
	if err := o.checkOutput(); err != nil {
		return err
	}
	settings := validate.QuestionSettings{TimeLimit: o.timeLimit}
	progress := o.newProgress("predicting")
	if o.simulate {
		settings.Simulate = &sim.Settings{Seed: o.seed, Threads: o.threads, Precision: o.precision, Events: o.events, Progress: progress.tells}
	}
	answers, err := validate.Ask(ctx, system, o.system.scaling(), settings)
	progress.close()
	if err != nil {
		return progress.explain(err)
	}
	o.record.endedByClock = answers.ByTheClock
	return o.show(answersReport(answers))
}

func answersReport(a *validate.Answers) *report {
	list := &records{name: "rows", group: -1, fields: []recordField{
		{name: "method", heading: "method"},
		{name: "quantity", heading: "quantity"},
		{name: "value", heading: "value", text: func(row []any) string { return roundedOrNone(row[2], "%.6g") }},
		{name: "expected_error", heading: "may be off by", text: func(row []any) string { return roundedOrNone(row[3], "%.1g") }},
		{name: "kind", heading: "kind"},
		{name: "applies"},
		{name: "note"},
	}}
	for _, answer := range a.Answers {
		row := []any{string(answer.Method), string(answer.Quantity), nil, nil, answer.Kind.String(), answer.Applies, answer.Note}
		if answer.Applies {
			row[2] = answer.Value
			if !math.IsNaN(answer.ExpectedError) {
				row[3] = answer.ExpectedError
			}
		}
		list.rows = append(list.rows, row)
		if answer.Quantity == validate.MeanJobs { // the same for all quantities of a method
			list.notes = append(list.notes, fact{string(answer.Method), answer.Note})
		}
	}
	r := &report{command: "predict", system: &a.System, records: list}
	r.work = []fact{{"recommended_method", nil}, {"recommended_mean_jobs", nil}, {"reason", a.Reason}}
	if a.Recommended >= 0 {
		best := a.Answers[a.Recommended]
		r.work[0].value, r.work[1].value = string(best.Method), best.Value
	}
	return r
}

func roundedOrNone(v any, format string) string {
	if v == nil {
		return noNumber
	}
	return fmt.Sprintf(format, v)
}
