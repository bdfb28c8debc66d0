package coxian

import "math"

// FitMeanSCV returns the Coxian-2 law with the given mean and squared
// coefficient of variation c >= 1/2 whose phase 1 takes half the mean:
//
//	μ1 = 2/m, p = 1/(2c), μ2 = 1/(m c),
//
// smooth through c = 1, where it is exponential. The two moments leave one
// degree of freedom; [FitMoments] fixes it by the skewness. An scv below 1/2
// gives an [*AttainableError]; one below by less than a relative 1e-14 counts
// as 1/2.
func FitMeanSCV(mean, scv float64) (Dist, error) {
	if err := validateMean(mean); err != nil {
		return Dist{}, err
	}
	scv, err := attainableSCV(scv)
	if err != nil {
		return Dist{}, err
	}
	return New(2/mean, 1/(2*scv), 1/(mean*scv))
}

// Relative rounding allowances for moments that lie on a bound: the scv and
// the skewness of a law carry a few rounding errors of their own.
const (
	scvRounding  = 1e-14
	skewRounding = 64 * epsilon
)

// maxSCV keeps the rates of every fit within MaxRateRatio.
const maxSCV = 1e24

func attainableSCV(scv float64) (float64, error) {
	switch {
	case !(scv > 0) || math.IsInf(scv, 1):
		return 0, &ParameterError{Field: "scv", Value: scv, Allowed: ">= 0.5 and finite"}
	case scv < 0.5*(1-scvRounding):
		return 0, &AttainableError{
			Field: "scv", Value: scv, Low: 0.5, High: math.Inf(1), Nearest: 0.5,
			given: ", the scv of Erlang-2, for a law of two phases",
		}
	case scv > maxSCV:
		return 0, &ParameterError{Field: "scv", Value: scv, Allowed: "in [0.5, 1e24]"}
	}
	return math.Max(scv, 0.5), nil
}

// FitMoments returns the Coxian-2 law with the given mean, squared coefficient
// of variation and skewness, written with Mu1 >= Mu2. The law is unique. If
// there is none the error is an [*AttainableError] with the attainable range
// (see [SkewnessRange]) and its nearest point.
//
// Put u = scv - 1, κ3 = skewness·scv^{3/2} (the third cumulant at mean 1) and
//
//	w = (κ3 + 4 - 6 scv)/(3u).
//
// At mean 1 the phase times τi = 1/μi are the roots of
// τ² - (2+w)τ + 1 + w - u/2, hence 1 + (w ± √(w²+2u))/2, and 1-p = (1+w)/τ2.
// The law exists for w > u/2 - 1 if u > 0 and for -1 <= w <= -√(-2u) if u < 0;
// the ends are hypoexponential (p = 1) and two equal rates.
//
// At scv = 1 only skewness 2 is attainable, while next to it any skewness
// above 2 is: the closer scv is to 1 the more the result depends on the last
// digits given (w changes by their relative change over u), though its moments
// remain those asked for. Where the law of [FitMeanSCV] has the skewness asked
// for to within rounding (relative 1.4e-14), it is returned.
func FitMoments(mean, scv, skewness float64) (Dist, error) {
	if err := validateMean(mean); err != nil {
		return Dist{}, err
	}
	scv, err := attainableSCV(scv)
	if err != nil {
		return Dist{}, err
	}
	if math.IsNaN(skewness) || math.IsInf(skewness, 0) {
		return Dist{}, &ParameterError{Field: "skew", Value: skewness, Allowed: "finite"}
	}
	if simple, err := FitMeanSCV(mean, scv); err == nil && agree(simple.Skewness(), skewness, skewRounding) {
		return simple, nil
	}
	fit, err := fitUnitMean(scv, skewness)
	if err != nil {
		return Dist{}, err
	}
	d := Dist{Mu1: fit.Mu1 / mean, P: fit.P, Mu2: fit.Mu2 / mean}
	if err := d.Validate(); err != nil {
		// The triple is attainable, but only with a second phase too rare and
		// too long for float64.
		return Dist{}, &ParameterError{Field: "skew", Value: skewness, Allowed: "smaller at scv " + formatFloat(scv) + ": its rates are out of range"}
	}
	return d, nil
}

// fitUnitMean solves for the law of mean 1 with the formulas of FitMoments.
func fitUnitMean(scv, skewness float64) (Dist, error) {
	low, high, _ := SkewnessRange(scv)
	u := scv - 1
	w := (skewness*scv*math.Sqrt(scv) + 4 - 6*scv) / (3 * u)
	switch {
	case u > 0 && skewness > low:
		return aboveExponential(u, math.Max(w, u/2-1+epsilon*(1+u))), nil
	case u < 0 && skewness >= low*(1-skewRounding) && skewness <= high*(1+skewRounding):
		return belowExponential(u, math.Min(math.Max(w, -1), -math.Sqrt(-2*u))), nil
	}
	return Dist{}, unattainableSkewness(scv, skewness)
}

// belowExponential is the law of mean 1 and scv 1+u for u < 0, -1 <= w <= -√(-2u).
func belowExponential(u, w float64) Dist {
	root := math.Sqrt(math.Max(w*w+2*u, 0))
	slow := 1 + (w+root)/2
	fast := (1 + w - u/2) / slow
	return Dist{Mu1: 1 / fast, P: goOn((root-w)/2, 1+w, slow), Mu2: 1 / slow}
}

// aboveExponential is the law of mean 1 and scv 1+u for u > 0, w > u/2 - 1.
func aboveExponential(u, w float64) Dist {
	root := math.Sqrt(w*w + 2*u)
	excess, secondPart := (w+root)/2, (root-w)/2 // their product is u/2
	if w > 0 {
		secondPart = u / 2 / excess
	} else {
		excess = u / 2 / secondPart
	}
	slow := 1 + excess
	fast := (1 + w - u/2) / slow
	return Dist{Mu1: 1 / fast, P: goOn(secondPart, 1+w, slow), Mu2: 1 / slow}
}

// goOn returns p from p·slow, the part of the mean spent in phase 2, or from
// its complement (1-p)·slow where that is the smaller of the two.
func goOn(continued, left, slow float64) float64 {
	if continued < left {
		return continued / slow
	}
	return math.Min(1, 1-left/slow)
}

func agree(a, b, tolerance float64) bool {
	return math.Abs(a-b) <= tolerance*math.Max(math.Abs(a), math.Abs(b))
}
