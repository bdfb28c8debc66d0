package coxian

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The exact quantile moves by 1/(x f/F) relative units when the probability
// moves by one; the tolerance grants the probability 1e-15 and x 1e-14.
func TestQuantileInvertsCDF(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, d := range accuracyLaws() {
		probabilities := []float64{1e-60, 1e-12, 0.1, 0.3, 0.5}
		for range 4 {
			probabilities = append(probabilities, math.Pow(10, -8*rng.Float64())/2)
		}
		for _, p := range probabilities {
			x := d.Quantile(p)
			want := bigEvaluate(d, x)
			e := relativeError(p, want.cdf)
			conditioning := x * d.Prob(x) / p
			if !(e <= 1e-15+1e-14*conditioning) {
				t.Errorf("%v: CDF(Quantile(%g)) is off by %.2g (x = %g)", d, p, e, x)
			}
		}
	}
}

// Near 0, CDF(x) = qμ1 x + μ1 (pμ2 - qμ1) x²/2 up to a relative max(μ1, μ2) x, here below 1e-60.
func TestQuantileOfTinyProbabilities(t *testing.T) {
	for _, d := range accuracyLaws() {
		for _, p := range []float64{1e-300, 1e-200, 1e-150} {
			a := d.exit() * d.Mu1
			b := d.Mu1 * (d.P*d.Mu2 - a)
			want := 2 * p / (a + math.Sqrt(a*a+2*b*p))
			if got := d.Quantile(p); !agree(got, want, 1e-14) {
				t.Errorf("%v: Quantile(%g) = %.17g, want %.17g", d, p, got, want)
			}
		}
	}
}

func TestSurvivalQuantileInvertsSurvival(t *testing.T) {
	for _, d := range accuracyLaws() {
		for _, q := range []float64{1e-300, 1e-100, 1e-12, 0x1p-53, 0.01, 0.25, 0.5} {
			x := d.SurvivalQuantile(q)
			want := bigEvaluate(d, x)
			e := relativeError(q, want.survival)
			if !(e <= 1e-15+1e-14*x*d.Hazard(x)) {
				t.Errorf("%v: Survival(SurvivalQuantile(%g)) is off by %.2g (x = %g)", d, q, e, x)
			}
		}
	}
}

func TestQuantileEnds(t *testing.T) {
	for _, d := range smallLaws() {
		for name, got := range map[string]float64{"Quantile(0)": d.Quantile(0), "SurvivalQuantile(1)": d.SurvivalQuantile(1)} {
			if got != 0 {
				t.Errorf("%v: %s = %g", d, name, got)
			}
		}
		if !math.IsInf(d.Quantile(1), 1) || !math.IsInf(d.SurvivalQuantile(0), 1) {
			t.Errorf("%v: the right end is not +Inf", d)
		}
		if d.Quantile(1-0x1p-53) != d.SurvivalQuantile(0x1p-53) {
			t.Errorf("%v: the two quantile functions disagree", d)
		}
		for _, p := range []float64{-0x1p-60, 1.0000001, math.NaN()} {
			mustPanic(t, func() { d.Quantile(p) })
			mustPanic(t, func() { d.SurvivalQuantile(p) })
		}
	}
	if got, want := (Dist{Mu1: 2, P: 0.5, Mu2: 1}).Median(), math.Ln2; !agree(got, want, 1e-15) {
		t.Errorf("median of an exponential law = %g", got)
	}
}

func mustPanic(t *testing.T, f func()) {
	t.Helper()
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	f()
}
