package meanfield

import (
	"qlimit/meanfield/ode"
)

// smoothFlow is a SmoothSystem as a flow: one regime for all times. Jobs are
// lost at rate λ h(s_b).
type smoothFlow struct {
	*SmoothSystem
	buffer int
}

func newSmoothFlow(f *follower) *smoothFlow {
	return &smoothFlow{&SmoothSystem{Shape: f.shape, load: f.load, law: f.law, kernel: f.kernel}, f.sys.Buffer}
}

func (s *smoothFlow) problem() ode.Problem {
	dim := s.Dim()
	last := func(y []float64) []float64 { return y[dim-s.Phases : dim] }
	return ode.Problem{
		Dim:       dim + 1,
		Structure: ode.Banded(min(2*s.Phases-1, dim), min(2*s.Phases-1, dim)),
		F: func(t float64, y, slope []float64) {
			s.F(t, y[:dim], slope[:dim])
			full := s.total(last(y))
			k, _, _ := s.kernel.slopes(full, 0)
			slope[dim] = s.load * k * full
		},
		Jacobian: func(t float64, y []float64, jac *ode.Matrix) {
			s.Jacobian(t, y[:dim], jac)
			full := s.total(last(y))
			k, perFull, _ := s.kernel.slopes(full, 0)
			for m := range s.Phases {
				jac.Add(dim, dim-s.Phases+m, s.load*(k+perFull*full))
			}
		},
	}
}

func (s *smoothFlow) enter(q State, y []float64)              { s.Coordinates(q, y[:s.Dim()]) }
func (s *smoothFlow) leave(y []float64, q State)              { s.State(y[:s.Dim()], q) }
func (s *smoothFlow) endings() []ending                       { return nil }
func (s *smoothFlow) leftRegime([]float64) (endingKind, bool) { return 0, false }
func (s *smoothFlow) cut() bool                               { return s.Levels != s.buffer }
func (s *smoothFlow) conservesMass() bool                     { return false }

// largestRate bounds the rates of the drift, up to a small factor.
func (s *SmoothSystem) largestRate() float64 {
	return max(s.law.mu1, s.law.mu2, s.load*s.kernel.slopeAtOne())
}
