package estimate

import (
	"bytes"
	"math"
	"testing"
)

// controlled is a series with columns y, c1, c2, c1 + c2, 0, where
//
//	y = 3 + 2 c1 - c2 + noise/100, c1, c2 autoregressive with mean 0.
func controlled(t *testing.T, seed, cells int) *Series {
	t.Helper()
	s := NewSeries(8, 5, 0)
	rng := seeded(seed)
	for r := range s.Replications() {
		c1, c2 := rng.NormFloat64(), rng.NormFloat64()
		for range cells {
			mustAppend(t, s, r, 3+2*c1-c2+rng.NormFloat64()/100, c1, c2, c1+c2, 0)
			c1 = .8*c1 + .6*rng.NormFloat64()
			c2 = .8*c2 + .6*rng.NormFloat64()
		}
	}
	return s
}

// each makes a control of every column.
func each(columns ...int) []Linear {
	var list []Linear
	for _, column := range columns {
		list = append(list, ColumnMean(column))
	}
	return list
}

// TestControlsRecoverTheMean: dependent and constant controls are left out, the
// variance falls to that of the noise, and intervals cover 3.
func TestControlsRecoverTheMean(t *testing.T) {
	covered := 0
	const runs = 200
	for seed := range runs {
		s := controlled(t, seed, 400)
		c := s.Controls(each(1, 2, 3, 4), NoWarmUp())
		if c.Rank() != 2 {
			t.Fatalf("rank %d, want 2", c.Rank())
		}
		plain, improved := s.Mean(0, NoWarmUp(), 0), c.Mean(0, 0)
		if ratio := plain.StandardError / improved.StandardError; ratio < 100 {
			t.Fatalf("standard errors %g and %g", plain.StandardError, improved.StandardError)
		}
		if math.Abs(improved.Value-3) <= improved.HalfWidth {
			covered++
		}
	}
	if covered < 180 || covered > 199 {
		t.Errorf("%d of %d intervals of 95%% cover", covered, runs)
	}
}

// TestControlsOfGroups: a group is the sum of its columns.
func TestControlsOfGroups(t *testing.T) {
	s := controlled(t, 1, 200)
	sum := s.Controls([]Linear{{Columns: []int{1, 2}, Coefficients: []float64{1, 1}}}, NoWarmUp()).Mean(0, 0)
	column := s.Controls(each(3), NoWarmUp()).Mean(0, 0)
	if math.Abs(sum.Value-column.Value) > 1e-12 || math.Abs(sum.HalfWidth-column.HalfWidth) > 1e-12 {
		t.Errorf("%+v and %+v", sum, column)
	}
}

// TestControlsWithoutMeanZero: a control whose mean is not 0 is found out, and
// the interval widened.
func TestControlsWithoutMeanZero(t *testing.T) {
	s := NewSeries(8, 2, 0)
	rng := seeded(3)
	for r := range s.Replications() {
		for range 200 {
			x := rng.NormFloat64()
			mustAppend(t, s, r, x+rng.NormFloat64(), x+.5)
		}
	}
	c := s.Controls(each(1), NoWarmUp())
	if c.MeanZero(0) > 1e-6 || c.Stationary(0) {
		t.Errorf("p-value %g", c.MeanZero(0))
	}
	if e := c.Mean(0, 0); math.Abs(e.Value) > e.HalfWidth {
		t.Errorf("%g ± %g does not own up to the wrong control", e.Value, e.HalfWidth)
	}
}

// TestJackknifeByRefitting: the influence of a replication is what fitting
// without it changes.
func TestJackknifeByRefitting(t *testing.T) {
	influenceByRefitting(t, controlled(t, 4, 64), 1, 2) // one cell to a batch
}

