package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"qlimit/ctmc"
	"qlimit/validate"
	"qlimit/validate/estimate"
	"qlimit/validate/figure"
)

type validateOptions struct {
	*environment
	file      string // "" = the built-in experiment
	seedGiven bool
	outputDir string
	print     bool
	report    string // file of the HTML page, "" = none
	command   *cobra.Command
	stein     outputTestOptions
	data      dataOptions
}

func newValidateCommand(env *environment, run func(context.Context, *validateOptions) error) *cobra.Command {
	o := &validateOptions{environment: env}
	c := leaf(&cobra.Command{
		Use:   "validate [FILE.toml]",
		Short: "Hold theory against simulation and published data, with a verdict on each row",
		Long: `Run an experiment: simulate every system, compute every prediction and compare.
Each row shows the theory and its kind, the simulated value, their difference,
the tolerance and the verdict. Exit code 3 if a row disagrees.

Without a file the built-in experiment runs: exact chains against simulation
for every policy, the mean-field limit against simulation at 100 and 1000
servers, and published simulations of power-of-d against theory and against
ours. --print shows it as a file to start your own from.

--report FILE.html writes the outcome as one page that opens offline.

--data FILE.csv holds the results of your own simulations against the best theory
for each row: the exact chain, the mean field with its corrections, or our own
simulation. Columns: policy (or d), servers, load, service, buffer, quantity,
value, half_width or standard_error; or a column for each quantity, such as
mean_jobs, p_wait, tail_2 (docs/validation.md). Where rows disagree, the usual
mistakes are tried one by one and those that explain the file are named. Exit
code 3 if a row disagrees.

--stein FILE.csv tests the output of your own simulator: samples of the
occupancy (docs/outputtest.md has the format) that claim to come from a
stationary run of the system given by --servers, --load, --policy and so on.
The test needs no stationary law: in steady state the generator of the system
has mean 0 on every test function. Exit code 3 if the samples contradict the
system; the answer names the identities that fail and what that points to.`,
		Example: `  qlimit validate
  qlimit validate --output-dir report
  qlimit validate --print > mine.toml
  qlimit validate mine.toml --format csv --output rows.csv
  qlimit validate --data results.csv --report report.html
  qlimit validate --stein samples.csv --servers 10 --load 0.8 --policy jsq`,
	}, func(ctx context.Context) error { return run(ctx, o) })
	c.Args = func(c *cobra.Command, args []string) error {
		o.command = c
		o.seedGiven = c.Flags().Changed("seed")
		if err := o.checkMode(args); err != nil {
			return err
		}
		switch len(args) {
		case 0:
			return nil
		case 1:
			if args[0] == "" {
				return badRequest("the name of the experiment file is empty (leave it out for the built-in experiment)")
			}
			o.file = args[0]
			return nil
		}
		return badRequest("validate takes one experiment file, not %d (%q is the second)", len(args), args[1])
	}
	flags := c.Flags()
	flags.StringVar(&o.outputDir, "output-dir", "", "write the charts of the experiment and their data into this `directory`")
	flags.BoolVar(&o.print, "print", false, "print the built-in experiment as a file and stop")
	_ = c.MarkFlagDirname("output-dir")
	flags.Var(&fileName{&o.report}, "report", "write the outcome as one self-contained HTML page to this `file` as well")
	o.data.addTo(flags)
	o.stein.addTo(flags)
	o.stein.system.addTo(c)
	return c
}

func runValidate(ctx context.Context, o *validateOptions) error {
	switch {
	case o.stein.file != "":
		return o.runStein(ctx)
	case o.data.file != "":
		return o.runData(ctx)
	}
	if o.print {
		text := validate.BuiltInText()
		return o.deliver(text, text)
	}
	experiment, err := o.experiment()
	if err != nil {
		return err
	}
	if err := errors.Join(o.checkOutput(), o.checkReport(), o.makeOutputDir()); err != nil {
		return err
	}
	progress := o.newProgress("validating")
	result, err := validate.Run(ctx, experiment, func(done, total float64, system string) {
		progress.report(done/total, fmt.Sprintf("%.0f of %.0f", done, total))
	})
	progress.close()
	if err != nil && (result == nil || !wasInterrupted(err)) {
		if o.file != "" && concernsRequest(err) {
			return badRequest("%s: %w", o.file, err)
		}
		return err
	}
	interrupted := err != nil
	if !interrupted || len(result.Rows) > 0 {
		if err := o.presentExperiment(result, interrupted); err != nil {
			return err
		}
	}
	if interrupted {
		return &failure{exitInterrupted, fmt.Errorf("interrupted: %d of %d systems were finished", result.Done, result.Cases)}
	}
	if err := o.writeCharts(result); err != nil {
		return err
	}
	if n := result.Count(estimate.Disagree); n > 0 {
		return &failure{exitValidation, fmt.Errorf("%d of %d rows disagree", n, len(result.Rows))}
	}
	return nil
}

func (o *validateOptions) presentExperiment(result *validate.Report, interrupted bool) error {
	code := exitDone
	switch {
	case interrupted:
		code = exitInterrupted
	case result.Count(estimate.Disagree) > 0:
		code = exitValidation
	}
	return o.present(experimentReport(result, interrupted), code, differencePicture(result.Rows))
}

// experiment reads the experiment; the seed of the command line wins over
// that of the file.
func (o *validateOptions) experiment() (validate.Experiment, error) {
	e, err := o.readExperiment()
	if err != nil {
		return e, err
	}
	if o.seedGiven || !e.SeedGiven {
		e.Simulation.Seed = o.seed
	}
	e.Simulation.Threads = o.threads
	return e, nil
}

