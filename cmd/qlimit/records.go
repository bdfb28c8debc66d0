package main

import (
	"encoding/csv"
	"io"
	"strings"
)

// records are rows that each carry their own kind and verdict, such as the
// comparisons of an experiment. JSON and CSV have every field; tables show
// those with a heading, under the title of each group.
type records struct {
	name   string
	fields []recordField
	rows   [][]any // a value for each field
	group  int     // field whose changes begin a new table, -1 for none

	// notes are written below the tables, each with the name it belongs to.
	notes []fact
}

type recordField struct {
	name    string
	heading string // "" = not shown in tables
	text    func(row []any) string
}

// kindOf is the row's own kind, or the one given if it has none.
func (r *records) kindOf(row []any, otherwise string) string {
	for k, field := range r.fields {
		if kind, ok := row[k].(string); ok && field.name == "kind" {
			return kind
		}
	}
	return otherwise
}

// objects are the rows as JSON objects.
func (r *records) objects() []orderedObject {
	list := make([]orderedObject, len(r.rows))
	for i, row := range r.rows {
		for k, field := range r.fields {
			list[i] = append(list[i], member{field.name, jsonValue(row[k])})
		}
	}
	return list
}

// writeCSV writes the rows alone, one column for each field.
func (r *records) writeCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	header := make([]string, len(r.fields))
	for k, field := range r.fields {
		header[k] = field.name
	}
	_ = out.Write(header) // csv.Writer keeps its first error for Error
	for _, row := range r.rows {
		cells := make([]string, len(row))
		for k, v := range row {
			cells[k] = csvValue(v)
		}
		_ = out.Write(cells)
	}
	out.Flush()
	return out.Error()
}

// grids are the rows as tables, one for each run of equal groups.
func (r *records) grids() (titles []string, grids []grid) {
	for i, row := range r.rows {
		if i == 0 || (r.group >= 0 && row[r.group] != r.rows[i-1][r.group]) {
			title := ""
			if r.group >= 0 {
				title, _ = row[r.group].(string)
			}
			titles = append(titles, title)
			grids = append(grids, grid{header: r.headings()})
		}
		g := &grids[len(grids)-1]
		var cells []string
		for k, field := range r.fields {
			switch {
			case field.heading == "":
			case field.text != nil:
				cells = append(cells, field.text(row))
			default:
				cells = append(cells, plain(row[k]))
			}
		}
		g.rows = append(g.rows, cells)
	}
	return titles, grids
}

func (r *records) headings() []string {
	var names []string
	for _, field := range r.fields {
		if field.heading != "" {
			names = append(names, field.heading)
		}
	}
	return names
}

// write lays the tables out on a page.
func (r *records) write(p *page) {
	titles, grids := r.grids()
	for i, g := range grids {
		if titles[i] != "" {
			title := titles[i]
			if p.markdown {
				title = "#### " + strings.ToUpper(title[:1]) + title[1:]
			}
			p.paragraph(title)
		}
		p.grid(g)
	}
	p.notes(r.notes)
}
