package estimate

import (
	"math"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// Merging at the end, by hand: neighbours averaged, again and again.
func mergedByHand(values []float64, span int) []float64 {
	for ; span > 1; span /= 2 {
		half := make([]float64, len(values)/2)
		for i := range half {
			half[i] = 0.5*values[2*i] + 0.5*values[2*i+1]
		}
		values = half
	}
	return values
}

func TestSeriesIsTheRecordMergedAtTheEnd(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		maxCells := 2 * rapid.IntRange(1, 12).Draw(t, "half of maxCells")
		cells := rapid.IntRange(0, 300).Draw(t, "cells")
		record := rapid.SliceOfN(rapid.Float64Range(-1e300, 1e300), cells, cells).Draw(t, "record")
		s := NewSeries(2, 1, maxCells)
		for _, x := range record {
			for r := range 2 {
				if err := s.Append(r, []float64{x}); err != nil {
					t.Fatal(err)
				}
			}
		}
		span := 1
		for cells > maxCells*span {
			span *= 2
		}
		if s.Span() != span {
			t.Fatalf("span %d after %d cells with at most %d, want %d", s.Span(), cells, maxCells, span)
		}
		if got, want := s.Column(1, 0), mergedByHand(record, span)[:cells/span]; !slices.Equal(got, want) {
			t.Fatalf("got %v, want %v", got, want)
		}
		if s.OriginalCells() != cells {
			t.Fatalf("original cells %d, want %d", s.OriginalCells(), cells)
		}
	})
}

func TestMergingKeepsTheMeanExactly(t *testing.T) {
	s := NewSeries(2, 2, 8)
	sum := 0.0
	for i := range 1024 {
		x := float64(i*i%97) / 8
		sum += x
		mustAppend(t, s, 0, x, 0.1)
		mustAppend(t, s, 1, x, 0.1)
	}
	e := s.Mean(0, NoWarmUp(), 0.95)
	if want := sum / 1024; e.Value != want {
		t.Errorf("mean after seven mergers %v, want exactly %v", e.Value, want)
	}
	if constant := s.Mean(1, NoWarmUp(), 0.95); constant.Value != 0.1 || constant.Status != Constant {
		t.Errorf("constant column after merging: %+v, want exactly 0.1", constant)
	}
}

// A replication that is behind is read at the span of the others.
func TestInterruptedRoundUsesWhatAllReplicationsHave(t *testing.T) {
	s := NewSeries(2, 1, 4)
	for i := range 7 {
		mustAppend(t, s, 0, float64(i))
	}
	for i := range 3 {
		mustAppend(t, s, 1, float64(10*i))
	}
	if s.Span() != 2 || s.Cells() != 1 || s.OriginalCells() != 3 {
		t.Fatalf("span %d, cells %d, original %d, want 2, 1, 3", s.Span(), s.Cells(), s.OriginalCells())
	}
	if a, b := s.Column(0, 0), s.Column(1, 0); a[0] != 0.5 || b[0] != 5 {
		t.Errorf("columns %v and %v, want [0.5] and [5]", a, b)
	}
}

func TestReplicationsMayBeAppendedConcurrently(t *testing.T) {
	fill := func(concurrent bool) Estimate {
		s := NewSeries(8, 1, 16)
		var wait sync.WaitGroup
		for r := range 8 {
			run := func() {
				rng := seeded(r)
				for range 1000 {
					if err := s.Append(r, []float64{rng.Float64()}); err != nil {
						t.Error(err)
					}
				}
			}
			if concurrent {
				wait.Go(run)
			} else {
				run()
			}
		}
		wait.Wait()
		return s.Mean(0, s.WarmUp(0), 0.95)
	}
	if a, b := fill(false), fill(true); a.Value != b.Value || a.HalfWidth != b.HalfWidth {
		t.Errorf("results depend on the order of appending: %+v and %+v", a, b)
	}
}

func TestAppendRefusesNumbersThatCannotBeAveraged(t *testing.T) {
	s := NewSeries(2, 2, 0)
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1.1e300} {
		if err := s.Append(0, []float64{1, bad}); err == nil {
			t.Errorf("cell average %v accepted", bad)
		}
	}
	if s.Columns() != 2 || s.replications[0].appended != 0 {
		t.Error("a refused cell changed the series")
	}
}

func TestMisusePanics(t *testing.T) {
	s := NewSeries(2, 1, 0)
	for name, misuse := range map[string]func(){
		"one replication":   func() { NewSeries(1, 1, 0) },
		"no columns":        func() { NewSeries(2, 0, 0) },
		"negative cap":      func() { NewSeries(2, 1, -2) },
		"long cell":         func() { _ = s.Append(0, []float64{1, 2}) },
		"replication":       func() { _ = s.Append(2, []float64{1}) },
		"column":            func() { s.Mean(1, NoWarmUp(), 0.95) },
		"level 1":           func() { s.Mean(0, NoWarmUp(), 1) },
		"level NaN":         func() { s.Mean(0, NoWarmUp(), math.NaN()) },
		"no warm-up column": func() { s.WarmUp() },
		"fixed warm-up":     func() { s.FixedWarmUp(-1) },
		"no function":       func() { s.Function(nil, nil, NoWarmUp(), 0) },
		"ragged expression": func() { s.Ratio(Linear{Columns: []int{0}}, ColumnMean(0), NoWarmUp(), 0) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			misuse()
		})
	}
}

func TestAppendAllocatesNothingBetweenMergers(t *testing.T) {
	s := NewSeries(2, 3, 64)
	cell := []float64{1, 2, 3}
	for range 65 * 64 {
		mustAppend(t, s, 0, cell...)
	}
	if allocations := testing.AllocsPerRun(100, func() { _ = s.Append(0, cell) }); allocations != 0 {
		t.Errorf("%v allocations per cell", allocations)
	}
}

func BenchmarkAppend(b *testing.B) {
	s := NewSeries(2, 8, 0)
	cell := make([]float64, 8)
	for b.Loop() {
		_ = s.Append(0, cell)
	}
}

func BenchmarkMean(b *testing.B) {
	s := NewSeries(16, 1, 0)
	appendAR1(b, s, 0.9, 1024, 0, seeded(1))
	for b.Loop() {
		s.Mean(0, s.WarmUp(0), 0.95)
	}
}
