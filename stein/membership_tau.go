package stein

import "math"

// chooseTau is the smallest τ with which the policy is in the set, which suits
// all conditions best; if that is more than they admit, the largest one admitted,
// so that it is the policy that is found to fail.
func (m model) chooseTau() float64 {
	smallest, most := m.smallestTau(), m.largestTau()
	if smallest > most && most > 0 {
		return most
	}
	return math.Min(smallest, 1)
}

// largestTau is the largest τ that the conditions τ <= 1/μ1 and (κ + 1/2)δ <=
// (1 - τ)(1 - λ) of the explicit version admit, a little less so that no rounding
// fails them; negative or 0 if there is none.
func (m model) largestTau() float64 {
	proof := m.explicitProof(m.logN/m.root, 0)
	most := 1 - (proof.Kappa+0.5)*proof.Delta/m.gap
	if m.p > 0 {
		most = math.Min(most, 1/m.mu1)
	}
	return most * (1 - 1e-12)
}

// smallestAdmitted is the smallest d with which power-of-d meets the conditions
// on the routing at some τ that the others admit, 0 if there is none: that is at
// the largest such τ.
func (m model) smallestAdmitted() int64 {
	if !m.commonHold() {
		return 0
	}
	most := m.largestTau()
	if !(most > 0) {
		return 0
	}
	return m.smallestChoices(m.busiest(1 - most*m.gap))
}
