package coxian

import (
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestValidateNamesTheField(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		mu1, p, mu2 float64
		field       string
	}{
		{0, 0.5, 1, "mu1"}, {-1, 0.5, 1, "mu1"}, {nan, 0.5, 1, "mu1"}, {inf, 0.5, 1, "mu1"}, {1e-80, 0.5, 1, "mu1"},
		{1, -0.1, 1, "p"}, {1, 1.1, 1, "p"}, {1, nan, 1, "p"}, {1, inf, 1, "p"},
		{1, 0.5, 0, "mu2"}, {1, 0, nan, "mu2"}, {1, 0.5, inf, "mu2"}, {1, 0.5, 1e80, "mu2"},
		{1e30, 0.5, 1e-30, "mu1/mu2"},
	} {
		_, err := New(c.mu1, c.p, c.mu2)
		var e *ParameterError
		if !errors.As(err, &e) || e.Field != c.field {
			t.Errorf("New(%g, %g, %g): %v, want a complaint about %s", c.mu1, c.p, c.mu2, err, c.field)
		}
	}
	if (Dist{}).Validate() == nil {
		t.Error("the zero value passes for a law")
	}
}

func TestTwoMeaningsOfP(t *testing.T) {
	goOn, err := FromContinuation(2, 0.25, 0.5)
	if err != nil {
		t.Fatal(err)
	}
	leave, err := FromLeaving(2, 0.75, 0.5)
	if err != nil {
		t.Fatal(err)
	}
	if goOn != leave || goOn.Mean() != 1 {
		t.Errorf("%v and %v", goOn, leave)
	}
	var e *ParameterError
	if _, err := FromLeaving(2, -0.5, 1); !errors.As(err, &e) || e.Field != "leave" || e.Value != -0.5 {
		t.Errorf("leave = -0.5: %v", err)
	}
}

// p = 0 is the exponential law whatever mu2 is.
func TestExponentialIgnoresMu2(t *testing.T) {
	for _, mu2 := range []float64{1e-40, 1e-6, 1, 3, 1e6, 1e40} {
		d, err := New(3, 0, mu2)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range []float64{0, 1e-9, 0.1, 1, 100} {
			for name, pair := range map[string][2]float64{
				"density": {d.Prob(x), 3 * math.Exp(-3*x)}, "survival": {d.Survival(x), math.Exp(-3 * x)},
				"CDF": {d.CDF(x), -math.Expm1(-3 * x)}, "hazard": {d.Hazard(x), 3}, "log survival": {d.LogSurvival(x), -3 * x},
				"transform": {d.Laplace(x), 3 / (3 + x)}, "residual survival": {d.Residual().Survival(x), math.Exp(-3 * x)},
			} {
				if !agree(pair[0], pair[1], 1e-13) {
					t.Errorf("mu2 = %g: %s at %g = %g, want %g", mu2, name, x, pair[0], pair[1])
				}
			}
		}
		if !agree(d.Mean(), 1.0/3, 1e-15) || !agree(d.SCV(), 1, 1e-15) || !agree(d.Skewness(), 2, 1e-15) || !agree(d.ExKurtosis(), 6, 1e-15) {
			t.Errorf("mu2 = %g: mean %g scv %g skewness %g excess kurtosis %g", mu2, d.Mean(), d.SCV(), d.Skewness(), d.ExKurtosis())
		}
		if d.Phases() != 1 || !d.IsExponential() || d.Canonical() != (Dist{Mu1: 3, P: 0, Mu2: 3}) {
			t.Errorf("mu2 = %g: %d phases, canonical %v", mu2, d.Phases(), d.Canonical())
		}
	}
}

func TestScaleAndNormalized(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawLaw(t)
		unit := d.Normalized()
		if err := unit.Validate(); err != nil {
			t.Fatal(err)
		}
		if !agree(unit.Mean(), 1, 1e-15) || !agree(unit.SCV(), d.SCV(), 1e-14) {
			t.Fatalf("%v normalised has mean %.17g, scv %g for %g", d, unit.Mean(), unit.SCV(), d.SCV())
		}
		c := math.Pow(10, rapid.Float64Range(-3, 3).Draw(t, "log c"))
		scaled, err := d.Scale(c)
		if err != nil {
			t.Fatal(err)
		}
		x := rapid.Float64Range(0, 40).Draw(t, "x") / d.slowRate()
		if got, want := scaled.Survival(c*x), d.Survival(x); !agree(got, want, 1e-12) {
			t.Fatalf("%v times %g: survival %g, want %g", d, c, got, want)
		}
	})
	for _, c := range []float64{0, -1, math.NaN(), math.Inf(1), 1e90} {
		if _, err := (Dist{Mu1: 1, P: 0.5, Mu2: 2}).Scale(c); err == nil {
			t.Errorf("scale %g accepted", c)
		}
	}
}

func TestCanonicalIsTheSameLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawLaw(t)
		c := d.Canonical()
		if err := c.Validate(); err != nil {
			t.Fatal(err)
		}
		if c.Mu1 < c.Mu2 {
			t.Fatalf("%v has canonical form %v", d, c)
		}
		if !c.Equivalent(d, 1e-13) {
			t.Fatalf("%v and its canonical form %v have different moments", d, c)
		}
		for _, scaled := range []float64{0.01, 1, 30} {
			x := scaled / d.slowRate()
			if !agree(c.Survival(x), d.Survival(x), 1e-12) {
				t.Fatalf("%v and its canonical form %v differ at %g", d, c, x)
			}
		}
	})
}

func TestEquivalentTellsLawsApart(t *testing.T) {
	d := Dist{Mu1: 2, P: 0.25, Mu2: 0.5}
	if !(Dist{Mu1: 2, P: 0.5, Mu2: 1}).Equivalent(Dist{Mu1: 1, P: 0, Mu2: 1}, 0) {
		t.Error("(2, 0.5, 1) is not recognised as exponential")
	}
	if d.Equivalent(Dist{Mu1: 2, P: 0.25, Mu2: 0.5 + 1e-9}, 0) {
		t.Error("a change of 1e-9 goes unnoticed")
	}
	sameTwoMoments, err := FitMoments(1, d.SCV(), d.Skewness()+0.1)
	if err != nil {
		t.Fatal(err)
	}
	if d.Equivalent(sameTwoMoments, 0) {
		t.Error("a different third moment goes unnoticed")
	}
}
