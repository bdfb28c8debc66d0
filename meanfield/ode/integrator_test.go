package ode

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Integrating there and back returns to the start.
func TestBackwardIntegrationReturns(t *testing.T) {
	for _, method := range methods {
		for _, ref := range nonStiffReferences() {
			s := Settings{Method: method, RelTol: 1e-10, AbsTol: 1e-10}
			there := run(t, ref.problem, 0, ref.start, 3, s)
			back := run(t, ref.problem, 3, there.State, 0, s)
			// The logistic and Brusselator flows contract, so that the way
			// back amplifies.
			if e := units(back.State, ref.start, 1e-10, 1); back.Status != Done || e > 500 {
				t.Errorf("%v, %s: %v, back at the start within %.3g tolerances", method, ref.name, back.Status, e)
			}
		}
	}
}

// F, output, events and trajectory work alike when time runs backwards.
func TestBackwardOutput(t *testing.T) {
	for _, method := range methods {
		s := run(t, oscillator(), 10, []float64{math.Cos(10), -math.Sin(10)}, 0, Settings{
			Method: method, RelTol: 1e-11, AbsTol: 1e-11, Times: []float64{10, 7.5, 7.5, 1, 0}, KeepTrajectory: true,
			Events: []Event{{G: func(_ float64, y []float64) float64 { return y[0] }, Direction: Rising}},
		})
		for k, at := range s.Times {
			within(t, method.String(), s.States[k][0], math.Cos(at), 1e-9)
		}
		if len(s.Times) != 5 {
			t.Errorf("%v: %d outputs, want 5", method, len(s.Times))
		}
		// Seen backwards cos rises through 5π/2 and π/2.
		if len(s.Hits) != 2 {
			t.Fatalf("%v: %d hits, want 2", method, len(s.Hits))
		}
		within(t, "first root", s.Hits[0].Time, 2.5*math.Pi, 1e-9)
		within(t, "second root", s.Hits[1].Time, 0.5*math.Pi, 1e-9)
		y := make([]float64, 2)
		for at := 0.0; at <= 10; at += 0.37 {
			if err := s.Trajectory.At(at, y); err != nil {
				t.Fatal(err)
			}
			within(t, "trajectory", y[0], math.Cos(at), 1e-9)
		}
	}
}

// Output times do not influence the steps, and the output is what the
// trajectory and the stepping interface say.
func TestOutputDoesNotInfluenceSteps(t *testing.T) {
	for _, method := range methods {
		rapid.Check(t, func(t *rapid.T) {
			var times []float64
			at := 0.0
			for range rapid.IntRange(0, 30).Draw(t, "n") {
				at = min(10, at+rapid.Float64Range(0, 1).Draw(t, "gap"))
				times = append(times, at)
			}
			settings := Settings{Method: method, RelTol: 1e-5}
			plain, err := Integrate(context.Background(), oscillator(), 0, []float64{1, 0}, 10, settings)
			if err != nil {
				t.Fatal(err)
			}
			settings.Times, settings.KeepTrajectory = times, true
			with, err := Integrate(context.Background(), oscillator(), 0, []float64{1, 0}, 10, settings)
			if err != nil {
				t.Fatal(err)
			}
			if with.State[0] != plain.State[0] || with.Stats.Accepted != plain.Stats.Accepted {
				t.Fatal("output changed the solution")
			}
			if len(with.Times) != len(times) {
				t.Fatalf("%d outputs for %d times", len(with.Times), len(times))
			}
			y := make([]float64, 2)
			for k, at := range times {
				if err := with.Trajectory.At(at, y); err != nil {
					t.Fatal(err)
				}
				if math.Abs(y[0]-with.States[k][0]) > 1e-14 {
					t.Fatalf("output %v, trajectory %v at %v", with.States[k][0], y[0], at)
				}
			}
		})
	}
}

