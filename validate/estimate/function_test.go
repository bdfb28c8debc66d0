package estimate

import (
	"math"
	"testing"
)

// Little's law for M/M/1: response 1/(1−ρ), both as jobs/(busy fraction ·
// service rate) and as jobs/arrival rate.
func TestRatioGivesTheMM1Response(t *testing.T) {
	const load = 0.5
	s := NewSeries(16, 2, 0)
	appendMM1(t, s, load, 2000, 10, true, seeded(9))
	byThroughput := s.Ratio(ColumnMean(0), ColumnMean(1), NoWarmUp(), 0.999)
	byArrivals := s.Ratio(ColumnMean(0), Linear{Constant: load}, NoWarmUp(), 0.999)
	for name, e := range map[string]Estimate{"throughput": byThroughput, "arrivals": byArrivals} {
		if math.Abs(e.Value-2) > e.HalfWidth || e.HalfWidth > 0.1 || len(e.Warnings) > 0 {
			t.Errorf("response by %s %+v, want 2", name, e)
		}
	}
	if mean := s.Mean(0, NoWarmUp(), 0.999); byArrivals.Value != mean.Value/load || math.Abs(byArrivals.HalfWidth/mean.HalfWidth*load-1) > 1e-12 {
		t.Errorf("a constant denominator gives %+v, want twice %+v", byArrivals, mean)
	}
	// Jobs and busy servers go together: the ratio is better known.
	if byThroughput.StandardError >= byArrivals.StandardError {
		t.Errorf("standard errors %v and %v: the correlation of jobs and throughput is lost", byThroughput.StandardError, byArrivals.StandardError)
	}
}

// The delta method against the jackknife over replications, which knows no
// gradient. Only replication means enter, so both estimate the same variance.
func TestDeltaMethodAgreesWithTheJackknife(t *testing.T) {
	const replications, cells = 30, 50
	s := NewSeries(replications, 2, 0)
	rng := seeded(3)
	sums := make([][2]float64, replications)
	for r := range replications {
		a, b := 5+0.2*rng.NormFloat64(), 2+0.1*rng.NormFloat64()
		for range cells {
			mustAppend(t, s, r, a, b)
		}
		sums[r] = [2]float64{a, b}
	}
	f := func(m []float64) (float64, []float64) {
		value := math.Exp(m[0]/5) / m[1]
		return value, []float64{value / 5, -value / m[1]}
	}
	without := func(skip int) float64 {
		var total [2]float64
		for r, x := range sums {
			if r != skip {
				total[0] += x[0] / (replications - 1)
				total[1] += x[1] / (replications - 1)
			}
		}
		return math.Exp(total[0]/5) / total[1]
	}
	average, squares := 0.0, 0.0
	for r := range replications {
		average += without(r) / replications
	}
	for r := range replications {
		squares += (without(r) - average) * (without(r) - average)
	}
	jackknife := math.Sqrt(squares * (replications - 1) / replications)
	e := s.Function([]int{0, 1}, f, NoWarmUp(), 0.95)
	if e.Batches != replications || math.Abs(e.StandardError/jackknife-1) > 0.02 {
		t.Errorf("standard error %v from %d batches, jackknife %v", e.StandardError, e.Batches, jackknife)
	}
}

// X²: the mean of the squared mean is m² + Var(mean), the bias Var(mean).
func TestJackknifeBiasOfASquare(t *testing.T) {
	s := NewSeries(4, 1, 0)
	for r, x := range []float64{1, 2, 3, 6} {
		mustAppend(t, s, r, x)
	}
	square := func(m []float64) (float64, []float64) { return m[0] * m[0], []float64{2 * m[0]} }
	part := s.sampleAfter(NoWarmUp(), 0)
	// Variance of the numbers 14/3, of their mean 14/12.
	if bias, ok := jackknifeBias([]sample{part}, 9, square); !ok || math.Abs(bias-14.0/12) > 1e-13 {
		t.Errorf("bias %v, want 14/12", bias)
	}
	if e := s.Function([]int{0}, square, NoWarmUp(), 0.95); hasWarning(e, "biased") {
		t.Errorf("a bias of 1.17 is less than a quarter of the standard error %v", e.StandardError)
	}
	// Near 0 the square is all bias.
	near := NewSeries(4, 1, 0)
	for r, x := range []float64{-2, -1, 0, 3.2} {
		mustAppend(t, near, r, x)
	}
	if e := near.Function([]int{0}, square, NoWarmUp(), 0.95); !hasWarning(e, "biased") {
		t.Errorf("no warning of bias in %+v", e)
	}
}

func TestFunctionWithoutFiniteValueIsUndefined(t *testing.T) {
	s := NewSeries(2, 2, 0)
	for r := range 2 {
		mustAppend(t, s, r, float64(r), 0)
	}
	e := s.Ratio(ColumnMean(0), ColumnMean(1), NoWarmUp(), 0.95)
	if e.Status != Undefined || !hasWarning(e, "no finite value") {
		t.Errorf("division by zero gives %+v", e)
	}
}

func TestLinearTimes(t *testing.T) {
	s := NewSeries(2, 1, 0)
	for r := range 2 {
		mustAppend(t, s, r, float64(r))
	}
	// 0.5 / (2 · (1 − 0.5 · 0.5)) = 1/3
	admitted := Linear{Constant: 1, Columns: []int{0}, Coefficients: []float64{-0.5}}.Times(2)
	if e := s.Ratio(ColumnMean(0), admitted, NoWarmUp(), 0.95); math.Abs(e.Value-1.0/3) > 1e-15 {
		t.Errorf("ratio %v, want 1/3", e.Value)
	}
}
