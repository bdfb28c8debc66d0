package meanfield

import (
	"context"
	"fmt"
	"math"

	"qlimit/ctmc"
	"qlimit/meanfield/ode"
)

// Path is the fluid at a number of times. Times are in the unit of the
// service law.
type Path struct {
	Shape
	Times  []float64
	States []State   // States[k] at Times[k]
	Jobs   []float64 // mean number of jobs per server
	Lost   float64   // jobs lost per server up to the last time

	Stats    ode.Stats
	Status   ode.Status
	Method   ode.Method
	Kind     ctmc.Kind
	Warnings []string
}

// truncationLoss is the number of jobs per server that a path with an
// unlimited buffer may lose at the level where it is cut.
const truncationLoss = 1e-12

// maxPathLevels bounds the levels of a path with an unlimited buffer.
const maxPathLevels = 1 << 14

// Default tolerances of a trajectory.
const (
	pathRelTol = 1e-10
	pathAbsTol = 1e-12
)

// stiffWork is the product of the largest rate and the time span beyond which
// an implicit method takes over from the default explicit one.
const stiffWork = 2e5

// Trajectory follows the fluid of a policy without priority levels from start
// (in the class order of [State], of any number of levels) at time 0 to the
// given times, which must not decrease. Other policies are refused.
//
// An unlimited buffer is cut at a level where fewer than 1e-12 jobs per
// server are lost. Zero tolerances in settings mean 1e-10 relative and 1e-12
// absolute, on the tails s_{i,m}; the times in settings are not used. Where
// the default explicit method would need many steps RadauIIA5 is used.
func Trajectory(ctx context.Context, sys ctmc.System, start State, times []float64, settings ode.Settings) (*Path, error) {
	phases := sys.Phases()
	if err := checkPath(start, phases, times); err != nil {
		return nil, err
	}
	top := topLevel(start, phases)
	levels := sys.Buffer
	if sys.Buffer == ctmc.Unlimited {
		levels = top + 16
	}
	for {
		if top > levels {
			return nil, &ctmc.FieldError{Field: "start", Value: fmt.Sprintf("level %d", top), Allowed: fmt.Sprintf("levels up to the buffer, %d", levels)}
		}
		path, err := smoothPath(ctx, sys, levels, start, times, settings)
		if err != nil || sys.Buffer != ctmc.Unlimited || !path.Status.OK() || path.Lost <= truncationLoss {
			return path, err
		}
		if levels *= 2; levels > maxPathLevels {
			return nil, &ctmc.TooLargeError{What: "levels", Value: float64(levels), Limit: maxPathLevels,
				Hint: "give a finite --buffer or shorter times"}
		}
	}
}

func checkPath(start State, phases int, times []float64) error {
	if len(start) == 0 || (len(start)-1)%phases != 0 {
		return &ctmc.FieldError{Field: "start", Value: fmt.Sprintf("%d classes", len(start)), Allowed: fmt.Sprintf("1 + %d per level", phases)}
	}
	total := 0.0
	for _, q := range start {
		if !(q >= 0 && q <= 1) {
			return &ctmc.FieldError{Field: "start", Value: q, Allowed: "fractions in [0, 1]"}
		}
		total += q
	}
	if math.Abs(total-1) > 1e-9 {
		return &ctmc.FieldError{Field: "start", Value: total, Allowed: "fractions that add up to 1"}
	}
	before := 0.0
	for _, t := range times {
		if !(t >= before) || math.IsInf(t, 0) {
			return &ctmc.FieldError{Field: "at", Value: t, Allowed: "times >= 0 in increasing order"}
		}
		before = t
	}
	return nil
}

func topLevel(q State, phases int) int {
	for c := len(q) - 1; c > 0; c-- {
		if q[c] != 0 {
			return (c + phases - 1) / phases
		}
	}
	return 0
}

// smoothPath integrates the tails and, as a last unknown, the jobs lost.
func smoothPath(ctx context.Context, sys ctmc.System, levels int, start State, times []float64, settings ode.Settings) (*Path, error) {
	s, err := NewSmoothSystem(sys, levels)
	if err != nil {
		return nil, err
	}
	path := &Path{Shape: s.Shape, Times: append([]float64(nil), times...), Kind: ctmc.Limit, Status: ode.Done}
	y := make([]float64, s.Dim()+1)
	padded := make(State, s.Classes())
	copy(padded, start)
	s.Coordinates(padded, y[:s.Dim()])
	mean := sys.Service.Mean()
	settings.Times = make([]float64, len(times))
	for k, t := range times {
		settings.Times[k] = t / mean
	}
	if len(times) == 0 || times[len(times)-1] == 0 {
		for range times {
			path.add(s, y[:s.Dim()])
		}
		return path, nil
	}
	end := settings.Times[len(times)-1]
	if settings.RelTol == 0 {
		settings.RelTol = pathRelTol
	}
	if settings.AbsTol == 0 {
		settings.AbsTol = pathAbsTol
	}
	if settings.Method == ode.Tsitouras5 && end*s.largestRate() > stiffWork {
		settings.Method = ode.RadauIIA5
	}
	path.Method = settings.Method
	solution, err := ode.Integrate(ctx, s.withLoss(), 0, y, end, settings)
	if err != nil {
		return nil, err
	}
	path.Stats, path.Status = solution.Stats, solution.Status
	path.Lost = solution.State[s.Dim()]
	path.Times = path.Times[:len(solution.States)]
	for _, y := range solution.States {
		path.add(s, y[:s.Dim()])
	}
	if err := solution.Err(); err != nil {
		path.Warnings = append(path.Warnings, err.Error())
	}
	return path, nil
}

func (p *Path) add(s *SmoothSystem, y []float64) {
	q := make(State, s.Classes())
	s.State(y, q)
	p.States = append(p.States, q)
	p.Jobs = append(p.Jobs, s.Jobs(q))
}

func (s *SmoothSystem) largestRate() float64 {
	return math.Max(math.Max(s.law.mu1, s.law.mu2), s.load*s.kernel.slopeAtOne())
}

// withLoss is the system with one more unknown, the jobs lost per server,
// which grows at rate λ h(s_b).
func (s *SmoothSystem) withLoss() ode.Problem {
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
