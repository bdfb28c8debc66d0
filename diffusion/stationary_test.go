package diffusion

import (
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"

	"qlimit/ctmc"
)

// The closed forms of CQ, JSQ and IQF against scale and speed, α from 1e-4 to
// 1e4: moments, and both tails down to 1e-14.
func TestEngineAgainstClosedForms(t *testing.T) {
	for _, alpha := range []float64{1e-4, 1e-2, 0.3, 1, 2.09, 17, 300, 1e4} {
		for _, d := range []Discipline{CQ, JSQ, I1F, IQF} {
			n := NDS{d, alpha, exponential}
			closed, err := n.Stationary()
			if err != nil {
				t.Fatal(err)
			}
			engine, err := n.Engine()
			if err != nil {
				t.Fatal(err)
			}
			near(t, d.Name+" mean", engine.Mean(), closed.Mean(), 1e-13)
			near(t, d.Name+" variance", engine.Variance(), closed.Variance(), 1e-12)
			for _, p := range []float64{1e-14, 1e-6, 0.01, 0.3, 0.5, 0.7, 0.99, 1 - 1e-6} {
				near(t, d.Name+" quantile", engine.Quantile(p), closed.Quantile(p), 1e-12)
				u := closed.Quantile(p)
				near(t, d.Name+" density", engine.Density(u), closed.Density(u), 1e-12)
				near(t, d.Name+" CDF", engine.CDF(u), closed.CDF(u), 1e-12)
				if s := closed.Survival(30 * u); s > 1e-40 { // beyond, the tail is extrapolated
					near(t, d.Name+" survival", engine.Survival(30*u), s, 3e-12)
				}
			}
		}
	}
}

// b = c/u - u with σ² = 2: density ∝ u^c e^{-u²/2} (a chi law with c+1
// degrees), for whole and for broken c.
func TestChiLaw(t *testing.T) {
	for _, c := range []float64{0, 0.3, 0.5, 1, 1.7, 2, 5.25, 40} {
		p := Process{Repulsion: c, Noise: 2, Drift: func(u float64) float64 { return -u }}
		law := mustLaw(t, p)
		moment := func(k float64) float64 {
			a, _ := math.Lgamma((c + 1 + k) / 2)
			b, _ := math.Lgamma((c + 1) / 2)
			return math.Exp(a-b) * math.Pow(2, k/2)
		}
		near(t, "mean", law.Mean(), moment(1), 1e-13)
		near(t, "second moment", law.Moment(2), c+1, 1e-13)
		near(t, "fourth moment", law.Moment(4), (c+1)*(c+3), 1e-13)
		near(t, "variance", law.Variance(), c+1-moment(1)*moment(1), 1e-11)
		checkDistribution(t, "chi", law)
		if want := map[bool]Boundary{true: Entrance, false: Reflecting}[c >= 1]; p.Boundary() != want {
			t.Errorf("c = %g: %v, want %v", c, p.Boundary(), want)
		}
	}
	law := mustLaw(t, Process{Noise: 2, Drift: func(u float64) float64 { return -u }})
	for _, u := range []float64{1e-8, 0.1, 1, 3, 8} {
		near(t, "half normal survival", law.Survival(u), math.Erfc(u/math.Sqrt2), 1e-13)
		near(t, "half normal CDF", law.CDF(u), math.Erf(u/math.Sqrt2), 1e-13)
	}
}

