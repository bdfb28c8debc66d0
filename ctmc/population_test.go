package ctmc

import (
	"context"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"qlimit/coxian"
)

// TestSystemPopulationChain: the chain of a system through the interface has
// the states and the stationary law of the system's own chain.
func TestSystemPopulationChain(t *testing.T) {
	ctx := context.Background()
	for _, sys := range []System{
		{Servers: 6, Load: .9, Buffer: 3, Service: coxian.Dist{Mu1: 1, P: 0, Mu2: 1}, Policy: PowerOfD(2, true)},
		{Servers: 5, Load: .8, Buffer: 3, Service: coxian.Dist{Mu1: 2, P: .25, Mu2: .5}, Policy: PowerOfD(2, false)},
		{Servers: 4, Load: 1.2, Buffer: 2, Service: coxian.Dist{Mu1: 6, P: 1, Mu2: 3}, Policy: PowerOfD(3, false)},
	} {
		p, err := sys.Population(0)
		if err != nil {
			t.Fatal(err)
		}
		chain, err := NewPopulationChain(p, sys.Servers, make([]int64, p.Dim()))
		if err != nil {
			t.Fatal(err)
		}
		g, err := Explore(ctx, chain, 0)
		if err != nil {
			t.Fatal(err)
		}
		if want := CountStates(sys.Servers, sys.Buffer, sys.Phases()); float64(g.States()) != want {
			t.Errorf("%v: %d states, want %v", sys, g.States(), want)
		}
		jobs, _, err := chain.Mean(ctx, SolverSettings{}, 0, func(x []float64) float64 {
			sum := 0.0
			for _, v := range x {
				sum += v
			}
			return sum
		})
		if err != nil {
			t.Fatal(err)
		}
		exact, err := SolveStationary(ctx, sys, SolverSettings{}, 0)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(jobs[0]-exact.MeanJobs) > 1e-10 {
			t.Errorf("%v: %v jobs, want %v", sys, jobs[0], exact.MeanJobs)
		}
	}
}

// TestSystemPopulationRateExpansion: the rates at finite N are those of the
// expansion up to O(N^-3), of all jumps at a point of the fluid.
func TestSystemPopulationRateExpansion(t *testing.T) {
	for _, d := range []int64{2, 3, 5} {
		sys := System{Servers: 1, Load: .9, Buffer: 3, Service: coxian.Dist{Mu1: 2, P: .25, Mu2: .5}, Policy: PowerOfD(d, false)}
		p, err := sys.Population(0)
		if err != nil {
			t.Fatal(err)
		}
		x := []float64{.5, .3, .3, .2, .1, .1}
		for k := range p.Jumps() {
			var scaled [2]float64
			for m, n := range []int64{1000, 2000} {
				counts := make([]int64, len(x))
				for i := range x {
					counts[i] = int64(math.Round(x[i] * float64(n)))
				}
				size := float64(n)
				series := size*p.Rate(k, 0, x) + p.Rate(k, 1, x) + p.Rate(k, 2, x)/size
				scaled[m] = (p.RateAt(k, counts, n) - series) * size * size
			}
			if math.Abs(scaled[0]) > 2000 || math.Abs(scaled[0]-scaled[1]) > .02*math.Abs(scaled[0])+1e-4 {
				t.Errorf("d=%d jump %d: N² times the error is %v and %v at N = 1000 and 2000", d, k, scaled[0], scaled[1])
			}
		}
	}
}

// TestSystemPopulationDerivatives against differences of the derivative one
// degree lower, at all degrees and orders.
func TestSystemPopulationDerivatives(t *testing.T) {
	for _, law := range []coxian.Dist{{Mu1: 1, P: 0, Mu2: 1}, {Mu1: 2, P: .25, Mu2: .5}} {
		for _, d := range []int64{1, 2, 5, 9} {
			sys := System{Servers: 1, Load: .9, Buffer: 3, Service: law, Policy: PowerOfD(d, false)}
			p, err := sys.Population(0)
			if err != nil {
				t.Fatal(err)
			}
			x := make([]float64, p.Dim())
			for i := range x {
				x[i] = (.9 - .21*float64(i/p.Phases)) / float64(p.Phases) * (1 + .1*float64(i%p.Phases))
			}
			checkDerivatives(t, p, x)
		}
	}
}

func checkDerivatives(t *testing.T, p Differentiable, x []float64) {
	t.Helper()
	var at, up, down RateDerivatives
	const h = 1e-4
	for k := range p.Jumps() {
		support := p.Support(k)
		for order := range 3 {
			p.Differentiate(k, order, x, MaxDegree, &at)
			if got, want := at.Of[0][0], p.Rate(k, order, x); math.Abs(got-want) > 1e-13*(1+math.Abs(want)) {
				t.Errorf("jump %d order %d: rate %v, want %v", k, order, got, want)
			}
			for a, i := range support {
				center := x[i]
				x[i] = center + h
				p.Differentiate(k, order, x, MaxDegree-1, &up)
				x[i] = center - h
				p.Differentiate(k, order, x, MaxDegree-1, &down)
				x[i] = center
				for degree := 1; degree <= MaxDegree; degree++ {
					scale := 1.0
					for _, v := range at.Of[degree] {
						scale = math.Max(scale, math.Abs(v))
					}
					for rest := range up.Of[degree-1] {
						numeric := (up.Of[degree-1][rest] - down.Of[degree-1][rest]) / (2 * h)
						if got := at.Of[degree][rest*len(support)+a]; math.Abs(got-numeric) > 2e-5*scale {
							t.Errorf("jump %d order %d degree %d: derivative %v, by differences %v", k, order, degree, got, numeric)
						}
					}
				}
			}
		}
	}
}

