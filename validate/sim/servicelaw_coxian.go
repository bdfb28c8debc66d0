package sim

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// PartialMoment splits the law by what happens after phase 1: with
// probability 1-p the job is done, Exp(μ1); with p it is the sum of Exp(μ1)
// and Exp(μ2).
func (l coxianLaw) PartialMoment(k int, x float64) float64 {
	d := l.dist
	short := gammaPartialMoment(1, 1/d.Mu1, k, x)
	if d.P == 0 {
		return short
	}
	return (1-d.P)*short + d.P*sumPartialMoment(d.Mu1, d.Mu2, k, x)
}

// gammaPartialMoment is E[S^k; S <= x] for the gamma law of integer shape n
// and the given scale,
//
//	scale^k n (n+1) .. (n+k-1) P(n+k, x/scale),
//
// P the regularised lower incomplete gamma function.
func gammaPartialMoment(shape, scale float64, k int, x float64) float64 {
	if x <= 0 {
		return 0
	}
	factor := 1.0
	for j := range k {
		factor *= scale * (shape + float64(j))
	}
	if math.IsInf(x, 1) {
		return factor
	}
	return factor * mathext.GammaIncReg(shape+float64(k), x/scale)
}

// sumPartialMoment is E[S^k; S <= x] for S = Exp(fast) + Exp(slow). Its density
// is a b ∫ e^{-a t} e^{-b (s-t)} dt over t in [0, s]. For rates that differ by
// more than a third it is the difference of two exponential terms,
//
//	(a G_b - b G_a)/(a - b),  G_r = E[Exp(r)^k; Exp(r) <= x],
//
// else, where that cancels, the mixture of gamma laws of rate a = the larger,
// with shape 2 + j of probability (b/a)(1 - b/a)^j.
func sumPartialMoment(first, second float64, k int, x float64) float64 {
	a, b := math.Max(first, second), math.Min(first, second)
	ratio := b / a
	if ratio < 2./3 {
		return (a*gammaPartialMoment(1, 1/b, k, x) - b*gammaPartialMoment(1, 1/a, k, x)) / (a - b)
	}
	sum, weight := 0.0, ratio
	for shape := 2.0; weight > 1e-18; shape++ {
		sum += weight * gammaPartialMoment(shape, 1/a, k, x)
		weight *= 1 - ratio
	}
	return sum
}
