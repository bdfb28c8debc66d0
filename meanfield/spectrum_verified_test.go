package meanfield

import (
	"context"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"qlimit/coxian"
	"qlimit/ctmc"
	"qlimit/meanfield/ode"
)

// badlyScaled are systems with a slow or a fast phase and up to hundreds of
// levels, and the gap per mean service time by inverse iteration on the full
// matrix, done elsewhere.
func badlyScaled(t *testing.T) map[float64]ctmc.System {
	t.Helper()
	power := func(load float64, law coxian.Dist, err error) ctmc.System {
		if err != nil {
			t.Fatal(err)
		}
		return ctmc.System{Load: load, Service: law, Policy: ctmc.PowerOfD(2, false)}
	}
	fit := func(load, scv float64) ctmc.System {
		law, err := coxian.FitMeanSCV(1, scv)
		return power(load, law, err)
	}
	return map[float64]ctmc.System{
		0.0021326041707: fit(.9, 100),
		0.0060274:       fit(.5, 100),
		0.00413221:      fit(.9, 50),
		0.01203619:      fit(.5, 50),
		0.005928676:     power(.9, coxian.Dist{Mu1: 1000, P: .1, Mu2: 1}, nil),
		0.00738806:      power(.9, coxian.Dist{Mu1: 100, P: .1, Mu2: 1}, nil),
	}
}

func smoothJacobian(t *testing.T, sys ctmc.System) *ode.Matrix {
	t.Helper()
	fix, err := Equilibrium(sys)
	if err != nil {
		t.Fatal(err)
	}
	levels := spectrumLevels(sys, fix)
	smooth, err := NewSmoothSystem(sys, levels)
	if err != nil {
		t.Fatal(err)
	}
	jacobian := ode.NewMatrix(smooth.Dim(), smooth.Structure())
	smooth.Jacobian(0, fix.coordinates(levels, smooth.Phases), jacobian)
	return jacobian
}

// TestGapBadlyScaled: known gaps, inverse iteration without shift, scaling or
// determinant, and no instability reported.
func TestGapBadlyScaled(t *testing.T) {
	for want, sys := range badlyScaled(t) {
		s := mustSpectrum(t, sys)
		perService := sys.Service.Mean()
		gap := s.Gap * perService
		if !closeTo(gap, want, 5e-6) || s.Eigenvalues[0].Im != 0 || s.Eigenvalues[0].Error > 1e-9*s.Gap {
			t.Errorf("%v: gap %.12g, want %v; %+v", sys, gap, want, s.Eigenvalues[0])
		}
		if nearest := smallestEigenvalue(t, smoothJacobian(t, sys)); !closeTo(nearest, -gap, 1e-9) {
			t.Errorf("%v: gap %.15g, by inverse iteration %.15g", sys, gap, nearest)
		}
		for _, w := range s.Warnings {
			if !strings.Contains(w, "the first") && !strings.Contains(w, "not determined") || strings.Contains(w, "slower") {
				t.Errorf("%v: %s", sys, w)
			}
		}
	}
}

// smallestEigenvalue in absolute value, real, by inverse iteration.
func smallestEigenvalue(t *testing.T, a *ode.Matrix) float64 {
	t.Helper()
	n, _ := a.Dims()
	full := mat.NewDense(n, n, nil)
	fill(full, a)
	var lu mat.LU
	lu.Factorize(full)
	v := mat.NewVecDense(n, nil)
	for i := range n {
		v.SetVec(i, 1)
	}
	var next mat.VecDense
	value := 0.0
	for range 300 {
		if err := lu.SolveVecTo(&next, false, v); err != nil {
			if _, bad := err.(mat.Condition); !bad {
				t.Fatal(err)
			}
		}
		value = mat.Dot(v, v) / mat.Dot(v, &next)
		v.ScaleVec(1/mat.Norm(&next, 2), &next)
	}
	return value
}

