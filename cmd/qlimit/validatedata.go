package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/pflag"

	"qlimit/validate"
	"qlimit/validate/estimate"
	"qlimit/validate/sim"
)

// dataOptions are those of a comparison of the user's results with theory.
type dataOptions struct {
	file   string
	events int64
}

func (o *dataOptions) addTo(flags *pflag.FlagSet) {
	flags.Var(&fileName{&o.file}, "data", "hold the results in `FILE.csv` against theory; flags of a system below stand in for missing columns")
	flags.Var(&count{&o.events, 100_000, 1 << 53, "an integer between 1e5 and 2^53"}, "events", "most `events` of a simulation of one system with --data; default 2e7")
}

func (o *validateOptions) runData(ctx context.Context) error {
	set, err := o.readData()
	if err != nil {
		return err
	}
	if err := errors.Join(o.checkOutput(), o.checkReport()); err != nil {
		return err
	}
	progress := o.newProgress("comparing")
	result, err := validate.CompareData(ctx, set, validate.DataSettings{Simulation: sim.Settings{Seed: o.seed, Threads: o.threads, Events: o.data.events}},
		func(done, total float64, system string) { progress.report(done/total, system) })
	progress.close()
	if err != nil {
		if concernsRequest(err) {
			return badRequest("--data %s: %w", o.data.file, err)
		}
		return err
	}
	code := exitDone
	if result.Count(estimate.Disagree) > 0 {
		code = exitValidation
	}
	if err := o.present(dataReport(result), code, differencePicture(result.Rows)); err != nil {
		return err
	}
	if code == exitValidation {
		return &failure{exitValidation, fmt.Errorf("%s", result.Suggestion)}
	}
	return nil
}

func (o *validateOptions) readData() (*validate.DataSet, error) {
	file, err := os.Open(o.data.file)
	if err != nil {
		return nil, badRequest("cannot read --data %s: %w", o.data.file, reason(err))
	}
	defer file.Close()
	defaults, err := o.dataDefaults()
	if err != nil {
		return nil, err
	}
	set, err := validate.ReadData(file, defaults)
	if err != nil {
		return nil, badRequest("--data %s: %w", o.data.file, reason(err))
	}
	return set, nil
}

// dataDefaults are the flags that were given.
func (o *validateOptions) dataDefaults() (validate.DataDefaults, error) {
	s := &o.stein.system
	d := validate.DataDefaults{Servers: s.servers, Buffer: s.buffer}
	if s.flags.Changed("policy") {
		d.Policy = s.policy
	}
	if s.flags.Changed("service") {
		d.Service = s.service
	}
	if s.flags.Changed("load") || s.flags.Changed("spare") || s.flags.Changed("load-exponent") {
		var err error
		if d.Load, err = s.systemLoad(); err != nil {
			return d, err
		}
	}
	return d, nil
}

func dataReport(result *validate.DataReport) *report {
	r := experimentReport(&result.Report, false)
	r.records = dataRecords(result)
	readings := []string{}
	for _, reading := range result.Readings {
		readings = append(readings, fmt.Sprintf("%s: %d of %d rows agree, mean square %.3g (%s)", reading.Name, reading.Agree, reading.Rows, reading.MeanSquare, reading.What))
	}
	r.work = append([]fact{{"suggestion", result.Suggestion}, {"readings", readings}, {"notes", result.Notes}}, r.work...)
	return r
}

// dataRecords are the comparisons with the line of the file and the readings
// that explain them.
func dataRecords(result *validate.DataReport) *records {
	r := comparisonRecords(&result.Report)
	r.group = -1
	r.fields = append(r.fields,
		recordField{name: "explained_by", heading: "explained by", text: func(row []any) string { return fmt.Sprint(row[len(row)-2]) }},
		recordField{name: "line"})
	for k := range r.fields {
		if r.fields[k].name == "against" {
			r.fields[k].heading = ""
		}
	}
	for i := range r.rows {
		r.rows[i] = append(r.rows[i], result.Explained[i], result.Lines[i])
	}
	return r
}
