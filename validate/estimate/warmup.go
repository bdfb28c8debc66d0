package estimate

import (
	"fmt"
	"math"
)

// WarmUp is how much of the beginning of every replication is left out.
type WarmUp struct {
	Cells    int     // stored cells of duration Span to leave out
	Span     int     // duration of those cells in original cells; 0 means as stored now
	Fraction float64 // of the run, in [0, 1]
	Rule     string  // how it was chosen, e.g. "twice MSER-5"
	Reliable bool    // false: the rule ran into its limit, run longer
}

// NoWarmUp leaves nothing out: for runs started in steady state or after a
// warm-up that was never recorded.
func NoWarmUp() WarmUp { return WarmUp{Rule: "none", Reliable: true} }

// FixedWarmUp leaves out the given number of original cells, rounded up to
// stored ones. It panics if originalCells is negative.
func (s *Series) FixedWarmUp(originalCells int) WarmUp {
	if originalCells < 0 {
		panic(fmt.Sprintf("estimate: warm-up of %d cells", originalCells))
	}
	span := s.Span()
	cells := (originalCells + span - 1) / span
	return s.warmUpOf(cells, "fixed", cells < s.Cells())
}

// WarmUp chooses the truncation point by MSER-5 (White, Simulation 69, 1997;
// White, Cobb and Spratt, Proc. Winter Simulation Conference 2000) for each of
// the given columns, on the series averaged over the replications, and leaves
// out twice the longest. With Z_1..Z_K the averages of five neighbouring cells,
//
//	d* = argmin over 0 <= d <= K/2 of  Σ_{k>d} (Z_k − Z̄_d)² / (K−d)²,
//
// Z̄_d the mean of Z_{d+1}..Z_K, and 2·5·d* cells are left out, at most half
// of the run. With fewer than 50 cells the groups of five become single cells.
//
// Why twice: MSER stops where the transient has sunk to the noise of one
// group; its remaining tail then shifts the mean by a good part of a standard
// error. Doubling won back one to two percent of coverage in the experiments
// of the package documentation that start from a transient.
//
// Reliable is false if a minimum lies at the limit K/2, where the transient
// may fill the whole run, or if there are fewer than 10 cells. It panics if
// no column is given or one is out of range.
func (s *Series) WarmUp(columns ...int) WarmUp {
	if len(columns) == 0 {
		panic("estimate: warm-up needs at least one column")
	}
	averages := make([][]float64, len(columns))
	for i, column := range columns {
		averages[i] = s.replicationAverage(column)
	}
	return s.warmUpFrom(averages)
}

// warmUpFrom applies the rule to rows averaged over the replications.
func (s *Series) warmUpFrom(rows [][]float64) WarmUp {
	group, rule := 5, "twice MSER-5"
	if s.Cells() < 50 {
		group, rule = 1, "twice MSER-1"
	}
	longest, reliable := 0, s.Cells() >= 10
	for _, row := range rows {
		averages := groupAverages(row, group)
		truncated := mserTruncation(averages)
		longest = max(longest, truncated*group)
		if truncated > 0 && truncated == len(averages)/2 {
			reliable = false
		}
	}
	return s.warmUpOf(min(2*longest, s.Cells()/2), rule, reliable)
}

func (s *Series) warmUpOf(cells int, rule string, reliable bool) WarmUp {
	w := WarmUp{Cells: cells, Span: s.Span(), Rule: rule, Reliable: reliable}
	if all := s.Cells(); all > 0 {
		w.Fraction = math.Min(1, float64(cells)/float64(all))
	}
	return w
}

// cellsAt converts to cells of the given span, rounding up: merging since the
// warm-up was chosen must not let the transient back in.
func (w WarmUp) cellsAt(span int) int {
	if w.Span == 0 || w.Span == span {
		return w.Cells
	}
	return (w.Cells*w.Span + span - 1) / span
}

// replicationAverage is the mean over the replications, cell by cell.
func (s *Series) replicationAverage(column int) []float64 {
	average := make([]float64, s.Cells())
	weight := 1 / float64(s.Replications())
	for r := range s.replications {
		for cell, x := range s.Column(r, column) {
			average[cell] += x * weight
		}
	}
	return average
}

// groupAverages leaves out the last, incomplete group.
func groupAverages(values []float64, group int) []float64 {
	averages := make([]float64, len(values)/group)
	weight := 1 / float64(group)
	for k := range averages {
		for _, x := range values[k*group : (k+1)*group] {
			averages[k] += x * weight
		}
	}
	return averages
}

// mserTruncation runs backwards through the data, updating mean and sum of
// squares by Welford's recurrence. Ties go to the shorter warm-up.
func mserTruncation(z []float64) int {
	scale := powerOfTwoScale(z)
	best, truncation := math.Inf(1), 0
	mean, squares, count := 0.0, 0.0, 0.0
	for d := len(z) - 1; d >= 0; d-- {
		x := z[d] * scale
		count++
		delta := x - mean
		mean += delta / count
		squares += delta * (x - mean)
		if d > len(z)/2 {
			continue
		}
		if statistic := squares / (count * count); statistic <= best {
			best, truncation = statistic, d
		}
	}
	return truncation
}
