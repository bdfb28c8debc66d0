package estimate

import "math"

// interval is the estimate for one sample; warnings other than "no cells" are
// left to the caller.
//
// With Y_1..Y_n the chosen batch means, s² their variance, r their lag-one
// correlation and g their skewness,
//
//	SE² = s²/n · max(1, (1+r)/(1−r)),
//	half-width = t_{n−1} · SE · (1 + g²(z⁴+2z²−3)/(18 n)),
//
// t and z the two-sided Student and normal quantiles. The last factor is the
// skewness term of the Edgeworth expansion of a symmetric Student interval
// (P. Hall, The Bootstrap and Edgeworth Expansion, 1992), without the term in
// the kurtosis, which is smaller at the usual levels and poorly known.
func (s sample) interval(level float64) Estimate {
	if s.perRun == 0 {
		return undefined(level, "no cells left after the warm-up")
	}
	e := Estimate{Level: level, Value: s.value, Cells: len(s.deviations)}
	if s.constant() {
		e.Status = Constant
		return e
	}
	scaled, scale := s.scaled()
	batches := scaled.chooseBatching()
	n := float64(batches.count())
	// Batches may leave a few cells out; the mean does not.
	used := float64(batches.perRun*batches.size) / float64(s.perRun)
	variance := batches.variance / n * used * batches.correlationFactor()
	if variance == 0 {
		// Cells that differ in batches that do not: alternating numbers.
		e.Status = Constant
		return e
	}
	e.Status = Usable
	e.StandardError = math.Sqrt(variance) / scale
	e.DegreesOfFreedom = n - 1
	e.EffectiveSample = scaled.cellVariance() / variance
	e.CorrelationTimes = e.EffectiveSample / float64(s.runs)
	e.Batches = batches.count()
	e.Skewness = batches.skewness
	e.HalfWidth = e.halfWidthAt(level)
	if batches.perRun > 1 {
		e.Lag1 = batches.lag1
	}
	if !e.finite() {
		return undefined(level, "the standard error is too large or too small for a floating-point number")
	}
	return e
}

// scaled brings the deviations to order one by a power of two.
func (s sample) scaled() (sample, float64) {
	scale := powerOfTwoScale(s.deviations)
	out := s
	out.deviations = make([]float64, len(s.deviations))
	for i, d := range s.deviations {
		out.deviations[i] = d * scale
	}
	return out, scale
}

// cellVariance is that of a single cell average about the overall mean.
func (s sample) cellVariance() float64 {
	squares := 0.0
	for _, d := range s.deviations {
		squares += d * d
	}
	return squares / float64(len(s.deviations)-1)
}

// HalfWidthAt is the half-width at another level in (0, 1), 0 for an estimate
// that is not Usable.
func (e Estimate) HalfWidthAt(level float64) float64 {
	if e.Status != Usable {
		return 0
	}
	return e.halfWidthAt(level)
}

// halfWidthAt gives the half-width that another level would have had.
func (e Estimate) halfWidthAt(level float64) float64 {
	return studentQuantile(level, e.DegreesOfFreedom) * e.StandardError *
		skewnessFactor(level, e.Skewness, float64(e.Batches))
}

// skewnessFactor is at most about 2 at level 0.95: the squared skewness of n
// numbers is at most about n.
func skewnessFactor(level, skewness, n float64) float64 {
	z := normalQuantile(level)
	return 1 + skewness*skewness*math.Max(0, z*z*z*z+2*z*z-3)/(18*n)
}