// TestPolynomialDerivatives at random points.
func TestPolynomialDerivatives(t *testing.T) {
	model, err := NewModel(2, Transition{Change: []int64{1, -1},
		Rate:  Polynomial{{2, []int{3, 1}}, {-1, []int{0, 2}}, {4, nil}, {.5, []int{4}}},
		OverN: Polynomial{{1, []int{1, 1}}}})
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(r *rapid.T) {
		x := []float64{rapid.Float64Range(-1, 1).Draw(r, "x"), rapid.Float64Range(-1, 1).Draw(r, "y")}
		checkDerivatives(t, model, x)
		var d RateDerivatives
		model.Differentiate(0, 0, x, 4, &d)
		// ∂_x ∂_y of 2 x³ y is 6 x²; ∂_x^3 ∂_y is 12.
		if math.Abs(d.Of[2][1]-6*x[0]*x[0]) > 1e-14 || d.Of[2][1] != d.Of[2][2] || math.Abs(d.Of[4][1]-12) > 1e-14 {
			t.Fatalf("at %v: %v", x, d.Of)
		}
	})
}

// TestDifferencesAgainstFormulas: rational and exponential rates, errors
// within what is announced (or rounding).
func TestDifferencesAgainstFormulas(t *testing.T) {
	exp := func(x []float64) float64 { return math.Exp(x[0] - 2*x[1]) }
	model, err := NewModel(2, Transition{Change: []int64{1, 0}, Rate: RateFunc(exp)},
		Transition{Change: []int64{0, 1}, Rate: RateFunc(func(x []float64) float64 { return x[0] * x[0] * x[0] * x[1] })})
	if err != nil {
		t.Fatal(err)
	}
	x := []float64{.3, .2}
	var d RateDerivatives
	model.Differentiate(0, 0, x, 4, &d)
	for degree, tolerance := range []float64{0, 1e-11, 1e-10, 1e-8, 1e-6} {
		for index, got := range d.Of[degree] {
			want := exp(x)
			for bit := range degree {
				if index>>bit&1 == 1 {
					want *= -2
				}
			}
			if math.Abs(got-want) > tolerance*16 {
				t.Errorf("degree %d, %b: %v, want %v", degree, index, got, want)
			}
		}
	}
	if !(d.Error > 0 && d.Error < 1e-5) {
		t.Errorf("announced error %v", d.Error)
	}
	model.Differentiate(1, 0, x, 4, &d)
	if math.Abs(d.Of[4][1]-6) > 1e-7 || math.Abs(d.Of[3][0]-6*x[1]) > 1e-8 || math.Abs(d.Of[4][15]) > 1e-7 {
		t.Errorf("x³y: %v", d.Of)
	}
}

func TestModelRefuses(t *testing.T) {
	one := Polynomial{{1, nil}}
	for name, transition := range map[string]Transition{
		"length":  {Change: []int64{1}, Rate: one},
		"rate":    {Change: []int64{1, 0}},
		"depends": {Change: []int64{1, 0}, Rate: one, DependsOn: []int{2}},
		"order":   {Change: []int64{1, 0}, Rate: one, DependsOn: []int{1, 0}},
	} {
		if _, err := NewModel(2, transition); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := NewModel(1); err == nil {
		t.Error("no transitions: no error")
	}
}

// TestPopulationChainRefuses rates that go negative or leave the state space.
func TestPopulationChainRefuses(t *testing.T) {
	for name, rate := range map[string]Polynomial{
		"negative": {{.5, nil}, {-1, []int{1}}},
		"leaves":   {{1, nil}},
	} {
		up := Transition{Change: []int64{1}, Rate: Polynomial{{1, nil}, {-1, []int{1}}}}
		model, err := NewModel(1, up, Transition{Change: []int64{-1}, Rate: rate})
		if err != nil {
			t.Fatal(err)
		}
		chain, err := NewPopulationChain(model, 4, []int64{0})
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := chain.Mean(context.Background(), SolverSettings{}, 0); err == nil || !strings.Contains(err.Error(), "rate") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestSystemPopulationRefuses(t *testing.T) {
	sys := System{Servers: 5, Load: .9, Service: coxian.Dist{Mu1: 1, P: 0, Mu2: 1}, Policy: PowerOfD(2, true)}
	if _, err := sys.Population(0); err == nil {
		t.Error("unlimited buffer without levels: no error")
	}
	if p, err := sys.Population(4); err != nil || p.Dim() != 4 {
		t.Errorf("unlimited buffer cut at 4: %v", err)
	}
	sys.Policy = JSQ()
	if _, err := sys.Population(4); err == nil || !strings.Contains(err.Error(), "kink") {
		t.Errorf("jsq: %v", err)
	}
}
