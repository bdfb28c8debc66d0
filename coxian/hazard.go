package coxian

import "math"

// HazardClass says how the hazard rate f/S moves with the age of a service.
type HazardClass int

// The hazard rate of a Coxian-2 law is monotone.
const (
	Constant   HazardClass = iota // exponential: (1-p)μ1 = μ2, or p = 0
	Increasing                    // (1-p)μ1 < μ2; scv below 1
	Decreasing                    // (1-p)μ1 > μ2; scv above 1
)

// String returns "constant", "increasing" or "decreasing".
func (c HazardClass) String() string {
	switch c {
	case Constant:
		return "constant"
	case Increasing:
		return "increasing"
	case Decreasing:
		return "decreasing"
	}
	return "unknown"
}

// Hazard returns the hazard rate f(x)/S(x), 0 for x < 0. It is the average of
// the exit rates of the two phases under the law of the phase at age x,
//
//	h(x) = [(1-p) μ1 + μ2 r(x)]/(1 + r(x)),  r(x) = p μ1 (e^{(μ1-μ2)x} - 1)/(μ1 - μ2),
//
// r being the odds of phase 2 against phase 1. So h(0) = (1-p)μ1, and h tends
// to min(μ1, μ2) if p > 0 and is μ1 if p = 0. (A published formula with
// e^{(1+p)μ1 x} in place of r is not the hazard rate of this law.)
func (d Dist) Hazard(x float64) float64 {
	switch {
	case x < 0:
		return 0
	case d.P == 0:
		return d.Mu1
	}
	return d.averageExitRate(d.secondPhaseOdds(x))
}

// averageExitRate is the rate of leaving when the odds of phase 2 against
// phase 1 are as given.
func (d Dist) averageExitRate(odds float64) float64 {
	if odds > maxFloat {
		return d.Mu2
	}
	return d.exit()*d.Mu1/(1+odds) + d.Mu2*(odds/(1+odds))
}

// secondPhaseOdds is r(x), P(in phase 2 at x)/P(in phase 1 at x).
func (d Dist) secondPhaseOdds(x float64) float64 {
	if math.IsInf(x, 1) {
		if d.Mu1 < d.Mu2 {
			return d.P * d.Mu1 / (d.Mu2 - d.Mu1)
		}
		return x
	}
	return growth(d.P*d.Mu1, d.Mu1-d.Mu2, x)
}

// HazardClass tells whether the hazard rate is increasing, decreasing or
// constant by comparing (1-p)μ1 with μ2. They count as equal when they agree
// to 4 units in the last place (relative 8.9e-16), the rounding that parameters
// of an exponential law carry when they come out of a formula.
func (d Dist) HazardClass() HazardClass {
	first, second := d.exit()*d.Mu1, d.Mu2
	switch {
	case d.P == 0 || math.Abs(first-second) <= 4*epsilon*second:
		return Constant
	case first < second:
		return Increasing
	}
	return Decreasing
}

// epsilon is the spacing of float64 at 1.
const epsilon = 0x1p-52

// IsExponential tells whether the law is exponential, which it is not only
// at P = 0 but whenever (1-p)μ1 = μ2; (μ1, p, μ2) = (2, 0.5, 1) is the
// exponential law of mean 1.
func (d Dist) IsExponential() bool { return d.HazardClass() == Constant }
