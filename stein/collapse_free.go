package stein

import "math"

// The chain of sets with free choices, for looking at each step alone. The
// conditions that make the final bound small need very many servers; the steps
// themselves hold for few.

// CollapseExplicit is the chain of the explicit version with any δ > 0 and any
// number J >= 0 of double jumps (at most N δ/4 for the sets to be those that it
// names).
func CollapseExplicit(p Problem, delta, jumps float64) (*Proof, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	m := newModel(p)
	proof := &Proof{Conditions: m.commonConditions(), LogExcess: math.Inf(1)}
	if proof.Holds() {
		proof = m.explicitProof(delta, jumps)
		proof.Conditions = m.commonConditions()
	}
	return proof, nil
}

// CollapseSharp is the chain of the sharp version with margins in proportion to
// a scale > 0.
func CollapseSharp(p Problem, scale float64) (*Proof, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	m := newModel(p)
	proof := &Proof{Conditions: m.commonConditions(), LogExcess: math.Inf(1)}
	if proof.Holds() {
		proof = m.sharpProof(m.scaledMargins(scale), 0)
		proof.Conditions = m.commonConditions()
	}
	return proof, nil
}
