package coxian

import (
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"
)

func checkMoments(t interface{ Errorf(string, ...any) }, d Dist, mean, scv, skewness, tolerance float64) {
	if err := d.Validate(); err != nil {
		t.Errorf("%v: %v", d, err)
	}
	if !agree(d.Mean(), mean, tolerance) || !agree(d.SCV(), scv, tolerance) || !agree(d.Skewness(), skewness, tolerance) {
		t.Errorf("%#v has mean %.17g scv %.17g skewness %.17g, want %.17g %.17g %.17g",
			d, d.Mean(), d.SCV(), d.Skewness(), mean, scv, skewness)
	}
}

func TestFitMeanSCV(t *testing.T) {
	for _, c := range []struct{ mean, scv, mu1, p, mu2 float64 }{
		{1, 0.5, 2, 1, 2}, {1, 1, 2, 0.5, 1}, {1, 4, 2, 0.125, 0.25}, {1, 10, 2, 0.05, 0.1}, {4, 2, 0.5, 0.25, 0.125},
	} {
		d, err := FitMeanSCV(c.mean, c.scv)
		if err != nil {
			t.Fatal(err)
		}
		if (d != Dist{Mu1: c.mu1, P: c.p, Mu2: c.mu2}) {
			t.Errorf("mean %g scv %g: %#v", c.mean, c.scv, d)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		mean := math.Pow(10, rapid.Float64Range(-9, 9).Draw(t, "log mean"))
		scv := math.Pow(10, rapid.Float64Range(math.Log10(0.5), 9).Draw(t, "log scv"))
		d, err := FitMeanSCV(mean, math.Max(scv, 0.5))
		if err != nil {
			t.Fatal(err)
		}
		checkMoments(t, d, mean, math.Max(scv, 0.5), d.Skewness(), 1e-14)
	})
}

// Close to scv 1 the rates stay those of the exponential fit.
func TestFitMeanSCVIsSmoothAtOne(t *testing.T) {
	for _, step := range []float64{-1e-6, -1e-12, -1e-16, 1e-16, 1e-12, 1e-6} {
		d, err := FitMeanSCV(1, 1+step)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(d.Mu1-2) > 1e-5 || math.Abs(d.P-0.5) > 1e-5 || math.Abs(d.Mu2-1) > 1e-5 {
			t.Errorf("scv 1%+g: %v", step, d)
		}
	}
}

func TestFitRefusesSmallSCV(t *testing.T) {
	for _, scv := range []float64{0.25, 0.4, 0.4999} {
		_, err := FitMeanSCV(1, scv)
		var unattainable *AttainableError
		if !errors.As(err, &unattainable) || unattainable.Low != 0.5 || unattainable.Nearest != 0.5 || unattainable.Field != "scv" {
			t.Errorf("scv %g: %v", scv, err)
		}
		if _, err := FitMoments(1, scv, 1.2); !errors.As(err, &unattainable) {
			t.Errorf("scv %g with skewness: %v", scv, err)
		}
	}
	for _, scv := range []float64{0, -1, math.NaN(), math.Inf(1), 1e30} {
		if _, err := FitMeanSCV(1, scv); err == nil {
			t.Errorf("scv %g accepted", scv)
		}
	}
	for _, mean := range []float64{0, -1, math.NaN(), math.Inf(1), 1e-200, 1e200} {
		if _, err := FitMeanSCV(mean, 2); err == nil {
			t.Errorf("mean %g accepted", mean)
		}
	}
}

