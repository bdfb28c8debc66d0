package estimate

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
)

const (
	// trustedSpread is the ratio of the jackknife's standard error to that of
	// the regression up to which the difference may be chance: with 16
	// replications the former has a relative error of 18%.
	trustedSpread = 1.5
	// nonStationary is the probability below which the correction by the
	// controls is taken not to have mean 0.
	nonStationary = 1e-3
	// shortShare of the least batch, which is some correlation times long: in a
	// replication shorter than that nothing but the replications is independent.
	shortShare = 0.25
)

// short tells whether the run is too short for the regression to know its own
// error: replications of less than a quarter of the least length of a batch, or
// of too few cells for the full number of batches.
func (c *Controls) short() bool {
	span, runs := c.series.Span(), c.series.Replications()
	cells := c.series.Cells() - min(c.warmUp.cellsAt(span), c.series.Cells())
	return float64(cells) < shortShare*float64(c.series.leastBatch/span) || c.perRun < regressionBatches/runs
}

// Cautious is for runs that hold few independent stretches: the larger of the two
// standard errors counts, chance or not, and in short runs the jackknife alone. It
// returns c.
func (c *Controls) Cautious() *Controls {
	c.cautious = true
	return c
}

// influence is what each replication does to an estimate: spread[r] is the
// estimate with replication r minus that without it, correction[r] the mean of
// β·C over the replication.
type influence struct {
	spread, correction []float64
	rank               int  // coefficients fitted
	cautious, short    bool // see [Controls.Cautious]
}

func (i influence) plus(other influence) influence {
	return influence{
		spread:     added(i.spread, 1, other.spread),
		correction: added(i.correction, 1, other.correction),
		rank:       max(i.rank, other.rank),
		cautious:   i.cautious || other.cautious,
		short:      i.short || other.short,
	}
}

// added is a + factor b; nil stands for zeros.
func added(a []float64, factor float64, b []float64) []float64 {
	out := make([]float64, max(len(a), len(b)))
	copy(out, a)
	for k, x := range b {
		out[k] += factor * x
	}
	return out
}

// deletions prepares the jackknife: row r holds the weights with which the
// residual batch means e of replication r add up to the estimate minus the one
// fitted without that replication. With Z the orthonormal columns of the
// regression, the constant among them, z the point at which all controls are 0,
// and H = Z_r Z_r',
//
//	z' Z_r' (I - H)⁻¹ e.
//
// A row is nil where I - H is singular: a control is seen in r alone, and
// [Controls.without] has to fit anew.
func (c *Controls) deletions() [][]float64 {
	if c.Rank() == 0 {
		return nil
	}
	out := make([][]float64, c.series.Replications())
	n := float64(c.Observations())
	for r := range out {
		first := r * c.perRun
		left := mat.NewSymDense(c.perRun, nil)
		point := mat.NewVecDense(c.perRun, nil)
		for i := range c.perRun {
			at := 1 / n
			for k, q := range c.fit.basis {
				at -= c.mean[k] * q[first+i]
			}
			point.SetVec(i, at)
			for j := i; j < c.perRun; j++ {
				h := 1 / n
				for _, q := range c.fit.basis {
					h += q[first+i] * q[first+j]
				}
				left.SetSym(i, j, float64(one(i == j))-h)
			}
		}
		var cholesky mat.Cholesky
		if !cholesky.Factorize(left) || cholesky.Cond() > 1e10 {
			continue
		}
		weights := mat.NewVecDense(c.perRun, nil)
		if cholesky.SolveVecTo(weights, point) == nil {
			out[r] = weights.RawVector().Data
		}
	}
	return out
}

// without is the estimate without replication r, from the controls that vary in
// the others: what r alone has seen, they cannot have a coefficient for.
func (c *Controls) without(r int, plain sample) float64 {
	first := r * c.perRun
	others := func(means []float64) (kept []float64, moved float64) {
		kept = slices.Concat(means[:first], means[first+c.perRun:])
		moved = mean(kept)
		centre(kept)
		return kept, moved
	}
	controls, averages := make([][]float64, len(c.means)), make([]float64, len(c.means))
	for _, k := range c.fit.kept {
		kept, moved := others(c.means[k])
		averages[k] = c.parts[k].value + moved
		if norm(kept) > dependentTolerance*norm(c.means[k]) {
			controls[k] = kept
		}
	}
	y, moved := others(c.batches(plain))
	value := plain.value + moved
	fit := newRegression(controls, len(y)/batchesPerControl)
	for i, coefficient := range fit.coefficients(y) {
		value -= coefficient * averages[fit.kept[i]]
	}
	return value
}

