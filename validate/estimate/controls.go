package estimate

import (
	"math"
)

const (
	// regressionBatches is how many batch means, all replications together,
	// the coefficients of control variates are fitted to. Many short batches
	// carry more degrees of freedom than the few long ones of the interval.
	regressionBatches = 512
	// batchesPerControl bounds the rank of the regression from above.
	batchesPerControl = 8
)

// Controls are quantities whose steady-state mean is known to be 0, made into
// a regression: for a column y and the controls C,
//
//	mean(y) - β·mean(C)
//
// estimates the mean of y with the variance of the residual y - β·C. The
// coefficients β are the least-squares ones of about 512 batch means (512 /
// replications in each, at least 2). Controls that are constant, or a linear
// combination of others to the relative tolerance 1e-3, are left out, and no
// more than one for every eight batches is taken in.
//
// With n batches, rank q and h = mean(C)' (X'X)⁻¹ mean(C), X the centred batch
// means, the variance of the estimate is that of a regression's intercept,
//
//	σ² (1/n + h) (n-1)/(n-1-q),
//
// σ² the residual variance, 1/n replaced by what [Series.Mean] makes of the
// correlation that is left (S. S. Lavenberg and P. D. Welch, Management Science
// 27, 1981). This takes the regression for right. A check that needs nothing but
// independent replications is the jackknife that leaves out one of them at a
// time, coefficients fitted anew; where its standard error is more than half
// larger, it is the one that counts; with caution ([Controls.Cautious]) where it is
// larger at all, and always in short runs, whose value it then corrects: where a
// replication is shorter than a quarter of the least batch ([Series.SetLeastBatch]) or
// has too few cells for its share of the batches.
//
// The correction β·mean(C) has mean 0 in steady state. If its replication means
// say otherwise (Student's test at 0.1%), the run is not stationary, or shorter
// than its memory; where the residual still depends on the state a little, so does
// then the estimate, and the standard error is multiplied by Student's t.
type Controls struct {
	series *Series
	warmUp WarmUp
	perRun int         // regression batches in each replication
	parts  []sample    // the controls
	means  [][]float64 // their batch means, centred; nil for constants
	fit    regression
	mean   []float64 // of the controls, in the coordinates of the fit
	delete [][]float64
	fitted map[int]sample

	cautious bool
}

// Controls fits the regression to the cells after the warm-up. Each control is
// a linear combination of columns. It panics if a column is out of range or a
// combination empty. With too few cells for a regression Rank is 0 and every
// estimate is the plain one.
func (s *Series) Controls(combinations []Linear, w WarmUp) *Controls {
	c := &Controls{series: s, warmUp: w, fitted: map[int]sample{}}
	cells := s.Cells() - min(w.cellsAt(s.Span()), s.Cells())
	c.perRun = regressionBatchesOf(s.Replications(), cells)
	if c.perRun < 2 {
		return c
	}
	averages := make([]float64, len(combinations))
	for i, combination := range combinations {
		part := s.combinationAfter(w, combination)
		c.parts = append(c.parts, part)
		averages[i] = part.value
		var means []float64
		if !part.constant() {
			means = c.batches(part)
		}
		c.means = append(c.means, means)
	}
	c.fit = newRegression(c.means, c.mostControls())
	c.mean = c.fit.whiten(averages)
	c.delete = c.deletions()
	return c
}

// regressionBatchesOf is the number of batches in each of so many replications
// of so many cells.
func regressionBatchesOf(replications, cells int) int {
	return min(max(2, regressionBatches/replications), cells)
}

func (c *Controls) mostControls() int { return c.Observations() / batchesPerControl }

// batches are the means of the regression batches about the overall mean.
func (c *Controls) batches(part sample) []float64 {
	size := part.perRun / c.perRun
	means := make([]float64, 0, c.perRun*part.runs)
	for r := range part.runs {
		run := part.run(r)
		for first := part.perRun - c.perRun*size; first < part.perRun; first += size {
			means = append(means, mean(run[first:first+size]))
		}
	}
	centre(means)
	return means
}

// Observations is the number of batch means in the regression.
func (c *Controls) Observations() int { return c.perRun * c.series.Replications() }

// Rank is the number of controls in use.
func (c *Controls) Rank() int { return c.fit.rank() }

// WarmedUp is what was left out.
func (c *Controls) WarmedUp() WarmUp { return c.warmUp }

// Function is [Series.Function] of the improved means.
func (c *Controls) Function(columns []int, f func(means []float64) (value float64, gradient []float64), level float64) Estimate {
	if len(columns) == 0 {
		panic("estimate: a function needs at least one column")
	}
	parts := make([]sample, len(columns))
	for i, column := range columns {
		parts[i] = c.residual(column)
	}
	return functionOf(parts, f, c.warmUp, checkedLevel(level), func(e Estimate, gradient []float64) Estimate {
		return c.widened(e, c.influence(columns, gradient))
	})
}

// Paired is [Series.Function] of means of two kinds, those of the first columns
// improved by the controls of c, those of the second by the controls of other,
// which must have been fitted to the same series after the same warm-up. The
// cells stay paired: what the two kinds have in common cancels in a difference.
func (c *Controls) Paired(first []int, other *Controls, second []int, f func(means []float64) (value float64, gradient []float64), level float64) Estimate {
	if c.series != other.series || c.warmUp.Cells != other.warmUp.Cells || len(first) == 0 || len(second) == 0 {
		panic("estimate: pairs of different series or warm-ups, or of nothing")
	}
	var parts []sample
	for _, column := range first {
		parts = append(parts, c.residual(column))
	}
	for _, column := range second {
		parts = append(parts, other.residual(column))
	}
	return functionOf(parts, f, c.warmUp, checkedLevel(level), func(e Estimate, gradient []float64) Estimate {
		own, others := c.influence(first, gradient[:len(first)]), other.influence(second, gradient[len(first):])
		return e.inflated(pairedInflation(
			c.inflation(), parts[0].cellVariance(), other.inflation(), parts[len(first)].cellVariance())).orSpread(own.plus(others))
	})
}