// TestJackknifeOfShortRuns: with caution, where cells are too few for the batches, or replications
// shorter than a quarter of the least batch, value and standard error are those of
// the pseudo-values R θ - (R-1) θ_r, θ_r fitted without replication r.
func TestJackknifeOfShortRuns(t *testing.T) {
	const runs = 8
	few, brief, long := controlled(t, 4, 40), controlled(t, 4, 64), controlled(t, 4, 64)
	brief.SetLeastBatch(4*64 + 1)
	long.SetLeastBatch(4 * 64)
	for name, s := range map[string]*Series{"few cells": few, "a short time": brief, "long enough": long} {
		c := s.Controls(each(1, 2), NoWarmUp()).Cautious()
		fitted, e := c.residual(0).value, c.Mean(0, 0)
		if name == "long enough" {
			if e.Value != fitted {
				t.Errorf("%s: value %g, regression %g", name, e.Value, fitted)
			}
			continue
		}
		var sum, squares float64
		for r := range runs {
			pseudo := runs*fitted - (runs-1)*c.without(r, s.sampleAfter(NoWarmUp(), 0))
			sum += pseudo
			squares += pseudo * pseudo
		}
		mean := sum / runs
		deviation := math.Sqrt((squares/runs - mean*mean) / (runs - 1))
		if math.Abs(e.Value-mean) > 1e-9 || math.Abs(e.StandardError-deviation) > 1e-6*deviation || e.DegreesOfFreedom != 5 {
			t.Errorf("%s: %g ± %g with %g degrees of freedom, pseudo-values %g ± %g, and 8 replications less 1 and 2 coefficients", name, e.Value, e.StandardError, e.DegreesOfFreedom, mean, deviation)
		}
	}
}

// TestJackknifeOfWhatOneReplicationSaw: a control that varies in one replication
// alone is none without it.
func TestJackknifeOfWhatOneReplicationSaw(t *testing.T) {
	plain := controlled(t, 4, 64)
	s := NewSeries(plain.Replications(), plain.Columns()+1, 0)
	for r := range s.Replications() {
		for cell := range plain.Cells() {
			var row []float64
			for column := range plain.Columns() {
				row = append(row, plain.Column(r, column)[cell])
			}
			rare := 0.0
			if r == 2 && cell%7 == 3 {
				rare = float64(cell) - 20
				row[0] += .1 * rare
			}
			mustAppend(t, s, r, append(row, rare)...)
		}
	}
	rare := s.Columns() - 1
	influenceByRefitting(t, s, 1, 2, rare)
	if c := s.Controls(each(1, 2, rare), NoWarmUp()); c.Rank() != 3 || c.Mean(0, 0).Status != Usable {
		t.Errorf("rank %d, estimate %+v", c.Rank(), c.Mean(0, 0))
	}
}

func influenceByRefitting(t *testing.T, s *Series, controls ...int) {
	t.Helper()
	c := s.Controls(each(controls...), NoWarmUp())
	i := c.influence([]int{0}, []float64{1})
	for left := range s.Replications() {
		others := NewSeries(s.Replications()-1, s.Columns(), 0)
		for r, to := 0, 0; r < s.Replications(); r++ {
			if r == left {
				continue
			}
			for cell := range s.Cells() {
				row := make([]float64, s.Columns())
				for column := range row {
					row[column] = s.Column(r, column)[cell]
				}
				mustAppend(t, others, to, row...)
			}
			to++
		}
		refitted := others.Controls(each(controls...), NoWarmUp())
		if want := c.residual(0).value - refitted.residual(0).value; math.Abs(i.spread[left]-want) > 1e-9 {
			t.Errorf("without replication %d: influence %.6g, by fitting anew %.6g", left, i.spread[left], want)
		}
	}
}

// TestValidationOfGoodControls: what they explain is confirmed by the other half
// of the batches.
func TestValidationOfGoodControls(t *testing.T) {
	s := controlled(t, 5, 400)
	good := s.Controls(each(1, 2), NoWarmUp())
	if v := good.Validation(0); v < .9 || v > 1.01 {
		t.Errorf("validation of good controls %g", v)
	}
}

// TestPairedDifference: what two columns share cancels.
func TestPairedDifference(t *testing.T) {
	s := NewSeries(4, 2, 0)
	rng := seeded(7)
	for r := range s.Replications() {
		for range 100 {
			x := rng.NormFloat64()
			mustAppend(t, s, r, x, x+1)
		}
	}
	none := s.Controls(nil, NoWarmUp())
	d := none.Paired([]int{0}, none, []int{1}, func(x []float64) (float64, []float64) { return x[0] - x[1], []float64{1, -1} }, 0)
	if math.Abs(d.Value+1) > 1e-12 || d.HalfWidth > 1e-12 {
		t.Errorf("difference %g ± %g, want -1", d.Value, d.HalfWidth)
	}
}

