package coxian

import "math"

// Remaining is the law of the time a service still takes when it is in phase 1
// of Law with probability Phase1 and in phase 2 with probability Phase2
// (Phase1 + Phase2 = 1). Law itself is the case Phase1 = 1.
type Remaining struct {
	Law            Dist    // the service law whose phases are meant
	Phase1, Phase2 float64 // probabilities of the phases; they add up to 1
}

// Residual returns the equilibrium law of S, that of the remaining service
// time of the job found in service at a random instant: its survival function
// is ∫_x^∞ P(S > u) du / E S and its density P(S > x)/E S. A random instant
// finds phase 1 with probability proportional to 1/μ1, the expected time spent
// there, and phase 2 with probability proportional to p/μ2.
func (d Dist) Residual() Remaining {
	odds := d.P * (d.Mu1 / d.Mu2)
	return Remaining{Law: d, Phase1: 1 / (1 + odds), Phase2: odds / (1 + odds)}
}

// Residual returns the equilibrium law of the remaining time, again on the
// same two phases.
func (r Remaining) Residual() Remaining {
	odds := r.Phase1*r.Law.P*(r.Law.Mu1/r.Law.Mu2) + r.Phase2*(r.Law.Mu1/r.Law.Mu2)
	if r.Phase1 == 0 {
		return r
	}
	odds /= r.Phase1
	return Remaining{Law: r.Law, Phase1: 1 / (1 + odds), Phase2: odds / (1 + odds)}
}

// Prob returns the density at x, 0 for x < 0.
func (r Remaining) Prob(x float64) float64 {
	if x < 0 {
		return 0
	}
	return r.Phase1*r.Law.Prob(x) + decay(r.Phase2*r.Law.Mu2, r.Law.Mu2, x)
}

// LogProb returns the logarithm of the density at x, also where the density
// underflows.
func (r Remaining) LogProb(x float64) float64 {
	if r.Phase2 == 0 {
		return r.Law.LogProb(x)
	}
	if x < 0 {
		return math.Inf(-1)
	}
	return logSum(math.Log(r.Phase1)+r.Law.LogProb(x), math.Log(r.Phase2*r.Law.Mu2)-r.Law.Mu2*x)
}

// CDF returns the probability that at most x is left.
func (r Remaining) CDF(x float64) float64 {
	if x <= 0 {
		return 0
	}
	return r.Phase1*r.Law.CDF(x) + r.Phase2*-math.Expm1(-r.Law.Mu2*x)
}

// Survival returns the probability that more than x is left.
func (r Remaining) Survival(x float64) float64 {
	if x <= 0 {
		return 1
	}
	return r.Phase1*r.Law.Survival(x) + decay(r.Phase2, r.Law.Mu2, x)
}

// LogSurvival returns the logarithm of Survival, also where that underflows.
func (r Remaining) LogSurvival(x float64) float64 {
	switch {
	case x <= 0:
		return 0
	case r.Phase2 == 0:
		return r.Law.LogSurvival(x)
	}
	if s := r.Survival(x); s > 0.5 {
		return math.Log1p(-r.CDF(x))
	}
	return logSum(math.Log(r.Phase1)+r.Law.LogSurvival(x), math.Log(r.Phase2)-r.Law.Mu2*x)
}

// Hazard returns the hazard rate at x, 0 for x < 0: as for [Dist.Hazard] the
// average of the exit rates of the phases, with odds of phase 2 against phase 1
// r(x) + (Phase2/Phase1) e^{(μ1-μ2)x}.
func (r Remaining) Hazard(x float64) float64 {
	switch {
	case x < 0:
		return 0
	case r.Phase1 == 0:
		return r.Law.Mu2
	}
	return r.Law.averageExitRate(r.secondPhaseOdds(x))
}

func (r Remaining) secondPhaseOdds(x float64) float64 {
	odds := 0.0
	if r.Law.P > 0 {
		odds = r.Law.secondPhaseOdds(x)
	}
	difference := r.Law.Mu1 - r.Law.Mu2
	if r.Phase2 == 0 || difference == 0 {
		return odds + r.Phase2/r.Phase1
	}
	half := math.Exp(difference * x / 2)
	return odds + r.Phase2/r.Phase1*half*half
}

// Mean returns the expected time left.
func (r Remaining) Mean() float64 { return r.Moment(1) }

// Moment returns the k-th moment of the time left; it panics if k < 0. For the
// equilibrium law of S it is E[S^{k+1}]/((k+1) E S).
func (r Remaining) Moment(k int) float64 {
	if k < 0 {
		panic("coxian: moment of negative order")
	}
	return factorial(k) * reducedMoment(r.Law, r.Phase1, r.Phase2, k)
}

// Variance returns the variance of the time left: the mean over the starting
// phase of the conditional variances, plus the variance of the conditional
// means, 1/μ1 + p/μ2 in phase 1 and 1/μ2 in phase 2.
func (r Remaining) Variance() float64 {
	gap := 1/r.Law.Mu1 - r.Law.exit()/r.Law.Mu2
	return r.Phase1*r.Law.Variance() + r.Phase2/(r.Law.Mu2*r.Law.Mu2) + r.Phase1*r.Phase2*gap*gap
}

// StdDev returns the square root of the variance.
func (r Remaining) StdDev() float64 { return math.Sqrt(r.Variance()) }

// SCV returns Variance/Mean².
func (r Remaining) SCV() float64 {
	ratio := r.StdDev() / r.Mean()
	return ratio * ratio
}

// Laplace returns the transform E[e^{-sT}]; +Inf where the expectation is.
func (r Remaining) Laplace(s float64) float64 {
	slow := r.Law.slowRate()
	if r.Phase2 > 0 {
		slow = math.Min(slow, r.Law.Mu2)
	}
	if s <= -slow {
		return math.Inf(1)
	}
	return transform(r.Law, r.Phase1, r.Phase2, s)
}

// logSum returns log(e^a + e^b).
func logSum(a, b float64) float64 {
	if a < b {
		a, b = b, a
	}
	if math.IsInf(a, -1) {
		return a
	}
	return a + math.Log1p(math.Exp(b-a))
}

// MeanExcess returns E(S - x)⁺ = E S · P(residual > x), E S - x for x < 0.
func (d Dist) MeanExcess(x float64) float64 {
	if x < 0 {
		return d.Mean() - x
	}
	return d.Mean() * d.Residual().Survival(x)
}