func one(c bool) int {
	if c {
		return 1
	}
	return 0
}

// influence is that of a linear combination of columns.
func (c *Controls) influence(columns []int, coefficients []float64) influence {
	out := influence{rank: c.Rank(), short: c.cautious && c.short(), cautious: c.cautious}
	if c.Rank() == 0 {
		return out
	}
	for i, column := range columns {
		residual := c.residual(column)
		plain := c.series.sampleAfter(c.warmUp, column)
		batches := c.batches(residual)
		spread, correction := make([]float64, residual.runs), make([]float64, residual.runs)
		for r := range spread {
			if c.delete[r] != nil {
				spread[r] = dot(c.delete[r], batches[r*c.perRun:(r+1)*c.perRun])
			} else {
				spread[r] = residual.value - c.without(r, plain)
			}
			correction[r] = plain.value - residual.value + mean(plain.run(r)) - mean(residual.run(r))
		}
		out.spread = added(out.spread, coefficients[i], spread)
		out.correction = added(out.correction, coefficients[i], correction)
	}
	return out
}

// widened accounts for the coefficients having been fitted.
func (c *Controls) widened(e Estimate, i influence) Estimate {
	return e.inflated(c.inflation()).orSpread(i)
}

// orSpread takes the standard error of the jackknife if that is larger by more
// than chance, and multiplies it by Student's t where the corrections do not
// have mean 0. In short runs for which caution is asked the jackknife alone counts,
// for the value too: the coefficients are learned from the excursions whose part they
// then take away, a bias of the order of one over the number of replications, which
// is found from the estimates that leave out one (M. H. Quenouille, Biometrika 43,
// 1956). Every coefficient costs a degree of freedom, at most half of them.
func (e Estimate) orSpread(i influence) Estimate {
	if e.Status != Usable || len(i.spread) == 0 {
		return e
	}
	runs := float64(len(i.spread))
	average, deviation := meanAndDeviation(i.spread)
	spread := deviation * (runs - 1) / math.Sqrt(runs)
	trusted := trustedSpread
	if i.cautious {
		trusted = 1
	}
	switch {
	case i.short:
		e.Value += (runs - 1) * average
		e = e.withStandardError(math.Hypot(spread, roundingShare*e.Value), math.Max(runs-1-float64(i.rank), (runs-1)/2))
	case !(spread <= trusted*e.StandardError):
		e = e.withStandardError(spread, runs-1)
	}
	if t := studentOf(i.correction); t > studentQuantile(1-nonStationary, runs-1) {
		e = e.withStandardError(t*e.StandardError, runs-1)
	}
	return e
}

// withStandardError replaces the standard error.
func (e Estimate) withStandardError(error, degreesOfFreedom float64) Estimate {
	if e.Status != Usable {
		return e
	}
	ratio := error / e.StandardError
	e.StandardError = error
	e.EffectiveSample /= ratio * ratio
	e.CorrelationTimes /= ratio * ratio
	e.DegreesOfFreedom = math.Min(e.DegreesOfFreedom, degreesOfFreedom)
	e.HalfWidth = e.halfWidthAt(e.Level)
	if !e.finite() {
		return undefined(e.Level, "the coefficients of the control variates are not determined by all but one of the replications")
	}
	return e
}

func meanAndDeviation(values []float64) (average, deviation float64) {
	average = mean(values)
	for _, x := range values {
		deviation += (x - average) * (x - average)
	}
	return average, math.Sqrt(deviation / float64(len(values)-1))
}

// studentOf is |mean| over its standard error, 0 for zeros.
func studentOf(values []float64) float64 {
	average, deviation := meanAndDeviation(values)
	if deviation == 0 {
		return 0
	}
	return math.Abs(average) / deviation * math.Sqrt(float64(len(values)))
}

// MeanZero is the probability that the correction of a column by the controls,
// had it mean 0, would be at least as large (Student's test on the replication
// means). 1 without controls.
func (c *Controls) MeanZero(column int) float64 {
	if c.Rank() == 0 {
		return 1
	}
	t := studentOf(c.influence([]int{column}, []float64{1}).correction)
	return 2 * distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(c.series.Replications() - 1)}.Survival(t)
}

// Stationary tells whether the correction of a column goes with mean 0.
func (c *Controls) Stationary(column int) bool { return c.MeanZero(column) >= nonStationary }
