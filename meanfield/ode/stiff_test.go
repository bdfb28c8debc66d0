package ode

import (
	"math"
	"testing"
)

// End values of the stiff standards, with the error in units of the tolerance
// and the work bounded: a broken controller or Newton iteration shows in the
// counters long before it shows in the result.
func TestStiffStandards(t *testing.T) {
	// Most steps at tolerance 1e-3 · 10^−k for k = 0, 3, 6, 9. The error
	// estimate has order 4 and is measured against tol^(4/5): three decades
	// multiply the steps by 10^(3·0.8/4) = 4.
	mostSteps := map[string][4]int{
		"Robertson":   {180, 560, 2200, 8700},
		"van der Pol": {290, 1000, 4000, 15500},
		"HIRES":       {85, 270, 1050, 4100},
		"Oregonator":  {320, 1050, 4200, 16500},
	}
	for _, ref := range stiffReferences() {
		for k, tol := range []float64{1e-3, 1e-6, 1e-9, 1e-12} {
			s := run(t, ref.problem, 0, ref.start, ref.end, Settings{
				Method: RadauIIA5, RelTol: tol, AbsTol: tol * ref.typical,
			})
			e := units(s.State, ref.exact, tol, ref.typical)
			st := s.Stats
			steps := st.Accepted + st.Rejected
			t.Logf("%s, %g: %.3g tolerances; %d+%d steps, %d evaluations, %d Jacobians, %d factorizations, %d iterations",
				ref.name, tol, e, st.Accepted, st.Rejected, st.Evaluations, st.Jacobians, st.Factorizations, st.NewtonIterations)
			if s.Status != Done || e > 1 {
				t.Errorf("%s, %g: %v, error %.3g tolerances, want at most 1", ref.name, tol, s.Status, e)
			}
			if steps > mostSteps[ref.name][k] {
				t.Errorf("%s, %g: %d steps, want at most %d", ref.name, tol, steps, mostSteps[ref.name][k])
			}
			if st.Rejected > steps/8 {
				t.Errorf("%s, %g: %d of %d steps rejected", ref.name, tol, st.Rejected, steps)
			}
			if st.NewtonIterations > 4*steps {
				t.Errorf("%s, %g: %d Newton iterations in %d steps", ref.name, tol, st.NewtonIterations, steps)
			}
			// Three evaluations an iteration, at most two for error and slope.
			if st.Evaluations > 3*st.NewtonIterations+2*steps+2 {
				t.Errorf("%s, %g: %d evaluations for %d iterations and %d steps", ref.name, tol, st.Evaluations, st.NewtonIterations, steps)
			}
			if tol <= 1e-9 && st.Jacobians > 6*steps/10 {
				t.Errorf("%s, %g: %d Jacobians in %d steps, too few kept", ref.name, tol, st.Jacobians, steps)
			}
			if st.Jacobians > steps || st.Factorizations > 2*steps {
				t.Errorf("%s, %g: %d Jacobians, %d factorizations in %d steps", ref.name, tol, st.Jacobians, st.Factorizations, steps)
			}
			wantDifferences := st.Jacobians * ref.problem.Dim
			if ref.problem.Jacobian != nil {
				wantDifferences = 0
			}
			if st.DifferenceEvaluations != wantDifferences {
				t.Errorf("%s, %g: %d evaluations for %d Jacobians, want %d", ref.name, tol, st.DifferenceEvaluations, st.Jacobians, wantDifferences)
			}
		}
	}
}

// L-stability: a step with h·λ = −1e14 lands on the slow manifold.
func TestInfiniteStiffness(t *testing.T) {
	p := Problem{Dim: 1, F: func(t float64, y, d []float64) { d[0] = -1e14 * (y[0] - math.Cos(t)) }}
	s := run(t, p, 0, []float64{2}, 1, Settings{Method: RadauIIA5, RelTol: 1e-6, AbsTol: 1e-6})
	if s.Status != Done || math.Abs(s.State[0]-math.Cos(1)) > 1e-6 {
		t.Errorf("%v, y(1) = %v, want cos 1 = %v", s.Status, s.State[0], math.Cos(1))
	}
	if s.Stats.Accepted > 100 {
		t.Errorf("%d steps", s.Stats.Accepted)
	}
	// A long first step over the whole layer is not refused for nothing.
	s = run(t, p, 0, []float64{2}, 1, Settings{Method: RadauIIA5, RelTol: 1e-6, AbsTol: 1e-6, FirstStep: 0.1})
	if s.Stats.Accepted+s.Stats.Rejected > 25 {
		t.Errorf("%d steps after a long first one", s.Stats.Accepted+s.Stats.Rejected)
	}
}

// A constant Jacobian is formed once, and equal steps share their factors.
func TestConstantJacobianIsKept(t *testing.T) {
	s := run(t, oscillator(), 0, []float64{1, 0}, 10, Settings{Method: RadauIIA5, RelTol: 1e-8, AbsTol: 1e-8})
	if s.Stats.Jacobians != 1 {
		t.Errorf("%d Jacobians, want 1", s.Stats.Jacobians)
	}
	if s.Stats.Factorizations > s.Stats.Accepted/4 {
		t.Errorf("%d factorizations in %d steps", s.Stats.Factorizations, s.Stats.Accepted)
	}
}

// An explicit method says so when stability limits its steps.
func TestStiffnessIsNoticed(t *testing.T) {
	p := Problem{Dim: 1, F: func(t float64, y, d []float64) { d[0] = -1000 * (y[0] - math.Cos(t)) }}
	for _, method := range []Method{Tsitouras5, DormandPrince5} {
		s := run(t, p, 0, []float64{1}, 5, Settings{Method: method, RelTol: 1e-4, AbsTol: 1e-4})
		if 2*s.Stats.StabilityLimited < s.Stats.Accepted {
			t.Errorf("%v: %d of %d steps seen as limited by stability", method, s.Stats.StabilityLimited, s.Stats.Accepted)
		}
		s = run(t, oscillator(), 0, []float64{1, 0}, 50, Settings{Method: method, RelTol: 1e-8})
		if s.Stats.StabilityLimited > 0 {
			t.Errorf("%v: the oscillator seen as stiff in %d steps", method, s.Stats.StabilityLimited)
		}
	}
}
