package ctmc

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"qlimit/coxian"
)

// A Coxian-2 law of mean 1 with (1-p)μ1 = 1.5 and μ2 = 0.5.
func fluidLaw() coxian.Dist { return coxian.Dist{Mu1: 2, P: .25, Mu2: .5} }

func fluidRouter(policy Policy, arrival float64, levels int) *FluidRouter {
	return &FluidRouter{Policy: policy, Arrival: arrival, Service: fluidLaw(), Levels: levels}
}

// TestFluidRoutingByHand works through the rules of sliding levels. Classes
// are (0), (1,1), (1,2), (2,1), (2,2), (3,1), (3,2).
func TestFluidRoutingByHand(t *testing.T) {
	for _, c := range []struct {
		name    string
		policy  Policy
		arrival float64
		q, want []float64
		regime  FluidRegime
	}{
		{"idle servers take all", JSQ(), .9,
			[]float64{.1, .4, .2, .2, .1, 0, 0}, []float64{1, 0, 0, 0, 0, 0, 0}, FluidRegime{Receiver: 0}},
		// Level 1 completes at 1.5·0.2 + 0.5·0.4 = 0.5; the other half goes
		// to level 1 by its phases 1:2.
		{"jsq, level 0 slides", JSQ(), 1,
			[]float64{0, .2, .4, .2, .2, 0, 0}, []float64{.5, .5 / 3, 1. / 3, 0, 0, 0, 0},
			FluidRegime{Sliding: 1, Receiver: 1, Inflow: .5, Reaching: 1}},
		// Level 2 completes at 1.5·0.4 + 0.5·0.2 = 0.7 > 0.5: level 1 is about
		// to fill, in phase 1, and level 0 below it slides without inflow.
		{"jsq, level 1 about to fill", JSQ(), .5,
			[]float64{0, 0, 0, .4, .2, .3, .1}, []float64{0, 1, 0, 0, 0, 0, 0},
			FluidRegime{Sliding: 1, Receiver: 1, Inflow: 0, Reaching: .5}},
		{"jsq, level 1 slides", JSQ(), 1.4,
			[]float64{0, 0, 0, .4, .2, .3, .1}, []float64{0, .5, 0, 1. / 3, .5 / 3, 0, 0},
			FluidRegime{Sliding: 2, Receiver: 2, Inflow: .7, Reaching: 1.4}},
		{"jsq, all full", JSQ(), 2,
			[]float64{0, 0, 0, 0, 0, .5, .5}, []float64{0, 0, 0, .5, 0, .25, .25},
			FluidRegime{Sliding: 3, Receiver: 3, Inflow: 1, Reaching: 2}},
		// Level 0 absorbs 0.5 of 2; the rest is uniform over all servers.
		{"jiq, uniform fallback", JIQ(), 2,
			[]float64{0, .2, .4, .2, .2, 0, 0}, []float64{.25, .15, .3, .15, .15, 0, 0},
			FluidRegime{Sliding: 1, Receiver: FallbackReceiver, Inflow: .5, Reaching: 2}},
		// The same with the shorter of two: level 1 gets 1 - 0.4² of the rest.
		{"jiq, power of two", JIQ().WithFallback(Sampling{Choices: 2}), 2,
			[]float64{0, .2, .4, .2, .2, 0, 0}, []float64{.25, .75 * .84 / 3, .75 * .84 * 2 / 3, .75 * .08, .75 * .08, 0, 0},
			FluidRegime{Sliding: 1, Receiver: FallbackReceiver, Inflow: .5, Reaching: 2}},
		{"i1f, level 1 takes the rest", I1F(), 2,
			[]float64{0, .2, .4, .2, .2, 0, 0}, []float64{.25, .25, .5, 0, 0, 0, 0},
			FluidRegime{Sliding: 1, Receiver: 1, Inflow: .5, Reaching: 2}},
		{"i1f, levels 0 and 1 slide", I1F(), 2,
			[]float64{0, 0, 0, .4, .2, .3, .1}, []float64{0, .35, 0, .26, .13, .195, .065},
			FluidRegime{Sliding: 2, Receiver: FallbackReceiver, Inflow: .7, Reaching: 2}},
		{"empty priority levels far below", JIQ(), 2,
			[]float64{0, 0, 0, .4, .2, .3, .1}, []float64{0, 0, 0, .4, .2, .3, .1},
			FluidRegime{Sliding: 1, Receiver: FallbackReceiver, Inflow: 0, Reaching: 2}},
		{"random", Random(), 2,
			[]float64{.1, .1, .2, .2, .2, .1, .1}, []float64{.1, .1, .2, .2, .2, .1, .1}, FluidRegime{Receiver: FallbackReceiver}},
	} {
		router := fluidRouter(c.policy, c.arrival, 3)
		got := make([]float64, router.Classes())
		regime := router.Route(c.q, got)
		for i := range got {
			if math.Abs(got[i]-c.want[i]) > 1e-15 {
				t.Errorf("%s: fractions %v, want %v", c.name, got, c.want)
				break
			}
		}
		near := math.Abs(regime.Inflow-c.regime.Inflow) + math.Abs(regime.Reaching-c.regime.Reaching)
		if regime.Sliding != c.regime.Sliding || regime.Receiver != c.regime.Receiver || near > 1e-15 {
			t.Errorf("%s: regime %+v, want %+v", c.name, regime, c.regime)
		}
	}
}

