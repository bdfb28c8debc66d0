package coxian

import "math"

// inSecondPhase returns b times G(x)/μ1, where
//
//	G(x)/μ1 = (e^{-μ2 x} - e^{-μ1 x})/(μ1 - μ2) = e^{-min x} (1 - e^{-|μ1-μ2| x})/|μ1-μ2|.
//
// pG(x) is the probability of being in phase 2 at time x.
func (d Dist) inSecondPhase(b, x float64) float64 {
	if b == 0 {
		return 0
	}
	slow, difference := math.Min(d.Mu1, d.Mu2), math.Abs(d.Mu1-d.Mu2)
	return decay(b*overlap(difference, x), slow, x)
}

// Prob returns the density q μ1 e^{-μ1 x} + p μ2 G(x) at x, 0 for x < 0.
func (d Dist) Prob(x float64) float64 {
	if x < 0 {
		return 0
	}
	return decay(d.exit()*d.Mu1, d.Mu1, x) + d.inSecondPhase(d.P*d.Mu1*d.Mu2, x)
}

// LogProb returns the logarithm of the density at x. It is finite wherever the
// density is positive, also where Prob underflows; -Inf for x < 0 and, when
// P = 1, at x = 0.
func (d Dist) LogProb(x float64) float64 {
	if x < 0 || math.IsInf(x, 1) {
		return math.Inf(-1)
	}
	if d.P == 0 {
		return math.Log(d.Mu1) - d.Mu1*x
	}
	if f := d.Prob(x); f > 1e-290 {
		return math.Log(f)
	}
	slow, difference := math.Min(d.Mu1, d.Mu2), math.Abs(d.Mu1-d.Mu2)
	density := decay(d.exit()*d.Mu1, d.Mu1-slow, x) + d.P*d.Mu1*d.Mu2*overlap(difference, x)
	return math.Log(density) - slow*x
}

// CDF returns P(S <= x), with full relative accuracy also where it is tiny:
//
//	q (1 - e^{-μ1 x}) + p H(x),
//
// where H is the distribution function of the sum of both phases. With
// m = min(μ1, μ2), D = |μ1 - μ2| and φ(t) = (1 - e^{-t})/t,
//
//	H(x) = 1 - e^{-m x}(1 + m x φ(D x)) = [1 - e^{-m x}(1 + m x)] + m x e^{-m x} (1 - φ(D x)),
//
// both parts being positive.
func (d Dist) CDF(x float64) float64 {
	if x <= 0 {
		return 0
	}
	if s := d.Survival(x); s < 0.25 {
		return 1 - s
	}
	return d.exit()*-math.Expm1(-d.Mu1*x) + d.P*d.bothPhasesCDF(x)
}

func (d Dist) bothPhasesCDF(x float64) float64 {
	if d.P == 0 {
		return 0
	}
	slow, difference := math.Min(d.Mu1, d.Mu2), math.Abs(d.Mu1-d.Mu2)
	a := slow * x
	return erlang2CDF(a) + decay(a*shortfall(difference*x), slow, x)
}

// Survival returns P(S > x) = e^{-μ1 x} + p G(x), 1 for x < 0.
func (d Dist) Survival(x float64) float64 {
	if x <= 0 {
		return 1
	}
	return decay(1, d.Mu1, x) + d.inSecondPhase(d.P*d.Mu1, x)
}

// LogSurvival returns log P(S > x), accurate near x = 0, where it is close to
// 0, and in the tail beyond the underflow of Survival.
func (d Dist) LogSurvival(x float64) float64 {
	switch {
	case x <= 0:
		return 0
	case d.P == 0 || math.IsInf(x, 1):
		return -d.Mu1 * x
	}
	switch s := d.Survival(x); {
	case s > 0.5:
		return math.Log1p(-d.CDF(x))
	case s > 1e-290:
		return math.Log(s)
	}
	slow, difference := math.Min(d.Mu1, d.Mu2), math.Abs(d.Mu1-d.Mu2)
	scaled := decay(1, d.Mu1-slow, x) + d.P*d.Mu1*overlap(difference, x)
	return math.Log(scaled) - slow*x
}

// Mode returns the point where the density is largest: 0 if p μ2 <= q μ1, else
// the root of f',
//
//	x = log(1 + δc)/δ, c = (1 - q μ1/(p μ2))/μ2, δ = μ1 - μ2,
//
// whose limit at μ1 = μ2 is c.
func (d Dist) Mode() float64 {
	// pμ2 - qμ1, rearranged so that only one subtraction of inputs remains.
	rise := d.P*(d.Mu1+d.Mu2) - d.Mu1
	if rise <= 0 {
		return 0
	}
	c := rise / (d.P * d.Mu2) / d.Mu2
	difference := d.Mu1 - d.Mu2
	t := difference * c
	switch {
	case math.Abs(t) < 1e-17:
		return c
	case t > -0.5:
		return math.Log1p(t) / difference
	}
	// Far from μ1 = μ2: 1 + δc = μ1 (μ2 - q μ1)/(p μ2²).
	return math.Log(d.Mu1/d.Mu2*((d.Mu2-d.exit()*d.Mu1)/(d.P*d.Mu2))) / difference
}
