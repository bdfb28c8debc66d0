package estimate

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// The definition, without recurrences.
func mserByDefinition(z []float64) int {
	best, truncation := math.Inf(1), 0
	for d := 0; d <= len(z)/2 && d < len(z); d++ {
		rest := z[d:]
		average, squares := 0.0, 0.0
		for _, x := range rest {
			average += x / float64(len(rest))
		}
		for _, x := range rest {
			squares += (x - average) * (x - average)
		}
		if statistic := squares / float64(len(rest)*len(rest)); statistic < best {
			best, truncation = statistic, d
		}
	}
	return truncation
}

func TestMSERTruncationIsItsDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := seeded(rapid.IntRange(0, 1e6).Draw(t, "seed"))
		z := make([]float64, rapid.IntRange(1, 200).Draw(t, "length"))
		height := rapid.Float64Range(0, 20).Draw(t, "height")
		decay := rapid.Float64Range(0, 1).Draw(t, "decay")
		for k := range z {
			z[k] = rng.NormFloat64() + height
			height *= decay
		}
		if got, want := mserTruncation(z), mserByDefinition(z); got != want {
			t.Fatalf("truncation %d, by definition %d", got, want)
		}
	})
}

// Cells 0..36 stand five apart, the groups 0..7 of five contain them.
func TestWarmUpOfAStep(t *testing.T) {
	s := NewSeries(4, 2, 0)
	for r := range 4 {
		rng := seeded(r)
		for cell := range 500 {
			step := 0.0
			if cell < 37 {
				step = 5
			}
			mustAppend(t, s, r, rng.NormFloat64(), step+0.1*float64(1-2*(cell%2)))
		}
	}
	w := s.WarmUp(0, 1)
	if w.Cells != 2*40 || !w.Reliable || w.Rule != "twice MSER-5" || w.Fraction != 80.0/500 {
		t.Errorf("warm-up %+v, want twice the 40 cells of the step", w)
	}
	if alone := s.WarmUp(0); alone.Cells >= 80 {
		t.Errorf("warm-up %+v of white noise is as long as that of the step", alone)
	}
}

// For a transient a·exp(−k/τ) MSER stops where it sinks to about √2 standard
// deviations of the averages of five cells and all replications, at
// τ ln(a√(5R/2)/σ) cells; the warm-up is twice that.
func TestWarmUpOfAnExponentialTransient(t *testing.T) {
	const height, time, replications = 10.0, 30.0, 16
	expected := 2 * time * math.Log(height*math.Sqrt(5*replications/2.0))
	for seed := range 20 {
		s := NewSeries(replications, 1, 0)
		rng := seeded(seed)
		for r := range replications {
			for cell := range 1000 {
				mustAppend(t, s, r, height*math.Exp(-float64(cell)/time)+rng.NormFloat64())
			}
		}
		w := s.WarmUp(0)
		// d* scatters by about one relaxation time, twice d* by two.
		if !w.Reliable || math.Abs(float64(w.Cells)-expected) > 3*time {
			t.Errorf("seed %d: warm-up %+v, want about %.0f cells", seed, w, expected)
		}
	}
}

func TestWarmUpAtItsLimitIsReported(t *testing.T) {
	s := NewSeries(2, 1, 0)
	for r := range 2 {
		for cell := range 200 {
			mustAppend(t, s, r, math.Exp(-float64(cell)/100))
		}
	}
	w := s.WarmUp(0)
	if w.Reliable || w.Cells != 100 {
		t.Errorf("warm-up %+v of a run that is all transient, want the limit of 100 cells, unreliable", w)
	}
	if e := s.Mean(0, w, 0.95); !hasWarning(e, "not reliable") {
		t.Errorf("warnings %q say nothing about the warm-up", e.Warnings)
	}
}

func TestFixedWarmUpSurvivesMerging(t *testing.T) {
	s := NewSeries(2, 1, 8)
	appendCells := func(from, to int) {
		for cell := from; cell < to; cell++ {
			mustAppend(t, s, 0, float64(cell))
			mustAppend(t, s, 1, float64(cell))
		}
	}
	appendCells(0, 8)
	w := s.FixedWarmUp(3)
	if w.Cells != 3 || w.Fraction != 3.0/8 || !w.Reliable {
		t.Errorf("warm-up %+v, want 3 of 8 cells", w)
	}
	appendCells(8, 16)
	// Cells now hold two of the old ones: 3 are rounded up to 4.
	if e := s.Mean(0, w, 0.95); e.Value != (4+15)/2.0 {
		t.Errorf("mean %v, want that of 4..15", e.Value)
	}
	if e := s.Mean(0, s.FixedWarmUp(16), 0.95); e.Status != Undefined || len(e.Warnings) == 0 {
		t.Errorf("estimate %+v of a run that is all warm-up", e)
	}
}

func hasWarning(e Estimate, words string) bool {
	return strings.Contains(strings.Join(e.Warnings, "\n"), words)
}
