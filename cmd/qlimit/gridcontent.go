package main

import (
	"fmt"

	"qlimit/validate/estimate"
)

// mostRows is the most rows of a vector that a table shows.
const mostRows = 40

// mostMatrixColumns is the most columns of a matrix that a table shows.
const mostMatrixColumns = 8

func quantityGrid(r *report) grid {
	withUnits := false
	for _, q := range r.quantities {
		withUnits = withUnits || q.unit != unitNone
	}
	g := grid{header: []string{"quantity", valueHeading(r)}}
	if withUnits {
		g.header = append(g.header, "unit")
	}
	g.header = append(g.header, "kind")
	values := make([]string, len(r.quantities))
	for i, q := range r.quantities {
		values[i] = plain(q.value)
	}
	alignPoints(values)
	for i, q := range r.quantities {
		row := []string{q.name, values[i]}
		if withUnits {
			row = append(row, q.unit)
		}
		g.rows = append(g.rows, append(row, r.kindLabel(q)))
	}
	return g
}

// valueHeading states the level that half widths refer to.
func valueHeading(r *report) string {
	for _, q := range r.quantities {
		if e, ok := q.value.(estimate.Estimate); ok {
			return fmt.Sprintf("value ± half width (%s%%)", significant(100*e.Level))
		}
	}
	return "value"
}

// kindLabel is the kind, with the status where that takes something away.
func (r *report) kindLabel(q quantity) string {
	kind := r.kindOf(q).String()
	switch r.status {
	case "not-converged", "stagnated":
		return kind + " (" + r.status + ")"
	}
	return kind
}

// vectorGrid sets vectors side by side; left is the number of rows cut off.
func vectorGrid(t table) (g grid, left int) {
	if t.matrix != nil {
		for k := range min(t.matrix.width(), mostMatrixColumns) {
			t.columns = append(t.columns, t.matrix.column(k, t.columns[0].first))
		}
	}
	low, high := t.columns[0].first, 0
	for _, c := range t.columns {
		low = min(low, c.first)
		high = max(high, c.first+len(c.values))
	}
	left = max(high-low-mostRows, 0)
	high -= left
	if t.index != "" {
		g.header = append(g.header, t.index)
	}
	cells := make([][]string, len(t.columns))
	for k, c := range t.columns {
		g.header = append(g.header, c.name)
		for i := low; i < high; i++ {
			cells[k] = append(cells[k], c.at(i))
		}
		alignPoints(cells[k])
	}
	for i := low; i < high; i++ {
		var row []string
		if t.index != "" {
			row = append(row, fmt.Sprintf("%*d", len(fmt.Sprint(high-1)), i))
		}
		for k := range cells {
			row = append(row, cells[k][i-low])
		}
		g.rows = append(g.rows, row)
	}
	return g, left
}

// at is the text of the entry with an index, empty where there is none.
func (c column) at(index int) string {
	if i := index - c.first; i >= 0 && i < len(c.values) {
		return plain(c.values[i])
	}
	return ""
}

func workGrid(r *report) grid {
	g := grid{header: []string{r.workTitle(), ""}}
	for _, f := range r.work {
		if f.value == nil {
			continue
		}
		if list, ok := f.value.([]string); ok {
			for i, text := range list {
				name := f.name
				if i > 0 {
					name = ""
				}
				g.rows = append(g.rows, []string{name, text})
			}
			continue
		}
		g.rows = append(g.rows, []string{f.name, circumstance(f.value)})
	}
	if r.status != "" {
		g.rows = append(g.rows, []string{"status", r.status})
	}
	return g
}

// workTitle heads the facts: those of a result tell how it was computed, those
// of the program itself stand alone.
func (r *report) workTitle() string {
	if r.kind == 0 {
		return r.command
	}
	return "computation"
}
