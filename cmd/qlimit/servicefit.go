package main

import (
	"context"
	"math"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"qlimit/coxian"
	"qlimit/ctmc"
)

type serviceFitOptions struct {
	*environment
	mean, scv, skew float64
	data, column    string
	method          string

	flags *pflag.FlagSet
}

// Ways to fit a sample.
const (
	fitMoments    = "moments"
	fitLikelihood = "em"
)

func newServiceFitCommand(env *environment, run func(context.Context, *serviceFitOptions) error) *cobra.Command {
	o := &serviceFitOptions{environment: env, mean: 1, method: fitMoments}
	c := leaf(&cobra.Command{
		Use:   "fit",
		Short: "Fit a service law to moments or to data",
		Long: `Fit a Coxian-2 law to a mean and an scv (squared coefficient of variation), to
these and a skewness, or to a file of measured service times.

Two moments leave one degree of freedom: without --skew the law with
mu1 = 2/mean, p = 1/(2 scv), mu2 = 1/(mean scv) is taken. Three moments determine
the law. Moments that no Coxian-2 law has are refused with the attainable range
and the nearest attainable value: the scv is at least 1/2, and the scv bounds
the skewness.

--data reads one number per row from a CSV file with or without a header row.
With --method moments mean, scv and skewness of the data are matched, or as
many of them as possible, with a note; with --method em the likelihood is
maximised.`,
		Example: `  qlimit service fit --mean 1 --scv 4
  qlimit service fit --mean 1 --scv 4 --skew 4.5
  qlimit service fit --data times.csv --column seconds --method em`,
	}, func(ctx context.Context) error { return run(ctx, o) })
	o.flags = c.Flags()
	o.flags.SortFlags = false
	o.flags.Var(&decimal{target: &o.mean, accept: positive, allowed: "a number > 0"}, "mean", "mean `M`")
	o.flags.Var(&decimal{target: &o.scv, accept: anyNumber, allowed: "a number >= 0.5"}, "scv", "squared coefficient of variation `C`, at least 1/2")
	o.flags.Var(&decimal{target: &o.skew, accept: anyNumber, allowed: "a number"}, "skew", "skewness `K`")
	o.flags.Var(&fileName{&o.data}, "data", "CSV `file` of service times")
	o.flags.StringVar(&o.column, "column", "", "`name` or number (from 1) of the column to read; default the first")
	o.flags.Var(&choice{&o.method, []string{fitMoments, fitLikelihood}}, "method", "`method` for --data: moments or em (maximum likelihood)")
	return c
}

func runServiceFit(_ context.Context, o *serviceFitOptions) error {
	if o.data == "" {
		return o.fitToMoments()
	}
	for _, name := range []string{"mean", "scv", "skew"} {
		if o.flags.Changed(name) {
			return badRequest("--data and --%s were both given (the data determine the moments)", name)
		}
	}
	sample, err := readSample(o.data, o.column)
	if err != nil {
		return err
	}
	if o.method == fitLikelihood {
		return o.fitByLikelihood(sample)
	}
	return o.fitToSampleMoments(sample)
}

func (o *serviceFitOptions) fitToMoments() error {
	for _, name := range []string{"column", "method"} {
		if o.flags.Changed(name) {
			return badRequest("--%s needs --data", name)
		}
	}
	if !o.flags.Changed("scv") {
		return badRequest("--scv is missing (a number >= 0.5; or give --data)")
	}
	fit, work := coxian.FitMeanSCV, "two moments"
	if o.flags.Changed("skew") {
		work = "three moments"
		fit = func(mean, scv float64) (coxian.Dist, error) { return coxian.FitMoments(mean, scv, o.skew) }
	}
	law, err := fit(o.mean, o.scv)
	if err != nil {
		return &failure{exitRequest, err}
	}
	r := fitReport(law, ctmc.Exact)
	r.work = append([]fact{{"method", work}}, skewnessFacts(o.scv)...)
	r.work = append(r.work, fact{"not_attainable", []string{}})
	return o.show(r)
}

// skewnessFacts state what skewness the scv leaves room for; there is no upper
// end at scv above 1.
func skewnessFacts(scv float64) []fact {
	low, high, err := coxian.SkewnessRange(scv)
	if err != nil {
		return nil
	}
	facts := []fact{{"attainable_skewness_low", low}, {"attainable_skewness_high", nil}}
	if !math.IsInf(high, 0) {
		facts[1].value = high
	}
	return facts
}

// fitReport describes the law: exact for given moments, an estimate where they
// come from a sample.
func fitReport(law coxian.Dist, kind ctmc.Kind) *report {
	return &report{command: "service fit", service: &law, kind: kind, quantities: parameterQuantities(law)}
}

func (o *serviceFitOptions) fitToSampleMoments(sample []float64) error {
	fit, err := coxian.FitSample(sample)
	if err != nil {
		return &failure{exitRequest, err}
	}
	r := fitReport(fit.Dist, ctmc.Estimate)
	missed := []string{}
	switch fit.Method {
	case coxian.NearestSkewness, coxian.TwoMoments:
		missed = append(missed, "skewness")
	case coxian.NearestSCV:
		missed = append(missed, "scv", "skewness")
	}
	r.work = []fact{
		{"method", fit.Method.String()}, {"sample_size", fit.Size},
		{"sample_mean", fit.Mean}, {"sample_scv", fit.SCV}, {"sample_skewness", fit.Skewness},
		{"not_attainable", missed},
	}
	if fit.Note != "" {
		r.addWarnings(fit.Note)
	}
	return o.show(r)
}

func (o *serviceFitOptions) fitByLikelihood(sample []float64) error {
	fit, err := coxian.FitEM(sample, coxian.EMSettings{})
	if err != nil {
		return &failure{exitRequest, err}
	}
	r := fitReport(fit.Dist, ctmc.Estimate)
	r.work = []fact{
		{"method", "maximum likelihood (EM)"}, {"sample_size", len(sample)},
		{"log_likelihood", fit.LogLikelihood}, {"score", fit.Score}, {"iterations", fit.Iterations},
		{"not_attainable", []string{}},
	}
	if r.status = ctmc.Converged.String(); fit.Status != coxian.Converged {
		r.status = ctmc.NotConverged.String()
	}
	if err := o.show(r); err != nil || fit.Status == coxian.Converged {
		return err
	}
	return notConverged("the likelihood is not maximal yet: score %.2g after %d iterations", fit.Score, fit.Iterations)
}
