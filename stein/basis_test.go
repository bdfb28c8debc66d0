package stein

import (
	"math"
	"testing"

	"qlimit/ctmc"
)

// routeOf is the rule of a policy.
func routeOf(p ctmc.Policy) Route {
	return func(tail []int64, shares []float64) { p.RouteLevels(tail, shares) }
}

// testedFunction is test function k of a basis, from its definition.
func testedFunction(b *Basis, k int) func(state []int64) float64 {
	f := b.tests[k]
	value := func(x int, state []int64) float64 {
		switch name := b.tests[x].Name; {
		case x == work:
			return b.generator.Work().At(state)
		case name == "phase 2":
			return inPhase2(1, b.generator).At(state)
		case name[0] == 'p':
			return inPhase2(x-phase2Place(b)+1, b.generator).At(state)
		}
		return atLevel(x, b.generator).At(state)
	}
	return func(state []int64) float64 {
		switch f.shape {
		case product:
			return (value(f.x, state) - f.a) * (value(f.y, state) - f.b)
		case spline:
			d := math.Max(value(work, state)-f.a, 0)
			return d * d / 2
		}
		return value(f.x, state)
	}
}

func phase2Place(b *Basis) int {
	for k := range b.tests {
		if b.tests[k].Name == "phase 2" {
			return k
		}
	}
	return -1
}

// TestBasisAgainstGenerator: Gf put together from the mechanisms is what the
// generator says of f, in every state, for every policy and law; and its mean
// under the exact law is 0.
func TestBasisAgainstGenerator(t *testing.T) {
	for i, s := range smallSystems(t) {
		if testing.Short() && i%5 > 0 {
			continue
		}
		chain, law := exactLaw(t, s)
		var states [][]int64
		for r := int64(0); r < chain.States(); r++ {
			state := make([]int64, chain.Classes())
			chain.Unrank(r, state)
			states = append(states, state)
		}
		b, err := NewBasis(s, s.Buffer, states)
		if err != nil {
			t.Fatal(err)
		}
		rates := MechanismRates(s)
		route := routeOf(s.Policy)
		parts := make([][Mechanisms]float64, len(b.Identities()))
		means, sizes := make([]float64, len(parts)), make([]float64, len(parts))
		normalized := s
		normalized.Service = s.Service.Normalized()
		g, err := NewGenerator(normalized)
		if err != nil {
			t.Fatal(err)
		}
		for r, state := range states {
			b.Evaluate(state, route, parts)
			for k := range parts {
				got := 0.0
				for m, rate := range rates {
					got += rate * parts[k][m]
				}
				near(t, s, b.tests[k].Name, got, g.Apply(testedFunction(b, k), state), 1e-10)
				means[k] += law[r] * got
				sizes[k] += law[r] * math.Abs(got)
			}
		}
		for k, mean := range means {
			if !(math.Abs(mean) <= 1e-11*math.Max(1, sizes[k])) {
				t.Errorf("%v: E[Gf] = %g for f = %s", s, mean, b.tests[k].Name)
			}
		}
	}
}

// TestEvaluateArrivals: another rule changes the arrivals only, and the rule of
// the system restores them.
func TestEvaluateArrivals(t *testing.T) {
	s := ctmc.System{Servers: 4, Load: 0.7, Service: smallSystems(t)[0].Service, Policy: ctmc.JSQ()}
	state := []int64{1, 2, 1}
	b, err := NewBasis(s, 2, [][]int64{state, {0, 2, 2}})
	if err != nil {
		t.Fatal(err)
	}
	parts, before := make([][Mechanisms]float64, len(b.tests)), make([][Mechanisms]float64, len(b.tests))
	b.Evaluate(state, routeOf(ctmc.JSQ()), before)
	b.Evaluate(state, routeOf(ctmc.JSQ()), parts)
	b.EvaluateArrivals(state, routeOf(ctmc.Random()), parts)
	// m_2 grows with the probability of level 1: 0 and 2/4.
	if got, want := before[level2][Arrivals], 0.0; got != want {
		t.Errorf("JSQ: A m_2 = %g, want %g", got, want)
	}
	if got, want := parts[level2][Arrivals], 0.5; got != want {
		t.Errorf("random: A m_2 = %g, want %g", got, want)
	}
	for k := range parts {
		for m := Leaving; m < Mechanisms; m++ {
			if parts[k][m] != before[k][m] {
				t.Errorf("%s: mechanism %d changed", b.tests[k].Name, m)
			}
		}
	}
}