// Every law is recovered, up to the choice between equivalent parameters,
// from its first three moments.
func TestFitMomentsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawLaw(t)
		if d.IsExponential() || d.Mu1/d.Mu2 > 1e6 {
			// With phase 1 of no length to speak of the skewness is at its open bound.
			return
		}
		if d.SCV() == 1 {
			// A second phase so rare that it shows in the skewness only: as
			// float64 numbers its moments are unattainable.
			return
		}
		fit, err := FitMoments(d.Mean(), d.SCV(), d.Skewness())
		if err != nil {
			t.Fatalf("%#v (scv %.17g, skewness %.17g): %v", d, d.SCV(), d.Skewness(), err)
		}
		// The law of extreme moments is a sensitive function of them: check
		// them, and the law itself where it is well determined.
		checkMoments(t, fit, d.Mean(), d.SCV(), d.Skewness(), 5e-14)
		if math.Abs(d.SCV()-1) < 0.01 || d.SCV() > 100 {
			return
		}
		for _, x := range []float64{0.1, 1, 3} {
			at := x * d.Mean()
			if difference := math.Abs(d.Survival(at) - fit.Survival(at)); difference > 1e-9 {
				t.Fatalf("%#v and its fit %#v differ by %.2g at %g", d, fit, difference, at)
			}
		}
	})
}

// Moments drawn inside, on and outside the attainable region.
func TestFitMomentsRegion(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		scv := rapid.OneOf(rapid.Float64Range(0.5, 1), rapid.Float64Range(1, 50)).Draw(t, "scv")
		low, high, err := SkewnessRange(scv)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(scv-1) < 1e-3 || scv < 0.501 {
			return
		}
		width := math.Min(high-low, 10)
		share := rapid.Float64Range(-0.5, 1.5).Draw(t, "share")
		skewness := low + share*width
		d, err := FitMoments(1, scv, skewness)
		attainable := share > 0 && (share <= 1 || scv > 1)
		switch {
		case math.Abs(share) < 1e-9 || math.Abs(share-1) < 1e-9:
		case attainable && err != nil:
			t.Fatalf("scv %g skewness %g in (%g, %g): %v", scv, skewness, low, high, err)
		case attainable:
			checkMoments(t, d, 1, scv, skewness, 5e-14)
		default:
			var e *AttainableError
			if !errors.As(err, &e) || e.Low != low || e.High != high {
				t.Fatalf("scv %g skewness %g: %v, %v", scv, skewness, d, err)
			}
			if _, err := FitMoments(1, scv, e.Nearest); err != nil {
				t.Fatalf("the nearest value is refused: %v", err)
			}
		}
	})
}

// The ends of the region, from the laws that attain them.
func TestSkewnessRangeEnds(t *testing.T) {
	for _, ratio := range []float64{1, 1.1, 2, 5, 30, 1000} {
		d := Dist{Mu1: ratio, P: 1, Mu2: 1}
		_, high, err := SkewnessRange(d.SCV())
		if err != nil {
			t.Fatal(err)
		}
		if !agree(high, d.Skewness(), 1e-13) {
			t.Errorf("hypoexponential %v has skewness %.17g, upper end %.17g", d, d.Skewness(), high)
		}
		fit, err := FitMoments(d.Mean(), d.SCV(), d.Skewness())
		if err != nil {
			t.Errorf("%v: %v", d, err)
		} else if !fit.Equivalent(d, 1e-12) {
			t.Errorf("%v fitted as %v", d, fit)
		}
	}
	for _, p := range []float64{0.01, 0.2, 0.5, 0.9, 0.999, 1} {
		d := Dist{Mu1: 1, P: p, Mu2: 1}
		low, _, err := SkewnessRange(d.SCV())
		if err != nil {
			t.Fatal(err)
		}
		if !agree(low, d.Skewness(), 1e-13) {
			t.Errorf("equal rates, p = %g: skewness %.17g, lower end %.17g", p, d.Skewness(), low)
		}
		fit, err := FitMoments(1+p, d.SCV(), d.Skewness())
		if err != nil {
			t.Errorf("%v: %v", d, err)
		} else if !fit.Equivalent(d, 1e-12) {
			t.Errorf("%v fitted as %v", d, fit)
		}
	}
	for _, scv := range []float64{1.5, 4, 50} {
		low, _, _ := SkewnessRange(scv)
		m3 := low*math.Pow(scv, 1.5) + 3*scv + 1
		if want := 1.5 * (1 + scv) * (1 + scv); !agree(m3, want, 1e-14) {
			t.Errorf("scv %g: lower end has third moment %g, want %g", scv, m3, want)
		}
		if _, err := FitMoments(1, scv, low); err == nil {
			t.Errorf("scv %g: the open bound %g was accepted", scv, low)
		}
	}
}

