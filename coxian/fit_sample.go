package coxian

import (
	"fmt"
	"math"
)

// SampleFit is a Coxian-2 law fitted to data by moments.
type SampleFit struct {
	Dist   Dist         // the law; its mean is that of the data
	Method SampleMethod // which moments it reproduces
	Note   string       // why Method is not ThreeMoments; empty otherwise

	// Moments of the data, with divisor n.
	Size                int
	Mean, SCV, Skewness float64
}

// SampleMethod says which moments of the data a [SampleFit] reproduces.
type SampleMethod int

const (
	ThreeMoments    SampleMethod = iota // mean, scv and skewness
	NearestSkewness                     // mean and scv; the skewness is the nearest attainable
	TwoMoments                          // mean and scv, by FitMeanSCV
	NearestSCV                          // mean only: scv below 1/2, the law is Erlang-2
)

// String returns a short name, e.g. "three moments".
func (m SampleMethod) String() string {
	switch m {
	case ThreeMoments:
		return "three moments"
	case NearestSkewness:
		return "nearest skewness"
	case TwoMoments:
		return "two moments"
	case NearestSCV:
		return "nearest scv"
	}
	return "unknown"
}

// FitSample fits a Coxian-2 law to a sample of service times by their mean,
// scv and skewness. Where these are not attainable it falls back, says so in
// Method and explains it in Note:
//
//   - scv < 1/2: Erlang-2 with the mean of the data;
//   - 1/2 <= scv < 1: the nearest attainable skewness;
//   - scv >= 1: [FitMeanSCV], since the nearest skewness would ask for an
//     endless rate in phase 1 (or, at scv = 1, since all laws are exponential).
//
// The sample needs at least two values, all finite and >= 0, with positive mean.
//
// Anything else is an error, which names the first value at fault.
func FitSample(x []float64) (SampleFit, error) {
	if err := validateSample(x); err != nil {
		return SampleFit{}, err
	}
	fit := SampleFit{Size: len(x)}
	fit.Mean, fit.SCV, fit.Skewness = sampleMoments(x)
	if err := validateMean(fit.Mean); err != nil {
		return SampleFit{}, err
	}
	scv := fit.SCV
	if scv < 0.5 {
		var err error
		fit.Method = NearestSCV
		fit.Note = fmt.Sprintf("the sample scv %.6g is below 1/2, the least of a law of two phases: Erlang-2 keeps the mean only", scv)
		fit.Dist, err = Erlang2(fit.Mean)
		return fit, err
	}
	d, err := FitMoments(fit.Mean, scv, fit.Skewness)
	if err == nil {
		fit.Dist = d
		return fit, nil
	}
	low, high, rangeErr := SkewnessRange(scv)
	if rangeErr != nil {
		return SampleFit{}, rangeErr
	}
	if scv < 1 {
		fit.Method = NearestSkewness
		nearest := math.Min(math.Max(fit.Skewness, low), high)
		fit.Note = fmt.Sprintf("the sample skewness %.6g is not attainable at scv %.6g (%.6g to %.6g): the nearest, %.6g, was used",
			fit.Skewness, scv, low, high, nearest)
		fit.Dist, err = FitMoments(fit.Mean, scv, nearest)
		return fit, err
	}
	fit.Method = TwoMoments
	fit.Note = fmt.Sprintf("the sample skewness %.6g cannot be matched at scv %.6g (needed: %s): mean and scv only",
		fit.Skewness, scv, skewnessNeeded(scv, low))
	fit.Dist, err = FitMeanSCV(fit.Mean, scv)
	return fit, err
}

func skewnessNeeded(scv, low float64) string {
	if scv == 1 {
		return "2"
	}
	return fmt.Sprintf("above %.6g", low)
}

func validateSample(x []float64) error {
	if len(x) < 2 {
		return fmt.Errorf("service: the sample has %d values (at least 2)", len(x))
	}
	for i, value := range x {
		if !(value >= 0) || math.IsInf(value, 1) {
			return &ParameterError{Field: fmt.Sprintf("sample[%d]", i), Value: value, Allowed: ">= 0 and finite"}
		}
	}
	return nil
}

// sampleMoments returns mean, scv and skewness (divisor n) in two passes over
// the data measured in units of their mean. A sample without spread has scv
// and skewness 0.
func sampleMoments(x []float64) (mean, scv, skewness float64) {
	largest := 0.0
	for _, value := range x {
		largest = math.Max(largest, value)
	}
	if largest == 0 {
		return 0, 0, 0
	}
	var total compensated
	for _, value := range x {
		total.add(value / largest)
	}
	n := float64(len(x))
	unit := total.value() / n
	var first, second, third compensated
	for _, value := range x {
		deviation := value/largest/unit - 1
		first.add(deviation)
		second.add(deviation * deviation)
		third.add(deviation * deviation * deviation)
	}
	shift := first.value() / n // the rounding of unit
	scv = second.value()/n - shift*shift
	if scv <= 0 {
		return unit * largest, 0, 0
	}
	return unit * largest, scv, (third.value()/n - 3*shift*scv) / (scv * math.Sqrt(scv))
}

// compensated is a sum with Neumaier's running correction.
type compensated struct{ sum, correction float64 }

func (c *compensated) add(x float64) {
	sum := c.sum + x
	if math.Abs(c.sum) >= math.Abs(x) {
		c.correction += (c.sum - sum) + x
	} else {
		c.correction += (x - sum) + c.sum
	}
	c.sum = sum
}

func (c *compensated) value() float64 { return c.sum + c.correction }
