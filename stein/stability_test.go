package stein

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"qlimit/ctmc"
	"qlimit/ctmc/slotted"
)

var twoPools = []float64{1, 1, 1, 1, 1, 10, 10, 10, 10, 10}

// TestStabilityValues: two pools of five, rates 1 and 10: SQ(2) 9/22, 4/11 with
// replacement; the rest by hand.
func TestStabilityValues(t *testing.T) {
	for _, c := range []struct {
		policy   string
		rates    []float64
		fraction string
		load     float64
	}{
		{"sq:d=2", twoPools, "9/22", 9. / 22},
		{"sq:d=2,replacement=true", twoPools, "4/11", 4. / 11},
		{"random", twoPools, "2/11", 2. / 11}, // a server of rate 1 gets 1/10 of 55ρ
		{"sq:d=1", twoPools, "2/11", 2. / 11},
		{"sq:d=3", twoPools, "1", 1}, // 55 C(5,3)/C(10,3) = 4.58 < 5
		{"sq:d=6", twoPools, "1", 1},
		{"jsq", twoPools, "1", 1}, {"sed", twoPools, "1", 1}, {"weighted", twoPools, "1", 1},
		{"jbtg:d=2,T=1000", twoPools, "1", 1}, {"jbtg:d=2,T=inf", twoPools, "1", 1}, {"jiq", unitRates(4), "1", 1}, {"jbt:d=2,T=10", unitRates(4), "1", 1},
		{"lsq:push=1", twoPools, "1", 1}, {"lsq:pull=0.5", twoPools, "1", 1}, {"local-jba:refresh=0.1", twoPools, "1", 1},
		{"sq:d=2", []float64{1, 1, 10, 100}, "3/28", 6. / 56}, // slowest two: 112ρ/6 < 2, slowest three: 112ρ/2 < 12
	} {
		r, err := StabilityRegion(&slotted.Model{Rates: c.rates, Load: .5}, parsed(t, c.policy))
		if err != nil || r == nil {
			t.Fatalf("%s: %v, %v", c.policy, r, err)
		}
		if math.Abs(r.CriticalLoad-c.load) > 1e-15 || r.Fraction != c.fraction || r.Kind != ctmc.Exact {
			t.Errorf("%s on %v: %+v, want %s", c.policy, c.rates, r, c.fraction)
		}
	}
}

// TestStabilityUnknown: no theory is claimed.
func TestStabilityUnknown(t *testing.T) {
	for _, policy := range []string{"jiq", "jbt:d=2,T=1000", "sq:d=2,m=3", "lsq:pull=0", "local-sq:d=2,push=1"} {
		if r, err := StabilityRegion(&slotted.Model{Rates: twoPools}, parsed(t, policy)); r != nil || err != nil {
			t.Errorf("%s: %+v, %v", policy, r, err)
		}
	}
	many := slotted.Model{Rates: twoPools, Dispatchers: 3}
	for _, policy := range []string{"jbtg:d=2,T=10", "lsq:pull=0.5"} {
		if r, err := StabilityRegion(&many, parsed(t, policy)); r != nil || err != nil {
			t.Errorf("three dispatchers, %s: %+v, %v", policy, r, err)
		}
	}
	if _, err := StabilityRegion(&slotted.Model{Rates: twoPools}, parsed(t, "sq:d=11")); err == nil {
		t.Error("11 samples of 10 servers accepted")
	}
}

// TestEverySubset compares the slowest sets, pool by pool, with all 2^N subsets.
func TestEverySubset(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 6).Draw(t, "servers")
		rates := rapid.SliceOfN(rapid.SampledFrom([]float64{.5, 1, 2, 10}), n, n).Draw(t, "rates")
		d := rapid.Int64Range(1, int64(n)).Draw(t, "d")
		with := rapid.Bool().Draw(t, "replacement")
		kernel := ctmc.Sampling{Choices: d, Replacement: with}
		total := sumOf(rates)
		want := 1.0
		for set := 1; set < 1<<n; set++ {
			size, rate := int64(0), 0.0
			for k, x := range rates {
				if set>>k&1 == 1 {
					size++
					rate += x
				}
			}
			if chance := kernel.Tail(size, int64(n)); chance > 0 {
				want = math.Min(want, rate/(chance*total))
			}
		}
		r, err := StabilityRegion(&slotted.Model{Rates: rates}, slotted.SQ(d, with))
		if err != nil || math.Abs(r.CriticalLoad-want) > 1e-13 {
			t.Fatalf("rates %v d=%d replacement %v: %+v, %v, all subsets %.15g", rates, d, with, r, err, want)
		}
	})
}

// TestRational: decimals and quotients are recognised, others refused.
func TestRational(t *testing.T) {
	for x, want := range map[float64]string{.1: "1/10", 2. / 9: "2/9", 10: "10", 0: "0", 123.456: "15432/125", 1e-6: "1/1000000"} {
		if got := rationalOf(x); got == nil || got.RatString() != want {
			t.Errorf("%g: %v, want %s", x, got, want)
		}
	}
	if got := rationalOf(math.Pi * 1e-7); got != nil {
		if value, _ := got.Float64(); math.Abs(value/(math.Pi*1e-7)-1) > 1e-15 {
			t.Errorf("%v is not π/1e7", got)
		}
	}
}

// TestLocalEstimates: with refresh probability p the bound is (λ_Σ+μ_n)(1-p)/p;
// pushes refresh d of N servers in slots with arrivals.
func TestLocalEstimates(t *testing.T) {
	m := slotted.Model{Rates: twoPools, Load: .9, Dispatchers: 2}
	for _, c := range []struct {
		policy string
		p      float64
	}{
		{"lsq:refresh=0.2", .2}, {"lsq:refresh=1", 1},
		{"lsq:push=3", (1 - math.Exp(-55*.9/2)) * .3},
		{"lsq:push=3,refresh=0.2", 1 - .8*(1-(1-math.Exp(-55*.9/2))*.3)},
		{"lsq:pull=0.5", 0}, {"lsq:smart", 0},
	} {
		q, err := LocalEstimates(&m, parsed(t, c.policy))
		if err != nil {
			t.Fatal(err)
		}
		bound := 0.0
		if c.p > 0 {
			bound = (55*.9 + 10) * (1 - c.p) / c.p
		}
		if math.Abs(q.Refresh-c.p) > 1e-14 || math.Abs(q.ErrorBound-bound) > 1e-11 || q.Uniform != (c.p > 0) {
			t.Errorf("%s: %+v, want p = %g and the bound %g", c.policy, q, c.p, bound)
		}
	}
	m.Dispatchers = 1
	q, err := LocalEstimates(&m, parsed(t, "lsq:pull=0.5"))
	if want := .5 * (1 - math.Exp(-1)); err != nil || math.Abs(q.Refresh-want) > 1e-14 {
		t.Errorf("one dispatcher, pull: %+v, %v, want p = %g", q, err, want)
	}
	if _, err := LocalEstimates(&m, parsed(t, "jsq")); err == nil {
		t.Error("JSQ has no estimates")
	}
}