func (o *validateOptions) readExperiment() (validate.Experiment, error) {
	if o.file == "" {
		return validate.BuiltIn()
	}
	file, err := os.Open(o.file)
	if err != nil {
		return validate.Experiment{}, badRequest("cannot read %s: %w", o.file, reason(err))
	}
	defer file.Close()
	e, err := validate.Parse(file)
	if err != nil && strings.EqualFold(filepath.Ext(o.file), ".csv") {
		return e, badRequest("%s: an experiment is a TOML file; results are given with --data, samples of the state with --stein", o.file)
	}
	if err != nil {
		return e, badRequest("%s: %w", o.file, reason(err))
	}
	return e, nil
}

func (o *validateOptions) makeOutputDir() error {
	if o.outputDir == "" {
		return nil
	}
	if err := os.MkdirAll(o.outputDir, 0o777); err != nil {
		return environmentFailed("cannot create --output-dir %s: %w", o.outputDir, reason(err))
	}
	if info, err := os.Stat(o.outputDir); err != nil || !info.IsDir() {
		return environmentFailed("cannot write into --output-dir %s: %w", o.outputDir, fs.ErrInvalid)
	}
	return nil
}

// writeCharts draws what the experiment holds of published data.
func (o *validateOptions) writeCharts(r *validate.Report) error {
	if o.outputDir == "" {
		return nil
	}
	chart, err := validate.PublishedChart(r)
	if err != nil || chart == nil {
		return err
	}
	return o.writeFigure(chart, filepath.Join(o.outputDir, chart.Name))
}

// writeFigure writes a figure as PDF, SVG and PNG, and its data as CSV.
func (env *environment) writeFigure(f *figure.Figure, base string) error {
	for _, extension := range []string{".pdf", ".svg", ".png", ".csv"} {
		write := f.WriteFile
		if extension == ".csv" {
			write = f.WriteDataFile
		}
		if err := write(base + extension); err != nil {
			return environmentFailed("%w", err)
		}
		if err := env.record.saved(base+extension, nil); err != nil {
			return err
		}
	}
	return nil
}

func experimentReport(result *validate.Report, interrupted bool) *report {
	r := &report{command: "validate", records: comparisonRecords(result)}
	agree, disagree := result.Count(estimate.Agree), result.Count(estimate.Disagree)
	inconclusive := result.Count(estimate.Inconclusive)
	r.status = "passed"
	if disagree > 0 {
		r.status = "failed"
	}
	if interrupted {
		r.status = ctmc.Interrupted.String()
	}
	r.work = []fact{
		{"experiment", result.Title},
		{"agree", agree}, {"disagree", disagree}, {"inconclusive", inconclusive},
		{"skipped", len(result.Skipped)},
		{"systems", result.Done}, {"events", result.Events}, {"seconds", result.Elapsed.Seconds()},
		{"seed", result.Seed}, {"sigmas", result.Sigmas},
	}
	if slices.ContainsFunc(result.Rows, func(row validate.Row) bool { return row.Method == validate.Published }) {
		r.work = append(r.work, fact{"published_data", validate.PublishedReference})
	}
	for _, row := range result.Rows {
		if row.Verdict != estimate.Agree {
			r.addWarnings(fmt.Sprintf("%s: %s of %v, %s: %s", row.Verdict, row.Quantity, row.System, theoryLabel(string(row.Method), row.Kind.String()), row.Reason))
		}
	}
	for _, s := range result.Skipped {
		r.addWarnings(fmt.Sprintf("skipped: %s of %v: %s", s.Method, s.System, s.Reason))
	}
	r.addWarnings(result.Warnings...)
	return r
}

// comparisonRecords lists the rows of an experiment.
func comparisonRecords(result *validate.Report) *records {
	r := &records{name: "rows", group: 0, fields: []recordField{
		{name: "group"},
		{name: "system", heading: "system"},
		{name: "quantity", heading: "quantity"},
		{name: "method"},
		{name: "kind", heading: "theory", text: func(row []any) string { return theoryLabel(row[3], row[4]) }},
		{name: "theory", heading: "predicted", text: func(row []any) string { return rounded(row[5]) }},
		{name: "against", heading: "held against", text: func(row []any) string { return fmt.Sprint(row[6]) }},
		{name: "simulated", heading: "simulated", text: func(row []any) string {
			return interval(estimate.Estimate{Status: estimate.Usable, Value: row[7].(float64), HalfWidth: row[8].(float64)})
		}},
		{name: "half_width"},
		{name: "level"},
		{name: "difference", heading: "difference", text: func(row []any) string { return fmt.Sprintf("%+.2g", row[10]) }},
		{name: "tolerance", heading: "tolerance (why)", text: func(row []any) string { return fmt.Sprintf("%.2g (%s)", row[11], row[12]) }},
		{name: "tolerance_reason"},
		{name: "verdict", heading: "verdict"},
		{name: "verdict_reason"},
		{name: "servers"}, {name: "load"}, {name: "buffer"}, {name: "policy"}, {name: "service"},
	}}
	for _, row := range result.Rows {
		s := row.System
		r.rows = append(r.rows, []any{
			row.Group, s.String(), string(row.Quantity), string(row.Method), row.Kind.String(), row.Theory,
			row.Against, row.Simulated, row.HalfWidth, row.Level, row.Difference, row.Tolerance, row.Why,
			string(row.Verdict), row.Reason,
			s.Servers, s.Load, s.Buffer, s.Policy.String(), s.Service.String(),
		})
	}
	return r
}

// theoryLabel names a method and its kind, once where they are the same.
func theoryLabel(method, kind any) string {
	if method == kind {
		return fmt.Sprint(kind)
	}
	return fmt.Sprintf("%s (%s)", method, kind)
}

// rounded writes a predicted value with the digits one compares by eye.
func rounded(v any) string { return fmt.Sprintf("%.6g", v) }
