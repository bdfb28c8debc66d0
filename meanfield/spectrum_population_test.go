package meanfield

import (
	"context"
	"math"
	"testing"

	"qlimit/ctmc"
)

// TestPopulationSpectrumEpidemic: dx/dt = 0.2(1-x) + 1.5 x(1-x) - x has the
// eigenvalue 0.3 - 3x at x = (0.3 + √(0.09 + 1.2))/3, which is -√1.29.
func TestPopulationSpectrumEpidemic(t *testing.T) {
	p := epidemic(t)
	x, err := PopulationEquilibrium(context.Background(), p, []float64{.5})
	if err != nil {
		t.Fatal(err)
	}
	s, err := PopulationSpectrum(p, x)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Eigenvalues) != 1 || !closeTo(s.Gap, math.Sqrt(1.29), 1e-14) || s.Conserved != 0 || len(s.Warnings) > 0 {
		t.Errorf("%+v, want the gap %v", s, math.Sqrt(1.29))
	}
}

// TestPopulationSpectrumConserves: in the cache x_0 + x_1 = 1/2, and along it
// x_0' = 8(1/3 - x)(1/2 - x) - 2x(1/6 + x) has the slope 12x - 7 at its root.
func TestPopulationSpectrumConserves(t *testing.T) {
	p := cache(t)
	x, err := PopulationEquilibrium(context.Background(), p, []float64{0, .5})
	if err != nil {
		t.Fatal(err)
	}
	s, err := PopulationSpectrum(p, x)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Eigenvalues) != 1 || s.Conserved != 1 || !closeTo(s.Gap, 7-12*x[0], 1e-13) {
		t.Errorf("%+v, want the gap %v", s, 7-12*x[0])
	}
}

// TestPopulationSpectrumPredators: a conjugate pair, with trace and
// determinant of the derivative.
func TestPopulationSpectrumPredators(t *testing.T) {
	p := predators(t)
	x, err := PopulationEquilibrium(context.Background(), p, []float64{.5, .25})
	if err != nil {
		t.Fatal(err)
	}
	s, err := PopulationSpectrum(p, x)
	if err != nil {
		t.Fatal(err)
	}
	j := make([]float64, 4)
	NewPopulationDynamics(p).Jacobian(x, j)
	half := (j[0] + j[3]) / 2
	turn := math.Sqrt(j[0]*j[3] - j[1]*j[2] - half*half)
	if len(s.Eigenvalues) != 2 || !closeTo(s.Gap, -half, 1e-13) || !closeTo(s.Eigenvalues[0].Im, turn, 1e-13) || s.Eigenvalues[1].Im != -s.Eigenvalues[0].Im {
		t.Errorf("%+v, want %v ± %vi", s, half, turn)
	}
}

// TestPopulationSpectrumOfSystem is that of the system.
func TestPopulationSpectrumOfSystem(t *testing.T) {
	sys := ctmc.System{Load: .9, Buffer: 6, Service: twoPhaseLaw, Policy: ctmc.PowerOfD(2, false)}
	p, err := sys.Population(0)
	if err != nil {
		t.Fatal(err)
	}
	fix, err := Equilibrium(sys)
	if err != nil {
		t.Fatal(err)
	}
	got, err := PopulationSpectrum(p, fix.coordinates(6, 2))
	if err != nil {
		t.Fatal(err)
	}
	want := mustSpectrum(t, sys)
	if !closeTo(got.Gap, want.Gap*sys.Service.Mean(), 1e-12) || len(got.Eigenvalues) != len(want.Eigenvalues) {
		t.Errorf("gap %v, want %v", got.Gap, want.Gap*sys.Service.Mean())
	}
}

func TestPopulationSpectrumRefuses(t *testing.T) {
	for _, at := range [][]float64{{.5, .5}, {math.NaN()}, {.1}} {
		if _, err := PopulationSpectrum(epidemic(t), at); err == nil {
			t.Errorf("%v is accepted", at)
		}
	}
	unstable := mustModel(t, 1,
		ctmc.Transition{Change: []int64{1}, Rate: ctmc.Polynomial{{Coefficient: 1, Powers: []int{2}}}},
		ctmc.Transition{Change: []int64{-1}, Rate: ctmc.Polynomial{{Coefficient: 1, Powers: []int{1}}}})
	s, err := PopulationSpectrum(unstable, []float64{1})
	if err != nil || !closeTo(s.Gap, -1, 1e-14) || s.RelaxationTime != 0 || len(s.Warnings) != 1 {
		t.Errorf("unstable: %+v %v", s, err)
	}
}
