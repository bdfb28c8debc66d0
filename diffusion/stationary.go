package diffusion

import (
	"math"

	"qlimit/ctmc"
)

const (
	// depth is how far the log density falls below its maximum before the
	// panels end: survival probabilities are accurate down to e^-depth. What
	// lies behind a barrier that high is not looked for.
	depth = 100
	// maxPanels bounds the work; a law that needs more is refused.
	maxPanels = 4000
	// farthest is where a process is taken to run away to infinity.
	farthest = 1e30
	// shortest is the length, relative to the place, of a panel that resolves
	// nothing: there is a jump that Breaks does not name.
	shortest = 1e-13
)

// Stationary returns the stationary law by the scale and speed of the process,
//
//	m(u) ∝ (1/σ²(u)) exp ∫ 2 (c/u + r)/σ² du
//
// (Karlin and Taylor, A Second Course in Stochastic Processes, 1981, chapter
// 15). The half line is cut into panels on which slope and density are
// polynomials of degree 19 to within rounding; sums are normalised in
// logarithms, so that nothing overflows. Moments, distribution function and
// survival function have relative errors of about 1e-14, amplified by the
// rounding of the largest potential difference, at most a few 1e-14.
//
// Errors: a field out of range; a process without a stationary law, or with
// one whose tail does not fall to e^-100 before 1e30; a jump that Breaks does
// not name.
func (p Process) Stationary() (*Law, error) { return p.stationaryTo(0) }

// stationaryTo goes on to the given distance at least.
func (p Process) stationaryTo(reach float64) (*Law, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	m := &builder{process: p, gamma: p.exponent(), highest: math.Inf(-1), panels: make([]panel, 0, 48)}
	m.whole = m.gamma == math.Trunc(m.gamma) && m.gamma <= 8
	if err := m.grow(reach); err != nil {
		return nil, err
	}
	return m.law(), nil
}

// grow lays panels from 0 to the right, halving where one does not resolve and
// doubling after one that resolves easily.
func (m *builder) grow(reach float64) error {
	at, potential, h := 0.0, 0.0, m.process.Scale
	if h == 0 {
		h = 1
	}
	for !m.finished(at, potential, reach) {
		if at > farthest || len(m.panels) == maxPanels {
			return &ctmc.FieldError{Field: "drift", Value: m.process.TotalDrift(at), Allowed: "negative far from the boundary",
				Reason: "the process has no stationary law, or one whose tail is too heavy"}
		}
		end := m.process.nextBreak(at)
		length := h
		if at+h*1.0001 > end {
			length = end - at
		}
		next, resolved, easily := m.try(at, length, potential)
		if !resolved {
			h = length / 2
			if !(h > shortest*at) || h < 1e-300 {
				return &ctmc.FieldError{Field: "drift", Value: m.process.TotalDrift(at + h), Allowed: "finite and smooth between the breaks"}
			}
			continue
		}
		if length == end-at {
			next.b = end
		}
		m.panels = append(m.panels, next)
		m.highest = math.Max(m.highest, next.top)
		at, potential = next.b, next.endPotential
		if easily {
			h = math.Max(h, length) * 2
		}
	}
	return nil
}

// finished tells whether what lies beyond at is negligible.
func (m *builder) finished(at, potential, reach float64) bool {
	if at == 0 || at < reach {
		return false
	}
	return m.logDensity(potential, at) < m.highest-depth
}

// law normalises the panels.
func (m *builder) law() *Law {
	l := &Law{process: m.process, gamma: m.gamma, whole: m.whole, panels: m.panels}
	// The weights are logarithms so far.
	total := 0.0
	for i := range l.panels {
		p := &l.panels[i]
		for k, w := range p.weight {
			p.weight[k] = math.Exp(w - m.highest)
			p.mass += p.weight[k]
		}
		total += p.mass
	}
	l.logNorm = m.highest + math.Log(total)
	for i := range l.panels {
		p := &l.panels[i]
		p.mass /= total
		for k := range p.weight {
			p.weight[k] /= total
		}
	}
	l.setTail()
	l.setSums()
	return l
}
