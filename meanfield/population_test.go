package meanfield

import (
	"context"
	"math"
	"strings"
	"testing"

	"qlimit/ctmc"
	"qlimit/meanfield/ode"
)

func mustModel(t testing.TB, coordinates int, transitions ...ctmc.Transition) *ctmc.Model {
	t.Helper()
	m, err := ctmc.NewModel(coordinates, transitions...)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// epidemic is susceptible-infected-susceptible with infection from outside;
// an infected individual meets the other N-1, which makes terms in 1/N and,
// cut there, 1/N².
func epidemic(t testing.TB) *ctmc.Model {
	const contact, outside = 1.5, 0.2
	meet := ctmc.Polynomial{{Coefficient: contact, Powers: []int{1}}, {Coefficient: -contact, Powers: []int{2}}}
	all := append(ctmc.Polynomial{{Coefficient: outside}, {Coefficient: -outside, Powers: []int{1}}}, meet...)
	return mustModel(t, 1,
		ctmc.Transition{Name: "infection", Change: []int64{1}, Rate: all, OverN: meet, OverN2: meet},
		ctmc.Transition{Name: "recovery", Change: []int64{-1}, Rate: ctmc.Polynomial{{Coefficient: 1, Powers: []int{1}}}})
}

// cache is a full cache with random replacement: N items of which a third are
// asked for four times as often, room for a half; x_0 and x_1 are the popular
// and other items held, so that x_0 + x_1 is conserved.
func cache(t testing.TB) *ctmc.Model {
	const popular, room, often, seldom = 1.0 / 3, 0.5, 4.0, 1.0
	return mustModel(t, 2,
		ctmc.Transition{Name: "popular in", Change: []int64{1, -1}, Rate: ctmc.Polynomial{
			{Coefficient: often * popular / room, Powers: []int{0, 1}}, {Coefficient: -often / room, Powers: []int{1, 1}}}},
		ctmc.Transition{Name: "popular out", Change: []int64{-1, 1}, Rate: ctmc.Polynomial{
			{Coefficient: seldom * (1 - popular) / room, Powers: []int{1, 0}}, {Coefficient: -seldom / room, Powers: []int{1, 1}}}})
}

// saturating is a birth-death process with the rates 2 - x and 3 x/(1 + x).
func saturating(t testing.TB, numeric bool) *ctmc.Model {
	death := func(x []float64) float64 { return 3 * x[0] / (1 + x[0]) }
	var rate ctmc.Rate = ctmc.SmoothRate{Value: death, Derivatives: func(x []float64, by []int) float64 {
		value := -3.0 // 3 x/(1+x) = 3 - 3/(1+x)
		for k := range by {
			value *= -float64(k + 1)
		}
		return value / math.Pow(1+x[0], float64(len(by)+1))
	}}
	if numeric {
		rate = ctmc.RateFunc(death)
	}
	return mustModel(t, 1,
		ctmc.Transition{Change: []int64{1}, Rate: ctmc.Polynomial{{Coefficient: 2}, {Coefficient: -1, Powers: []int{1}}}},
		ctmc.Transition{Change: []int64{-1}, Rate: rate})
}

// predators is a two-dimensional process whose linearisation has complex
// eigenvalues, with a jump of two coordinates at once.
func predators(t testing.TB) *ctmc.Model {
	return mustModel(t, 2,
		ctmc.Transition{Name: "birth", Change: []int64{1, 0}, Rate: ctmc.Polynomial{
			{Coefficient: .05}, {Coefficient: 1.95, Powers: []int{1}}, {Coefficient: -2, Powers: []int{2}}}},
		ctmc.Transition{Name: "caught", Change: []int64{-1, 1}, Rate: ctmc.Polynomial{
			{Coefficient: 8, Powers: []int{1, 1}}, {Coefficient: -8, Powers: []int{1, 2}}}},
		ctmc.Transition{Name: "arrival", Change: []int64{0, 1}, Rate: ctmc.Polynomial{{Coefficient: .05}, {Coefficient: -.05, Powers: []int{0, 1}}}},
		ctmc.Transition{Name: "death", Change: []int64{0, -1}, Rate: ctmc.Polynomial{{Coefficient: 1, Powers: []int{0, 1}}}})
}

// TestPredatorsOscillate makes sure that the complex algebra is in use.
func TestPredatorsOscillate(t *testing.T) {
	x, err := PopulationEquilibrium(context.Background(), predators(t), []float64{.5, .25})
	if err != nil {
		t.Fatal(err)
	}
	jacobian := make([]float64, 4)
	NewPopulationDynamics(predators(t)).Jacobian(x, jacobian)
	form, err := newSchur(jacobian, 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	if form.real() {
		t.Errorf("eigenvalues %v are real", form.re)
	}
}

// TestPopulationOrderAgainstExactChain: errors of the two orders of the
// expansion fall as N^-2 and N^-3.
func TestPopulationOrderAgainstExactChain(t *testing.T) {
	for _, c := range []struct {
		name       string
		population *ctmc.Model
		start      func(n int64) []int64
		sizes      []int64
		coordinate int
		within     float64
	}{
		{"epidemic", epidemic(t), func(n int64) []int64 { return []int64{n / 2} }, []int64{10, 20, 50, 100, 200, 400}, 0, 0.1},
		{"cache", cache(t), func(n int64) []int64 { return []int64{0, n / 2} }, []int64{12, 24, 48, 96, 192}, 0, 0.1},
		{"saturating", saturating(t, false), func(n int64) []int64 { return []int64{n} }, []int64{10, 20, 50, 100, 200}, 0, 0.1},
		{"saturating, numerical derivatives", saturating(t, true), func(n int64) []int64 { return []int64{n} }, []int64{10, 20, 50, 100, 200}, 0, 0.1},
		{"predators", predators(t), func(n int64) []int64 { return []int64{n / 2, n / 4} }, []int64{60, 120}, 1, 0.35},
	} {
		var before [2]float64
		var sizeBefore int64
		var orders [2]float64
		for _, n := range c.sizes {
			start := c.start(n)
			chain, err := ctmc.NewPopulationChain(c.population, n, start)
			if err != nil {
				t.Fatal(err)
			}
			mean, law, err := chain.Mean(context.Background(), ctmc.SolverSettings{Tolerance: 1e-13}, 0)
			if err != nil {
				t.Fatal(err)
			}
			if law.Status != ctmc.Converged {
				t.Fatalf("%s: %+v", c.name, law)
			}
			x := make([]float64, len(start))
			for i := range x {
				x[i] = float64(start[i]) / float64(n)
			}
			r, err := RefinePopulation(context.Background(), c.population, x, n, 2)
			if err != nil {
				t.Fatal(err)
			}
			i := c.coordinate
			now := [2]float64{r.Order1[i] - mean[i], r.Order2[i] - mean[i]}
			if sizeBefore > 0 {
				ratio := math.Log(float64(n) / float64(sizeBefore))
				for k := range orders {
					orders[k] = math.Log(math.Abs(before[k]/now[k])) / ratio
				}
			}
			t.Logf("%s N=%d: exact %.12f, errors %.3g %.3g %.3g, orders %.2f %.2f (solver %.1g)", c.name, n, mean[i], r.Limit[i]-mean[i], now[0], now[1], orders[0], orders[1], law.Error)
			before, sizeBefore = now, n
		}
		if math.Abs(orders[0]-2) > c.within || math.Abs(orders[1]-3) > c.within {
			t.Errorf("%s: observed orders %.3f and %.3f, want 2 and 3", c.name, orders[0], orders[1])
		}
	}
}

// TestNumericalDerivativesAgree with the formulas, and are announced.
func TestNumericalDerivativesAgree(t *testing.T) {
	exact, err := RefinePopulation(context.Background(), saturating(t, false), []float64{1}, 100, 2)
	if err != nil {
		t.Fatal(err)
	}
	numeric, err := RefinePopulation(context.Background(), saturating(t, true), []float64{1}, 100, 2)
	if err != nil {
		t.Fatal(err)
	}
	// 2 - x = 3x/(1+x) at x = √3 - 1.
	if math.Abs(exact.Limit[0]-(math.Sqrt(3)-1)) > 1e-15 {
		t.Errorf("equilibrium %v", exact.Limit)
	}
	if !closeTo(numeric.Correction1[0], exact.Correction1[0], 1e-9) || !closeTo(numeric.Correction2[0], exact.Correction2[0], 1e-7) {
		t.Errorf("numerical %v %v, formulas %v %v", numeric.Correction1, numeric.Correction2, exact.Correction1, exact.Correction2)
	}
	if exact.DerivativeError != 0 || len(exact.Warnings) > 0 {
		t.Errorf("formulas: %v %q", exact.DerivativeError, exact.Warnings)
	}
	if !(numeric.DerivativeError > 0 && numeric.DerivativeError < 1e-5) || len(numeric.Warnings) != 1 || !strings.Contains(numeric.Warnings[0], "differences") {
		t.Errorf("numerical: %v %q", numeric.DerivativeError, numeric.Warnings)
	}
}

// TestSystemAsPopulation: drift and Jacobian of a system through the
// interface are those of SmoothSystem.
func TestSystemAsPopulation(t *testing.T) {
	for _, sys := range []ctmc.System{
		{Load: .9, Buffer: 6, Service: exponentialLaw, Policy: ctmc.PowerOfD(3, true)},
		{Load: 1.3, Buffer: 5, Service: twoPhaseLaw, Policy: ctmc.PowerOfD(2, false)},
		{Load: .7, Buffer: 4, Service: twoPhaseLaw, Policy: ctmc.PowerOfD(40, false)},
	} {
		smooth, err := NewSmoothSystem(sys, 0)
		if err != nil {
			t.Fatal(err)
		}
		population, err := sys.Population(0)
		if err != nil {
			t.Fatal(err)
		}
		n := smooth.Dim()
		x := make([]float64, n)
		for i := range x {
			x[i] = .93 * math.Pow(.8, float64(i/smooth.Phases)) / float64(smooth.Phases)
		}
		d := NewPopulationDynamics(population)
		want, got := make([]float64, n), make([]float64, n)
		smooth.F(0, x, want)
		d.Drift(x, got)
		jacobian, through := ode.NewMatrix(n, smooth.Structure()), make([]float64, n*n)
		smooth.Jacobian(0, x, jacobian)
		d.Jacobian(x, through)
		for i := range n {
			if math.Abs(got[i]-want[i]) > 1e-13 {
				t.Errorf("%v: drift %d is %v, want %v", sys, i, got[i], want[i])
			}
			for j := range n {
				if math.Abs(through[i*n+j]-jacobian.At(i, j)) > 1e-12 {
					t.Errorf("%v: Jacobian (%d,%d) is %v, want %v", sys, i, j, through[i*n+j], jacobian.At(i, j))
				}
			}
		}
	}
}

// TestPopulationEquilibriumKeepsWhatIsConserved and finds the root.
func TestPopulationEquilibriumKeepsWhatIsConserved(t *testing.T) {
	x, err := PopulationEquilibrium(context.Background(), cache(t), []float64{0, .5})
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(x[0]+x[1]-.5) > 1e-14 {
		t.Errorf("the cache holds %v", x[0]+x[1])
	}
	// 4 (1/3 - x) (1/2 - x) = x (2/3 - (1/2 - x)).
	if residual := 4*(1.0/3-x[0])*(.5-x[0]) - x[0]*(1.0/6+x[0]); math.Abs(residual) > 1e-14 {
		t.Errorf("residual %v", residual)
	}
}

func TestRefinePopulationRefuses(t *testing.T) {
	ctx := context.Background()
	growth := mustModel(t, 1, ctmc.Transition{Change: []int64{1}, Rate: ctmc.Polynomial{{Coefficient: 1, Powers: []int{1}}}})
	if _, err := RefinePopulation(ctx, growth, []float64{1}, 10, 1); err == nil {
		t.Error("growth without end has an expansion")
	}
	unstable := mustModel(t, 1,
		ctmc.Transition{Change: []int64{1}, Rate: ctmc.Polynomial{{Coefficient: 1, Powers: []int{2}}}},
		ctmc.Transition{Change: []int64{-1}, Rate: ctmc.Polynomial{{Coefficient: 1, Powers: []int{1}}}})
	if _, err := RefinePopulation(ctx, unstable, []float64{1}, 10, 1); err == nil || !strings.Contains(err.Error(), "stable") {
		t.Errorf("unstable equilibrium: %v", err)
	}
	for _, c := range []struct {
		start []float64
		size  int64
		order int
	}{{[]float64{.5, .5}, 10, 1}, {[]float64{math.NaN()}, 10, 1}, {[]float64{.5}, 0, 1}, {[]float64{.5}, 10, 3}} {
		if _, err := RefinePopulation(ctx, epidemic(t), c.start, c.size, c.order); err == nil {
			t.Errorf("%+v is accepted", c)
		}
	}
}
