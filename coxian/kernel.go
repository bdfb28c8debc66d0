package coxian

import "math"

// The kernels below are the only places where exponentials are subtracted.
// Each is written as a sum of positive terms.

// decay returns b e^{-rate·x} for b >= 0. The rounding error of rate·x is
// compensated, and the exponential is applied in pieces where it would
// underflow before the product does.
func decay(b, rate, x float64) float64 {
	y := rate * x
	if y > 1e4 { // beyond the range of any b, and keeps Inf·0 away
		return 0
	}
	rounding := math.FMA(rate, x, -y)
	if y > 700 {
		piece := math.Exp(-y / 4)
		b = b * piece * piece * piece * piece
	} else {
		b *= math.Exp(-y)
	}
	return b - b*rounding
}

// overlap returns ∫_0^x e^{-difference·u} du = (1 - e^{-difference·x})/difference
// for difference >= 0, and x at difference = 0.
func overlap(difference, x float64) float64 {
	t := difference * x
	if t < 1e-17 {
		return x
	}
	return -math.Expm1(-t) / difference
}

// erlang2CDF returns 1 - (1+a)e^{-a}, the distribution function of Erlang-2 at
// rate 1. Below a = 1 it is a² e^{-a} Σ_k a^k/(k+2)!, all terms positive.
func erlang2CDF(a float64) float64 {
	if a >= 1 {
		return 1 - decay(1+a, 1, a)
	}
	sum, term := 0.0, 0.5
	for k := 3.0; term > 1e-17; k++ {
		sum += term
		term *= a / k
	}
	return a * a * math.Exp(-a) * sum
}

// shortfall returns 1 - (1 - e^{-t})/t for t >= 0, by its alternating Taylor
// series Σ_{k>=1} (-1)^{k+1} t^k/(k+1)! below t = 1/2, where consecutive terms
// fall by a factor of 6 at least.
func shortfall(t float64) float64 {
	if t >= 0.5 {
		return 1 + math.Expm1(-t)/t
	}
	sum, term := 0.0, 0.5
	for k := 3.0; math.Abs(term) > 1e-18; k++ {
		sum += term
		term *= -t / k
	}
	return t * sum
}

// growth returns (e^{difference·x} - 1)/difference times scale, for either sign
// of difference; +Inf where that exceeds the largest float64.
func growth(scale, difference, x float64) float64 {
	t := difference * x
	switch {
	case math.Abs(t) < 1e-17:
		return scale * x
	case t > 700:
		half := math.Exp(t / 2)
		return scale / difference * half * half
	}
	return scale * (math.Expm1(t) / difference)
}