// Noise that depends on the state: σ² = 2(1+u²), b = -u(1+u²): density
// ∝ e^{-u²/2}/(1+u²), normalised by (π/2) e^{1/2} erfc(1/√2).
func TestStateDependentNoise(t *testing.T) {
	p := Process{
		Drift:    func(u float64) float64 { return -u * (1 + u*u) },
		Variance: func(u float64) float64 { return 2 * (1 + u*u) },
	}
	law := mustLaw(t, p)
	total := math.Pi / 2 * math.Exp(0.5) * math.Erfc(1/math.Sqrt2)
	near(t, "density at 0", law.Density(0), 1/total, 1e-13)
	near(t, "E(1+U²)", 1+law.Moment(2), math.Sqrt(math.Pi/2)/total, 1e-13)
	checkDistribution(t, "state-dependent noise", law)

	// With repulsion as well: b = c(1+u)/u - (c+1)(1+u)u.., σ² = 2(1+u):
	// 2b/σ² = c/u - u, density ∝ u^c e^{-u²/2}/(1+u).
	const c = 1.5
	q := Process{
		Repulsion: c,
		Drift:     func(u float64) float64 { return c - u*(1+u) },
		Variance:  func(u float64) float64 { return 2 * (1 + u) },
	}
	law = mustLaw(t, q)
	lg, _ := math.Lgamma((c + 1) / 2)
	chi := math.Pow(2, (c-1)/2) * math.Exp(lg) // ∫ u^c e^{-u²/2}
	near(t, "∫(1+u)m", (1+law.Mean())/(2*math.Exp(0.5)*law.Density(1)), chi, 1e-12)
}

// A random drift that is piecewise linear and decreasing far out: F and S add
// to 1, quantiles invert, and the mean drift balances the push at 0,
// E b(U) = -σ² m(0)/2.
func TestRandomPiecewiseDrift(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		breaks := []float64{rapid.Float64Range(0.1, 1).Draw(t, "first"), 0}
		breaks[1] = breaks[0] + rapid.Float64Range(0.1, 2).Draw(t, "second")
		level := rapid.SliceOfN(rapid.Float64Range(-3, 3), 3, 3).Draw(t, "levels")
		slope := rapid.SliceOfN(rapid.Float64Range(-2, 2), 2, 2).Draw(t, "slopes")
		final := -math.Abs(level[2]) - 0.1
		noise := rapid.Float64Range(0.2, 4).Draw(t, "noise")
		p := Process{Noise: noise, Breaks: breaks, Drift: func(u float64) float64 {
			switch {
			case u < breaks[0]:
				return level[0] + slope[0]*u
			case u < breaks[1]:
				return level[1] + slope[1]*u
			}
			return final
		}}
		law, err := p.Stationary()
		if err != nil {
			t.Fatal(err)
		}
		push := -law.Expect(p.Drift)
		if want := noise / 2 * law.Density(0); math.Abs(push-want) > 1e-11*(1+want) {
			t.Fatalf("mean drift %.16g, push %.16g", push, want)
		}
		q := rapid.Float64Range(0.001, 0.999).Draw(t, "q")
		u := law.Quantile(q)
		if math.Abs(law.CDF(u)-q) > 1e-12 || math.Abs(law.Survival(u)-(1-q)) > 1e-12 {
			t.Fatalf("F = %g, S = %g at the quantile of %g", law.CDF(u), law.Survival(u), q)
		}
	})
}

func TestNoStationaryLaw(t *testing.T) {
	flat := func(float64) float64 { return 0 }
	cases := map[string]Process{
		"no drift":    {Drift: flat, Noise: 2},
		"runs away":   {Drift: func(float64) float64 { return 1 }, Noise: 2},
		"Bessel":      {Repulsion: 1, Drift: flat, Noise: 2},
		"hidden jump": {Drift: func(u float64) float64 { return -1 - math.Floor(u*0.77) }, Noise: 2},
		"NaN":         {Drift: func(u float64) float64 { return math.NaN() }, Noise: 2},
		"no function": {Noise: 2},
		"no noise":    {Drift: flat},
		"attraction":  {Drift: flat, Noise: 2, Repulsion: -1},
		"bad breaks":  {Drift: flat, Noise: 2, Breaks: []float64{2, 1}},
		"bad scale":   {Drift: flat, Noise: 2, Scale: -1},
	}
	for name, p := range cases {
		var field *ctmc.FieldError
		if _, err := p.Stationary(); !errors.As(err, &field) {
			t.Errorf("%s: error %v, want a FieldError", name, err)
		}
	}
}
