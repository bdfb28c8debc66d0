package meanfield

import (
	"math"
	"testing"

	"qlimit/coxian"
	"qlimit/ctmc"
)

// TestRoundRobinOneServer is M/G/1 (Pollaczek-Khinchine), P(wait) = λ.
func TestRoundRobinOneServer(t *testing.T) {
	for _, law := range []coxian.Dist{expLaw, erlang2Law, scv4Law, scv1000Law, disguisedExp, {Mu1: 1.2, P: .7, Mu2: 1}, {Mu1: 10, P: 1, Mu2: 10 / 9.}} {
		for _, load := range []float64{1e-6, .1, .9, .9999} {
			got, err := RoundRobin(1, load, law)
			if err != nil {
				t.Fatal(err)
			}
			want := load * (1 + law.SCV()) / (2 * (1 - load)) * law.Mean()
			tolerance := 1e-11 + 1e-14/(1-load)
			if load < 1e-3 {
				tolerance = 1e-9 // nearly equal roots
			}
			if math.Abs(got.MeanWait/want-1) > tolerance || math.Abs(got.WaitProb/load-1) > tolerance || got.Kind != ctmc.Exact {
				t.Errorf("%v, load %g: wait %.15g, probability %.15g; want %.15g, %g", law, load, got.MeanWait, got.WaitProb, want, load)
			}
		}
	}
}

// TestRoundRobinLindley: E[W] by Lindley's recursion on a fine lattice, for
// constant times between arrivals and Erlang-2 service.
func TestRoundRobinLindley(t *testing.T) {
	const load = .5
	for _, law := range []coxian.Dist{erlang2Law, {Mu1: 2, P: .25, Mu2: .5}} {
		// W = (W + S - 1/λ)⁺ on multiples of h; the mass of S between two points
		// is split so that its mean is kept.
		const h, reach = 1. / 40, 45.
		size := int(reach / h)
		service := make([]float64, size)
		for i := range service {
			// E over the triangle around i h: second difference of E(S - x)⁺.
			x := float64(i) * h
			service[i] = (law.MeanExcess(x-h) - 2*law.MeanExcess(x) + law.MeanExcess(x+h)) / h
		}
		service[0] = (law.MeanExcess(h) - law.MeanExcess(0) + h) / h
		shift := int(math.Round(1 / load / h))
		wait := make([]float64, size)
		wait[0] = 1
		for range 120 {
			next := make([]float64, size)
			for i, p := range wait {
				if p < 1e-9 {
					continue
				}
				for j, q := range service {
					k := max(0, i+j-shift)
					if k >= size {
						break
					}
					next[k] += p * q
				}
			}
			wait = next
		}
		mean := 0.0
		for i, p := range wait {
			mean += float64(i) * h * p
		}
		got, err := RoundRobin(0, load, law)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(got.MeanWait-mean) > 3e-3*mean || got.Kind != ctmc.Limit {
			t.Errorf("%v: %.6f, lattice %.6f", law, got.MeanWait, mean)
		}
	}
}

// TestRoundRobinExponential: σ/(1-σ) with σ = α(1 - σ), by fixed point.
func TestRoundRobinExponential(t *testing.T) {
	for _, n := range []int64{2, 10, 1000} {
		for _, load := range []float64{.3, .9} {
			sigma := load
			for range 4000 {
				sigma = math.Exp(-float64(n) * math.Log1p((1-sigma)/load/float64(n)))
			}
			for _, law := range []coxian.Dist{expLaw, disguisedExp} {
				got, err := RoundRobin(n, load, law)
				if err != nil {
					t.Fatal(err)
				}
				if want := sigma / (1 - sigma); math.Abs(got.MeanWait/want-1) > 1e-12 || math.Abs(got.WaitProb/sigma-1) > 1e-12 {
					t.Errorf("n = %d, load %g: %.15g, want %.15g", n, load, got.MeanWait, want)
				}
			}
		}
	}
}

// TestRoundRobinOrder: more servers wait less, down to the limit.
func TestRoundRobinOrder(t *testing.T) {
	for _, law := range []coxian.Dist{expLaw, erlang2Law, scv4Law} {
		last := math.Inf(1)
		for _, n := range []int64{1, 2, 5, 100, 1e4, 1e9, 0} {
			got, err := RoundRobin(n, .9, law)
			if err != nil {
				t.Fatal(err)
			}
			if !(got.MeanWait < last) {
				t.Errorf("%v, n = %d: %g, fewer servers %g", law, n, got.MeanWait, last)
			}
			last = got.MeanWait
		}
	}
	if _, err := RoundRobin(-1, .9, expLaw); err == nil {
		t.Error("-1 servers accepted")
	}
	if _, err := RoundRobin(2, 1, expLaw); err == nil {
		t.Error("load 1 accepted")
	}
	if got, err := RoundRobin(1000, 1e-90, erlang2Law); err != nil || got.MeanWait != 0 {
		t.Errorf("nothing to do: %+v, %v", got, err)
	}
}
