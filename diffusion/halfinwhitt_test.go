package diffusion

import (
	"math"
	"math/big"
	"testing"

	"qlimit/ctmc"
)

func TestHalfinWhittValue(t *testing.T) {
	if p := (HalfinWhitt{1}).WaitProbability(); math.Abs(p-0.2233612748) > 5e-11 {
		t.Errorf("P(wait) = %.12g at β = 1", p)
	}
}

// The textbook form 1/(1 + βΦ/φ) where it does not overflow, and log P(wait)
// beyond float64.
func TestHalfinWhittForms(t *testing.T) {
	for beta := 0.01; beta < 38; beta *= 1.2 {
		h := HalfinWhitt{beta}
		density := math.Exp(-beta*beta/2) / math.Sqrt(2*math.Pi)
		want := 1 / (1 + beta*math.Erfc(-beta/math.Sqrt2)/2/density)
		near(t, "P(wait)", h.WaitProbability(), want, 2e-15*(1+beta*beta/2))
		near(t, "log", h.LogWaitProbability(), math.Log(h.WaitProbability()), 1e-13)
		checkLine(t, h)
	}
	// Near 0, -log(1 + β Φ(β)/φ(β)) by mpmath with 30 digits.
	near(t, "log P(wait) at 1e-6", HalfinWhitt{1e-6}.LogWaitProbability(), -1.2533143519173663e-6, 1e-15)
	// β = 40: P(wait) = φ(40)/40 to within e^-800.
	want := -800 - math.Log(2*math.Pi)/2 - math.Log(40)
	near(t, "log P(wait) at 40", HalfinWhitt{40}.LogWaitProbability(), want, 1e-15)
}

// checkLine: F + S = 1, quantiles invert, mean and variance are those of the
// density by the trapezoidal rule, and the mean of the idle part is β.
func checkLine(t *testing.T, h HalfinWhitt) {
	t.Helper()
	for _, p := range []float64{1e-6, 0.1, 0.5, 0.9, 0.999} {
		x := h.Quantile(p)
		near(t, "F(Q)", h.CDF(x), p, 1e-10)
		near(t, "F + S", h.CDF(x)+h.Survival(x), 1, 1e-14)
	}
	if h.Beta > 8 {
		return
	}
	step := math.Min(1e-3, 1e-3/h.Beta)
	mass, mean, square, idle := 0.0, 0.0, 0.0, 0.0
	for x := -h.Beta - 9 + step/2; x < 40/h.Beta && x < 60; x += step {
		w := step * h.Density(x)
		mass += w
		mean += w * x
		square += w * x * x
		idle += w * math.Max(-x, 0)
	}
	if h.Beta < 0.7 {
		return // the tail of the sum is cut
	}
	near(t, "mass", mass, 1, 2e-3)
	near(t, "idle", idle, h.Beta, 2e-3)
	if math.Abs(mean-h.Mean()) > 2e-3*(1+h.Beta) || math.Abs(square-mean*mean-h.Variance()) > 1e-2*(1+h.Beta*h.Beta) {
		t.Errorf("β = %g: mean %g (sum %g), variance %g (sum %g)", h.Beta, h.Mean(), mean, h.Variance(), square-mean*mean)
	}
}

// Erlang C tends to the limit like 1/√N.
func TestHalfinWhittIsTheLimit(t *testing.T) {
	for _, beta := range []float64{0.2, 1, 2.5} {
		distance := func(n int64) (wait, mean float64) {
			q := ctmc.Pooled{Servers: n, Offered: float64(n) - beta*math.Sqrt(float64(n))}
			h := HalfinWhitt{beta}
			return q.WaitProbability() - h.WaitProbability(), (q.MeanJobs() - h.MeanJobs(n)) / math.Sqrt(float64(n))
		}
		w1, m1 := distance(10_000)
		w2, m2 := distance(1_000_000)
		if math.Abs(w2) > math.Abs(w1)/8 || math.Abs(m2) > math.Abs(m1)/8 || math.Abs(w2) > 2e-3 {
			t.Errorf("β = %g: P(wait) off by %g, then %g; mean by %g, then %g", beta, w1, w2, m1, m2)
		}
	}
}

// Erfcx against 4000-bit arithmetic: e^{x²} - (2/√π) Σ 2^k x^{2k+1}/(2k+1)!!.
func TestErfcx(t *testing.T) {
	worst := 0.0
	for _, x := range []float64{-3, -1, -0.1, 0, 1e-9, 0.01, 0.3, 0.5, 1, 1.7, 3, 5, 8.3, 11.999, 12, 12.001, 15, 20, 28.284271247461902} {
		want, _ := bigErfcx(x).Float64()
		relative := math.Abs(Erfcx(x)/want - 1)
		if x >= -1 {
			worst = math.Max(worst, relative)
		}
		if relative > 1e-15*(1+math.Max(0, -x)) {
			t.Errorf("Erfcx(%g) = %.17g, want %.17g", x, Erfcx(x), want)
		}
	}
	t.Logf("largest relative error %.2g", worst)
	for _, x := range []float64{1e3, 1e8, 1e300} {
		near(t, "far", Erfcx(x), 1/(x*math.Sqrt(math.Pi)), 1e-6)
	}
}

const erfcxBits = 4000

func bigErfcx(x float64) *big.Float {
	number := func(v float64) *big.Float { return new(big.Float).SetPrec(erfcxBits).SetFloat64(v) }
	at := number(x)
	square := new(big.Float).SetPrec(erfcxBits).Mul(at, at)
	exponential, term := number(1), number(1)
	series, part := new(big.Float).SetPrec(erfcxBits).Set(at), new(big.Float).SetPrec(erfcxBits).Set(at)
	for k := 1; term.Sign() != 0 && term.MantExp(nil) > -erfcxBits; k++ {
		term.Mul(term, square).Quo(term, number(float64(k)))
		exponential.Add(exponential, term)
		part.Mul(part, square).Mul(part, number(2)).Quo(part, number(float64(2*k+1)))
		series.Add(series, part)
	}
	root := new(big.Float).SetPrec(erfcxBits).Sqrt(bigPi())
	series.Mul(series, number(2)).Quo(series, root)
	return exponential.Sub(exponential, series)
}

// bigPi by Machin's formula, 16 arctan(1/5) - 4 arctan(1/239).
func bigPi() *big.Float {
	arctan := func(n int64) *big.Float {
		sum := new(big.Float).SetPrec(erfcxBits)
		power := new(big.Float).SetPrec(erfcxBits).Quo(big.NewFloat(1).SetPrec(erfcxBits), new(big.Float).SetPrec(erfcxBits).SetInt64(n))
		square := new(big.Float).SetPrec(erfcxBits).SetInt64(n * n)
		for k := int64(0); k < 1000; k++ {
			term := new(big.Float).SetPrec(erfcxBits).Quo(power, new(big.Float).SetPrec(erfcxBits).SetInt64(2*k+1))
			if k%2 == 1 {
				term.Neg(term)
			}
			sum.Add(sum, term)
			power.Quo(power, square)
		}
		return sum
	}
	a, b := arctan(5), arctan(239)
	a.Mul(a, big.NewFloat(16).SetPrec(erfcxBits))
	b.Mul(b, big.NewFloat(4).SetPrec(erfcxBits))
	return a.Sub(a, b)
}