// TestGapBadlyScaledIsTheDecayRate of a trajectory of the tails.
func TestGapBadlyScaledIsTheDecayRate(t *testing.T) {
	for _, sys := range badlyScaled(t) {
		if sys.Load > .6 {
			continue
		}
		s := mustSpectrum(t, sys)
		fix, err := Equilibrium(sys)
		if err != nil {
			t.Fatal(err)
		}
		smooth, err := NewSmoothSystem(sys, s.Levels)
		if err != nil {
			t.Fatal(err)
		}
		rest := fix.coordinates(s.Levels, smooth.Phases)
		y := append([]float64(nil), rest...)
		y[0] -= 1e-4
		y[1] += 1e-4
		relaxation := s.RelaxationTime / sys.Service.Mean()
		solution, err := ode.Integrate(context.Background(), smooth.Problem(), 0, y, 10*relaxation,
			ode.Settings{Method: ode.RadauIIA5, RelTol: 1e-10, AbsTol: 1e-15, Times: []float64{8 * relaxation, 10 * relaxation}})
		if err != nil {
			t.Fatal(err)
		}
		distance := func(y []float64) float64 {
			sum := 0.0
			for i := range y {
				sum += math.Abs(y[i] - rest[i])
			}
			return sum
		}
		rate := math.Log(distance(solution.States[0])/distance(solution.States[1])) / (2 * s.RelaxationTime)
		if !closeTo(rate, s.Gap, 2e-3) {
			t.Errorf("%v: decay at rate %v, gap %v", sys, rate, s.Gap)
		}
	}
}

// TestRefinedFromBadStart: the roots come out of starting values far off, as
// the eigenvalues of a companion matrix that are known, and badly scaled.
func TestRefinedFromBadStart(t *testing.T) {
	// p(z) = (z+1)(z+2)(z²+2z+5) = z⁴ + 5z³ + 13z² + 19z + 10.
	a := denseMatrix([]float64{-5, -13e3, -19e6, -10e9, 1e-3, 0, 0, 0, 0, 1e-3, 0, 0, 0, 0, 1e-3, 0}, 4)
	s := newRootSearch(balanced(a), []complex128{3, 2, 1, 0.5})
	s.refine()
	list, warnings, err := s.verified()
	if err != nil || len(warnings) > 0 || len(list) != 4 {
		t.Fatalf("%v %q %v", list, warnings, err)
	}
	for _, want := range []Eigenvalue{{Re: -1}, {Re: -2}, {Re: -1, Im: 2}, {Re: -1, Im: -2}} {
		nearest := math.Inf(1)
		for _, v := range list {
			nearest = math.Min(nearest, math.Hypot(v.Re-want.Re, v.Im-want.Im))
		}
		if nearest > 1e-13 {
			t.Errorf("%v is missing from %v", want, list)
		}
	}
}

// TestUnverifiedIsLeftOut: a value that is no eigenvalue has a large backward
// error and does not pass.
func TestUnverifiedIsLeftOut(t *testing.T) {
	a := denseMatrix([]float64{-1, .5, .25, -2}, 2)
	s := newRootSearch(a, []complex128{.1, -2})
	s.newton[0], s.newton[1] = 0, 0
	if _, _, err := s.verified(); err == nil {
		t.Error("values off by 0.1 are verified")
	}
}

// TestEigenvaluesComeInPairs, also where many are left out.
func TestEigenvaluesComeInPairs(t *testing.T) {
	for _, sys := range badlyScaled(t) {
		s := mustSpectrum(t, sys)
		if len(s.Eigenvalues) > 2*s.Levels {
			t.Errorf("%v: %d eigenvalues of %d levels", sys, len(s.Eigenvalues), s.Levels)
		}
		balance := map[Eigenvalue]int{}
		for _, v := range s.Eigenvalues {
			balance[Eigenvalue{Re: v.Re, Im: math.Abs(v.Im)}] += int(math.Copysign(1, v.Im))
			if v.Im == 0 {
				delete(balance, Eigenvalue{Re: v.Re})
			}
		}
		for v, count := range balance {
			if count != 0 {
				t.Errorf("%v: %v without its conjugate", sys, v)
			}
		}
	}
}
