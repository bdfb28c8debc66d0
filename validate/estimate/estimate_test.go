package estimate

import (
	"encoding/json"
	"math"
	"reflect"
	"testing"

	"pgregory.net/rapid"
)

// Two-sided points: tables in Abramowitz and Stegun, 26.10, for 15 and 30
// degrees; closed forms for 1 and 2.
func TestStudentQuantile(t *testing.T) {
	for _, c := range []struct{ level, degrees, want, tolerance float64 }{
		{0.95, 1, math.Tan(math.Pi * 0.475), 1e-9},
		{0.999, 1, math.Tan(math.Pi * 0.4995), 1e-9},
		{0.95, 2, 0.95 * math.Sqrt(2/(1-0.95*0.95)), 1e-9},
		{0.99, 2, 0.99 * math.Sqrt(2/(1-0.99*0.99)), 1e-9},
		{0.95, 15, 2.131, 5e-4},
		{0.99, 15, 2.947, 5e-4},
		{0.95, 30, 2.042, 5e-4},
		{0.9, 30, 1.697, 5e-4},
	} {
		if got := studentQuantile(c.level, c.degrees); math.Abs(got/c.want-1) > c.tolerance {
			t.Errorf("t(%v, %v) = %.12g, want %.12g", c.level, c.degrees, got, c.want)
		}
	}
	// Far tails, closed form for two degrees: P(T > t) = (1 − t/√(2+t²))/2,
	// which for tail p is t ≈ 1/√(2p).
	for _, tail := range []float64{1e-6, 1e-12, 1e-100} {
		if got, want := upperStudentQuantile(tail, 2), 1/math.Sqrt(2*tail); math.Abs(got/want-1) > 1e-5 {
			t.Errorf("upper point %v for two degrees: %v, want %v", tail, got, want)
		}
	}
	if got := normalQuantile(0.95); math.Abs(got-1.959963984540054) > 1e-14 {
		t.Errorf("normal quantile %v", got)
	}
}

// Two replications of one cell: half-width t_1 |x−y|/2, no skewness.
func TestIntervalOfTwoNumbers(t *testing.T) {
	s := NewSeries(2, 1, 0)
	mustAppend(t, s, 0, 3)
	mustAppend(t, s, 1, 7)
	e := s.Mean(0, NoWarmUp(), 0.95)
	if want := math.Tan(math.Pi*0.475) * 2; e.Value != 5 || e.StandardError != 2 || math.Abs(e.HalfWidth-want) > 1e-9 {
		t.Errorf("%+v, want 5 ± %v, standard error 2", e, want)
	}
	if e.EffectiveSample != 2 || e.Batches != 2 || e.Cells != 2 || e.DegreesOfFreedom != 1 || e.CorrelationTimes != 1 {
		t.Errorf("%+v, want an effective sample of 2", e)
	}
	if !hasWarning(e, "only 2 independent batches") {
		t.Errorf("warnings %q", e.Warnings)
	}
}

// The standard error of the mean and the effective sample against the closed
// form for AR(1), averaged over seeds.
func TestStandardErrorAndEffectiveSampleOfAR1(t *testing.T) {
	const seeds, replications, cells = 100, 16, 400
	for _, rho := range []float64{0, 0.5, 0.9} {
		variance, effective := 0.0, 0.0
		for seed := range seeds {
			s := NewSeries(replications, 1, 0)
			appendAR1(t, s, rho, cells, math.NaN(), seeded(seed))
			e := s.Mean(0, NoWarmUp(), 0.95)
			variance += e.StandardError * e.StandardError / seeds
			effective += 1 / e.EffectiveSample / seeds
		}
		want := ar1MeanVariance(rho, cells) / replications
		// A variance on at least 15 degrees scatters by 37% a time, the mean of
		// 100 by 3.7%; four of these. The correlation factor adds some percent.
		if math.Abs(variance/want-1) > 0.15 {
			t.Errorf("ρ=%v: mean squared standard error %.3g, want %.3g", rho, variance, want)
		}
		// The variance of a cell is 1.
		if math.Abs(effective/want-1) > 0.15 {
			t.Errorf("ρ=%v: effective sample %.4g, want %.4g", rho, 1/effective, 1/want)
		}
	}
}