// The dense output is continuous: it meets the states at both ends of a step.
func TestInterpolateMeetsTheEnds(t *testing.T) {
	for _, method := range methods {
		in, err := NewIntegrator(brusselator(), 0, []float64{1.5, 3}, 5, Settings{Method: method})
		if err != nil {
			t.Fatal(err)
		}
		before := append([]float64(nil), in.State()...)
		y := make([]float64, 2)
		in.Interpolate(0, y)
		if y[0] != before[0] || y[1] != before[1] {
			t.Errorf("%v: before the first step %v, want %v", method, y, before)
		}
		for in.Step() == Running {
			in.Interpolate(in.PreviousTime(), y)
			if y[0] != before[0] || y[1] != before[1] {
				t.Fatalf("%v: start of the step %v, want %v", method, y, before)
			}
			in.Interpolate(in.Time(), y)
			for i, want := range in.State() {
				within(t, "end of the step", y[i], want, 1e-15*(1+math.Abs(want)))
			}
			copy(before, in.State())
		}
	}
}

func TestEveryStepAndTrajectory(t *testing.T) {
	s := run(t, oscillator(), 0, []float64{1, 0}, 10, Settings{EveryStep: true, KeepTrajectory: true})
	if len(s.Times) != s.Stats.Accepted+1 || s.Times[0] != 0 || s.Times[len(s.Times)-1] != 10 {
		t.Errorf("%d times for %d steps, from %v to %v", len(s.Times), s.Stats.Accepted, s.Times[0], s.Times[len(s.Times)-1])
	}
	if a, b := s.Trajectory.Span(); a != 0 || b != 10 {
		t.Errorf("span [%v, %v]", a, b)
	}
	y := make([]float64, 2)
	if err := s.Trajectory.At(10.5, y); err == nil {
		t.Error("no error outside the span")
	}
	if err := s.Trajectory.At(1, y[:1]); err == nil {
		t.Error("no error for a wrong length")
	}
}

func TestCancellation(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	evaluations := 0
	p := Problem{Dim: 1, F: func(_ float64, y, d []float64) {
		if evaluations++; evaluations == 1000 {
			cancel()
		}
		d[0] = -y[0]
	}}
	s, err := Integrate(ctx, p, 0, []float64{1}, 1000, Settings{MaxStep: 0.01})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v, want context.Canceled", err)
	}
	if s == nil || s.Status != Cancelled || s.Time <= 0 || s.Time > 3 {
		t.Fatalf("solution so far: %+v", s)
	}
	within(t, "state so far", s.State[0], math.Exp(-s.Time), 1e-8)
	if evaluations > 1010 {
		t.Errorf("%d evaluations after the cancellation", evaluations-1000)
	}
}

// y' = y² from y(0) = 1 is infinite at t = 1.
func TestSingularityIsNamed(t *testing.T) {
	p := Problem{Dim: 1, F: func(_ float64, y, d []float64) { d[0] = y[0] * y[0] }}
	for _, method := range methods {
		s := run(t, p, 0, []float64{1}, 2, Settings{Method: method})
		if s.Status.OK() || s.Status == Cancelled {
			t.Errorf("%v: %v", method, s.Status)
		}
		within(t, "time of the singularity", s.Time, 1, 1e-4)
		if err := s.Err(); err == nil || !strings.Contains(err.Error(), s.Status.String()) {
			t.Errorf("Err() = %v", err)
		}
		if !isFinite(s.State[0]) {
			t.Errorf("%v: state %v", method, s.State[0])
		}
	}
}

// Chattering across y' = −sign(y) that no event locates: the step collapses
// and the end is out of reach.
func TestStallIsNamed(t *testing.T) {
	p := Problem{Dim: 1, F: func(_ float64, y, d []float64) {
		d[0] = -1
		if y[0] < 0 {
			d[0] = 1
		}
	}}
	s := run(t, p, 0, []float64{1}, 1e4, Settings{RelTol: 1e-10, AbsTol: 1e-10})
	if s.Status != Stalled {
		t.Errorf("%v, want stalled", s.Status)
	}
	within(t, "time of the stall", s.Time, 1, 1e-3)
	if s.Stats.Accepted+s.Stats.Rejected > 6*DefaultStallWindow {
		t.Errorf("noticed only after %d attempts", s.Stats.Accepted+s.Stats.Rejected)
	}
	s = run(t, p, 0, []float64{1}, 1e4, Settings{RelTol: 1e-10, AbsTol: 1e-10, StallWindow: -1, MaxSteps: 30_000})
	if s.Status != MaxSteps || s.Stats.Accepted+s.Stats.Rejected != 30_000 {
		t.Errorf("%v after %d attempts, want the limit of 30000", s.Status, s.Stats.Accepted+s.Stats.Rejected)
	}
}

