package meanfield

import (
	"context"
	"math"
	"math/cmplx"
	"testing"

	"qlimit/coxian"
	"qlimit/ctmc"
	"qlimit/meanfield/ode"
)

func mustSpectrum(t *testing.T, sys ctmc.System) *Modes {
	t.Helper()
	s, err := Spectrum(sys)
	if err != nil {
		t.Fatalf("%v: %v", sys, err)
	}
	return s
}

// TestSpectrumRandomFinite: random routing with buffer b and exponential
// service gives a tridiagonal Toeplitz matrix, eigenvalues
// -(1+λ) + 2√λ cos(kπ/(b+1)), k = 1..b.
func TestSpectrumRandomFinite(t *testing.T) {
	for _, load := range []float64{.3, .9, 1.5} {
		for _, b := range []int{1, 2, 7, 40} {
			sys := ctmc.System{Load: load, Buffer: b, Service: coxian.Dist{Mu1: .5, P: 0, Mu2: 1}, Policy: ctmc.Random()}
			s := mustSpectrum(t, sys)
			if len(s.Eigenvalues) != b {
				t.Fatalf("%v: %d eigenvalues", sys, len(s.Eigenvalues))
			}
			for k, v := range s.Eigenvalues {
				want := .5 * (-(1 + load) + 2*math.Sqrt(load)*math.Cos(float64(k+1)*math.Pi/float64(b+1)))
				if math.Abs(v.Re-want) > 1e-14 || v.Im != 0 {
					t.Errorf("%v: eigenvalue %d is %v, want %v", sys, k, v, want)
				}
			}
		}
	}
}

// TestSpectrumPowerOfD against the eigenvalues of the full matrix by another
// method, in Coxian coordinates: with (2, 1/2, 1), the exponential law, the
// eigenvalues of the exponential system are among those of the Coxian one.
func TestSpectrumPowerOfD(t *testing.T) {
	for _, buffer := range []int{ctmc.Unlimited, 4} {
		sys := ctmc.System{Load: .9, Buffer: buffer, Service: exponentialLaw, Policy: ctmc.PowerOfD(2, false)}
		exponential := mustSpectrum(t, sys)
		sys.Service = coxian.Dist{Mu1: 2, P: .5, Mu2: 1}
		other := mustSpectrum(t, sys)
		for _, v := range exponential.Eigenvalues {
			nearest := math.Inf(1)
			for _, w := range other.Eigenvalues {
				nearest = math.Min(nearest, math.Hypot(v.Re-w.Re, v.Im-w.Im))
			}
			if nearest > 1e-9 {
				t.Errorf("buffer %d: the eigenvalue %v of the exponential law is %v off the next one of the same law as Coxian", buffer, v, nearest)
			}
		}
	}
}

// TestGapIsTheDecayRate of trajectories near the equilibrium, for smooth
// policies and, in the regime with idle servers, for those with priority
// levels (where level 1 alone is disturbed: no power of t).
func TestGapIsTheDecayRate(t *testing.T) {
	for _, law := range []coxian.Dist{exponentialLaw, {Mu1: 2, P: .25, Mu2: .5}, {Mu1: 8, P: .05, Mu2: 2.0 / 35}} {
		for _, policy := range []ctmc.Policy{ctmc.PowerOfD(2, false), ctmc.PowerOfD(3, false), ctmc.JSQ(), ctmc.JIQ(), ctmc.I1F()} {
			sys := ctmc.System{Load: .7, Buffer: 6, Service: law, Policy: policy}
			s := mustSpectrum(t, sys)
			fix, err := Equilibrium(sys)
			if err != nil {
				t.Fatal(err)
			}
			rate := decayRate(t, sys, fix, s.RelaxationTime)
			if !closeTo(rate, s.Gap, 2e-3) {
				t.Errorf("%v: decay at rate %v, gap %v", sys, rate, s.Gap)
			}
		}
	}
}

