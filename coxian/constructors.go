package coxian

import "math"

// FromContinuation returns the law whose jobs go on from phase 1 (rate mu1) to
// phase 2 (rate mu2) with probability goOn. This is the meaning of P here.
// Errors: as of [New].
func FromContinuation(mu1, goOn, mu2 float64) (Dist, error) { return New(mu1, goOn, mu2) }

// FromLeaving returns the law whose jobs leave after phase 1 (rate mu1) with
// probability leave and otherwise pass through phase 2 (rate mu2): the other
// meaning of p found in the literature, P = 1 - leave. Errors: a
// [ParameterError], in which leave is named as such.
func FromLeaving(mu1, leave, mu2 float64) (Dist, error) {
	if err := validateProbability("leave", leave); err != nil {
		return Dist{}, err
	}
	return New(mu1, 1-leave, mu2)
}

// Exponential returns the exponential law with the given mean as the Coxian-2
// law with P = 0 and Mu1 = Mu2 = 1/mean. Errors: a [ParameterError] for a mean
// that is not > 0, or whose rate is out of range.
func Exponential(mean float64) (Dist, error) {
	if err := validateMean(mean); err != nil {
		return Dist{}, err
	}
	return New(1/mean, 0, 1/mean)
}

// Erlang2 returns the Erlang law of two phases with the given mean: P = 1 and
// Mu1 = Mu2 = 2/mean. Its scv, 1/2, is the smallest of the class. Errors: a
// [ParameterError] for a mean that is not > 0, or whose rate is out of range.
func Erlang2(mean float64) (Dist, error) {
	if err := validateMean(mean); err != nil {
		return Dist{}, err
	}
	return New(2/mean, 1, 2/mean)
}

// FromHyperexponential returns the Coxian-2 form of the mixture of an
// exponential of rate nu1 (probability a) and one of rate nu2 (probability
// 1-a). With ν1 >= ν2, which the function arranges,
//
//	μ1 = ν1, μ2 = ν2, p = (1-a)(1 - ν2/ν1).
//
// A mixture with a single live branch (a = 0, a = 1 or ν1 = ν2) gives P = 0.
//
// Errors: a [ParameterError]; a is named p there, as in [Parse].
func FromHyperexponential(a, nu1, nu2 float64) (Dist, error) {
	if err := validateProbability("p", a); err != nil {
		return Dist{}, err
	}
	if err := validateRate("mu1", nu1); err != nil {
		return Dist{}, err
	}
	if err := validateRate("mu2", nu2); err != nil {
		return Dist{}, err
	}
	fast, slow, slowWeight := nu1, nu2, 1-a
	if nu1 < nu2 {
		fast, slow, slowWeight = nu2, nu1, a
	}
	switch {
	case slowWeight == 0 || fast == slow:
		return New(fast, 0, fast)
	case slowWeight == 1:
		return New(slow, 0, slow)
	}
	return New(fast, slowWeight*((fast-slow)/fast), slow)
}

// Hyperexponential returns the law as a mixture of two exponentials: rate nu1
// with probability a, rate nu2 < nu1 with probability 1-a. It exists exactly
// when the hazard rate decreases or is constant; ok says so. An exponential
// law comes back with a = 1 and nu1 = nu2.
func (d Dist) Hyperexponential() (a, nu1, nu2 float64, ok bool) {
	switch d.HazardClass() {
	case Constant:
		rate := 1 / d.Mean()
		return 1, rate, rate, true
	case Increasing:
		return 0, 0, 0, false
	}
	// A decreasing hazard, qμ1 > μ2, implies μ1 > μ2.
	return (d.exit()*d.Mu1 - d.Mu2) / (d.Mu1 - d.Mu2), d.Mu1, d.Mu2, true
}

func validateMean(mean float64) error {
	switch {
	case !(mean > 0):
		return &ParameterError{Field: "mean", Value: mean, Allowed: "> 0"}
	case math.IsInf(mean, 1):
		return &ParameterError{Field: "mean", Value: mean, Allowed: "> 0 and finite"}
	case mean < 2/MaxRate || mean > 1/MinRate:
		return &ParameterError{Field: "mean", Value: mean, Allowed: "in [2e-75, 1e75]"}
	}
	return nil
}
