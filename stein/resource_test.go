package stein

import (
	"math"
	"math/rand/v2"
	"testing"

	"qlimit/coxian"
)

var exponential = coxian.Dist{Mu1: 1, Mu2: 1}

// TestResourceBoundValues: p_0 and the bound at γ = θ = 0.1, message clock 1,
// worked out by hand from the formulas (theory, section on memory and
// messages).
func TestResourceBoundValues(t *testing.T) {
	for _, c := range []struct {
		name           string
		service        ServiceTail
		memory         float64
		start, bound   float64
		digitsOfStart  float64
		relativeOfRest float64
	}{
		{"exponential, c=1", exponential, 1, 1.4291220417e-3, 3.1758267594e-9, 5e-11, 5e-11},
		{"exponential, c=2", exponential, 2, 3.4837152588e-5, 7.7415894641e-14, 5e-11, 5e-11},
		{"deterministic, c=1", Deterministic(1), 1, 2.0673417092e-3, 4.5940926872e-9, 5e-11, 5e-11},
		{"c=1.9 is c=1", exponential, 1.9, 1.4291220417e-3, 3.1758267594e-9, 5e-11, 5e-11},
	} {
		b, err := Resources{Load: .9, Service: c.service, Memory: c.memory, Queries: 2, MessageClock: 1}.At(.1, .1)
		if err != nil {
			t.Fatal(err)
		}
		start, _ := b.Start.Float()
		bound, _ := b.Delay.Float()
		if math.Abs(start/c.start-1) > c.digitsOfStart || math.Abs(bound/c.bound-1) > c.relativeOfRest {
			t.Errorf("%s: p0 = %.11g, bound %.11g; want %.11g, %.11g", c.name, start, bound, c.start, c.bound)
		}
	}
}

// TestResourceBoundOptimum: the published places and values of the maximum.
func TestResourceBoundOptimum(t *testing.T) {
	for _, c := range []struct{ queries, bound, gamma, theta float64 }{
		{0, 5.7527e-4, .1175, .5098}, {2, 8.1345e-5, .0710, .6822},
	} {
		b, err := Resources{Load: .9, Service: exponential, Memory: 1, Queries: c.queries}.Best()
		if err != nil {
			t.Fatal(err)
		}
		bound, _ := b.Delay.Float()
		if math.Abs(bound-c.bound) > 6e-5*c.bound || math.Abs(b.Gamma-c.gamma) > 5.1e-5 || math.Abs(b.Theta-c.theta) > 5.1e-5 {
			t.Errorf("d=%g: %.6g at (%.5f, %.5f), want %.5g at (%.4f, %.4f)", c.queries, bound, b.Gamma, b.Theta, c.bound, c.gamma, c.theta)
		}
	}
}

// TestResourceBoundIsMaximal: no point of a fine random search is better, for
// both kinds of limits and laws of one and two time scales.
func TestResourceBoundIsMaximal(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	twoScales := coxian.Dist{Mu1: 1000, P: .001, Mu2: .001}
	for _, r := range []Resources{
		{Load: .9, Service: exponential, Memory: 1, Queries: 2, MessageClock: 1},
		{Load: .3, Service: exponential, Memory: 3},
		{Load: .99, Service: Deterministic(2), Memory: 0, Queries: 5, MessageClock: 20},
		{Load: .9, Service: twoScales, Memory: 1, Queries: 1},
		{Load: .9, Service: exponential, Averaged: true, MessageRate: 1},
		{Load: .9, Service: exponential, Memory: 1, Averaged: true, MessageRate: .1},
		{Load: .5, Service: exponential, Memory: 3, Averaged: true, MessageRate: 2},
		{Load: 1e-9, Service: exponential, Memory: 1, Queries: 2},
	} {
		best, err := r.Best()
		if err != nil {
			t.Fatal(err)
		}
		for range 4000 {
			gamma, theta := math.Exp(-12*random.Float64()), math.Exp(-20*random.Float64()*random.Float64())
			if random.IntN(2) == 0 { // near the best, where it counts
				gamma = math.Min(.999, best.Gamma*math.Exp(random.NormFloat64()*.01))
				theta = best.Theta * math.Exp(random.NormFloat64()*.01)
			}
			if !(gamma > 0 && gamma < 1 && theta > 0 && theta < 1) {
				continue
			}
			other, err := r.At(gamma, theta)
			if err != nil {
				t.Fatal(err)
			}
			if better(other.Delay, best.Delay, 1e-12) {
				t.Fatalf("%+v: %v at (%g, %g) beats %v at (%g, %g)", r, other.Delay, gamma, theta, best.Delay, best.Gamma, best.Theta)
			}
		}
	}
}

