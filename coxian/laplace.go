package coxian

import "math"

// Laplace returns E[e^{-sS}] = μ1/(μ1+s) [q + p μ2/(μ2+s)] for s above minus
// the smaller rate of the phases used, and +Inf, the value of the expectation,
// at and below it.
//
// For 1 - E[e^{-sS}] at small s use s·Mean·L_e(s), with L_e the transform of
// [Dist.Residual]: it does not cancel.
func (d Dist) Laplace(s float64) float64 {
	if s <= -d.slowRate() {
		return math.Inf(1)
	}
	return transform(d, 1, 0, s)
}

// transform is E[e^{-sT}] for the time T left when a service is in phase i
// with probability phase_i.
func transform(d Dist, phase1, phase2, s float64) float64 {
	second := 1 / (1 + s/d.Mu2)
	first := 1 / (1 + s/d.Mu1)
	switch {
	case d.P == 0 && phase2 == 0:
		return phase1 * first
	}
	return phase1*first*(d.exit()+d.P*second) + phase2*second
}
