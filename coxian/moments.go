package coxian

import "math"

// Mean returns 1/μ1 + p/μ2.
func (d Dist) Mean() float64 { return 1/d.Mu1 + d.P/d.Mu2 }

// Variance returns 1/μ1² + p(2-p)/μ2².
func (d Dist) Variance() float64 { return d.Cumulant(2) }

// StdDev returns the square root of the variance.
func (d Dist) StdDev() float64 { return math.Sqrt(d.Variance()) }

// SCV returns the squared coefficient of variation, Variance/Mean², in [1/2, ∞).
func (d Dist) SCV() float64 {
	mean := d.cumulantInPhases(1)
	return d.cumulantInPhases(2) / (mean * mean)
}

// Skewness returns κ3/κ2^{3/2}, where κn is the n-th cumulant.
func (d Dist) Skewness() float64 {
	variance := d.cumulantInPhases(2)
	return d.cumulantInPhases(3) / (variance * math.Sqrt(variance))
}

// ExKurtosis returns the excess kurtosis κ4/κ2².
func (d Dist) ExKurtosis() float64 {
	variance := d.cumulantInPhases(2)
	return d.cumulantInPhases(4) / (variance * variance)
}

// Cumulant returns the k-th cumulant,
//
//	(k-1)! [1/μ1^k + (1-q^k)/μ2^k],  q = 1-p,
//
// a sum of positive terms: the transform is that of an independent sum, and
// log(1 + qs/μ2) - log(1 + s/μ2) has the coefficients (1-q^k)/(k μ2^k).
// It panics if k < 1. Orders above 4 may overflow to +Inf at extreme rates.
func (d Dist) Cumulant(k int) float64 {
	if k < 1 {
		panic("coxian: cumulant of order below 1")
	}
	return factorial(k-1) * (math.Pow(d.Mu1, -float64(k)) + d.someSecondPhase(k)*math.Pow(d.Mu2, -float64(k)))
}

// cumulantInPhases is the k-th cumulant with the longer of the two phase times
// as unit, for the dimensionless moments: no power of it overflows.
func (d Dist) cumulantInPhases(k int) float64 {
	first, second := 1.0, 1.0
	if d.Mu1 > d.Mu2 && d.P > 0 {
		first = d.Mu2 / d.Mu1
	} else {
		second = d.Mu1 / d.Mu2
	}
	return factorial(k-1) * (math.Pow(first, float64(k)) + d.someSecondPhase(k)*math.Pow(second, float64(k)))
}

// someSecondPhase returns 1 - (1-p)^k, the chance that at least one of k
// services has a second phase, as p(1 + q + ... + q^{k-1}) to keep the relative
// accuracy at small p.
func (d Dist) someSecondPhase(k int) float64 {
	q, sum := d.exit(), 0.0
	for range k {
		sum = sum*q + 1
	}
	return d.P * sum
}

// Moment returns E[S^k],
//
//	k! [1/μ1^k + p Σ_{j<k} μ1^-j μ2^-(k-j)],
//
// a sum of positive terms. Moment(0) = 1. It panics if k < 0. Orders above 4
// may overflow to +Inf at extreme rates.
func (d Dist) Moment(k int) float64 {
	if k < 0 {
		panic("coxian: moment of negative order")
	}
	return factorial(k) * reducedMoment(d, 1, 0, k)
}

// reducedMoment is E[T^k]/k! of the time T that is left when a service is in
// phase 1 with probability phase1 and in phase 2 with probability phase2. By
// conditioning on the current phase the moments obey
// r_k(2) = r_{k-1}(2)/μ2 and r_k(1) = r_{k-1}(1)/μ1 + p r_k(2).
func reducedMoment(d Dist, phase1, phase2 float64, k int) float64 {
	fromFirst, fromSecond := 1.0, 1.0
	for range k {
		fromSecond /= d.Mu2
		fromFirst = fromFirst/d.Mu1 + d.P*fromSecond
	}
	return phase1*fromFirst + phase2*fromSecond
}

func factorial(k int) float64 {
	f := 1.0
	for j := 2; j <= k; j++ {
		f *= float64(j)
	}
	return f
}
