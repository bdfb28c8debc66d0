package coxian

import "math"

// law is what the quantile solvers need of a distribution on [0, ∞).
type law interface {
	Prob(x float64) float64
	CDF(x float64) float64
	LogSurvival(x float64) float64
	Hazard(x float64) float64
	Mean() float64

	// densityBound returns a, b >= 0 with density at most a + bx at x.
	densityBound() (a, b float64)
}

func (d Dist) densityBound() (a, b float64) { return d.exit() * d.Mu1, d.P * d.Mu1 * d.Mu2 }

func (r Remaining) densityBound() (a, b float64) {
	a, b = r.Law.densityBound()
	return r.Phase1*a + r.Phase2*r.Law.Mu2, r.Phase1 * b
}

// Quantile returns the x with CDF(x) = p: 0 at p = 0 and +Inf at p = 1. It
// panics if p lies outside [0, 1] or is NaN, as the laws of gonum do.
//
// The result is exact for a probability within a few units in the last place
// of p (below 1/2) or of 1-p (above): relative accuracy 1e-13 wherever the
// density leaves the problem well conditioned.
func (d Dist) Quantile(p float64) float64 {
	if d.P == 0 && p >= 0 && p <= 1 {
		return -math.Log1p(-p) / d.Mu1
	}
	return quantile(d, p)
}

// SurvivalQuantile returns the x with P(S > x) = q, for q as small as 1e-300
// and below: +Inf at q = 0 and 0 at q = 1. It panics if q lies outside [0, 1].
func (d Dist) SurvivalQuantile(q float64) float64 {
	if d.P == 0 && q >= 0 && q <= 1 {
		return exponentialTail(q) / d.Mu1
	}
	return survivalQuantile(d, q)
}

// Median returns the 1/2 quantile.
func (d Dist) Median() float64 { return d.Quantile(0.5) }

// Quantile returns the x with CDF(x) = p; it panics if p lies outside [0, 1].
func (r Remaining) Quantile(p float64) float64 { return quantile(r, p) }

// SurvivalQuantile returns the x with Survival(x) = q; it panics if q lies
// outside [0, 1].
func (r Remaining) SurvivalQuantile(q float64) float64 { return survivalQuantile(r, q) }

// Median returns the 1/2 quantile.
func (r Remaining) Median() float64 { return r.Quantile(0.5) }

// exponentialTail returns -log q, from 1-q (exact there) when q is above 1/2.
func exponentialTail(q float64) float64 {
	if q > 0.5 {
		return -math.Log1p(q - 1)
	}
	return -math.Log(q)
}

func quantile[L law](l L, p float64) float64 {
	switch {
	case !(p >= 0 && p <= 1):
		panic("coxian: quantile of a probability outside [0, 1]")
	case p > 0.5:
		return survivalQuantile(l, 1-p)
	case p == 0:
		return 0
	}
	// CDF(x) <= ax + bx²/2, so that the start is a lower bound, sharp for small p.
	a, b := l.densityBound()
	start := 2 * p / (a + math.Hypot(a, math.Sqrt(2*b)*math.Sqrt(p)))
	return solve(start, func(x float64) (residual, slope float64) {
		f := l.CDF(x)
		return logRatio(f, p), x * l.Prob(x) / f
	})
}

func survivalQuantile[L law](l L, q float64) float64 {
	switch {
	case !(q >= 0 && q <= 1):
		panic("coxian: survival quantile of a probability outside [0, 1]")
	case q > 0.5:
		return quantile(l, 1-q)
	case q == 0:
		return math.Inf(1)
	}
	logQ := math.Log(q)
	return solve(-l.Mean()*logQ, func(x float64) (residual, slope float64) {
		return logQ - l.LogSurvival(x), x * l.Hazard(x)
	})
}

// logRatio returns log(a/b), accurate when a is close to b.
func logRatio(a, b float64) float64 {
	if a > b/2 && a < 2*b {
		return math.Log1p((a - b) / b)
	}
	return math.Log(a) - math.Log(b)
}

// solve finds the root x > 0 of a function that increases in x, given with its
// derivative in log x, by Newton steps kept inside a bracket. Steps are taken
// in log x when x shrinks and in x when it grows, the variables in which the
// logarithms of a distribution and of a survival function are nearly straight.
// Every eighth step is a bisection, which bounds the work where Newton crawls.
func solve(start float64, f func(x float64) (residual, slope float64)) float64 {
	x, low, high := start, 0.0, math.Inf(1)
	for iteration := range 400 {
		residual, slope := f(x)
		switch {
		case residual == 0:
			return x
		case residual < 0:
			low = x
		default:
			high = x
		}
		relative := -residual / slope
		next := x * (1 + relative)
		if relative < 0 {
			next = x * math.Exp(relative)
		}
		if math.Abs(relative) < epsilon/2 {
			return x
		}
		if math.Abs(relative) < 1e-9 && next > low && next < high {
			return next // quadratic convergence: the next correction is below rounding
		}
		if !(next > low && next < high) || iteration%8 == 7 {
			next = bisect(low, high, x)
		}
		if next == x || next <= low || next >= high {
			return x
		}
		x = next
	}
	return x
}

// bisect returns the geometric middle of the bracket, and moves by a factor of
// 16 towards an end that is not known yet.
func bisect(low, high, x float64) float64 {
	switch {
	case math.IsInf(high, 1):
		return x * 16
	case low == 0:
		return x / 16
	}
	return math.Sqrt(low) * math.Sqrt(high)
}
