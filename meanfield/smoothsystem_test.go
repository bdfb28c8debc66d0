package meanfield

import (
	"context"
	"errors"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"qlimit/coxian"
	"qlimit/ctmc"
	"qlimit/meanfield/ode"
)

// jacobianOf returns the analytic Jacobian as a full matrix.
func jacobianOf(s *SmoothSystem, y []float64) *mat.Dense {
	n := s.Dim()
	banded := ode.NewMatrix(n, s.Structure())
	s.Jacobian(0, y, banded)
	full := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			full.Set(i, j, banded.At(i, j))
		}
	}
	return full
}

// drawState is a point of the simplex with strictly positive entries.
func drawState(t *rapid.T, shape Shape) State {
	q := make(State, shape.Classes())
	total := 0.0
	for c := range q {
		q[c] = rapid.Float64Range(1e-3, 1).Draw(t, "q")
		total += q[c]
	}
	for c := range q {
		q[c] /= total
	}
	return q
}

func drawSmooth(t *rapid.T) (ctmc.System, *SmoothSystem, *Dynamics) {
	sys := ctmc.System{Load: rapid.Float64Range(.1, 3).Draw(t, "load"), Buffer: rapid.IntRange(1, 6).Draw(t, "buffer"),
		Service: rapid.SampledFrom([]coxian.Dist{exponential, erlang2, scv2, scv10}).Draw(t, "law"),
		Policy:  ctmc.PowerOfD(rapid.SampledFrom([]int64{1, 2, 3, 7, 16, 17, 40}).Draw(t, "d"), false)}
	if rapid.Bool().Draw(t, "general kernel") {
		sys.Policy.Fallback = wrapped{sys.Policy.Fallback}
	}
	s, err := NewSmoothSystem(sys, 0)
	if err != nil {
		t.Fatal(err)
	}
	d, err := NewDynamics(sys, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	return sys, s, d
}

// TestJacobian holds the analytic Jacobian against central differences.
func TestJacobian(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sys, s, d := drawSmooth(t)
		y := make([]float64, s.Dim())
		s.Coordinates(drawState(t, d.Shape), y)
		jac := jacobianOf(s, y)
		const h = 1e-5
		up, down := make([]float64, len(y)), make([]float64, len(y))
		for j := range y {
			at := y[j]
			y[j] = at + h
			s.F(0, y, up)
			y[j] = at - h
			s.F(0, y, down)
			y[j] = at
			for i := range y {
				want := (up[i] - down[i]) / (2 * h)
				if math.Abs(jac.At(i, j)-want) > 1e-5*(1+math.Abs(want)) {
					t.Errorf("%v: ∂F_%d/∂y_%d = %.10g, differences %.10g", sys, i, j, jac.At(i, j), want)
				}
			}
		}
	})
}

// TestSmoothDrift: the drift of the tails is the summed drift of the classes.
func TestSmoothDrift(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sys, s, d := drawSmooth(t)
		q := drawState(t, d.Shape)
		drift := make(State, len(q))
		d.Drift(q, drift)
		y, slope, want := make([]float64, s.Dim()), make([]float64, s.Dim()), make([]float64, s.Dim())
		s.Coordinates(q, y)
		s.F(0, y, slope)
		s.Coordinates(drift, want)
		for i := range want {
			if math.Abs(slope[i]-want[i]) > 1e-11*(1+sys.Load) {
				t.Errorf("%v: dy_%d = %.15g, want %.15g", sys, i, slope[i], want[i])
			}
		}
		back := make(State, len(q))
		s.State(y, back)
		for c := range q {
			if math.Abs(back[c]-q[c]) > 1e-15 {
				t.Errorf("class %d: %g after the round trip, want %g", c, back[c], q[c])
			}
		}
	})
}

// TestSmoothEquilibrium: the drift of the tails vanishes at the equilibrium.
func TestSmoothEquilibrium(t *testing.T) {
	for _, law := range []coxian.Dist{exponential, erlang2, scv2, scv10} {
		for _, d := range []int64{1, 2, 5, 30} {
			sys := ctmc.System{Load: .97, Buffer: 12, Service: law, Policy: ctmc.PowerOfD(d, false)}
			f := solve(t, sys)
			s, err := NewSmoothSystem(sys, 0)
			if err != nil {
				t.Fatal(err)
			}
			y, slope := make([]float64, s.Dim()), make([]float64, s.Dim())
			s.Coordinates(f.State(s.Shape), y)
			s.F(0, y, slope)
			for i, v := range slope {
				if math.Abs(v) > 5e-14 {
					t.Errorf("%v: slope %d is %g", sys, i, v)
				}
			}
		}
	}
}

