package estimate

import (
	"fmt"
	"math"
)

// biasFraction is the part of the standard error that the estimated bias of a
// function of means may reach before a warning.
const biasFraction = 0.25

// Function estimates f(m) for a smooth function f of the steady-state means m
// of the given columns, by the delta method: the interval is that of the mean
// of the linearised cells
//
//	f(m̂) + ∇f(m̂)·(x − m̂),   m̂ the means over all cells used.
//
// f receives the means in the order of columns and returns value and gradient,
// and must not keep or change its argument. Its error is first order: the
// bias of the value is of the order of the square of the standard error. The
// jackknife over replications measures it, and a bias above a quarter of the
// standard error is a warning.
//
// A value or gradient that is not finite gives status Undefined. Function
// panics if no column is given, a column or the level is out of range, or the
// gradient has the wrong length.
func (s *Series) Function(columns []int, f func(means []float64) (value float64, gradient []float64), w WarmUp, level float64) Estimate {
	if len(columns) == 0 {
		panic("estimate: a function needs at least one column")
	}
	level = checkedLevel(level)
	parts := make([]sample, len(columns))
	for i, column := range columns {
		parts[i] = s.sampleAfter(w, column)
	}
	return functionOf(parts, f, w, level, func(e Estimate, _ []float64) Estimate { return e })
}

// functionOf is Function of samples that share their cells. What was fitted to
// get them widens the interval, given the gradient.
func functionOf(parts []sample, f func([]float64) (float64, []float64), w WarmUp, level float64, widened func(e Estimate, gradient []float64) Estimate) Estimate {
	if parts[0].perRun == 0 {
		return parts[0].interval(level).withWarnings(parts[0], w)
	}
	means := make([]float64, len(parts))
	for k, part := range parts {
		means[k] = part.value
	}
	value, gradient := f(means)
	if len(gradient) != len(parts) {
		panic(fmt.Sprintf("estimate: gradient of length %d for %d columns", len(gradient), len(parts)))
	}
	linear, ok := linearised(parts, value, gradient)
	if !ok {
		e := undefined(level, fmt.Sprintf("the function has no finite value and gradient at the observed means %v", means))
		return e.withWarnings(linear, w)
	}
	e := widened(linear.interval(level), gradient).withWarnings(linear, w)
	if bias, ok := jackknifeBias(parts, value, f); ok && e.Status == Usable && math.Abs(bias) > biasFraction*e.StandardError {
		e.Warnings = append(e.Warnings, fmt.Sprintf("the value of this function of means is biased by about %.2g: run longer", bias))
	}
	return e
}

// linearised combines the deviations of the columns with the gradient. ok is
// false if anything is not finite.
func linearised(parts []sample, value float64, gradient []float64) (out sample, ok bool) {
	out = parts[0]
	out.value, out.magnitude = value, math.Abs(value)
	out.deviations = make([]float64, len(parts[0].deviations))
	for i, part := range parts {
		for k, d := range part.deviations {
			out.deviations[k] += gradient[i] * d
		}
		out.magnitude += math.Abs(gradient[i]) * part.magnitude
	}
	ok = isFinite(value) && isFinite(out.magnitude)
	for _, d := range out.deviations {
		ok = ok && isFinite(d)
	}
	return out, ok
}

// jackknifeBias is (R−1)(mean over r of f(means without replication r) − f(means)).
// ok is false where f is not finite.
func jackknifeBias(parts []sample, value float64, f func([]float64) (float64, []float64)) (bias float64, ok bool) {
	runs := parts[0].runs
	others := float64(runs - 1)
	without := make([]float64, len(parts))
	for r := range runs {
		for i, part := range parts {
			without[i] = part.value - mean(part.run(r))/others
		}
		x, _ := f(without)
		bias += (x - value) * others / float64(runs)
	}
	return bias, isFinite(bias)
}

func isFinite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// Linear is Constant + Σ Coefficients[i] · (mean of column Columns[i]).
type Linear struct {
	Constant     float64   // added to the sum
	Columns      []int     // of the series
	Coefficients []float64 // one for each of Columns
}

// ColumnMean is the linear expression that is one column's mean.
func ColumnMean(column int) Linear {
	return Linear{Columns: []int{column}, Coefficients: []float64{1}}
}

// Sums are the sums of groups of columns.
func Sums(groups [][]int) []Linear {
	list := make([]Linear, len(groups))
	for i, group := range groups {
		list[i] = Linear{Columns: group, Coefficients: make([]float64, len(group))}
		for k := range group {
			list[i].Coefficients[k] = 1
		}
	}
	return list
}

// Times multiplies the expression by a number.
func (l Linear) Times(factor float64) Linear {
	out := Linear{Constant: factor * l.Constant, Columns: l.Columns}
	for _, c := range l.Coefficients {
		out.Coefficients = append(out.Coefficients, factor*c)
	}
	return out
}

func (l Linear) at(means []float64) float64 {
	value := l.Constant
	for i, c := range l.Coefficients {
		value += c * means[i]
	}
	return value
}

// Ratio estimates numerator/denominator, for example the mean response time
// by Little's law, jobs / (arrival rate · (1 − blocking probability)). It is
// Function applied to a quotient, and status Undefined if the denominator's
// estimate is 0. It panics if an expression has not as many columns as
// coefficients, or both have no column at all.
func (s *Series) Ratio(numerator, denominator Linear, w WarmUp, level float64) Estimate {
	for _, l := range []Linear{numerator, denominator} {
		if len(l.Columns) != len(l.Coefficients) {
			panic(fmt.Sprintf("estimate: %d columns with %d coefficients", len(l.Columns), len(l.Coefficients)))
		}
	}
	split := len(numerator.Columns)
	columns := append(append([]int(nil), numerator.Columns...), denominator.Columns...)
	quotient := func(means []float64) (float64, []float64) {
		above, below := numerator.at(means[:split]), denominator.at(means[split:])
		gradient := make([]float64, 0, len(columns))
		for _, c := range numerator.Coefficients {
			gradient = append(gradient, c/below)
		}
		for _, c := range denominator.Coefficients {
			gradient = append(gradient, -c*(above/below)/below)
		}
		return above / below, gradient
	}
	return s.Function(columns, quotient, w, level)
}