// better says that a is the larger number by more than rounding.
func better(a, b IteratedLog, tolerance float64) bool {
	switch {
	case a.Iterations == 0:
		return false
	case b.Iterations == 0:
		return true
	case a.Iterations != b.Iterations:
		return a.Iterations < b.Iterations
	case a.Iterations == 1:
		return a.Value > b.Value+tolerance*math.Abs(b.Value)
	}
	return a.Value < b.Value-tolerance*b.Value
}

// TestTower: the recursion on the scale of logarithms agrees with plain
// numbers where these exist, and is continuous where the height changes.
func TestTower(t *testing.T) {
	p := 1.0
	x := tower{value: 2.5}
	p = math.Exp(-2.5)
	for range 2 {
		p *= math.Exp(-.3 - .05/p)
		x = x.plus(.3).raised(.05, x)
	}
	if math.Abs(x.value+math.Log(p)) > 1e-12*x.value {
		t.Errorf("-log p = %.15g, want %.15g", x.value, -math.Log(p))
	}
	for _, c := range []float64{1e-5, 1, 1e7} {
		below, above := tower{value: mostValue * (1 - 1e-15)}, tower{value: mostValue}
		a, b := below.raised(c, below), above.raised(c, above)
		if a.height != 0 {
			a = tower{1, a.value}
		} else {
			a = tower{1, math.Log(a.value)}
		}
		if b.height == 0 {
			b = tower{1, math.Log(b.value)}
		}
		if math.Abs(a.value-b.value) > 1e-11*b.value || b.height != 1 {
			t.Errorf("c = %g: exponent %.15g below the change, %.15g above", c, a.value, b.value)
		}
	}
	// p_3 from p_2 = 10^-(10^614): log10(log10(-log10 p_3)) is 614 and what
	// two more logarithms leave.
	high := tower{height: 1, value: 614 * math.Ln10}
	if got := high.plus(1).raised(3, high).asLog(0); got.Iterations != 3 || math.Abs(got.Value-(614-math.Log10(math.Ln10))) > 1e-12*614 {
		t.Errorf("p_3 is %+v", got)
	}
}

// TestResourceUnits: times in another unit scale the bound and nothing else.
func TestResourceUnits(t *testing.T) {
	minutes, err := coxian.New(2, .25, .5)
	if err != nil {
		t.Fatal(err)
	}
	seconds, err := coxian.New(2./60, .25, .5/60)
	if err != nil {
		t.Fatal(err)
	}
	for _, averaged := range []bool{false, true} {
		a, err := Resources{Load: .8, Service: minutes, Memory: 1, Queries: 1, Averaged: averaged, MessageRate: .1, MessageClock: 6}.Best()
		if err != nil {
			t.Fatal(err)
		}
		b, err := Resources{Load: .8, Service: seconds, Memory: 1, Queries: 1, Averaged: averaged, MessageRate: .1 / 60, MessageClock: .1}.Best()
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(a.Delay.Value+math.Log10(60)-b.Delay.Value) > 1e-9*math.Abs(b.Delay.Value) || math.Abs(a.Gamma/b.Gamma-1) > 1e-5 {
			t.Errorf("averaged %t: %+v and %+v", averaged, a, b)
		}
	}
}

// TestResourceRefusals: what is out of range is named.
func TestResourceRefusals(t *testing.T) {
	good := Resources{Load: .9, Service: exponential, Memory: 1}
	for name, change := range map[string]func(*Resources){
		"load 0":          func(r *Resources) { r.Load = 0 },
		"load 1":          func(r *Resources) { r.Load = 1 },
		"load 1.2":        func(r *Resources) { r.Load = 1.2 },
		"memory -1":       func(r *Resources) { r.Memory = -1 },
		"memory infinite": func(r *Resources) { r.Memory = math.Inf(1) },
		"queries NaN":     func(r *Resources) { r.Queries = math.NaN() },
		"rate -1":         func(r *Resources) { r.MessageRate = -1 },
		"clock infinite":  func(r *Resources) { r.MessageClock = math.Inf(1) },
		"no law":          func(r *Resources) { r.Service = nil },
	} {
		r := good
		change(&r)
		if b, err := r.Best(); err == nil {
			t.Errorf("%s accepted: %+v", name, b)
		}
	}
	for _, place := range [][2]float64{{0, .5}, {1, .5}, {.5, 0}, {.5, 1}} {
		if b, err := good.At(place[0], place[1]); err == nil {
			t.Errorf("%v accepted: %+v", place, b)
		}
	}
	if b, err := good.At(.9, .5); err != nil || b.Delay.Iterations != 0 {
		t.Errorf("where the bracket vanishes the bound is %+v, %v", b, err)
	}
}
