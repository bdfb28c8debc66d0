package estimate

import (
	"fmt"
	"math"
)

// Path holds the averages of one long record in at most maxCells cells of
// equal length, like one replication of a [Series]: when they would become
// more, neighbours are averaged pairwise. Rows that do not fill a cell yet are
// not counted.
type Path struct {
	columns, maxCells int
	record            replication
}

// NewPath returns an empty path; maxCells 0 means DefaultMaxCells. It panics if
// columns < 1 or maxCells is negative.
func NewPath(columns, maxCells int) *Path {
	if columns < 1 || maxCells < 0 {
		panic(fmt.Sprintf("estimate: path of %d columns and %d cells", columns, maxCells))
	}
	if maxCells == 0 {
		maxCells = DefaultMaxCells
	}
	return &Path{columns: columns, maxCells: maxCells + maxCells%2, record: replication{carry: make([]float64, columns)}}
}

// Append adds a row. A value that is not finite or exceeds LargestMagnitude is
// an error and the row is not added. It panics if the row has another length.
func (p *Path) Append(row []float64) error {
	if len(row) != p.columns {
		panic(fmt.Sprintf("estimate: row of %d columns in a path of %d", len(row), p.columns))
	}
	for column, x := range row {
		if !(math.Abs(x) <= LargestMagnitude) {
			return fmt.Errorf("value in column %d is %v, must be finite and at most %g in size", column, x, LargestMagnitude)
		}
	}
	p.record.add(row, p.maxCells)
	return nil
}

// Rows is the number of rows appended.
func (p *Path) Rows() int { return p.record.appended }

// Cells is the number of complete cells.
func (p *Path) Cells() int { return len(p.record.cells) / p.columns }

// Span is the number of rows in each cell, a power of two.
func (p *Path) Span() int { return p.record.span() }

// Column returns the averages of one column over the cells, in order.
func (p *Path) Column(column int) []float64 {
	values := make([]float64, p.Cells())
	p.record.readColumn(values, column, p.columns, p.Span())
	return values
}
