package meanfield

import (
	"math"
	"testing"

	"qlimit/coxian"
)

var (
	expLaw       = coxian.Dist{Mu1: 1, Mu2: 1}
	erlang2Law   = coxian.Dist{Mu1: 2, P: 1, Mu2: 2}
	scv4Law      = coxian.Dist{Mu1: 2, P: .125, Mu2: .25}
	scv1000Law   = coxian.Dist{Mu1: 2, P: 1. / 2000, Mu2: 1. / 1000}
	disguisedExp = coxian.Dist{Mu1: 2, P: .5, Mu2: 1}
)

// TestLeastLoadedOfTwo: response -log(1 - λ²)/λ² for exponential service, at
// all loads.
func TestLeastLoadedOfTwo(t *testing.T) {
	for _, load := range []float64{1e-100, 1e-5, .1, .5, .9, .99, .9999, 1 - 1e-6, 1 - 1e-9, 1 - 1e-15} {
		got, err := LeastLoaded(2, load, expLaw)
		if err != nil {
			t.Fatal(err)
		}
		square := load * load
		want := -math.Log((1-load)*(1+load))/square - 1
		if load < 1e-2 {
			want, square = square/2+square*square/3, 1
		}
		// The formula itself cancels at small loads.
		if math.Abs(got.MeanWait-want) > 2e-13*want+2e-16/square || math.Abs(got.WaitProb-load*load) > 1e-14*load*load {
			t.Errorf("load %g: %.16g, %.16g; want %.16g, %.16g", load, got.MeanWait, got.WaitProb, want, square)
		}
	}
}

// TestLeastLoadedQuadrature: the series against (1/λ)∫F - 1 with F in closed
// form, by the substitution x = e^{-w}.
func TestLeastLoadedQuadrature(t *testing.T) {
	for _, d := range []float64{2, 3, 7, 50} {
		for _, load := range []float64{.3, .8, .97, .9999} {
			// Response = ∫_0^1 (1 - λ^d (1 - x^{d-1}))^{-1/(d-1)} dx; x = u³ tames
			// the end near 0.
			const n = 200_000
			sum, all := 0.0, math.Pow(load, d)
			for i := range n {
				u := (float64(i) + .5) / n
				x := u * u * u
				sum += 3 * u * u * math.Expm1(-math.Log1p(-all*(1-math.Pow(x, d-1)))/(d-1)) / n
			}
			got, err := LeastLoaded(int64(d), load, expLaw)
			if err != nil {
				t.Fatal(err)
			}
			if math.Abs(got.MeanWait/sum-1) > 2e-8 {
				t.Errorf("d = %g, load %g: %.12g, quadrature %.12g", d, load, got.MeanWait, sum)
			}
		}
	}
}

// TestLeastLoadedIntegral: the cavity queue of two phases is that of the closed
// form where the law is exponential all the same, M/G/1 with one choice, and
// light traffic sees the residual service: E[W] -> λ^d ∫ G^d, G the survival
// function of the equilibrium law.
func TestLeastLoadedIntegral(t *testing.T) {
	for _, load := range []float64{.01, .5, .9, .999} {
		for _, d := range []float64{2, 5, 40} {
			got, err := leastLoadedIntegral(d, load, newUnitLaw(disguisedExp))
			if err != nil {
				t.Fatal(err)
			}
			if want := leastLoadedSeries(d, load); math.Abs(got/want-1) > 1e-10 {
				t.Errorf("d = %g, load %g: %.14g, closed form %.14g", d, load, got, want)
			}
		}
		if load > .95 {
			continue // slow, and nobody asks the integral for one choice
		}
		for _, law := range []coxian.Dist{erlang2Law, scv4Law} {
			got, err := leastLoadedIntegral(1, load, newUnitLaw(law))
			if err != nil {
				t.Fatal(err)
			}
			if want := load * (1 + law.SCV()) / (2 * (1 - load)); math.Abs(got/want-1) > 1e-9 {
				t.Errorf("%v, one choice, load %g: %.14g, M/G/1 %.14g", law, load, got, want)
			}
		}
	}
	for _, law := range []coxian.Dist{erlang2Law, scv4Law, scv1000Law} {
		const load = 1e-6
		got, err := LeastLoaded(3, load, law)
		if err != nil {
			t.Fatal(err)
		}
		residual := law.Residual()
		want, step := 0.0, 1e-4
		for x := step / 2; x < 40; x += step {
			want += math.Pow(residual.Survival(x), 3) * step
		}
		for x := 40.0 + 5; x < 2e4; x += 10 {
			want += math.Pow(residual.Survival(x), 3) * 10
		}
		if want *= math.Pow(load, 3); math.Abs(got.MeanWait/want-1) > 1e-4 {
			t.Errorf("%v: light traffic %.8g, want %.8g", law, got.MeanWait, want)
		}
	}
}

// TestLeastLoadedExtremes: many choices, extreme laws, wrong values.
func TestLeastLoadedExtremes(t *testing.T) {
	last := math.Inf(1)
	for _, d := range []int64{1, 2, 3, 10, 100, 1e6, 1e15} {
		got, err := LeastLoaded(d, .9, scv4Law)
		if err != nil || !(got.MeanWait < last || got.MeanWait == 0) || math.IsNaN(got.MeanWait) {
			t.Errorf("d = %d: %+v after %g (%v)", d, got, last, err)
		}
		last = got.MeanWait
	}
	for _, law := range []coxian.Dist{{Mu1: 1e6, P: 1e-3, Mu2: 1e-3}, {Mu1: 1, P: 1, Mu2: 1e8}, {Mu1: 60, P: .25, Mu2: 30}} {
		got, err := LeastLoaded(2, .9, law)
		if err != nil || !(got.MeanWait > 0) || math.IsInf(got.MeanWait, 0) || math.Abs(got.MeanResponse-got.MeanWait-law.Mean()) > 1e-12*got.MeanResponse {
			t.Errorf("%v: %+v, %v", law, got, err)
		}
	}
	for _, c := range []struct {
		d    int64
		load float64
	}{{0, .5}, {-1, .5}, {2, 0}, {2, 1}, {2, 1.2}, {2, math.NaN()}} {
		if got, err := LeastLoaded(c.d, c.load, expLaw); err == nil {
			t.Errorf("%+v accepted: %+v", c, got)
		}
	}
}
