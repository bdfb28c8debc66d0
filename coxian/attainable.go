package coxian

import "math"

// SkewnessRange returns the skewnesses a Coxian-2 law of the given scv can have.
// With third moment m3 at mean 1, skewness = (m3 - 3 scv - 1)/scv^{3/2} and
//
//	scv > 1:         m3 > (3/2)(1+scv)²: low is not attained, high is +Inf
//	scv = 1:         m3 = 6: low = high = 2
//	1/2 <= scv < 1:  3(3 scv - 1 + √2 (1-scv)^{3/2}) <= m3 <= 6 scv; both ends attained,
//	                 low by two equal rates, high by p = 1.
//
// An scv below 1/2 is an error.
func SkewnessRange(scv float64) (low, high float64, err error) {
	scv, err = attainableSCV(scv)
	if err != nil {
		return 0, 0, err
	}
	scale := scv * math.Sqrt(scv)
	u := scv - 1
	// In each case κ3 = m3 - 3 scv - 1 as a polynomial in u.
	switch {
	case u == 0:
		return 2, 2, nil
	case u > 0:
		return (2 + 3*u + 1.5*u*u) / scale, math.Inf(1), nil
	}
	return (2 + 6*u - 3*u*math.Sqrt(-2*u)) / scale, (2 + 3*u) / scale, nil
}

func unattainableSkewness(scv, skewness float64) *AttainableError {
	low, high, _ := SkewnessRange(scv)
	e := &AttainableError{
		Field: "skew", Value: skewness, Low: low, High: high, LowOpen: scv > 1,
		Nearest: math.Min(math.Max(skewness, low), high),
		given:   " at scv " + formatFloat(scv),
	}
	if e.LowOpen {
		e.Nearest = low * (1 + 1e-6)
	}
	return e
}
