package coxian

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestResidualIsTheIntegratedTail(t *testing.T) {
	for _, d := range smallLaws() {
		r := d.Residual()
		for _, x := range []float64{0, 0.3, 1, 4} {
			want := integrate(d.Survival, x, x+d.end(), d.panel()) / d.Mean()
			for name, pair := range map[string][2]float64{
				"survival":     {r.Survival(x), want},
				"CDF":          {r.CDF(x), integrate(d.Survival, 0, x, d.panel()) / d.Mean()},
				"density":      {r.Prob(x), d.Survival(x) / d.Mean()},
				"log density":  {r.LogProb(x), math.Log(d.Survival(x) / d.Mean())},
				"log survival": {r.LogSurvival(x), math.Log(want)},
				"hazard":       {r.Hazard(x), d.Survival(x) / d.Mean() / want},
			} {
				if math.Abs(pair[0]-pair[1]) > 1e-12*math.Max(1, math.Abs(pair[1])) {
					t.Errorf("%v: residual %s at %g = %.16g, want %.16g", d, name, x, pair[0], pair[1])
				}
			}
		}
		for k := 1; k <= 4; k++ {
			if got, want := r.Moment(k), d.Moment(k+1)/(float64(k+1)*d.Mean()); !agree(got, want, 1e-14) {
				t.Errorf("%v: residual moment %d = %g, want %g", d, k, got, want)
			}
		}
		if got, want := r.Variance(), r.Moment(2)-r.Mean()*r.Mean(); !agree(got, want, 1e-13) {
			t.Errorf("%v: residual variance %g, want %g", d, got, want)
		}
		if got, want := r.SCV(), r.Variance()/(r.Mean()*r.Mean()); !agree(got, want, 1e-14) {
			t.Errorf("%v: residual scv %g, want %g", d, got, want)
		}
		for _, s := range []float64{0.2, 1, 5} {
			if got, want := r.Laplace(s), (1-d.Laplace(s))/(s*d.Mean()); !agree(got, want, 1e-13) {
				t.Errorf("%v: residual transform at %g = %g, want %g", d, s, got, want)
			}
		}
		again := r.Residual()
		if got, want := again.Prob(0.7), r.Survival(0.7)/r.Mean(); !agree(got, want, 1e-13) {
			t.Errorf("%v: density of the residual of the residual = %g, want %g", d, got, want)
		}
	}
}

func TestResidualQuantile(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawLaw(t)
		r := d.Residual()
		p := rapid.OneOf(rapid.Float64Range(1e-10, 0.5), rapid.Float64Range(0.5, 1-1e-9)).Draw(t, "p")
		x := r.Quantile(p)
		if got := r.CDF(x); math.Abs(got-p) > 1e-13*p*(1+x*r.Prob(x)/p) {
			t.Fatalf("%v: residual CDF(Quantile(%g)) = %g", d, p, got)
		}
		y := r.SurvivalQuantile(p * 1e-200)
		if got := r.LogSurvival(y); math.Abs(got-math.Log(p*1e-200)) > 1e-12 {
			t.Fatalf("%v: residual LogSurvival = %g at %g", d, got, y)
		}
	})
}

// Far in the tail the hazard rate is that of the slower phase; for equal rates
// it differs by a relative 1/(rate·x).
func TestResidualHazardInTheTail(t *testing.T) {
	for _, d := range accuracyLaws() {
		r := d.Residual()
		if got := r.Hazard(math.Inf(1)); !agree(got, d.slowRate(), 1e-15) {
			t.Errorf("%v: residual hazard at infinity = %g, want %g", d, got, d.slowRate())
		}
		x, tolerance := 1e7/d.slowRate(), 1e-14
		if d.P > 0 && math.Abs(d.Mu1-d.Mu2)*x < 40 {
			tolerance = 1e-5
		}
		if d.P > 0 && d.P < 1e-200 {
			continue
		}
		if got := r.Hazard(x); !agree(got, d.slowRate(), tolerance) {
			t.Errorf("%v: residual hazard at %g = %g, want %g", d, x, got, d.slowRate())
		}
	}
}
