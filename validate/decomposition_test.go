package validate

import (
	"context"
	"math"
	"testing"

	"qlimit/coxian"
	"qlimit/ctmc"
	"qlimit/stein"
)

var decompositionSystems = []ctmc.System{
	{Servers: 1, Load: 0.7, Buffer: 5, Service: coxian.Dist{Mu1: 1, P: 0, Mu2: 1}, Policy: ctmc.JSQ()},
	{Servers: 6, Load: 0.9, Buffer: 1, Service: coxian.Dist{Mu1: 2, P: 0.25, Mu2: 0.5}, Policy: ctmc.JIQ()},
	{Servers: 5, Load: 1.2, Buffer: 3, Service: coxian.Dist{Mu1: 2, P: 0.25, Mu2: 0.5}, Policy: ctmc.JIQ()},
	{Servers: 4, Load: 0.8, Buffer: 4, Service: coxian.Dist{Mu1: 2, P: 1, Mu2: 2}, Policy: ctmc.PowerOfD(2, false)},
	{Servers: 8, Load: 0.95, Buffer: 3, Service: coxian.Dist{Mu1: 1, P: 0, Mu2: 1}, Policy: ctmc.Random()},
	{Servers: 12, Load: 1, Buffer: 2, Service: coxian.Dist{Mu1: 2, P: 0.5, Mu2: 1}, Policy: ctmc.I1F()},
	{Servers: 7, Load: 0.6, Buffer: 1, Service: coxian.Dist{Mu1: 4, P: 0.15, Mu2: 0.2}, Policy: ctmc.Random()},
}

// TestDecomposition: the terms add up to the left side to 1e-10 for any η and
// δ, on the lattice or off it; the closed form of the law gives every term to
// the same accuracy; and both forms of the split inequality hold with the exact
// probability.
func TestDecomposition(t *testing.T) {
	closed := 0
	for _, s := range decompositionSystems {
		chain, law, err := stationaryLaw(context.Background(), s)
		if err != nil {
			t.Fatal(err)
		}
		product := productLaw(chain)
		for _, eta := range []float64{0, s.Load, s.Load + 0.3, 1, 1 + 1/float64(s.Servers), 1.0371} {
			for _, delta := range []float64{0.01, 0.3, 2} {
				d, err := stein.NewDecomposition(s, eta, delta)
				if err != nil {
					t.Fatal(err)
				}
				means := exactMeans(d, chain, law)
				scale := 0.0
				for _, x := range means[:stein.LackProb] {
					scale = math.Max(scale, math.Abs(x))
				}
				if gap := gapOf(means); math.Abs(gap) > 1e-10*math.Max(scale, 1e-3) {
					t.Errorf("%s, η = %g, δ = %g: the terms miss the left side by %g", s, eta, delta, gap)
				}
				for name, bound := range map[string]float64{"explicit": d.SplitBound(means[stein.LackProb]), "sharp": d.SharpSplitBound(means[stein.LackProb])} {
					if means[stein.LeftSide] > bound*(1+1e-12) {
						t.Errorf("%s, η = %g, δ = %g: %s split bound %g below %g", s, eta, delta, name, bound, means[stein.LeftSide])
					}
				}
				if product == nil {
					continue
				}
				closed++
				for term, x := range exactMeans(d, chain, product) {
					if math.Abs(x-means[term]) > 1e-11*scale+1e-13 {
						t.Errorf("%s, η = %g, δ = %g: %s = %.15g, closed form %.15g", s, eta, delta, stein.Term(term), means[term], x)
					}
				}
			}
		}
	}
	if closed < 70 {
		t.Errorf("closed forms in %d cases only", closed)
	}
}

