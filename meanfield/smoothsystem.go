package meanfield

import (
	"qlimit/ctmc"
	"qlimit/meanfield/ode"
)

// SmoothSystem is the fluid of a policy without priority levels, in the
// coordinates y = (s_{1,1}, s_{1,2}, s_{2,1}, ..), s_{i,m} = Σ_{j>=i} q_{j,m}
// (s_1, s_2, .. for exponential service):
//
//	ds_{i,1}/dt = λ K_i (s_{i-1,1} - s_{i,1}) + (1-p)μ1 s_{i+1,1} + μ2 s_{i+1,2} - μ1 s_{i,1}
//	ds_{i,2}/dt = λ K_i (s_{i-1,2} - s_{i,2}) + pμ1 s_{i,1} - μ2 s_{i,2},
//
// K_i the divided difference of the kernel between s_{i-1} and s_i, with
// s_{0,1} - s_{1,1} replaced by the idle fraction 1 - s_1 and s_{0,2} - s_{1,2}
// by 0. Each row depends on its own and the two neighbouring levels only.
//
// The time unit is one mean service time. It is not safe for concurrent use.
type SmoothSystem struct {
	Shape
	load   float64
	law    unitLaw
	kernel limitKernel
}

// NewSmoothSystem returns the smooth fluid of a system on the given number of
// levels (0 = the buffer of the system), the last of which loses arrivals. A
// policy with priority levels is refused: its drift has jumps.
func NewSmoothSystem(sys ctmc.System, levels int) (*SmoothSystem, error) {
	d, err := NewDynamics(sys, levels, 0)
	if err != nil {
		return nil, err
	}
	if !sys.Policy.Smooth() {
		return nil, &ctmc.FieldError{Field: "policy", Value: sys.Policy.Name, Allowed: "a policy without priority levels, as pod or random",
			Reason: "its drift is discontinuous where a priority level runs empty"}
	}
	return &SmoothSystem{Shape: d.Shape, load: sys.Load, law: d.law, kernel: newLimitKernel(sys.Policy.Fallback)}, nil
}

// Dim is the number of coordinates, b·phases.
func (s *SmoothSystem) Dim() int { return s.Levels * s.Phases }

// Coordinates writes the tails s_{i,m} of a state.
func (s *SmoothSystem) Coordinates(q State, y []float64) {
	copy(y, q[1:])
	for i := len(y) - 1 - s.Phases; i >= 0; i-- {
		y[i] += y[i+s.Phases]
	}
}

// State writes the class fractions q of the tails y.
func (s *SmoothSystem) State(y []float64, q State) {
	total := 0.0
	for i := range y {
		q[1+i] = y[i]
		if i+s.Phases < len(y) {
			q[1+i] -= y[i+s.Phases]
		}
		if i < s.Phases {
			total += y[i]
		}
	}
	q[0] = 1 - total
}

// F writes dy/dt. It does not depend on t.
func (s *SmoothSystem) F(_ float64, y, slope []float64) {
	l := &s.law
	below, belowTotal := []float64(nil), 1.0
	for i := 0; i < len(y); i += s.Phases {
		here := y[i : i+s.Phases]
		total := s.total(here)
		k, _, _ := s.kernel.slopes(belowTotal, total)
		up := s.load * k
		first := up * (belowTotal - total)
		if below != nil {
			first = up * (below[0] - here[0])
		}
		slope[i] = first - l.mu1*here[0]
		if s.Phases == 2 {
			slope[i+1] = l.proceed*here[0] - l.mu2*here[1]
			if below != nil {
				slope[i+1] += up * (below[1] - here[1])
			}
		}
		if next := i + s.Phases; next < len(y) {
			slope[i] += l.leave * y[next]
			if s.Phases == 2 {
				slope[i] += l.mu2 * y[next+1]
			}
		}
		below, belowTotal = here, total
	}
}

func (s *SmoothSystem) total(level []float64) float64 {
	if s.Phases == 1 {
		return level[0]
	}
	return level[0] + level[1]
}

// Jacobian adds ∂F/∂y, whose structure is [SmoothSystem.Structure].
func (s *SmoothSystem) Jacobian(_ float64, y []float64, jac *ode.Matrix) {
	l := &s.law
	belowTotal := 1.0
	for i := 0; i < len(y); i += s.Phases {
		total := s.total(y[i : i+s.Phases])
		k, perBelow, perHere := s.kernel.slopes(belowTotal, total)
		for m := range s.Phases {
			row := i + m
			switch {
			case i > 0:
				step := y[row-s.Phases] - y[row]
				for n := range s.Phases {
					jac.Add(row, i-s.Phases+n, s.load*perBelow*step)
					jac.Add(row, i+n, s.load*perHere*step)
				}
				jac.Add(row, row-s.Phases, s.load*k)
				jac.Add(row, row, -s.load*k)
			case m == 0:
				// λ (1 - h(s_1)) = λ K (1 - s_1).
				for n := range s.Phases {
					jac.Add(row, n, s.load*(perHere*(1-total)-k))
				}
			}
		}
		jac.Add(i, i, -l.mu1)
		next := i + s.Phases
		if next < len(y) {
			jac.Add(i, next, l.leave)
		}
		if s.Phases == 2 {
			jac.Add(i+1, i, l.proceed)
			jac.Add(i+1, i+1, -l.mu2)
			if next < len(y) {
				jac.Add(i, next+1, l.mu2)
			}
		}
		belowTotal = total
	}
}

// Structure is the band of the Jacobian: three diagonals either way for two
// phases, one for a single phase.
func (s *SmoothSystem) Structure() ode.Structure {
	width := min(2*s.Phases-1, s.Dim()-1)
	return ode.Banded(width, width)
}

// Problem is the system as an initial value problem for the integrators.
func (s *SmoothSystem) Problem() ode.Problem {
	return ode.Problem{Dim: s.Dim(), F: s.F, Jacobian: s.Jacobian, Structure: s.Structure()}
}
