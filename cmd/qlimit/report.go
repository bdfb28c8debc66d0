package main

import (
	"qlimit/coxian"
	"qlimit/ctmc"
	"qlimit/validate/estimate"
)

// schemaVersion is raised when a field of the JSON output changes its meaning.
const schemaVersion = 1

// report is what a command found, before any format is chosen. Every format
// is rendered from it, so that all of them say the same.
type report struct {
	command string
	system  *ctmc.System         // nil when the command is not about a system
	service *coxian.Dist         // nil when the command is about no service law
	kind    ctmc.Kind            // of the quantities and tables; 0 when there is none
	kinds   map[string]ctmc.Kind // of the quantities by name, where it is another

	quantities []quantity
	tables     []table
	records    *records // nil when the result is no list of rows
	further    []*records
	work       []fact // how the result came about: counts, method, residual
	status     string // "" when nothing could fail
	warnings   []string
}

// quantity is one named result: a number, an estimate, a word, or nil where
// the number does not exist.
type quantity struct {
	name  string
	value any // float64, int, bool, string, estimate.Estimate or nil
	unit  string
}

// fact is one named circumstance of the computation.
type fact struct {
	name  string
	value any // float64, int, int64, bool, string, []string or nil
}

// table holds vectors over the same index, printed side by side.
type table struct {
	index   string // name of the index column, "" when the first column serves
	columns []column
	matrix  *matrix // rows of numbers beside the columns, nil for none
}

// matrix holds a row of numbers for each entry of a table's columns; rows may
// differ in length. Tables print it as further columns.
type matrix struct {
	name    string
	heading func(k int) string
	rows    [][]float64
}

// width is the length of the longest row.
func (m *matrix) width() int {
	width := 0
	for _, row := range m.rows {
		width = max(width, len(row))
	}
	return width
}

// column is entry k of every row as a column of a table.
func (m *matrix) column(k, first int) column {
	c := column{name: m.heading(k), first: first, values: make([]any, len(m.rows))}
	for i, row := range m.rows {
		c.values[i] = 0.0
		if k < len(row) {
			c.values[i] = row[k]
		}
	}
	return c
}

// column is one vector of a table. Its first entry belongs to index first.
type column struct {
	name   string
	first  int
	values []any // float64, estimate.Estimate or nil
}

// Units of quantities.
const (
	unitJobs          = "jobs per server"
	unitTime          = "time"
	unitTimePerServer = "time / servers"
	unitSquaredTime   = "time²"
	unitProbability   = "probability"
	unitRate          = "1/time"
	unitSystemJobs    = "jobs"
	unitSlots         = "slots"
	unitNone          = ""
)

func numberColumn(name string, first int, values []float64) column {
	c := column{name: name, first: first, values: make([]any, len(values))}
	for i, x := range values {
		c.values[i] = x
	}
	return c
}

func estimateColumn(name string, first int, values []estimate.Estimate) column {
	c := column{name: name, first: first, values: make([]any, len(values))}
	for i, e := range values {
		c.values[i] = e
	}
	return c
}

// lawFacts are the parameters and moments that identify a service law.
func lawFacts(d coxian.Dist) []fact {
	return []fact{
		{"mu1", d.Mu1}, {"p", d.P}, {"mu2", d.Mu2},
		{"mean", d.Mean()}, {"scv", d.SCV()}, {"skewness", d.Skewness()},
		{"text", d.String()},
	}
}

// systemFacts identify a system; the number of servers is nil in the
// many-server limit.
func systemFacts(s ctmc.System) []fact {
	var servers any
	if s.Servers > 0 {
		servers = s.Servers
	}
	return []fact{
		{"servers", servers}, {"load", s.Load}, {"buffer", s.Buffer}, {"policy", s.Policy.String()},
	}
}

// addWarnings appends warnings, each text once.
func (r *report) addWarnings(texts ...string) {
	for _, text := range texts {
		known := false
		for _, w := range r.warnings {
			known = known || w == text
		}
		if !known {
			r.warnings = append(r.warnings, text)
		}
	}
}

// lists are all lists of rows.
func (r *report) lists() []*records {
	if r.records == nil {
		return r.further
	}
	return append([]*records{r.records}, r.further...)
}

// kindOf is the kind of a quantity.
func (r *report) kindOf(q quantity) ctmc.Kind {
	if kind, ok := r.kinds[q.name]; ok {
		return kind
	}
	return r.kind
}

func (r *report) hasEstimates() bool { return r.kind == ctmc.Estimate }
