package meanfield

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"qlimit/ctmc"
)

// ReadStart reads the state in which a path starts from comma-separated
// values: one class a line, level,phase,fraction. A header line with these
// names is optional, and then the columns may come in any order; lines that
// begin with # are comments. For idle servers, and for exponential service,
// the phase may be empty or 1, for idle servers also 0. The same rules as for
// [ParseStart] hold, and errors name the line. A UTF-8 byte order mark is
// passed over; files above 64 MiB and lines above 1 MiB are refused.
func ReadStart(r io.Reader, sys ctmc.System) (State, error) {
	table := csv.NewReader(newStartReader(r))
	table.Comment = '#'
	table.TrimLeadingSpace = true
	table.FieldsPerRecord = 3
	b := newStartBuilder(sys)
	columns := map[string]int{"level": 0, "phase": 1, "fraction": 2}
	for first := true; ; first = false {
		record, err := table.Read()
		if errors.Is(err, io.EOF) {
			if len(b.given) == 0 {
				return nil, &ctmc.FieldError{Field: "start file", Value: "no rows", Allowed: "lines level,phase,fraction"}
			}
			return b.state()
		}
		var syntax *csv.ParseError
		if errors.As(err, &syntax) {
			return nil, &ctmc.FieldError{Field: "start file", Value: fmt.Sprintf("line %d", syntax.Line),
				Allowed: "three columns, level,phase,fraction", Reason: syntax.Err.Error()}
		}
		if err != nil {
			return nil, err
		}
		for i := range record {
			record[i] = strings.TrimSpace(record[i])
		}
		if first && isHeader(record) {
			for name := range columns {
				columns[name] = -1
			}
			for i, name := range record {
				columns[strings.ToLower(name)] = i
			}
			continue
		}
		if err := b.putRecord(record[columns["level"]], record[columns["phase"]], record[columns["fraction"]]); err != nil {
			line, _ := table.FieldPos(0)
			return nil, fmt.Errorf("start file line %d: %w", line, err)
		}
	}
}

// isHeader reports whether a record names the three columns.
func isHeader(record []string) bool {
	names := map[string]bool{}
	for _, name := range record {
		names[strings.ToLower(name)] = true
	}
	return names["level"] && names["phase"] && names["fraction"]
}

func (b *startBuilder) putRecord(level, phase, fraction string) error {
	i, err := strconv.Atoi(level)
	if err != nil {
		return &ctmc.FieldError{Field: "start level", Value: strconv.Quote(level), Allowed: "an integer"}
	}
	m := 1
	if phase != "" || i > 0 && b.shape.Phases == 2 {
		if m, err = strconv.Atoi(phase); err != nil {
			return &ctmc.FieldError{Field: "start phase", Value: strconv.Quote(phase), Allowed: "1 or 2"}
		}
	}
	value, err := parseFraction(fraction)
	if err != nil {
		return err
	}
	return b.put(i, m, value)
}
