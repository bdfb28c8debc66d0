package coxian

import "math"

// Scale returns the law of c·S for c > 0: the same P, both rates divided by c.
// The error names c, or the rate that c takes out of range.
func (d Dist) Scale(c float64) (Dist, error) {
	if !(c > 0) || math.IsInf(c, 1) {
		return Dist{}, &ParameterError{Field: "scale", Value: c, Allowed: "> 0 and finite"}
	}
	d.Mu1 /= c
	d.Mu2 /= c
	if err := d.Validate(); err != nil {
		return Dist{}, err
	}
	return d, nil
}

// Normalized returns the law of S/E[S], whose mean is 1 to within rounding. It
// is always valid if d is.
func (d Dist) Normalized() Dist {
	ratio := d.Mu1 / d.Mu2
	d.Mu1 = 1 + d.P*ratio
	d.Mu2 = d.Mu1 / ratio
	return d
}

// Canonical returns the same law written with Mu1 >= Mu2: every Coxian-2 law
// has exactly one such form, except an exponential law, which is returned with
// P = 0. Where Mu1 < Mu2 the phases change places and
//
//	p' = 1 - (1-p)μ1/μ2 = (μ2 - μ1 + p μ1)/μ2.
func (d Dist) Canonical() Dist {
	switch {
	case d.IsExponential():
		rate := 1 / d.Mean()
		if d.P == 0 {
			rate = d.Mu1
		}
		return Dist{Mu1: rate, P: 0, Mu2: rate, Src: d.Src}
	case d.Mu1 >= d.Mu2:
		return d
	}
	p := math.Min(1, ((d.Mu2-d.Mu1)+d.P*d.Mu1)/d.Mu2)
	return Dist{Mu1: d.Mu2, P: p, Mu2: d.Mu1, Src: d.Src}
}

// Equivalent tells whether d and other are the same law, whatever their
// parameters: whether mean, variance and third cumulant agree to the relative
// tolerance (0 means 1e-12). Three moments determine a law of two phases, and
// these three are computed without cancellation.
func (d Dist) Equivalent(other Dist, tolerance float64) bool {
	if tolerance == 0 {
		tolerance = 1e-12
	}
	for k := 1; k <= 3; k++ {
		a, b := d.Cumulant(k), other.Cumulant(k)
		if math.Abs(a-b) > tolerance*math.Max(a, b) {
			return false
		}
	}
	return true
}
