package estimate

import (
	"fmt"
	"math"
)

// DefaultMaxCells is the number of cells a replication holds before
// neighbours are merged, when NewSeries is given 0.
const DefaultMaxCells = 1024

// LargestMagnitude bounds what Append accepts. Squares are formed of scaled
// numbers only, so the bound leaves room for the Student factor, no more.
const LargestMagnitude = 1e300

// Series holds the cell averages of a simulation experiment: for each of R
// independent replications a growing row of cells of equal simulated
// duration, and in each cell the time averages of the same columns.
//
// When a replication would exceed its maximum number of cells, neighbours are
// averaged pairwise and the cell duration doubles; cells appended afterwards
// are paired up as they come. The result is bit for bit what merging the
// complete record at the end would give, so it depends on the data alone, and
// memory stays bounded by replications × maxCells × columns numbers.
//
// Replications share nothing: different replications may be appended to from
// different goroutines. Everything else needs the appending to have ended.
type Series struct {
	columns      int
	maxCells     int
	leastBatch   int // original cells
	replications []replication
}

// NewSeries returns an empty series. maxCells is rounded up to an even number;
// 0 means DefaultMaxCells. It panics if replications < 2, columns < 1 or
// maxCells is negative: with one replication there is no independent repeat
// to measure an error by.
func NewSeries(replications, columns, maxCells int) *Series {
	switch {
	case replications < 2:
		panic(fmt.Sprintf("estimate: %d replications, need at least 2", replications))
	case columns < 1:
		panic(fmt.Sprintf("estimate: %d columns, need at least 1", columns))
	case maxCells < 0:
		panic(fmt.Sprintf("estimate: maxCells %d is negative", maxCells))
	case maxCells == 0:
		maxCells = DefaultMaxCells
	}
	s := &Series{
		columns:      columns,
		maxCells:     maxCells + maxCells%2,
		replications: make([]replication, replications),
	}
	for r := range s.replications {
		s.replications[r].carry = make([]float64, columns)
	}
	return s
}

// Append adds the next cell, of the original duration, to a replication. The
// slice is copied. A value that is not finite or exceeds LargestMagnitude is
// an error and the cell is not added. A replication out of range or a cell of
// the wrong length panics.
func (s *Series) Append(replication int, cell []float64) error {
	if len(cell) != s.columns {
		panic(fmt.Sprintf("estimate: cell of %d columns in a series of %d", len(cell), s.columns))
	}
	for column, x := range cell {
		// Written so that NaN fails as well.
		if !(math.Abs(x) <= LargestMagnitude) {
			return fmt.Errorf("cell average in column %d of replication %d is %v, must be finite and at most %g in size",
				column, replication, x, LargestMagnitude)
		}
	}
	s.replications[replication].add(cell, s.maxCells)
	return nil
}

// SetLeastBatch makes the batches of intervals at least so many original cells
// long, as far as a replication goes: for what is known of the correlation times
// beforehand. The correlation test can only make them longer.
func (s *Series) SetLeastBatch(originalCells int) { s.leastBatch = originalCells }

// Replications is R.
func (s *Series) Replications() int { return len(s.replications) }

// Columns is the number of averages per cell.
func (s *Series) Columns() int { return s.columns }

// Span is the duration of a stored cell in original cells: a power of two.
// Before all replications have been brought to the same length it is that of
// the longest one.
func (s *Series) Span() int {
	span := 1
	for r := range s.replications {
		span = max(span, s.replications[r].span())
	}
	return span
}

// Cells is the number of complete cells of duration Span that every
// replication has. Original cells that do not fill a stored one yet wait
// until they do and are not counted.
func (s *Series) Cells() int {
	span := s.Span()
	cells := math.MaxInt
	for r := range s.replications {
		cells = min(cells, s.replications[r].cellsOfSpan(span, s.columns))
	}
	return cells
}

// OriginalCells is the number of cells appended so far to the replication that
// has the fewest.
func (s *Series) OriginalCells() int {
	cells := math.MaxInt
	for r := range s.replications {
		cells = min(cells, s.replications[r].appended)
	}
	return cells
}

// Appended is the number of original cells appended so far to one replication.
func (s *Series) Appended(replication int) int { return s.replications[replication].appended }

// Visits counts the batches, of those that [Series.Controls] would fit its
// coefficients to, in which a column is positive, and the replications that
// have such a batch.
func (s *Series) Visits(column int, w WarmUp) (batches, replications int) {
	skip := min(w.cellsAt(s.Span()), s.Cells())
	perRun := regressionBatchesOf(s.Replications(), s.Cells()-skip)
	for r := range s.replications {
		values := s.Column(r, column)[skip:]
		before := batches
		for k := range perRun {
			for _, x := range values[k*len(values)/perRun : (k+1)*len(values)/perRun] {
				if x > 0 {
					batches++
					break
				}
			}
		}
		replications += one(batches > before)
	}
	return batches, replications
}

// Column returns one column of one replication over its Cells cells of
// duration Span, in time order.
func (s *Series) Column(replication, column int) []float64 {
	if column < 0 || column >= s.columns {
		panic(fmt.Sprintf("estimate: column %d of a series of %d", column, s.columns))
	}
	values := make([]float64, s.Cells())
	s.replications[replication].readColumn(values, column, s.columns, s.Span())
	return values
}