// pairedInflation weights two inflations by the variances they belong to.
func pairedInflation(a inflation, varianceA float64, b inflation, varianceB float64) inflation {
	out := inflation{math.Max(a.factor, b.factor), math.Min(a.degreesOfFreedom, b.degreesOfFreedom)}
	if both := varianceA + varianceB; both > 0 {
		out.factor = math.Sqrt((a.factor*a.factor*varianceA + b.factor*b.factor*varianceB) / both)
	}
	return out
}

// Mean is [Series.Mean] with the controls.
func (c *Controls) Mean(column int, level float64) Estimate {
	part := c.residual(column)
	e := c.widened(part.interval(checkedLevel(level)), c.influence([]int{column}, []float64{1}))
	return e.withWarnings(part, c.warmUp)
}

// WarmUp is [Series.WarmUp] of the residuals: where the controls take the
// memory out of a column, they take its transient with it. It panics if the
// regression was fitted after a warm-up.
func (c *Controls) WarmUp(columns ...int) WarmUp {
	if c.warmUp.Cells > 0 {
		panic("estimate: warm-up of a regression that has left one out")
	}
	averages := make([][]float64, len(columns))
	for i, column := range columns {
		part := c.residual(column)
		averages[i] = make([]float64, part.perRun)
		weight := 1 / float64(part.runs)
		for k, d := range part.deviations {
			averages[i][k%part.perRun] += d * weight
		}
	}
	return c.series.warmUpFrom(averages)
}

// residual is the sample of y - β·C.
func (c *Controls) residual(column int) sample {
	if part, known := c.fitted[column]; known {
		return part
	}
	part := c.series.sampleAfter(c.warmUp, column)
	if c.Rank() > 0 && !part.constant() {
		for i, coefficient := range c.fit.coefficients(c.batches(part)) {
			control := c.parts[c.fit.kept[i]]
			part.value -= coefficient * control.value
			for k, d := range control.deviations {
				part.deviations[k] -= coefficient * d
			}
		}
	}
	c.fitted[column] = part
	return part
}

// Validation holds the gain for a column against observations that the
// coefficients were not fitted to: half of the batches predict the other half,
// and the answer is the variance of the residual batch means that was claimed
// divided by the one found. Somewhat less than 1 is to be expected, about
// 1 - 3 Rank/Observations; much less says that the regression has learned
// noise, or that a few batches went where the others never were.
func (c *Controls) Validation(column int) float64 {
	if c.Rank() == 0 {
		return 1
	}
	residual := c.batches(c.residual(column))
	found := unconfirmed(c.means, c.batches(c.series.sampleAfter(c.warmUp, column)), c.perRun, c.mostControls())
	if found == 0 {
		return 1
	}
	return dot(residual, residual) / found
}

// Hotelling is T²/Rank for the hypothesis that all controls in use have mean 0
// (H. Hotelling, Annals of Mathematical Statistics 2, 1931), batch means taken as
// independent: about 1 where it holds, 0 without controls. In a finite run that
// never saw a rare state, a control that balances there what it adds elsewhere
// goes without its counterweight; what is fitted with it may be far off.
func (c *Controls) Hotelling() float64 {
	if c.Rank() == 0 {
		return 0
	}
	n := float64(c.Observations())
	return n * (n - 1) * dot(c.mean, c.mean) / float64(c.Rank())
}

// VarianceFreedom is the number of degrees of freedom that the residual variance
// of a column has by the kurtosis κ of its n batch means, 2n/(κ-1): n for normal
// ones, about twice the number of events where rare events make up the variance.
// +Inf without variance.
func (c *Controls) VarianceFreedom(column int) float64 {
	second, fourth := 0.0, 0.0
	if c.Rank() > 0 {
		means := c.batches(c.residual(column))
		size := powerOfTwoScale(means)
		for _, x := range means {
			square := x * size * x * size
			second += square
			fourth += square * square
		}
	}
	n := float64(c.Observations())
	if spread := n*fourth - second*second; spread > 0 {
		return 2 * n * second * second / spread
	}
	return math.Inf(1)
}

// inflation is what the regression adds to a standard error.
type inflation struct {
	factor           float64
	degreesOfFreedom float64 // of the regression
}

func (c *Controls) inflation() inflation {
	n, q := float64(c.Observations()), float64(c.Rank())
	if q == 0 {
		return inflation{1, math.Inf(1)}
	}
	left := n - 1 - q
	factor := (1 + n*dot(c.mean, c.mean)) * (n - 1) / left
	return inflation{math.Sqrt(factor), left}
}

// roundingShare bounds what rounding in long sums leaves of a value whose
// residual has no variance at all.
const roundingShare = 1e-11

// inflated widens an interval for the coefficients having been fitted.
func (e Estimate) inflated(i inflation) Estimate {
	if e.Status != Usable || i.factor == 1 {
		return e
	}
	out := e.withStandardError(e.StandardError*i.factor, i.degreesOfFreedom)
	if out.Status == Usable {
		// Rounding has no correlation time.
		out.StandardError = math.Hypot(out.StandardError, roundingShare*e.Value)
		out.HalfWidth = out.halfWidthAt(e.Level)
	}
	return out
}