// decayRate follows the drift of the class fractions from a state close to
// the equilibrium and compares the distances from it after 8 and 10
// relaxation times.
func decayRate(t *testing.T, sys ctmc.System, fix *Fixpoint, relaxation float64) float64 {
	t.Helper()
	relaxation /= sys.Service.Mean()
	d, err := NewDynamics(sys, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	rest := fix.State(d.Shape)
	q := append(State(nil), rest...)
	q[0] -= 1e-3
	q[1] += 0.6e-3
	q[min(2, len(q)-1)] += 0.4e-3
	if d.Phases == 1 {
		q = append(State(nil), rest...)
		q[0] -= 1e-3
		q[1] += 1e-3
	}
	solution, err := ode.Integrate(context.Background(), ode.Problem{Dim: len(q), F: func(_ float64, y, slope []float64) { d.Drift(y, slope) }},
		0, q, 10*relaxation, ode.Settings{Method: ode.RadauIIA5, RelTol: 1e-10, AbsTol: 1e-14, Times: []float64{8 * relaxation, 10 * relaxation}})
	if err != nil {
		t.Fatal(err)
	}
	if err := solution.Err(); err != nil {
		t.Fatal(err)
	}
	distance := func(y []float64) float64 {
		sum := 0.0
		for i := range y {
			sum += math.Abs(y[i] - rest[i])
		}
		return sum
	}
	return math.Log(distance(solution.States[0])/distance(solution.States[1])) / (2 * relaxation) / sys.Service.Mean()
}

// TestSpectrumWithIdleServers: -μ1 and -μ2 at every level.
func TestSpectrumWithIdleServers(t *testing.T) {
	for _, policy := range []ctmc.Policy{ctmc.JSQ(), ctmc.JIQ(), ctmc.I1F()} {
		s := mustSpectrum(t, ctmc.System{Load: .9, Service: exponentialLaw, Policy: policy})
		if len(s.Eigenvalues) != 1 || s.Eigenvalues[0].Re != -1 || s.Gap != 1 || s.RelaxationTime != 1 || s.Repeats != 0 || s.Sliding != 0 {
			t.Errorf("%v: %+v", policy, s)
		}
		s = mustSpectrum(t, ctmc.System{Load: .9, Buffer: 3, Service: coxian.Dist{Mu1: 1, P: .25, Mu2: .25}, Policy: policy})
		if len(s.Eigenvalues) != 2 || math.Abs(s.Eigenvalues[0].Re+.25) > 1e-15 || math.Abs(s.Eigenvalues[1].Re+1) > 1e-15 || s.Repeats != 3 {
			t.Errorf("%v: %+v", policy, s)
		}
	}
}

// TestSlidingDrift: on the surface the reduced drift is Filippov's, and its
// Jacobian the derivative of the reduced drift.
func TestSlidingDrift(t *testing.T) {
	for _, sys := range slidingSystems {
		surface := newSlidingSurface(sys)
		fix, err := Equilibrium(sys)
		if err != nil {
			t.Fatal(err)
		}
		z := surface.coordinates(fix)
		for i := range z {
			z[i] *= 1 - .01/float64(i+1) // some point near by
		}
		n := len(z)
		slope := make([]float64, n)
		surface.drift(z, slope)

		d, err := NewDynamics(sys, 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		tails := make([]float64, d.Classes()-1)
		for i := 1; i <= sys.Buffer; i++ {
			// Empty levels have the tails of the first that is not.
			first, second := surface.phases(z, max(i-surface.sliding, 0))
			tails[d.Class(i, 1)-1] = first
			if d.Phases == 2 {
				tails[d.Class(i, 2)-1] = second
			}
		}
		q, full := make(State, d.Classes()), make([]float64, d.Classes())
		for i := range tails {
			q[i+1] = tails[i]
			if i+d.Phases < len(tails) {
				q[i+1] -= tails[i+d.Phases]
			}
		}
		regime := d.Drift(q, full)
		if regime.Sliding != surface.sliding {
			t.Fatalf("%v: %d levels slide, want %d", sys, regime.Sliding, surface.sliding)
		}
		for i := len(full) - 1 - d.Phases; i >= 1; i-- {
			full[i] += full[i+d.Phases]
		}
		for i, got := range slope {
			if want := full[len(full)-n+i]; math.Abs(got-want) > 1e-13 {
				t.Errorf("%v: slope %d is %v, Filippov's %v", sys, i, got, want)
			}
		}

		jacobian := surface.jacobian(z)
		up, down := make([]float64, n), make([]float64, n)
		for j := range n {
			const h = 1e-5
			center := z[j]
			z[j] = center + h
			surface.drift(z, up)
			z[j] = center - h
			surface.drift(z, down)
			z[j] = center
			for i := range n {
				if numeric := (up[i] - down[i]) / (2 * h); math.Abs(jacobian.At(i, j)-numeric) > 1e-8 {
					t.Errorf("%v: ∂%d/∂%d is %v, by differences %v", sys, i, j, jacobian.At(i, j), numeric)
				}
			}
		}
	}
}

var slidingSystems = []ctmc.System{
	{Load: 1.3, Buffer: 4, Service: exponentialLaw, Policy: ctmc.JIQ()},
	{Load: 1.3, Buffer: 5, Service: coxian.Dist{Mu1: 2, P: .25, Mu2: .5}, Policy: ctmc.JIQ()},
	{Load: 1.2, Buffer: 4, Service: coxian.Dist{Mu1: 2, P: .25, Mu2: .5}, Policy: ctmc.I1F()},
	{Load: 1.2, Buffer: 5, Service: coxian.Dist{Mu1: 1.25, P: 1, Mu2: 5}, Policy: ctmc.JIQ().WithFallback(ctmc.Sampling{Choices: 2})},
	{Load: 1.5, Buffer: 3, Service: coxian.Dist{Mu1: 2, P: .25, Mu2: .5}, Policy: ctmc.JSQ()},
}

// TestSlidingSpectrum: stable, and for JSQ, all servers full, the phase
// relaxes at rate pμ1 + μ2.
func TestSlidingSpectrum(t *testing.T) {
	for _, sys := range slidingSystems {
		s := mustSpectrum(t, sys)
		if !(s.Gap > 0) || s.Sliding == 0 || len(s.Warnings) > 0 {
			t.Errorf("%v: %+v", sys, s)
		}
	}
	s := mustSpectrum(t, slidingSystems[4])
	if len(s.Eigenvalues) != 1 || math.Abs(s.Gap-(.25*2+.5)) > 1e-14 || s.Sliding != 3 {
		t.Errorf("JSQ above load 1: %+v", s)
	}
	full := slidingSystems[4]
	full.Service = exponentialLaw
	if s := mustSpectrum(t, full); len(s.Eigenvalues) != 0 || len(s.Warnings) == 0 {
		t.Errorf("exponential JSQ above load 1: %+v", s)
	}
}

// TestSpectrumUnlimitedRandomWarns of the continuous spectrum and its edge.
func TestSpectrumUnlimitedRandomWarns(t *testing.T) {
	s := mustSpectrum(t, ctmc.System{Load: .64, Service: exponentialLaw, Policy: ctmc.Random()})
	if len(s.Warnings) != 1 || s.Gap < .04 || s.Gap > .05 {
		t.Errorf("gap %v (the edge is at 0.04), warnings %q", s.Gap, s.Warnings)
	}
}

// TestSpectrumDeepTails: next to empty levels have eigenvalues next to -μ1 and
// -μ2, which do not scatter as those of a nearly defective matrix would
// without scaling.
func TestSpectrumDeepTails(t *testing.T) {
	smooth, err := NewSmoothSystem(ctmc.System{Load: .5, Buffer: 14, Service: twoPhaseLaw, Policy: ctmc.PowerOfD(2, false)}, 0)
	if err != nil {
		t.Fatal(err)
	}
	sys := ctmc.System{Load: .5, Service: twoPhaseLaw, Policy: ctmc.PowerOfD(2, false)}
	fix, err := Equilibrium(sys)
	if err != nil {
		t.Fatal(err)
	}
	jacobian := ode.NewMatrix(smooth.Dim(), smooth.Structure())
	smooth.Jacobian(0, fix.coordinates(14, 2), jacobian)
	values, _, err := reliableEigenvalues(jacobian)
	if err != nil {
		t.Fatal(err)
	}
	// Neighbouring levels act on each other by about √s_{i-1}, which is below
	// 1e-4 from level 6 on (s_5 = 5e-10).
	apart := 0
	for _, v := range values {
		z := complex(v.Re, v.Im)
		if math.Min(cmplx.Abs(z+2), cmplx.Abs(z+.5)) > 1e-4 {
			apart++
		}
	}
	if s := mustSpectrum(t, sys); apart > 10 || len(values) != 28 || math.Abs(largestReal(values)+s.Gap) > 1e-12 {
		t.Errorf("%d of %d eigenvalues are away from -2 and -1/2; gap %v", apart, len(values), s.Gap)
	}
}

func TestSpectrumRefuses(t *testing.T) {
	for _, policy := range []ctmc.Policy{ctmc.JIQ(), ctmc.JSQ(), ctmc.I1F()} {
		if _, err := Spectrum(ctmc.System{Load: 1, Buffer: 3, Service: exponentialLaw, Policy: policy}); err == nil {
			t.Errorf("%v at load 1: no error", policy)
		}
	}
	if _, err := Spectrum(ctmc.System{Load: 1.1, Service: exponentialLaw, Policy: ctmc.PowerOfD(2, false)}); err == nil {
		t.Error("unlimited overload: no error")
	}
}