func TestMM1MeanQueueFromEmpty(t *testing.T) {
	s := NewSeries(16, 2, 0)
	appendMM1(t, s, 0.5, 2000, 10, false, seeded(5))
	w := s.WarmUp(0, 1)
	for column, truth := range []float64{1, 0.5} {
		e := s.Mean(column, w, 0.999)
		if math.Abs(e.Value-truth) > e.HalfWidth || e.HalfWidth > 0.05*truth {
			t.Errorf("column %d: %+v, want %v within 5%%", column, e, truth)
		}
	}
}

func TestMostRunsOfWhiteNoiseAreWithoutWarning(t *testing.T) {
	clean := ar1Experiment(16, 200, 0, math.NaN()).coverage(t, 200).trusted
	// Tests at 1% for halves and drift may sound.
	if clean < 190 {
		t.Errorf("%d of 200 without warning", clean)
	}
}

func TestWarnings(t *testing.T) {
	correlated := NewSeries(16, 1, 0)
	appendAR1(t, correlated, 0.999, 200, math.NaN(), seeded(1))
	drifting, rare, never := NewSeries(16, 1, 0), NewSeries(16, 1, 0), NewSeries(16, 1, 0)
	for r := range 16 {
		rng := seeded(r)
		for cell := range 200 {
			mustAppend(t, drifting, r, float64(cell)/100+rng.NormFloat64())
			event := 0.0
			if r == 3 && cell == 150 {
				event = 1
			}
			mustAppend(t, rare, r, event)
			mustAppend(t, never, r, 0)
		}
	}
	for words, s := range map[string]*Series{
		"stay correlated":         correlated,
		"correlation times":       correlated,
		"first and second half":   drifting,
		"strongly skewed":         rare,
		"fraction 0.00094 of the": never,
	} {
		if e := s.Mean(0, NoWarmUp(), 0.95); !hasWarning(e, words) {
			t.Errorf("no warning %q in %+v", words, e)
		}
	}
}

// With a single event among n cells the interval must reach from nothing to
// about the upper Poisson limit 5.57 (two-sided 95%).
func TestIntervalOfASingleEvent(t *testing.T) {
	s := NewSeries(16, 1, 0)
	for r := range 16 {
		for cell := range 200 {
			event := 0.0
			if r == 3 && cell == 150 {
				event = 1
			}
			mustAppend(t, s, r, event)
		}
	}
	e := s.Mean(0, NoWarmUp(), 0.95)
	if upper := (e.Value + e.HalfWidth) * 3200; upper < 4.5 || upper > 7 {
		t.Errorf("upper limit for one event %v, want about 5.57", upper)
	}
}