// TestSmoothSystemRefusesPriority: a drift with jumps is refused by name.
func TestSmoothSystemRefusesPriority(t *testing.T) {
	_, err := NewSmoothSystem(ctmc.System{Load: .9, Buffer: 3, Service: scv2, Policy: ctmc.JIQ()}, 0)
	var field *ctmc.FieldError
	if !errors.As(err, &field) || field.Field != "policy" || field.Reason == "" {
		t.Errorf("error %v", err)
	}
}

// TestTrajectoryReference holds the integrated paths against reference values
// accurate to 1e-9, for the explicit and the implicit method.
func TestTrajectoryReference(t *testing.T) {
	for _, c := range smoothTrajectories(t) {
		for _, method := range []ode.Method{ode.Tsitouras5, ode.RadauIIA5} {
			sys := c.system()
			start := c.start(Shape{Levels: sys.Buffer, Phases: sys.Phases()})
			path, err := Trajectory(context.Background(), sys, start, c.T, ode.Settings{Method: method})
			if err != nil {
				t.Fatal(err)
			}
			if path.Status != ode.Done || path.Kind != ctmc.Limit || len(path.States) != len(c.T) {
				t.Fatalf("%v: %+v", sys, path)
			}
			for k, q := range path.States {
				c.compare(t, k, path.Shape, q, 2e-9)
				if math.Abs(path.Jobs[k]-c.Jobs[k]) > 2e-9 {
					t.Errorf("%v: %.12g jobs, want %.12g", sys, path.Jobs[k], c.Jobs[k])
				}
			}
		}
	}
}

// TestTrajectoryUnlimited: M/M/1 from empty keeps dE[jobs]/dt = λ - s_1, ends
// in the equilibrium, and times scale with the law.
func TestTrajectoryUnlimited(t *testing.T) {
	slow, err := scv2.Scale(5)
	if err != nil {
		t.Fatal(err)
	}
	sys := ctmc.System{Load: .8, Service: scv2, Policy: ctmc.PowerOfD(2, false)}
	path, err := Trajectory(context.Background(), sys, State{1}, []float64{0, 1, 400}, ode.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	if path.Jobs[0] != 0 || path.Lost > truncationLoss {
		t.Errorf("start %g, lost %g", path.Jobs[0], path.Lost)
	}
	if want := solve(t, sys).MeanJobs; !closeTo(path.Jobs[2], want, 1e-9) {
		t.Errorf("end %.12g, equilibrium %.12g", path.Jobs[2], want)
	}
	sys.Service = slow
	scaled, err := Trajectory(context.Background(), sys, State{1}, []float64{5}, ode.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	if !closeTo(scaled.Jobs[0], path.Jobs[1], 1e-9) {
		t.Errorf("slow law %.12g, want %.12g", scaled.Jobs[0], path.Jobs[1])
	}
	// Growth at load 2 with random routing: jobs rise by more than 1 per
	// service time and no faster than the arrivals.
	sys = ctmc.System{Load: 2, Service: exponential, Policy: ctmc.Random()}
	path, err = Trajectory(context.Background(), sys, State{1}, []float64{30}, ode.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	if path.Jobs[0] < 30 || path.Jobs[0] > 60 || path.Lost > truncationLoss {
		t.Errorf("overload: %g jobs, lost %g on %d levels", path.Jobs[0], path.Lost, path.Levels)
	}
}

// TestTrajectoryRefusals names what is wrong with a start or a time.
func TestTrajectoryRefusals(t *testing.T) {
	sys := ctmc.System{Load: .8, Buffer: 2, Service: exponential, Policy: ctmc.PowerOfD(2, false)}
	for name, c := range map[string]struct {
		start State
		times []float64
	}{
		"sum": {State{.5, .4}, nil}, "negative": {State{1.5, -.5}, nil}, "nan": {State{math.NaN(), 1}, nil}, "empty": {nil, nil},
		"level": {State{0, 0, 0, 1}, []float64{1}}, "order": {State{1}, []float64{2, 1}}, "time": {State{1}, []float64{-1}},
	} {
		if path, err := Trajectory(context.Background(), sys, c.start, c.times, ode.Settings{}); err == nil {
			t.Errorf("%s: no error, path %+v", name, path)
		}
	}
}
