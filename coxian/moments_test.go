package coxian

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/integrate/quad"
)

// smallLaws are laws of moderate rates for checks by quadrature.
func smallLaws() []Dist {
	return []Dist{
		{Mu1: 1, P: 0, Mu2: 7}, {Mu1: 2, P: 0.25, Mu2: 0.5}, {Mu1: 2, P: 1, Mu2: 2}, {Mu1: 2, P: 0.5, Mu2: 1},
		{Mu1: 0.7, P: 0.9, Mu2: 3}, {Mu1: 4, P: 0.15, Mu2: 0.2}, {Mu1: 1.5, P: 1.0 / 6, Mu2: 0.5}, {Mu1: 1, P: 1, Mu2: 1 + 1e-9},
	}
}

// integrate is Gauss-Legendre quadrature over [from, to] on panels that are
// short against both phases.
func integrate(f func(float64) float64, from, to, panel float64) float64 {
	sum := 0.0
	for a := from; a < to; a += panel {
		sum += quad.Fixed(f, a, math.Min(a+panel, to), 20, nil, 0)
	}
	return sum
}

func (d Dist) panel() float64 { return 1 / math.Max(d.Mu1, d.Mu2) }
func (d Dist) end() float64   { return 60 / d.slowRate() }

func TestMomentsAreIntegralsOfTheDensity(t *testing.T) {
	for _, d := range smallLaws() {
		for k := 0; k <= 5; k++ {
			want := integrate(func(x float64) float64 { return math.Pow(x, float64(k)) * d.Prob(x) }, 0, d.end(), d.panel())
			if got := d.Moment(k); !agree(got, want, 1e-12) {
				t.Errorf("%v: moment %d = %.16g, integral %.16g", d, k, got, want)
			}
		}
	}
}

func TestStandardisedMomentsAreIntegrals(t *testing.T) {
	for _, d := range smallLaws() {
		mean := d.Mean()
		central := func(k int) float64 {
			return integrate(func(x float64) float64 { return math.Pow(x-mean, float64(k)) * d.Prob(x) }, 0, d.end(), d.panel())
		}
		variance := central(2)
		for _, c := range []struct {
			name      string
			got, want float64
		}{
			{"variance", d.Variance(), variance},
			{"standard deviation", d.StdDev(), math.Sqrt(variance)},
			{"scv", d.SCV(), variance / (mean * mean)},
			{"skewness", d.Skewness(), central(3) / math.Pow(variance, 1.5)},
			{"excess kurtosis", d.ExKurtosis(), central(4)/(variance*variance) - 3},
			{"third cumulant", d.Cumulant(3), central(3)},
			{"fourth cumulant", d.Cumulant(4), central(4) - 3*variance*variance},
		} {
			if !agree(c.got, c.want, 1e-11) {
				t.Errorf("%v: %s = %.16g, integral %.16g", d, c.name, c.got, c.want)
			}
		}
	}
}

func TestCDFIsIntegralOfTheDensity(t *testing.T) {
	for _, d := range smallLaws() {
		for _, x := range []float64{1e-6, 0.1, 1, 5} {
			want := integrate(d.Prob, 0, x, d.panel())
			if got := d.CDF(x); !agree(got, want, 1e-13) {
				t.Errorf("%v: CDF(%g) = %.16g, integral %.16g", d, x, got, want)
			}
		}
	}
}

func TestLaplaceIsIntegral(t *testing.T) {
	for _, d := range smallLaws() {
		for _, s := range []float64{-0.5 * d.slowRate(), 0, 0.3, 4} {
			want := integrate(func(x float64) float64 { return math.Exp(-s*x) * d.Prob(x) }, 0, 2*d.end(), d.panel())
			if got := d.Laplace(s); !agree(got, want, 1e-12) {
				t.Errorf("%v: transform at %g = %.16g, integral %.16g", d, s, got, want)
			}
		}
		if got := d.Laplace(-d.slowRate()); !math.IsInf(got, 1) {
			t.Errorf("%v: transform at its pole = %g", d, got)
		}
	}
}

// The cumulants of the exponential, (k-1)!, and of Erlang-2, 2(k-1)!, at rate 1.
func TestKnownLaws(t *testing.T) {
	exponential, erlang := Dist{Mu1: 1, P: 0, Mu2: 5}, Dist{Mu1: 1, P: 1, Mu2: 1}
	for k, factorial := range map[int]float64{1: 1, 2: 1, 3: 2, 4: 6, 5: 24} {
		if got := exponential.Cumulant(k); got != factorial {
			t.Errorf("exponential cumulant %d = %g", k, got)
		}
		if got := erlang.Cumulant(k); got != 2*factorial {
			t.Errorf("Erlang-2 cumulant %d = %g", k, got)
		}
	}
	if got := exponential.Skewness(); got != 2 {
		t.Errorf("exponential skewness = %g", got)
	}
	if got := erlang.Skewness(); !agree(got, math.Sqrt2, 1e-15) {
		t.Errorf("Erlang-2 skewness = %g", got)
	}
}

func TestModeMaximisesTheDensity(t *testing.T) {
	laws := append(smallLaws(), Dist{Mu1: 1e-3, P: 1, Mu2: 50}, Dist{Mu1: 50, P: 1, Mu2: 1e-3}, Dist{Mu1: 1, P: 0.6, Mu2: 4})
	for _, d := range laws {
		mode, panel := d.Mode(), d.panel()
		for _, step := range []float64{1e-3, 0.1, 1} {
			for _, x := range []float64{mode - step*panel, mode + step*panel} {
				if x >= 0 && d.Prob(x) > d.Prob(mode)*(1+1e-14) {
					t.Errorf("%v: density at %g exceeds that at the mode %g", d, x, mode)
				}
			}
		}
	}
	if got := (Dist{Mu1: 2, P: 1, Mu2: 2}).Mode(); !agree(got, 0.5, 1e-15) {
		t.Errorf("Erlang-2 mode = %g, want 1/rate", got)
	}
}