// Nothing ever returns NaN or an infinity, whatever the data.
func TestResultsAreAlwaysFinite(t *testing.T) {
	values := rapid.OneOf(
		rapid.SampledFrom([]float64{0, 1, -1, 5e-324, 1e-300, -1e-300, 1e300, -1e300, 0.1, 1e-17}),
		rapid.Float64Range(-1e300, 1e300),
		rapid.Float64Range(0, 1),
	)
	rapid.Check(t, func(t *rapid.T) {
		replications := rapid.IntRange(2, 6).Draw(t, "replications")
		cells := rapid.IntRange(0, 40).Draw(t, "cells")
		few := rapid.SliceOfN(values, 1, 3).Draw(t, "alphabet")
		s := NewSeries(replications, 2, 2*rapid.IntRange(1, 20).Draw(t, "half of maxCells"))
		for r := range replications {
			for range cells {
				pair := []float64{rapid.SampledFrom(few).Draw(t, "x"), rapid.SampledFrom(few).Draw(t, "y")}
				if err := s.Append(r, pair); err != nil {
					t.Fatal(err)
				}
			}
		}
		level := rapid.SampledFrom([]float64{0, 1e-17, 0.5, 0.95, 0.9999999999, 1 - 0x1p-53}).Draw(t, "level")
		w := s.WarmUp(0, 1)
		if w.Cells < 0 || w.Cells > cells || !(w.Fraction >= 0 && w.Fraction <= 0.5) {
			t.Fatalf("warm-up %+v of %d cells", w, cells)
		}
		quartic := func(m []float64) (float64, []float64) {
			return m[0] * m[0] * m[1] * m[1], []float64{2 * m[0] * m[1] * m[1], 2 * m[0] * m[0] * m[1]}
		}
		for name, e := range map[string]Estimate{
			"mean":     s.Mean(0, w, level),
			"ratio":    s.Ratio(ColumnMean(0), ColumnMean(1), w, level),
			"function": s.Function([]int{0, 1}, quartic, w, level),
			"all gone": s.Mean(1, s.FixedWarmUp(cells), level),
		} {
			if !e.finite() {
				t.Fatalf("%s: %+v", name, e)
			}
			if e.Status == Undefined && !reflect.DeepEqual(e, Estimate{Level: e.Level, Warnings: e.Warnings}) {
				t.Fatalf("%s: undefined estimate with numbers %+v", name, e)
			}
			if e.Status != Usable && len(e.Warnings) == 0 {
				t.Fatalf("%s: no reason given in %+v", name, e)
			}
			checkConsumers(t, e)
		}
	})
}

func checkConsumers(t *rapid.T, e Estimate) {
	c := Compare(rapid.SampledFrom([]float64{0, 1, -1e300, math.MaxFloat64}).Draw(t, "theory"), 0, e,
		rapid.SampledFrom([]float64{0.1, 3, 30}).Draw(t, "sigmas"))
	if !isFinite(c.Difference) || !isFinite(c.Tolerance) || c.Verdict == "" || c.Reason == "" {
		t.Fatalf("comparison %+v of %+v", c, e)
	}
	target := Target{RelativePrecision: 0.01, Level: 0.99}
	if next := target.NextCells(100, e); (next == 0) != target.Satisfied(e) || next > 100 {
		t.Fatalf("%d more cells after 100 for %+v", next, e)
	}
}

// A change of units changes the numbers and nothing else.
func TestScaleAndShiftInvariance(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		exponent := rapid.IntRange(-900, 900).Draw(t, "exponent")
		rho := rapid.Float64Range(0, 0.99).Draw(t, "rho")
		plain, scaled, shifted := NewSeries(4, 1, 0), NewSeries(4, 1, 0), NewSeries(4, 1, 0)
		rng := seeded(rapid.IntRange(0, 1e6).Draw(t, "seed"))
		x := 0.0
		for i := range 400 {
			x = rho*x + rng.NormFloat64()
			for s, value := range map[*Series]float64{plain: x, scaled: math.Ldexp(x, exponent), shifted: x + 100} {
				if err := s.Append(i/100, []float64{value}); err != nil {
					t.Fatal(err)
				}
			}
		}
		a, b, c := plain.Mean(0, plain.WarmUp(0), 0.95), scaled.Mean(0, scaled.WarmUp(0), 0.95), shifted.Mean(0, shifted.WarmUp(0), 0.95)
		if b.Value != math.Ldexp(a.Value, exponent) || b.HalfWidth != math.Ldexp(a.HalfWidth, exponent) || b.EffectiveSample != a.EffectiveSample {
			t.Fatalf("%+v scaled by 2^%d is %+v", a, exponent, b)
		}
		if math.Abs(c.Value-a.Value-100) > 1e-11 || math.Abs(c.HalfWidth/a.HalfWidth-1) > 1e-9 {
			t.Fatalf("%+v shifted by 100 is %+v", a, c)
		}
	})
}

func TestStatusNames(t *testing.T) {
	text, err := json.Marshal([]Status{Undefined, Constant, Usable, 7})
	if want := `["undefined","constant","usable","Status(7)"]`; err != nil || string(text) != want {
		t.Errorf("%s, %v, want %s", text, err, want)
	}
}