// pointwise says whether the bounds of the proof on groups of terms hold in
// every state, with the near bound scaled and a factor on the quadratic terms:
// the factors are 1 in the proof.
func pointwise(t *testing.T, s ctmc.System, eta, delta, near, far, lack float64) bool {
	t.Helper()
	d, err := stein.NewDecomposition(s, eta, delta)
	if err != nil {
		t.Fatal(err)
	}
	chain, err := d.System.Chain()
	if err != nil {
		t.Fatal(err)
	}
	const rounding = 1 + 1e-12
	var x [stein.Terms]float64
	state := make([]int64, chain.Classes())
	for i := range chain.States() {
		chain.Unrank(i, state)
		d.At(state, &x)
		switch {
		case x[stein.NearDrift]+x[stein.NearArrivals]+x[stein.NearDepartures] > near*d.NearBound()*rounding,
			x[stein.FarArrivals]+x[stein.FarDepartures] > far*d.FarBound()*rounding,
			x[stein.FarLack] > lack*float64(s.Buffer)*(s.Load+delta)/delta*x[stein.LackProb]*rounding,
			x[stein.FarSurplus] > 0, x[stein.FarLoss] > 0:
			return false
		}
	}
	return true
}

// TestSplitPointwise: the split holds term by term in every state. With the
// factor 2 of the arrivals missing, with half the quadratic terms or with a lack
// of a third the size, it does not.
func TestSplitPointwise(t *testing.T) {
	caught := map[string]bool{}
	for _, s := range decompositionSystems {
		for _, eta := range []float64{0.2, s.Load, 1, 1.0371} {
			for _, delta := range []float64{0.05, 0.5} {
				if !pointwise(t, s, eta, delta, 1, 1, 1) {
					t.Errorf("%s, η = %g, δ = %g: the split fails in a state", s, eta, delta)
				}
				n := float64(s.Servers)
				withoutTwo := (1/n + s.Load/(n*delta)) / (1/n + 2*s.Load/(n*delta))
				for name, holds := range map[string]bool{
					"factor 2 missing near η":     pointwise(t, s, eta, delta, withoutTwo, 1, 1),
					"half the quadratic terms":    pointwise(t, s, eta, delta, 1, 0.5, 1),
					"a third of the lack allowed": pointwise(t, s, eta, delta, 1, 1, 1.0/3),
				} {
					caught[name] = caught[name] || !holds
				}
			}
		}
	}
	if len(caught) != 3 {
		t.Fatal(caught)
	}
	for name, c := range caught {
		if !c {
			t.Errorf("%s: not caught", name)
		}
	}
}

// TestDecompositionMutations: a term with the wrong sign, left out, or a
// quadratic term without its 1/2 breaks the identity.
func TestDecompositionMutations(t *testing.T) {
	for _, term := range stein.Summed() {
		for _, factor := range []float64{-1, 0, 2} {
			broken := 0.0
			for _, s := range decompositionSystems {
				chain, law, err := stationaryLaw(context.Background(), s)
				if err != nil {
					t.Fatal(err)
				}
				d, err := stein.NewDecomposition(s, s.Load, 0.3)
				if err != nil {
					t.Fatal(err)
				}
				means := exactMeans(d, chain, law)
				means[term] *= factor
				broken = math.Max(broken, math.Abs(gapOf(means)))
			}
			if broken < 1e-8 {
				t.Errorf("%s times %g: the identity still holds to %g", term, factor, broken)
			}
		}
	}
}

// TestDecompositionSimulated: the estimates cover the exact terms and the gap
// of the simulation covers 0.
func TestDecompositionSimulated(t *testing.T) {
	for _, s := range []ctmc.System{decompositionSystems[1], decompositionSystems[3]} {
		r, err := Decompose(context.Background(), s, s.Load, 0.2, StateSimulation{Samples: 100_000, Seed: 7, Threads: 2})
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range r.Terms {
			if e := x.Simulated; math.Abs(e.Value-*x.Exact) > 4*e.StandardError+1e-12 {
				t.Errorf("%s: %s simulated %g (standard error %g), exact %g", s, x.Term, e.Value, e.StandardError, *x.Exact)
			}
		}
		if e := r.Gap.Simulated; math.Abs(e.Value) > 4*e.StandardError || e.StandardError == 0 {
			t.Errorf("%s: gap %g, standard error %g", s, e.Value, e.StandardError)
		}
	}
}
