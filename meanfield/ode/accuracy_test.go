package ode

import (
	"math"
	"testing"
)

var methods = []Method{Tsitouras5, DormandPrince5, RadauIIA5}

var tolerances = []float64{1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12}

// The error at the end and at output times between the steps stays within
// five units of the tolerance.
func TestErrorInUnitsOfTheTolerance(t *testing.T) {
	for _, ref := range nonStiffReferences() {
		var times []float64
		if ref.everywhere != nil {
			for k := range 58 {
				times = append(times, ref.end*float64(k)/57)
			}
		}
		for _, method := range methods {
			for _, tol := range tolerances {
				s := run(t, ref.problem, 0, ref.start, ref.end, Settings{
					Method: method, RelTol: tol, AbsTol: tol * ref.typical, Times: times,
				})
				if s.Status != Done {
					t.Errorf("%s, %v, %g: %v", ref.name, method, tol, s.Status)
				}
				end := units(s.State, ref.at(ref.end), tol, ref.typical)
				inside := 0.0
				for k, at := range s.Times {
					inside = max(inside, units(s.States[k], ref.at(at), tol, ref.typical))
				}
				t.Logf("%s, %v, %g: %.2f at the end, %.2f inside, %d steps",
					ref.name, method, tol, end, inside, s.Stats.Accepted)
				if end > 5 || inside > 5 {
					t.Errorf("%s, %v, %g: error %.2f tolerances at the end, %.2f inside, want at most 5",
						ref.name, method, tol, end, inside)
				}
			}
		}
	}
}

// A halved step reduces the error at the end by 2^5. In fixed-step mode the
// ladder shows the order of the method alone.
func TestObservedOrderOfSteps(t *testing.T) {
	for _, method := range methods {
		for _, ref := range nonStiffReferences() {
			if ref.everywhere == nil || ref.name == "logistic" { // the latter meets rounding errors
				continue
			}
			size := func(n int) float64 { return ref.end / float64(n) }
			worst := func(n int) float64 {
				s := run(t, ref.problem, 0, ref.start, ref.end, Settings{
					Method: method, RelTol: 1e-13, AbsTol: 1e-13, FixedStep: size(n),
				})
				if s.Status != Done || s.Stats.Accepted != n {
					t.Fatalf("%v: %v after %d steps, want %d", method, s.Status, s.Stats.Accepted, n)
				}
				return units(s.State, ref.at(ref.end), 1, 1)
			}
			coarse, fine := worst(160), worst(320)
			order := math.Log2(coarse / fine)
			t.Logf("%v, %s: order %.3f (errors %.2e, %.2e)", method, ref.name, order, coarse, fine)
			if math.Abs(order-5) > 0.2 {
				t.Errorf("%v, %s: observed order %.3f, want 5 ± 0.2", method, ref.name, order)
			}
		}
	}
}

// The local error of the dense output over one step, largest over the step,
// falls like h^6 for the explicit pairs and h^5 for Radau IIA.
func TestObservedOrderOfDenseOutput(t *testing.T) {
	for _, test := range []struct {
		method  Method
		h, want float64
	}{{Tsitouras5, 0.05, 6}, {DormandPrince5, 0.05, 6}, {RadauIIA5, 0.02, 5}} {
		method, want := test.method, test.want
		worst := func(h float64) float64 {
			in, err := NewIntegrator(kepler(), 1, keplerOrbit(0.3, 1), 10, Settings{
				Method: method, RelTol: 1e-14, AbsTol: 1e-14, FixedStep: h,
			})
			if err != nil {
				t.Fatal(err)
			}
			// The second step: Radau's dense output looks one step back.
			in.Step()
			exact := keplerOrbit(0.3, in.Time())
			begin := append([]float64(nil), in.State()...)
			in.Step()
			state := make([]float64, 4)
			largest := 0.0
			for k := range 41 {
				at := in.PreviousTime() + h*float64(k)/40
				in.Interpolate(at, state)
				// The error at the start of the step is not the interpolant's.
				truth := keplerOrbit(0.3, at)
				for i := range truth {
					truth[i] += begin[i] - exact[i]
				}
				largest = max(largest, units(state, truth, 1, 1))
			}
			return largest
		}
		coarse, fine := worst(test.h), worst(test.h/2)
		order := math.Log2(coarse / fine)
		t.Logf("%v: order %.3f (errors %.2e, %.2e)", method, order, coarse, fine)
		if math.Abs(order-want) > 0.2 {
			t.Errorf("%v: dense output of local order %.3f, want %v ± 0.2", method, order, want)
		}
	}
}

// The dense output of a stiff component that follows a slow manifold is as
// accurate as the tolerance, far beyond the layer where the classical error
// estimate has vanished. y' = −λ(y − cos t) − sin t (Prothero & Robinson
// 1974), y(0) = 0: y = cos t − exp(−λt).
func TestDenseOutputOnASlowManifold(t *testing.T) {
	const lambda = 1e6
	p := Problem{Dim: 1, F: func(t float64, y, d []float64) {
		d[0] = -lambda*(y[0]-math.Cos(t)) - math.Sin(t)
	}}
	var times []float64
	for k := 0; k <= 500; k++ {
		times = append(times, 3*math.Pow(float64(k)/500, 6))
	}
	for _, tol := range tolerances {
		s := run(t, p, 0, []float64{0}, 3, Settings{Method: RadauIIA5, RelTol: tol, AbsTol: tol, Times: times})
		worst := 0.0
		for k, at := range times {
			worst = max(worst, units(s.States[k], []float64{math.Cos(at) - math.Exp(-lambda*at)}, tol, 1))
		}
		t.Logf("%g: %.3f tolerances, %d steps", tol, worst, s.Stats.Accepted)
		if worst > 5 {
			t.Errorf("%g: dense output off by %.2f tolerances, want at most 5", tol, worst)
		}
	}
}

// The Arenstorf orbit closes. It amplifies errors: two close encounters with
// the moon multiply those of the start, so the bound is on the proportionality
// of error and tolerance, not on five tolerances.
func TestArenstorfOrbitCloses(t *testing.T) {
	for _, method := range methods {
		for _, tol := range []float64{1e-7, 1e-9, 1e-11} {
			s := run(t, arenstorf(), 0, arenstorfStart(), arenstorfPeriod, Settings{
				Method: method, RelTol: tol, AbsTol: tol,
			})
			gap := math.Hypot(s.State[0]-0.994, s.State[1])
			t.Logf("%v, %g: gap %.2e, %d steps", method, tol, gap, s.Stats.Accepted)
			if s.Status != Done || gap > 500*tol {
				t.Errorf("%v, %g: orbit open by %.3g, want at most %.3g", method, tol, gap, 500*tol)
			}
		}
	}
}

// On the limit cycle of the Brusselator (Hairer, Nørsett & Wanner 1993, §I.16)
// the phase error stays proportional to the tolerance. y(20) from a Taylor
// series method of order 40 in 50 decimal digits.
func TestBrusselatorOverACycle(t *testing.T) {
	exact := []float64{0.49863707126834784865, 4.5967803494520111832}
	for _, method := range methods {
		for _, tol := range []float64{1e-4, 1e-7, 1e-10, 1e-12} {
			s := run(t, brusselator(), 0, []float64{1.5, 3}, 20, Settings{Method: method, RelTol: tol, AbsTol: tol})
			if e := units(s.State, exact, tol, 1); e > 5 {
				t.Errorf("%v, %g: error of %.2f tolerances, want at most 5", method, tol, e)
			}
		}
	}
}
