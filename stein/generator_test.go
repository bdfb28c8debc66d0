package stein

import (
	"context"
	"math"
	"testing"

	"qlimit/coxian"
	"qlimit/ctmc"
)

// smallSystems cover every policy, both kinds of law and a buffer of one.
func smallSystems(t *testing.T) []ctmc.System {
	t.Helper()
	laws := []coxian.Dist{{Mu1: 1, P: 0, Mu2: 1}, {Mu1: 2, P: 0.25, Mu2: 0.5}, {Mu1: 2, P: 1, Mu2: 2}, {Mu1: 1.25, P: 0.9, Mu2: 4.5}, {Mu1: 2, P: 0.5, Mu2: 1}}
	policies := []ctmc.Policy{ctmc.JSQ(), ctmc.JIQ(), ctmc.I1F(), ctmc.PowerOfD(2, false), ctmc.PowerOfD(2, true), ctmc.Random(), ctmc.JIQ().WithFallback(ctmc.Sampling{Choices: 2})}
	var list []ctmc.System
	for i, law := range laws {
		for j, policy := range policies {
			for _, shape := range []struct {
				n int64
				b int
			}{{2, 1}, {3, 3}, {5, 2}} {
				s := ctmc.System{Servers: shape.n, Load: 0.3 + 0.15*float64((i+j)%7), Buffer: shape.b, Service: law, Policy: policy}
				if err := s.Validate(); err != nil {
					t.Fatal(err)
				}
				list = append(list, s)
			}
		}
	}
	return list
}

// exactLaw solves the chain of a small system.
func exactLaw(t testing.TB, s ctmc.System) (*ctmc.SystemChain, []float64) {
	t.Helper()
	chain, err := s.Chain()
	if err != nil {
		t.Fatal(err)
	}
	generator, err := ctmc.Explore(context.Background(), chain, 0)
	if err != nil {
		t.Fatal(err)
	}
	law, err := generator.Stationary(context.Background(), ctmc.SolverSettings{Tolerance: 1e-15})
	if err != nil {
		t.Fatal(err)
	}
	return chain, law.Probability
}

// TestGeneratorAgainstChain: the operator is the one of the exact chain, for a
// function of everything, for functions of a linear one and for linear ones.
func TestGeneratorAgainstChain(t *testing.T) {
	for _, s := range smallSystems(t) {
		g, err := NewGenerator(s)
		if err != nil {
			t.Fatal(err)
		}
		chain, err := s.Chain()
		if err != nil {
			t.Fatal(err)
		}
		any := func(state []int64) float64 {
			sum := 0.0
			for c, n := range state {
				sum += math.Sin(float64(c+1)*float64(n) + float64(c*c))
			}
			return sum
		}
		work := g.Work()
		square := func(x float64) float64 { return x * x * x }
		state := make([]int64, chain.Classes())
		for i := int64(0); i < chain.States(); i++ {
			chain.Unrank(i, state)
			near(t, s, "Gf", g.Apply(any, state), ctmc.ApplyGenerator(chain, any, state), 1e-12)
			alongWork := func(n []int64) float64 { return square(work.At(n)) }
			near(t, s, "Gh(W)", g.ApplyAlong(work, square, state), ctmc.ApplyGenerator(chain, alongWork, state), 1e-12)
			near(t, s, "GX", g.Drift(g.Jobs(), state), ctmc.ApplyGenerator(chain, g.Jobs().At, state), 1e-12)
		}
	}
}

// TestWorkDrift: the expected remaining work falls at the number of busy
// servers and grows by a mean service with each accepted job.
func TestWorkDrift(t *testing.T) {
	for _, s := range smallSystems(t) {
		g, _ := NewGenerator(s)
		chain, _ := s.Chain()
		state := make([]int64, chain.Classes())
		for i := int64(0); i < chain.States(); i++ {
			chain.Unrank(i, state)
			tail, route := g.Routing(state)
			busy, lost := float64(tail[1]), route[s.Buffer]
			want := s.Load*float64(s.Servers)*(1-lost) - busy
			near(t, s, "GW", g.Drift(g.Work(), state), want, 1e-12)
		}
	}
}

// TestSteadyState: E[Gf] = 0 under the exact law.
func TestSteadyState(t *testing.T) {
	for _, s := range smallSystems(t) {
		g, _ := NewGenerator(s)
		chain, law := exactLaw(t, s)
		state := make([]int64, chain.Classes())
		sum, size := 0.0, 0.0
		for i, p := range law {
			chain.Unrank(int64(i), state)
			x := g.ApplyAlong(g.Work(), math.Exp, state)
			sum += p * x
			size += p * math.Abs(x)
		}
		if math.Abs(sum) > 1e-10*size {
			t.Errorf("%s: E[Gf] = %g of a size of %g", s, sum, size)
		}
	}
}

// TestGeneratorUnlimited: without a limit a state may be of any length, and an
// arrival may open a new level.
func TestGeneratorUnlimited(t *testing.T) {
	s := ctmc.System{Servers: 3, Load: 0.8, Service: coxian.Dist{Mu1: 2, P: 0.25, Mu2: 0.5}, Policy: ctmc.PowerOfD(2, false)}
	g, err := NewGenerator(s)
	if err != nil {
		t.Fatal(err)
	}
	long := s
	long.Buffer = 4
	bounded, err := NewGenerator(long)
	if err != nil {
		t.Fatal(err)
	}
	f := func(state []int64) float64 { return g.Work().At(state) * g.Jobs().At(state) }
	for _, state := range [][]int64{{3}, {0, 1, 2}, {1, 0, 1, 0, 1}, {0, 1, 0, 0, 0, 1, 1}} {
		padded := append(append([]int64(nil), state...), make([]int64, 9-len(state))...)
		near(t, s, "Gf", g.Apply(f, state), bounded.Apply(f, padded), 1e-13)
		near(t, s, "GW", g.Drift(g.Work(), state), bounded.Drift(bounded.Work(), padded), 1e-13)
	}
}

func near(t *testing.T, s ctmc.System, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance*math.Max(1, math.Abs(want))) {
		t.Errorf("%s: %s = %.16g, want %.16g", s, what, got, want)
	}
}

// BenchmarkGenerator applies the generator to ten functions of the work at
// N = 100: it must stay below 10 microseconds.
func BenchmarkGenerator(b *testing.B) {
	s := ctmc.System{Servers: 100, Load: 0.8, Buffer: 6, Service: coxian.Dist{Mu1: 2, P: 0.25, Mu2: 0.5}, Policy: ctmc.JSQ()}
	g, err := NewGenerator(s)
	if err != nil {
		b.Fatal(err)
	}
	state := []int64{20, 50, 28, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0}
	work := g.Work()
	b.ReportAllocs()
	for b.Loop() {
		for range 10 {
			g.ApplyAlong(work, math.Sqrt, state)
		}
	}
}