// TestFluidRoutingExponential: one class for each level.
func TestFluidRoutingExponential(t *testing.T) {
	router := &FluidRouter{Policy: JIQ(), Arrival: 1.5, Service: coxian.Dist{Mu1: 1, Mu2: 7}, Levels: 2}
	got := make([]float64, router.Classes())
	router.Route([]float64{0, .6, .4}, got)
	for i, want := range []float64{.4, .36, .24} {
		if math.Abs(got[i]-want) > 1e-15 {
			t.Errorf("fractions %v", got)
		}
	}
}

// TestFluidRoutingAddsUp: the fractions are not negative and add up to 1, for
// any policy and any pattern of empty levels.
func TestFluidRoutingAddsUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kernel := Sampling{Choices: rapid.SampledFrom([]int64{1, 2, 3, 10, 50, 1000}).Draw(t, "d")}
		policy := Policy{Name: "drawn", Depth: rapid.SampledFrom([]int{0, 1, 2, 3, AllLevels}).Draw(t, "depth"), Fallback: kernel}
		router := fluidRouter(policy, rapid.Float64Range(.01, 5).Draw(t, "arrival"), rapid.IntRange(1, 6).Draw(t, "levels"))
		q, fraction := make([]float64, router.Classes()), make([]float64, router.Classes())
		total := 0.0
		for c := range q {
			if rapid.Bool().Draw(t, "present") || c == len(q)-1 {
				q[c] = rapid.Float64Range(1e-12, 1).Draw(t, "q")
			}
			total += q[c]
		}
		for c := range q {
			q[c] /= total
		}
		regime := router.Route(q, fraction)
		sum := 0.0
		for c, f := range fraction {
			if !(f >= 0) {
				t.Errorf("class %d gets %g", c, f)
			}
			sum += f
		}
		// The power d amplifies the rounding of Σ q.
		if math.Abs(sum-1) > 1e-15*float64(20+kernel.Choices) {
			t.Errorf("fractions add up to %.17g (%+v)", sum, regime)
		}
		if regime.Sliding > 0 && regime.Inflow > regime.Reaching {
			t.Errorf("a level slides against its inflow: %+v", regime)
		}
	})
}

// TestFluidRoutingIsFiniteLimit: routing with replacement at N = 1000 has the
// same level probabilities as the limit, for all policies at a state whose
// lowest level is present.
func TestFluidRoutingIsFiniteLimit(t *testing.T) {
	tail := []int64{1000, 900, 500, 200}
	for _, policy := range []Policy{JSQ(), JIQ(), I1F(), Random(), PowerOfD(2, true), PowerOfD(30, true)} {
		finite := make([]float64, 4)
		policy.RouteLevels(tail, finite)
		router := fluidRouter(policy, .9, 3)
		fraction := make([]float64, router.Classes())
		router.Route([]float64{.1, .3, .1, .1, .2, .05, .15}, fraction)
		got := []float64{fraction[0], fraction[1] + fraction[2], fraction[3] + fraction[4], fraction[5] + fraction[6]}
		for i := range got {
			if math.Abs(got[i]-finite[i]) > 1e-14 {
				t.Errorf("%v: level %d gets %.17g, finite %.17g", policy, i, got[i], finite[i])
			}
		}
	}
}

// TestLimitSlope holds the divided difference of s^d against its expansion
// around the middle m of the interval, half length r:
// d m^(d-1) (1 + (d-1)(d-2) (r/m)²/6 + O(r⁴)), and a kernel known only by the
// interface against sampling.
func TestLimitSlope(t *testing.T) {
	type other struct{ Kernel }
	for _, d := range []int64{1, 2, 3, 16, 17, 60} {
		k := Sampling{Choices: d}
		for _, m := range []float64{.2, .7, .99} {
			for _, r := range []float64{0, 1e-12, 1e-7, 1e-4 * m / float64(d)} {
				n := float64(d)
				want := n * math.Pow(m, n-1) * (1 + (n-1)*(n-2)*r*r/(m*m)/6)
				for _, kernel := range []Kernel{k, other{k}} {
					for _, got := range []float64{LimitSlope(kernel, m+r, m-r), LimitSlope(kernel, m-r, m+r)} {
						if math.Abs(got-want) > 3e-14*n*want {
							t.Errorf("d=%d m=%g r=%g: %.17g, want %.17g", d, m, r, got, want)
						}
					}
				}
			}
		}
		for _, pair := range [][2]float64{{1, 0}, {.9, .1}, {.5, .45}, {0, 0}, {.3, -1e-9}} {
			want := 0.0
			for j := range d {
				want += math.Pow(pair[0], float64(d-1-j)) * math.Pow(pair[1], float64(j))
			}
			if got := LimitSlope(k, pair[0], pair[1]); math.Abs(got-want) > 1e-14*float64(d) {
				t.Errorf("d=%d %v: %.17g, want %.17g", d, pair, got, want)
			}
			if got := LimitSlope(other{k}, pair[0], pair[1]); math.Abs(got-want) > 1e-11*float64(d) {
				t.Errorf("d=%d %v through the interface: %.17g, want %.17g", d, pair, got, want)
			}
		}
	}
}

// TestFluidRoutingDoesNotAllocate: it is evaluated in the loops of integrators.
func TestFluidRoutingDoesNotAllocate(t *testing.T) {
	router := fluidRouter(JIQ().WithFallback(Sampling{Choices: 5}), 2, 3)
	q, fraction := []float64{0, .2, .4, .2, .2, 0, 0}, make([]float64, 7)
	if n := testing.AllocsPerRun(10, func() { router.Route(q, fraction) }); n != 0 {
		t.Errorf("%g allocations", n)
	}
}