// TestPairedWithCaution: paired means of the same controls are a function of them,
// in runs long enough for caution and in short ones.
func TestPairedWithCaution(t *testing.T) {
	minus := func(x []float64) (float64, []float64) { return x[0] - x[1], []float64{1, -1} }
	for name, least := range map[string]int{"long enough": 4 * 64, "short": 4*64 + 1} {
		s := controlled(t, 4, 64)
		s.SetLeastBatch(least)
		c := s.Controls(each(1), NoWarmUp()).Cautious()
		paired, want := c.Paired([]int{0}, c, []int{2}, minus, 0), c.Function([]int{0, 2}, minus, 0)
		if math.Abs(paired.Value-want.Value) > 1e-12 || math.Abs(paired.HalfWidth/want.HalfWidth-1) > 1e-9 || paired.DegreesOfFreedom != want.DegreesOfFreedom {
			t.Errorf("%s: %g ± %g with %g degrees of freedom, as a function %g ± %g with %g", name, paired.Value, paired.HalfWidth, paired.DegreesOfFreedom, want.Value, want.HalfWidth, want.DegreesOfFreedom)
		}
	}
}

// TestSavedSeries: what is read back is the same to the last bit, also in the
// middle of a merged cell, and goes on the same.
func TestSavedSeries(t *testing.T) {
	s := NewSeries(2, 1, 8)
	rng := seeded(11)
	for r := range 2 {
		for range 21 + r {
			mustAppend(t, s, r, rng.NormFloat64())
		}
	}
	text, err := s.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	read := NewSeries(2, 1, 8)
	if err := read.UnmarshalBinary(text); err != nil {
		t.Fatal(err)
	}
	for r := range 2 {
		for range 5 {
			x := rng.NormFloat64()
			mustAppend(t, s, r, x)
			mustAppend(t, read, r, x)
		}
	}
	first, _ := s.MarshalBinary()
	second, _ := read.MarshalBinary()
	if !bytes.Equal(first, second) {
		t.Error("a series that was saved and read goes on differently")
	}
	for _, other := range []*Series{NewSeries(3, 1, 8), NewSeries(2, 2, 8), NewSeries(2, 1, 16)} {
		if other.UnmarshalBinary(text) == nil {
			t.Error("a series of another shape was read")
		}
	}
	if read.UnmarshalBinary(text[:len(text)/2]) == nil {
		t.Error("half a series was read")
	}
}

// TestHotelling: with one cell to a batch and one control, T² is the square of
// Student's t, and controls of mean 0 go with the F law.
func TestHotelling(t *testing.T) {
	rng := seeded(3)
	s := NewSeries(4, 3, 0)
	var sum, squares float64
	const n = 4 * 100
	for r := range 4 {
		for range 100 {
			c := .5 + rng.NormFloat64()
			sum, squares = sum+c, squares+c*c
			mustAppend(t, s, r, rng.NormFloat64(), c, rng.NormFloat64())
		}
	}
	student := sum / n / math.Sqrt((squares-sum*sum/n)/(n-1)/n)
	if got := s.Controls(each(1), NoWarmUp()).Hotelling(); math.Abs(got-student*student) > 1e-9*got {
		t.Errorf("T² = %.12g, Student's t squared %.12g", got, student*student)
	}
	if got := s.Controls(each(2), NoWarmUp()).Hotelling(); got > 15 {
		t.Errorf("a control of mean 0 has T² = %g", got)
	}
}

// TestVarianceFreedom: twice the number of events where these make the
// variance, the number of batches for normal ones (κ = 3).
func TestVarianceFreedom(t *testing.T) {
	const events = 5
	rng := seeded(4)
	s := NewSeries(4, 3, 0)
	for r := range 4 {
		for k := range 100 {
			rare := 0.0
			if n := r*100 + k; n%80 == 0 {
				rare = 1
			}
			c := rng.NormFloat64()
			mustAppend(t, s, r, c+rare, c+rng.NormFloat64(), c)
		}
	}
	c := s.Controls(each(2), NoWarmUp())
	if got := c.VarianceFreedom(0); math.Abs(got-2*events) > .5 {
		t.Errorf("%g degrees of freedom with %d events", got, events)
	}
	if got := c.VarianceFreedom(1); got < 250 || got > 600 {
		t.Errorf("%g degrees of freedom of 400 normal numbers", got)
	}
	if got := c.VarianceFreedom(2); got < 2 {
		t.Errorf("%g degrees of freedom of a residual of rounding errors", got)
	}
}