func TestFitMomentsNearExponential(t *testing.T) {
	if d, err := FitMoments(1, 1, 2); err != nil || !d.IsExponential() {
		t.Errorf("scv 1 skewness 2: %v, %v", d, err)
	}
	var e *AttainableError
	if _, err := FitMoments(1, 1, 2.5); !errors.As(err, &e) || e.Nearest != 2 {
		t.Errorf("scv 1 skewness 2.5: %v", err)
	}
	for _, step := range []float64{-1e-4, -1e-8, -1e-12, -1e-15, 1e-15, 1e-12, 1e-8, 1e-4} {
		simple, _ := FitMeanSCV(1, 1+step)
		for _, share := range []float64{0.3, 1, 1.3} {
			skewness := 2 + share*(simple.Skewness()-2)
			d, err := FitMoments(1, 1+step, skewness)
			if err != nil {
				t.Errorf("scv 1%+g skewness 2%+g: %v", step, skewness-2, err)
				continue
			}
			checkMoments(t, d, 1, 1+step, skewness, 3e-14)
		}
	}
}

func TestAttainableErrorText(t *testing.T) {
	for _, c := range []struct {
		scv, skew float64
		want      string
	}{
		{0.25, 2, "service: scv = 0.25 (must be >= 0.5, the scv of Erlang-2, for a law of two phases; nearest attainable value 0.5)"},
		{4, 2, "service: skew = 2 (must be > 3.0625 at scv 4; nearest attainable value 3.0625030625)"},
		{1, 3, "service: skew = 3 (must be 2 at scv 1; nearest attainable value 2)"},
	} {
		_, err := FitMoments(1, c.scv, c.skew)
		if err == nil || err.Error() != c.want {
			t.Errorf("scv %g skew %g: %v", c.scv, c.skew, err)
		}
	}
}

func TestFromHyperexponential(t *testing.T) {
	for _, c := range []struct{ a, nu1, nu2 float64 }{{0.3, 4, 0.5}, {0.7, 0.5, 4}, {1e-6, 1e-6, 3}, {0.5, 2, 2}, {0, 3, 1}, {1, 3, 1}, {0, 1, 3}, {1, 1, 3}} {
		d, err := FromHyperexponential(c.a, c.nu1, c.nu2)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range []float64{0.01, 0.5, 2, 20} {
			want := c.a*math.Exp(-c.nu1*x) + (1-c.a)*math.Exp(-c.nu2*x)
			if got := d.Survival(x); !agree(got, want, 1e-13) {
				t.Errorf("mixture %v at %g: %g, want %g", c, x, got, want)
			}
		}
		a, nu1, nu2, ok := d.Hyperexponential()
		if !ok {
			t.Errorf("mixture %v does not convert back", c)
		}
		// 1-a is rounded to half an epsilon.
		if want := a/nu1 + (1-a)/nu2; math.Abs(d.Mean()-want) > 1e-14*want+epsilon/nu2 {
			t.Errorf("mixture %v comes back as %g, %g, %g", c, a, nu1, nu2)
		}
	}
	if _, _, _, ok := (Dist{Mu1: 2, P: 1, Mu2: 2}).Hyperexponential(); ok {
		t.Error("Erlang-2 passes for a mixture")
	}
	if _, err := FromHyperexponential(1.5, 1, 2); err == nil {
		t.Error("probability 1.5 accepted")
	}
}
