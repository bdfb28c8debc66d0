package main

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"

	"qlimit/ctmc"
	"qlimit/validate/estimate"
)

// Kinds of CSV rows that are no results.
const (
	rowInput = "input" // what was asked for
	rowWork  = "work"  // how the result came about
	rowNote  = "note"  // a warning
)

// renderCSV writes one row for each number: quantity, index, value, kind, and
// half_width and level where the kind is estimate. The index is that of the
// vectors (jobs at a server); it is empty for single numbers. A result that
// is nothing but a list of rows is written as it is, a column for each field.
func renderCSV(w io.Writer, r *report) error {
	if r.records != nil && len(r.quantities) == 0 {
		return r.records.writeCSV(w)
	}
	out := &csvRows{writer: csv.NewWriter(w), estimates: r.hasEstimates()}
	out.header()
	out.add("command", "", r.command, rowInput)
	if r.system != nil {
		out.facts("system.", systemFacts(*r.system), rowInput)
		out.facts("service.", lawFacts(r.system.Service), rowInput)
	} else if r.service != nil {
		out.facts("service.", lawFacts(*r.service), rowInput)
	}
	for _, q := range r.quantities {
		out.add(q.name, "", q.value, r.kindOf(q).String())
	}
	for _, t := range r.tables {
		for _, c := range t.columns {
			for i, v := range c.values {
				out.add(c.name, strconv.Itoa(c.first+i), v, r.kind.String())
			}
		}
		if t.matrix != nil {
			for i, row := range t.matrix.rows {
				for k, v := range row {
					out.add(fmt.Sprintf("%s.%d", t.matrix.name, k), strconv.Itoa(t.columns[0].first+i), v, r.kind.String())
				}
			}
		}
	}
	for _, list := range r.lists() {
		for i, row := range list.rows {
			kind := list.kindOf(row, r.kind.String())
			for k, field := range list.fields {
				out.add(list.name+"."+field.name, strconv.Itoa(i), row[k], kind)
			}
		}
	}
	out.facts("", r.work, rowWork)
	if r.status != "" {
		out.add("status", "", r.status, rowWork)
	}
	for i, text := range r.warnings {
		out.add("warning", strconv.Itoa(i), text, rowNote)
	}
	out.writer.Flush()
	return out.writer.Error()
}

type csvRows struct {
	writer    *csv.Writer
	estimates bool
}

func (c *csvRows) header() {
	row := []string{"quantity", "index", "value", "kind"}
	if c.estimates {
		row = append(row, "half_width", "level")
	}
	_ = c.writer.Write(row) // csv.Writer keeps its first error for Error
}

func (c *csvRows) facts(prefix string, facts []fact, kind string) {
	for _, f := range facts {
		if list, ok := f.value.([]string); ok {
			for i, text := range list {
				c.add(prefix+f.name, strconv.Itoa(i), text, kind)
			}
			continue
		}
		c.add(prefix+f.name, "", f.value, kind)
	}
}

func (c *csvRows) add(name, index string, value any, kind string) {
	var row []string
	halfWidth, level := "", ""
	if e, ok := value.(estimate.Estimate); ok {
		kind = ctmc.Estimate.String()
		value = nil
		if e.Status != estimate.Undefined {
			value = e.Value
			halfWidth = csvValue(e.HalfWidth)
		}
		level = csvValue(e.Level)
	}
	row = append(row, name, index, csvValue(value), kind)
	if c.estimates {
		row = append(row, halfWidth, level)
	}
	_ = c.writer.Write(row)
}

// csvValue writes numbers with full precision and a number that does not
// exist as nothing.
func csvValue(v any) string {
	switch x := v.(type) {
	case nil:
		return ""
	case float64:
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return ""
		}
		return strconv.FormatFloat(x, 'g', -1, 64)
	}
	return fmt.Sprint(v)
}
