package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/pflag"

	"qlimit/ctmc"
	"qlimit/validate"
)

// outputTestOptions are those of the test of simulation output.
type outputTestOptions struct {
	file   string
	system systemFlags
	alpha  float64
}

func (o *outputTestOptions) addTo(flags *pflag.FlagSet) {
	flags.Var(&fileName{&o.file}, "stein", "test the occupancy samples in `FILE.csv` against the system of the flags below")
	o.alpha = 0.05
	flags.Var(&decimal{target: &o.alpha, accept: proportion, allowed: "a number > 0 and < 1, or a percentage", percent: true}, "alpha", "`level` of the test of --stein: rejects a correct run with about this probability")
}

func (o *validateOptions) runStein(ctx context.Context) error {
	system, err := o.stein.system.system(finiteSystem)
	if err != nil {
		return err
	}
	if err := errors.Join(o.checkOutput(), o.checkReport()); err != nil {
		return err
	}
	result, err := o.testSamples(ctx, system)
	if err != nil {
		return err
	}
	code := exitDone
	if result.Rejected() {
		code = exitValidation
	}
	if err := o.present(outputTestReport(result), code, identityPicture(result)); err != nil {
		return err
	}
	if result.Rejected() {
		return &failure{exitValidation, fmt.Errorf("the samples contradict the system (p = %.2g): %s", result.P, result.Suggestion)}
	}
	return nil
}

func (o *validateOptions) testSamples(ctx context.Context, system ctmc.System) (*validate.OutputTest, error) {
	file, err := os.Open(o.stein.file)
	if err != nil {
		return nil, badRequest("cannot read --stein %s: %w", o.stein.file, reason(err))
	}
	defer file.Close()
	samples, err := validate.NewSamples(file, system)
	if err != nil {
		return nil, badRequest("--stein %s: %w", o.stein.file, reason(err))
	}
	size := 0.0
	if info, err := file.Stat(); err == nil {
		size = float64(info.Size())
	}
	progress := o.newProgress("reading")
	defer progress.close()
	result, err := validate.TestOutput(ctx, samples, o.stein.alpha, func(rows, _ float64, _ string) {
		if at, err := file.Seek(0, 1); err == nil && size > 0 {
			progress.report(float64(at)/size, fmt.Sprintf("%.3g rows", rows))
		}
	})
	if err != nil && !wasInterrupted(err) {
		return nil, badRequest("--stein %s: %w", o.stein.file, reason(err))
	}
	return result, err
}

func outputTestReport(t *validate.OutputTest) *report {
	verdict := "pass"
	if t.Rejected() {
		verdict = "reject"
	}
	r := &report{command: "validate", system: &t.System, status: "passed", records: identityRecords(t)}
	if t.Rejected() {
		r.status = "failed"
	}
	r.work = []fact{
		{"verdict", verdict},
		{"p_value", t.P},
		{"suggestion", t.Suggestion},
		{"p_identities", t.Joint.P},
		{"p_stationary", t.Stationary.P},
		{"alpha", t.Level},
		{"statistic", t.Joint.Statistic},
		{"rank", t.Rank},
		{"batches", t.Batches},
		{"rows", t.Rows},
		{"independent_rows", t.Stationary.Independent},
		{"left_out", t.LeftOut},
		{"explanations", explanationTexts(t.Explanations)},
	}
	r.addWarnings(t.Warnings...)
	return r
}

// explanationTexts lists the other claims that were tried.
func explanationTexts(list []validate.Explanation) []string {
	texts := []string{}
	for _, e := range list {
		fits := "does not fit"
		if e.Fits {
			fits = "fits"
		}
		texts = append(texts, fmt.Sprintf("%s: %s %s (p = %.2g)", e.Name, e.What, fits, e.P))
	}
	return texts
}

// identityRecords lists E[Gf] = 0 for every test function.
func identityRecords(t *validate.OutputTest) *records {
	r := &records{name: "identities", group: -1, fields: []recordField{
		{name: "name", heading: "identity"},
		{name: "aspect", heading: "speaks of"},
		{name: "mean", heading: "mean of Gf", text: func(row []any) string { return fmt.Sprintf("%+.3g", row[2]) }},
		{name: "standard_error", heading: "standard error", text: func(row []any) string { return fmt.Sprintf("%.2g", row[3]) }},
		{name: "p_value", heading: "p", text: func(row []any) string { return fmt.Sprintf("%.2g", row[4]) }},
		{name: "p_adjusted", heading: "p adjusted", text: func(row []any) string { return fmt.Sprintf("%.2g", row[5]) }},
		{name: "verdict", heading: "verdict"},
	}}
	for _, i := range t.Identities {
		verdict := "holds"
		if i.Adjusted < t.Level {
			verdict = "fails"
		}
		r.rows = append(r.rows, []any{i.Name, string(i.Aspect), i.Mean, i.StandardError, i.P, i.Adjusted, verdict})
	}
	return r
}

// checkMode refuses what does not go together: an experiment, --stein and --data
// are three different things.
func (o *validateOptions) checkMode(args []string) error {
	flags := o.stein.system.flags
	mode := ""
	switch {
	case o.stein.file != "" && o.data.file != "":
		return badRequest("--stein and --data do not go together")
	case o.stein.file != "":
		mode = "--stein"
	case o.data.file != "":
		mode = "--data"
	}
	if mode != "" && len(args) > 0 {
		return badRequest("%s takes no experiment file (%q)", mode, args[0])
	}
	if mode != "" && (o.print || flags.Changed("output-dir")) {
		return badRequest("%s does not go with --print or --output-dir", mode)
	}
	if mode != "--stein" && flags.Changed("alpha") {
		return badRequest("--alpha needs --stein")
	}
	if mode != "--data" && flags.Changed("events") {
		return badRequest("--events needs --data (an experiment file has its own)")
	}
	for _, name := range []string{"servers", "load", "spare", "load-exponent", "buffer", "service", "policy"} {
		if mode == "" && flags.Changed(name) {
			return badRequest("--%s needs --stein or --data (an experiment file names its own systems)", name)
		}
	}
	return nil
}
