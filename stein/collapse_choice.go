package stein

import "math"

// The chain of sets with free choices, for looking at each step alone. The
// conditions that make the final bound small need very many servers; the steps
// themselves hold for few.

// CollapseExplicit is the chain of the explicit version with any δ > 0 and any
// number J >= 0 of double jumps (at most N δ/4 for the sets to be those that it
// names). Errors: those of [Problem.Validate]. A condition that fails is no
// error, see [Proof.Holds].
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
// a scale > 0. Errors: as of CollapseExplicit.
func CollapseSharp(p Problem, scale float64) (*Proof, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	m := newModel(p)
	if firstFailing(m.commonConditions()) != nil {
		return m.judged(nil), nil
	}
	return m.judged(m.sharpProof(m.scaledMargins(scale), freeEta)), nil
}

// CollapseBest is the chain of sets of the best bound on the mean number of
// jobs. Errors: as of CollapseExplicit.
func CollapseBest(p Problem) (*Proof, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	m := newModel(p)
	best, _ := m.optimise(m.meanObjective, freeEta)
	return m.judged(best), nil
}

// CollapseAsPublished is the chain of the explicit version with its own δ = log
// N/√N and J, and all its conditions. Errors: as of CollapseExplicit.
func CollapseAsPublished(p Problem) (*Proof, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	m := newModel(p)
	e := m.explicitBounds(p.Tau, 1)
	return &e.Proof, nil
}

// judged adds the conditions to a sharp proof: those that nothing can mend, and
// that every hypothesis of the tail lemmas is met.
func (m model) judged(p *Proof) *Proof {
	if p == nil {
		p = &Proof{LogExcess: math.Inf(1)}
	}
	p.Conditions = m.commonConditions()
	if p.Holds() {
		met := 0.0
		if !math.IsInf(p.LogExcess, 1) {
			met = 1
		}
		p.Conditions = append(p.Conditions, compare("choices", "the hypotheses of all tail lemmas are met (1) or not (0)", met, ">=", 1))
	}
	return p
}