// TestWorkLimit: the integration ends once its work is spent, and its progress
// is the part of the work or of the interval, whichever is more.
func TestWorkLimit(t *testing.T) {
	p := Problem{Dim: 1, F: func(_ float64, _, dy []float64) { dy[0] = 1 }}
	const most = 500
	var shares []float64
	settings := Settings{MaxStep: 1, MaxWork: most, Progress: func(share float64) { shares = append(shares, share) }}
	s := run(t, p, 0, []float64{0}, 1e6, settings)
	if s.Status != MaxWork || s.Stats.Work < most || s.Stats.Work > most+stepWork {
		t.Errorf("%v after work of %d, want the limit of %d", s.Status, s.Stats.Work, most)
	}
	if attempts := int64(s.Stats.Accepted + s.Stats.Rejected); s.Stats.Work != attempts*(stepWork+1) {
		t.Errorf("work %d in %d attempts with one component", s.Stats.Work, attempts)
	}
	if len(shares) == 0 || shares[0] != 0 || !slices.IsSorted(shares) || shares[len(shares)-1] < 0.9 {
		t.Errorf("shares of the work %v", shares)
	}
	shares = nil
	if s = run(t, p, 0, []float64{0}, 2, settings); s.Status != Done || shares[len(shares)-1] < 0.4 {
		t.Errorf("%v, shares of the interval %v", s.Status, shares)
	}
}

func TestMinStep(t *testing.T) {
	p := Problem{Dim: 1, F: func(_ float64, y, d []float64) { d[0] = y[0] * y[0] }}
	for _, method := range methods {
		s := run(t, p, 0, []float64{1}, 2, Settings{Method: method, MinStep: 1e-3})
		if s.Status != StepTooSmall || s.Time > 1 {
			t.Errorf("%v: %v at %v, want step too small before 1", method, s.Status, s.Time)
		}
		if s.Stats.SmallestStep < 1e-3 {
			t.Errorf("%v: a step of %v", method, s.Stats.SmallestStep)
		}
	}
}

// y' = −1/(2y), y = √(1 − t): no value of F beyond t = 1.
func TestSlopeThatEnds(t *testing.T) {
	p := Problem{Dim: 1, F: func(_ float64, y, d []float64) {
		d[0] = math.NaN()
		if y[0] > 0.1 {
			d[0] = -1 / (2 * y[0])
		}
	}}
	for _, method := range methods {
		s := run(t, p, 0, []float64{1}, 2, Settings{Method: method})
		if s.Status != NotFinite {
			t.Errorf("%v: %v, want no finite slope", method, s.Status)
		}
		within(t, "end of the slope", s.Time, 0.99, 1e-4)
		s = run(t, p, 0, []float64{0.05}, 2, Settings{Method: method})
		if s.Status != NotFinite || s.Time != 0 {
			t.Errorf("%v: %v at %v, want no finite slope at the start", method, s.Status, s.Time)
		}
	}
}

// The slope 2·exp(−2t) of y = 1 − exp(−2t) is 1e-6 at t = ln(2e6)/2.
func TestSteadyState(t *testing.T) {
	p := Problem{Dim: 1, F: func(_ float64, y, d []float64) { d[0] = 2 * (1 - y[0]) }}
	for _, method := range methods {
		s := run(t, p, 0, []float64{0}, 1e9, Settings{
			Method: method, RelTol: 1e-9, AbsTol: 1e-9, MaxStep: 0.01, SteadyState: &SteadyState{AbsTol: 1e-6},
		})
		if s.Status != Steady {
			t.Fatalf("%v: %v", method, s.Status)
		}
		within(t, "time", s.Time, math.Log(2e6)/2, 0.011)
	}
	// A slope that never gets there is a stall, named before MaxSteps.
	s := run(t, oscillator(), 0, []float64{1, 0}, 1e9, Settings{SteadyState: &SteadyState{AbsTol: 1e-3}, StallWindow: 100})
	if s.Status != Stalled || s.Stats.Accepted > 1000 {
		t.Errorf("%v after %d steps, want stalled", s.Status, s.Stats.Accepted)
	}
}

