package stein

import (
	"math"
	"testing"

	"qlimit/coxian"
	"qlimit/ctmc"
)

// TestMembership: A_1 by enumeration of all states, at N = 12.
func TestMembership(t *testing.T) {
	exp := coxian.Dist{Mu1: 1, P: 0, Mu2: 1}
	for _, policy := range []ctmc.Policy{ctmc.JSQ(), ctmc.JIQ(), ctmc.I1F(), ctmc.Random(), ctmc.PowerOfD(3, false), ctmc.PowerOfD(6, true), ctmc.PowerOfD(12, false)} {
		for _, tau := range []float64{0.05, 0.3, 0.5, 0.77, 0.99} {
			p := Problem{Servers: 12, Scaling: FixedLoad(0.6), Buffer: 2, Service: exp, Policy: policy}
			r, err := MembershipAt(p, tau)
			if err != nil {
				t.Fatal(err)
			}
			g, _ := NewGenerator(p.System())
			chain, _ := p.System().Chain()
			state := make([]int64, chain.Classes())
			worst := 0.0
			for i := int64(0); i < chain.States(); i++ {
				chain.Unrank(i, state)
				if g.Shape(state).Busy() <= 1-tau*0.4 {
					_, route := g.Routing(state)
					worst = math.Max(worst, 1-route[0])
				}
			}
			if math.Abs(r.Routed-worst) > 1e-14 || r.Holds != (worst <= 1/math.Sqrt(12)) {
				t.Errorf("%s, τ = %g: A_1 = %g, holds %v; by enumeration %g", policy, tau, r.Routed, r.Holds, worst)
			}
		}
	}
}

// TestSmallestChoices: the smallest d is the first that qualifies, by trying
// all of them; for many servers about (1/τ) N^α log N/2.
func TestSmallestChoices(t *testing.T) {
	exp := coxian.Dist{Mu1: 1, P: 0, Mu2: 1}
	for _, tau := range []float64{0.1, 0.5, 0.9} {
		p := Problem{Servers: 200, Scaling: FixedLoad(0.7), Buffer: 2, Service: exp, Policy: ctmc.Random()}
		r, _ := MembershipAt(p, tau)
		first := int64(0)
		for d := int64(1); d <= 200 && first == 0; d++ {
			p.Policy = ctmc.PowerOfD(d, false)
			if q, _ := MembershipAt(p, tau); q.Holds {
				first = d
			}
		}
		if r.Smallest != first {
			t.Errorf("τ = %g: smallest d = %d, by trying %d", tau, r.Smallest, first)
		}
		p = Problem{Servers: 1e14, Scaling: LoadExponent(0.25), Buffer: 2, Service: exp, Policy: ctmc.Random()}
		r, _ = MembershipAt(p, tau)
		if want := math.Pow(1e14, 0.25) * math.Log(1e14) / (2 * tau); relative(float64(r.Smallest), want) > 0.01 {
			t.Errorf("τ = %g: smallest d = %d, the asymptotic condition says %g", tau, r.Smallest, want)
		}
	}
}

// TestSmallestAdmitted: with the smallest d all conditions of the bound hold, with
// one less the one on the routing fails.
func TestSmallestAdmitted(t *testing.T) {
	for _, law := range []coxian.Dist{{Mu1: 1, P: 0, Mu2: 1}, {Mu1: 2, P: 0.5, Mu2: 1}} {
		for _, p := range []Problem{
			{Servers: 1e8, Scaling: LoadExponent(0.25), Buffer: 2, Service: law, Policy: ctmc.JSQ()},
			{Servers: 1e13, Scaling: FixedLoad(0.9), Buffer: 3, Service: law, Policy: ctmc.Random()},
		} {
			d := solved(t, p).Member.Smallest
			for _, c := range []struct {
				d       int64
				failing string
			}{{d, ""}, {d - 1, "routing"}} {
				p.Policy = ctmc.PowerOfD(c.d, false)
				b := solved(t, p)
				name := ""
				if failing := firstFailing(b.Explicit.Conditions); failing != nil {
					name = failing.Name
				}
				if name != c.failing || b.Member.Smallest != d {
					t.Errorf("%s, smallest d = %d: condition %q fails, want %q; smallest d now %d", p.System(), d, name, c.failing, b.Member.Smallest)
				}
			}
		}
	}
}

// TestSmallestTau: the policy is in the set at the τ found, and a little
// below it is not.
func TestSmallestTau(t *testing.T) {
	for _, n := range []int64{1000, 1e7, 1e12, 1e15} {
		m := newModel(Problem{Servers: n, Scaling: LoadExponent(0.2), Buffer: 2, Service: coxian.Dist{Mu1: 1, P: 0, Mu2: 1}, Policy: ctmc.PowerOfD(900, false)})
		tau := m.smallestTau()
		step := 1.001 / (m.n * m.gap)
		if !m.membership(tau).Holds || m.membership(tau-math.Max(step, 1e-9*tau)).Holds {
			t.Errorf("N = %d: τ = %g: %v, just below: %v", n, tau, m.membership(tau).Holds, m.membership(tau-step).Holds)
		}
	}
}
