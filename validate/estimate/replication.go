package estimate

// replication is one row of cells. Cells that await their neighbours are kept
// in a binary counter: partial[k] is an average over 2^k original cells and
// is occupied when bit k of appended is set.
type replication struct {
	cells    []float64 // stored cells × columns
	partial  [][]float64
	carry    []float64
	appended int
}

func (r *replication) span() int { return 1 << len(r.partial) }

// add is one increment of the counter; a carry out of the top is a finished
// cell.
func (r *replication) add(cell []float64, maxCells int) {
	if r.appended == maxCells<<len(r.partial) {
		r.mergePairs()
	}
	copy(r.carry, cell)
	for level, part := range r.partial {
		if r.appended>>level&1 == 0 {
			copy(part, r.carry)
			r.appended++
			return
		}
		averagePair(r.carry, part, r.carry)
	}
	r.cells = append(r.cells, r.carry...)
	r.appended++
}

// mergePairs halves the stored cells. It is called when they are even in
// number and no partial cell is waiting.
func (r *replication) mergePairs() {
	columns := len(r.carry)
	half := len(r.cells) / 2
	for to := 0; to < half; to += columns {
		from := 2 * to
		averagePair(r.cells[to:to+columns], r.cells[from:from+columns], r.cells[from+columns:from+2*columns])
	}
	r.cells = r.cells[:half]
	r.partial = append(r.partial, make([]float64, columns))
}

// averagePair scales before it adds: halving is exact and the sum of halves
// cannot overflow.
func averagePair(out, a, b []float64) {
	for i := range out {
		out[i] = a[i]/2 + b[i]/2
	}
}

// cellsOfSpan is the number of complete cells at a span that is a multiple of
// the replication's own.
func (r *replication) cellsOfSpan(span, columns int) int {
	return len(r.cells) / columns / (span / r.span())
}

// readColumn fills values with one column at the given span.
func (r *replication) readColumn(values []float64, column, columns, span int) {
	width := span / r.span()
	for cell := range values {
		first := cell * width
		values[cell] = r.averageOf(first, first+width, column, columns)
	}
}

// averageOf pairs cells in the same tree that mergePairs would, so that an
// interrupted round reads the same as a finished one.
func (r *replication) averageOf(from, to, column, columns int) float64 {
	if to-from == 1 {
		return r.cells[from*columns+column]
	}
	middle := (from + to) / 2
	return r.averageOf(from, middle, column, columns)/2 + r.averageOf(middle, to, column, columns)/2
}
