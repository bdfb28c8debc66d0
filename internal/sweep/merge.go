package sweep

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Missing is a cell without a usable file.
type Missing struct {
	Cell   Cell  // without a file that can be read
	Reason error // one sentence
}

// Merged is the outcome of a whole sweep: a row for each row of each
// combination of parameters, in the order of the plan.
type Merged struct {
	Header   []string   // parameters, then the columns of the command
	Rows     [][]string // in the order of the plan
	NotExit0 []Cell     // cells whose command ended with a result and another exit code
}

// Merge reads all cells in the order of the plan. With missing cells there is
// no result, only their list.
//
// The replicates of a combination are reduced to one row where the command
// gives half widths: the value is the mean of the R values, the half width the
// root of the sum of the squared half widths divided by R, which is right for
// independent estimates. Rows without half width must agree.
func (p *Plan) Merge(directory string) (*Merged, []Missing, error) {
	var missing []Missing
	m := &Merged{}
	layout := newLayout(p)
	for first := 0; first < len(p.Cells); first += p.Replicates {
		var group []Outcome
		for _, c := range p.Cells[first : first+p.Replicates] {
			outcome, err := p.ReadOutcome(directory, c)
			if err != nil {
				missing = append(missing, Missing{c, err})
				continue
			}
			if outcome.ExitCode != 0 {
				m.NotExit0 = append(m.NotExit0, c)
			}
			group = append(group, outcome)
		}
		if len(missing) > 0 {
			continue
		}
		pooled, err := pool(group)
		if err != nil {
			return nil, nil, fmt.Errorf("cell %s: %w", p.Cells[first].ID, err)
		}
		layout.add(p.Cells[first], pooled)
	}
	if len(missing) > 0 {
		return nil, missing, nil
	}
	m.Header, m.Rows = layout.table()
	return m, nil, nil
}

// pool reduces the replicates of one combination, in their order. Rows are
// matched by all fields but value and half width; those that some replicate
// lacks, such as the far end of a tail, are left out.
func pool(group []Outcome) (Outcome, error) {
	first := group[0]
	if len(group) == 1 {
		return first, nil
	}
	value, width := slices.Index(first.Header, "value"), slices.Index(first.Header, "half_width")
	pooled := Outcome{ExitCode: first.ExitCode, Header: first.Header}
	others := make([]map[string][]string, len(group)-1)
	for i, o := range group[1:] {
		if !slices.Equal(o.Header, first.Header) {
			return pooled, errors.New("the replicates differ in their columns")
		}
		others[i] = map[string][]string{}
		for _, row := range o.Rows {
			others[i][rowKey(row, value, width)] = row
		}
	}
	for _, row := range first.Rows {
		same := [][]string{row}
		for _, rows := range others {
			if twin, ok := rows[rowKey(row, value, width)]; ok {
				same = append(same, twin)
			}
		}
		if len(same) < len(group) {
			continue
		}
		reduced, err := poolRow(same, value, width)
		if err != nil {
			return pooled, err
		}
		pooled.Rows = append(pooled.Rows, reduced)
	}
	return pooled, nil
}

// rowKey is a row without value and half width.
func rowKey(row []string, value, width int) string {
	key := ""
	for k, text := range row {
		if k != value && k != width {
			key += strconv.Quote(text)
		}
	}
	return key
}

// poolRow is the mean of estimates with its half width; what is no estimate
// must be the same in all rows. An estimate that some row lacks has no mean.
func poolRow(rows [][]string, value, width int) ([]string, error) {
	row := slices.Clone(rows[0])
	if value < 0 {
		return row, nil
	}
	sum, squares := 0.0, 0.0
	for _, other := range rows {
		if width < 0 || other[width] == "" {
			if other[value] != row[value] && row[value] != "" && other[value] != "" {
				return nil, fmt.Errorf("%s differs between replicates (%s and %s) and is no estimate", strings.Join(row[:value], " "), row[value], other[value])
			}
			if other[value] == "" {
				row[value] = ""
				if width >= 0 {
					row[width] = ""
				}
			}
			continue
		}
		v, err1 := strconv.ParseFloat(other[value], 64)
		w, err2 := strconv.ParseFloat(other[width], 64)
		if err := errors.Join(err1, err2); err != nil {
			return nil, fmt.Errorf("%s: %w", strings.Join(row[:value], " "), err)
		}
		sum += v
		squares += w * w
	}
	if row[value] != "" && width >= 0 && row[width] != "" {
		r := float64(len(rows))
		row[value] = strconv.FormatFloat(sum/r, 'g', -1, 64)
		row[width] = strconv.FormatFloat(math.Sqrt(squares)/r, 'g', -1, 64)
	}
	return row, nil
}

// layout collects rows whose columns are the parameters and what the commands
// give, each column in the place where it first appeared.
type layout struct {
	parameters, results []string
	rows                []map[string]string // parameters under their name, results under their name after a space
}

func newLayout(p *Plan) *layout {
	l := &layout{}
	for _, c := range p.Cells {
		for _, f := range c.Parameters {
			if !slices.Contains(l.parameters, f.Name) {
				l.parameters = append(l.parameters, f.Name)
			}
		}
	}
	return l
}

func (l *layout) add(c Cell, o Outcome) {
	for _, name := range o.Header {
		if !slices.Contains(l.results, name) {
			l.results = append(l.results, name)
		}
	}
	for _, fields := range o.Rows {
		row := map[string]string{}
		for _, f := range c.Parameters {
			row[f.Name] = f.Value
		}
		for k, name := range o.Header {
			row[" "+name] = fields[k]
		}
		l.rows = append(l.rows, row)
	}
}

func (l *layout) table() (header []string, rows [][]string) {
	header = append(header, l.parameters...)
	for _, name := range l.results {
		if slices.Contains(l.parameters, name) {
			name = "result." + name
		}
		header = append(header, name)
	}
	for _, row := range l.rows {
		var fields []string
		for _, name := range l.parameters {
			fields = append(fields, row[name])
		}
		for _, name := range l.results {
			fields = append(fields, row[" "+name])
		}
		rows = append(rows, fields)
	}
	return header, rows
}
