package coxian

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestHazardEnds(t *testing.T) {
	for _, d := range accuracyLaws() {
		if got, want := d.Hazard(0), d.exit()*d.Mu1; got != want {
			t.Errorf("%v: h(0) = %g, want (1-p)μ1 = %g", d, got, want)
		}
		if got := d.Hazard(math.Inf(1)); !agree(got, d.slowRate(), 1e-15) {
			t.Errorf("%v: h(∞) = %g, want %g", d, got, d.slowRate())
		}
	}
}

// The misprinted formula of the literature differs at every x > 0.
func TestHazardIsNotTheMisprint(t *testing.T) {
	d := Dist{Mu1: 2, P: 0.25, Mu2: 0.5}
	e := math.Exp((1 + d.P) * d.Mu1)
	misprint := ((1-d.P)*d.Mu1 + d.Mu2*e) / (1 + e)
	if agree(d.Hazard(1), misprint, 0.01) {
		t.Error("the hazard rate equals the misprint")
	}
	if want := d.Prob(1) / d.Survival(1); !agree(d.Hazard(1), want, 1e-15) {
		t.Errorf("h(1) = %g, f/S = %g", d.Hazard(1), want)
	}
}

func TestHazardClass(t *testing.T) {
	for _, c := range []struct {
		d    Dist
		want HazardClass
		name string
	}{
		{Dist{Mu1: 2, P: 0.5, Mu2: 1}, Constant, "constant"},
		{Dist{Mu1: 1, P: 0, Mu2: 9}, Constant, "constant"},
		{Dist{Mu1: 3, P: 1 - 1.0/3, Mu2: 1}, Constant, "constant"},
		{Dist{Mu1: 2, P: 0.5, Mu2: 1 - 1e-14}, Decreasing, "decreasing"},
		{Dist{Mu1: 2, P: 0.5, Mu2: 1 + 1e-14}, Increasing, "increasing"},
		{Dist{Mu1: 2, P: 1, Mu2: 2}, Increasing, "increasing"},
		{Dist{Mu1: 2, P: 0.25, Mu2: 0.5}, Decreasing, "decreasing"},
	} {
		if got := c.d.HazardClass(); got != c.want || got.String() != c.name {
			t.Errorf("%v: %v, want %v", c.d, got, c.name)
		}
		if c.d.IsExponential() != (c.want == Constant) {
			t.Errorf("%v: IsExponential = %v", c.d, c.d.IsExponential())
		}
	}
}

// The class agrees with the computed rates and with the scv's side of 1.
func TestHazardIsMonotone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawLaw(t)
		x := rapid.Float64Range(0, 50).Draw(t, "x") / d.slowRate()
		y := x * rapid.Float64Range(1, 4).Draw(t, "ratio")
		hx, hy := d.Hazard(x), d.Hazard(y)
		slack := 1e-14 * hx
		switch d.HazardClass() {
		case Increasing:
			if hy < hx-slack || d.SCV() > 1+1e-14 {
				t.Fatalf("%v: h(%g) = %g, h(%g) = %g, scv %g", d, x, hx, y, hy, d.SCV())
			}
		case Decreasing:
			if hy > hx+slack || d.SCV() < 1-1e-14 {
				t.Fatalf("%v: h(%g) = %g, h(%g) = %g, scv %g", d, x, hx, y, hy, d.SCV())
			}
		}
	})
}

// drawLaw draws a law with rates from 1e-4 to 1e4 and p that is often 0 or 1.
func drawLaw(t *rapid.T) Dist {
	rate := func(name string) float64 { return math.Pow(10, rapid.Float64Range(-4, 4).Draw(t, name)) }
	p := rapid.OneOf(rapid.Float64Range(0, 1), rapid.SampledFrom([]float64{0, 1, 1e-9, 1 - 1e-9})).Draw(t, "p")
	d := Dist{Mu1: rate("log mu1"), P: p, Mu2: rate("log mu2")}
	if rapid.Bool().Draw(t, "close rates") {
		d.Mu2 = d.Mu1 * (1 + math.Pow(10, rapid.Float64Range(-16, -1).Draw(t, "closeness")))
	}
	return d
}