func TestToleranceOfEachComponent(t *testing.T) {
	// Two independent decays; the second starts at 1e-8 and must keep digits.
	p := Problem{Dim: 2, F: func(_ float64, y, d []float64) { d[0], d[1] = -y[0], -3*y[1] }}
	for _, method := range methods {
		s := run(t, p, 0, []float64{1, 1e-8}, 3, Settings{Method: method, RelTol: 1e-6, AbsTols: []float64{1e-6, 1e-16}})
		within(t, method.String(), s.State[1]/(1e-8*math.Exp(-9)), 1, 2e-5)
	}
}

func TestStepsAllocateNothing(t *testing.T) {
	const n = 12
	problems := map[string]Problem{
		"differences": chain(n, 2, false, Sparse(bandPattern(n, 2))),
		"band":        chain(n, 2, true, Banded(2, 2)),
	}
	events := []Event{{G: func(t float64, y []float64) float64 { return math.Sin(40 * t) }}}
	for name, p := range problems {
		for _, method := range methods {
			in, err := NewIntegrator(p, 0, chainStart(n), 1e6, Settings{Method: method, RelTol: 1e-4, Events: events, MaxStep: 0.05})
			if err != nil {
				t.Fatal(err)
			}
			y := make([]float64, n)
			start := chainStart(n)
			step := func() {
				if s := in.Step(); s != Running {
					t.Fatal(s)
				}
				in.Interpolate(in.Time(), y)
			}
			for range 20 {
				step()
			}
			if a := testing.AllocsPerRun(200, step); a != 0 {
				t.Errorf("%s, %v: %v allocations a step", name, method, a)
			}
			again := func() {
				if err := in.RestartWith(in.Time(), start, p, events); err != nil {
					t.Fatal(err)
				}
				step()
			}
			again()
			if a := testing.AllocsPerRun(50, again); a != 0 {
				t.Errorf("%s, %v: %v allocations a restart", name, method, a)
			}
		}
	}
}

// A solution over a hundred times the interval allocates as often.
func TestIntegrateAllocatesOnceForAll(t *testing.T) {
	for _, method := range methods {
		count := func(end float64) float64 {
			return testing.AllocsPerRun(5, func() {
				if _, err := Integrate(context.Background(), oscillator(), 0, []float64{1, 0}, end, Settings{Method: method}); err != nil {
					t.Fatal(err)
				}
			})
		}
		if short, long := count(1), count(100); short != long {
			t.Errorf("%v: %v allocations over 1, %v over 100", method, short, long)
		}
	}
}

func TestSetEnd(t *testing.T) {
	for _, method := range methods {
		in, err := NewIntegrator(oscillator(), 0, []float64{1, 0}, 1, Settings{Method: method, RelTol: 1e-10, AbsTol: 1e-10})
		if err != nil {
			t.Fatal(err)
		}
		for _, end := range []float64{1, 3, 2, -1} {
			if err := in.SetEnd(end); err != nil {
				t.Fatal(err)
			}
			for in.Step() == Running {
			}
			if in.Status() != Done || in.Time() != end {
				t.Fatalf("%v: %v at %v, want %v", method, in.Status(), in.Time(), end)
			}
			within(t, method.String(), in.State()[0], math.Cos(end), 1e-9)
		}
	}
}

// The integration ends at t1 to the last bit.
func TestEndIsMetExactly(t *testing.T) {
	for _, method := range methods {
		rapid.Check(t, func(t *rapid.T) {
			t0 := rapid.Float64Range(-1e3, 1e3).Draw(t, "t0")
			t1 := rapid.Float64Range(-1e3, 1e3).Draw(t, "t1")
			p := Problem{Dim: 1, F: func(_ float64, _, d []float64) { d[0] = 1 }}
			s, err := Integrate(context.Background(), p, t0, []float64{t0}, t1, Settings{Method: method})
			if err != nil {
				t.Fatal(err)
			}
			if s.Status != Done || s.Time != t1 || math.Abs(s.State[0]-t1) > 1e-10 {
				t.Fatalf("%v at %v with %v, want %v", s.Status, s.Time, s.State[0], t1)
			}
		})
	}
}

func TestEmptyInterval(t *testing.T) {
	s := run(t, oscillator(), 2, []float64{1, 5}, 2, Settings{Times: []float64{2, 2}})
	if s.Status != Done || s.State[1] != 5 || len(s.States) != 2 || s.States[1][1] != 5 || s.Stats.Accepted != 0 {
		t.Errorf("%+v", s)
	}
}

func TestErrorsNameTheField(t *testing.T) {
	good := oscillator()
	start := []float64{1, 0}
	for want, try := range map[string]func() error{
		"Problem.Dim":    func() error { return integrateOnce(Problem{F: good.F}, start, 1, Settings{}) },
		"Problem.F":      func() error { return integrateOnce(Problem{Dim: 2}, start, 1, Settings{}) },
		"initial state ": func() error { return integrateOnce(good, []float64{1}, 1, Settings{}) },
		"initial state[1] = NaN": func() error {
			return integrateOnce(good, []float64{1, math.NaN()}, 1, Settings{})
		},
		"interval":        func() error { return integrateOnce(good, start, math.Inf(1), Settings{}) },
		"Settings.Method": func() error { return integrateOnce(good, start, 1, Settings{Method: 9}) },
		"Settings.RelTol": func() error { return integrateOnce(good, start, 1, Settings{RelTol: -1}) },
		"Settings.AbsTol": func() error { return integrateOnce(good, start, 1, Settings{AbsTol: math.NaN()}) },
		"Settings.AbsTols[1]": func() error {
			return integrateOnce(good, start, 1, Settings{AbsTols: []float64{1, 0}})
		},
		"Settings.AbsTols has": func() error { return integrateOnce(good, start, 1, Settings{AbsTols: []float64{1}}) },
		"Settings.MaxSteps":    func() error { return integrateOnce(good, start, 1, Settings{MaxSteps: -1}) },
		"Settings.MaxStep ":    func() error { return integrateOnce(good, start, 1, Settings{MaxStep: -1}) },
		"Settings.Times[1]": func() error {
			return integrateOnce(good, start, 1, Settings{Times: []float64{0.5, 0.4}})
		},
		"Settings.Events[0].G": func() error { return integrateOnce(good, start, 1, Settings{Events: []Event{{}}}) },
		"Settings.SteadyState": func() error { return integrateOnce(good, start, 1, Settings{SteadyState: &SteadyState{}}) },
		"Controller.Safety": func() error {
			return integrateOnce(good, start, 1, Settings{Controller: Controller{Safety: 2}})
		},
		"Structure.Lower": func() error {
			return integrateOnce(Problem{Dim: 2, F: good.F, Structure: Banded(2, 0)}, start, 1, Settings{})
		},
		"Structure.Pattern[0]": func() error {
			return integrateOnce(Problem{Dim: 2, F: good.F, Structure: Sparse([][]int{{2}, {0}})}, start, 1, Settings{})
		},
	} {
		if err := try(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one naming %q", err, want)
		}
	}
}

func integrateOnce(p Problem, y0 []float64, t1 float64, s Settings) error {
	_, err := Integrate(context.Background(), p, 0, y0, t1, s)
	return err
}

func TestInterpolateOutsideTheStepPanics(t *testing.T) {
	in, err := NewIntegrator(oscillator(), 0, []float64{1, 0}, 10, Settings{})
	if err != nil {
		t.Fatal(err)
	}
	in.Step()
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	in.Interpolate(in.Time()+1, make([]float64, 2))
}

// Every status has its own description.
func TestStatusNames(t *testing.T) {
	seen := map[string]bool{}
	for s := Running; s <= NotConverged; s++ {
		if name := s.String(); name == "" || seen[name] {
			t.Errorf("status %d: name %q", s, name)
		} else {
			seen[name] = true
		}
	}
}
