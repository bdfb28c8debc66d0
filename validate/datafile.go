package validate

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat/distuv"

	"qlimit/coxian"
	"qlimit/ctmc"
	"qlimit/internal/boundedrows"
	"qlimit/internal/nearest"
	"qlimit/validate/estimate"
)

// DataSet is the outcome of somebody's simulations, to be held against theory.
type DataSet struct {
	Rows  []DataRow // in the order of the file
	Notes []string  // what was taken for granted
}

// DataRow is one number of a DataSet.
type DataRow struct {
	Line          int         // of the file
	System        ctmc.System // as the line and the defaults say
	Quantity      Quantity    // that the value is of
	Value         float64     // as printed
	StandardError float64     // 0 = not given
	Level         float64     // of the confidence interval that the standard error stands for
	Rounding      float64     // half a unit of the last digit that is written

	// errorOf is the row of the same line whose standard error is given, -1 for
	// none; replacementOpen tells that the file does not say whether servers are
	// sampled with or without replacement.
	errorOf         int
	replacementOpen bool
}

// DataDefaults fill in columns that a file does not have.
type DataDefaults struct {
	Policy, Service string  // "" = jsq, exp
	Servers         int64   // 0 = the file must say
	Load            float64 // 0 = the file must say
	Buffer          int     // 0 = unlimited
}

// Limits of a data file.
const (
	mostDataRows    = 100_000
	mostDataBytes   = 64 << 20
	largestDataSize = 1e12 // of a value
)

// ReadData reads a CSV file with a header: columns policy (or d, which means
// power-of-d, and replacement), servers, load, service, buffer, and
//
//   - long: quantity, value, and half_width or standard_error;
//   - wide: a column for each quantity by its name (p_at_least_2 is tail_2); a
//     column standard_error or half_width belongs to the quantity before it, and
//     mean_jobs_standard_error to the quantity in its name.
//
// level is the confidence level of half widths, 0.95 without it. The order of
// the columns is free, other columns are skipped with a note, and lines that
// begin with # too. Errors name the line.
func ReadData(r io.Reader, defaults DataDefaults) (*DataSet, error) {
	reader := csv.NewReader(boundedrows.NewReader(io.LimitReader(r, mostDataBytes), boundedrows.Longest))
	reader.Comment = '#'
	reader.TrimLeadingSpace = true
	header, err := reader.Read()
	switch {
	case err == io.EOF:
		return nil, errors.New("the file is empty (a header and a row for each result are wanted)")
	case err != nil:
		return nil, err
	}
	f := &dataFile{defaults: defaults, set: &DataSet{}, systems: map[string]ctmc.System{}}
	if err := f.readHeader(header); err != nil {
		line, _ := reader.FieldPos(0)
		return nil, fmt.Errorf("line %d: %w", line, err)
	}
	for {
		record, err := reader.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		line, _ := reader.FieldPos(0)
		if err := f.readRow(line, record); err != nil {
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
		if len(f.set.Rows) > mostDataRows {
			return nil, fmt.Errorf("more than %d results", mostDataRows)
		}
	}
	if len(f.set.Rows) == 0 {
		return nil, errors.New("there is no result below the header")
	}
	return f.set, nil
}

// dataFile is a file being read.
type dataFile struct {
	defaults DataDefaults
	set      *DataSet
	columns  []dataColumn
	place    map[string]int // of the columns with a fixed name
	systems  map[string]ctmc.System
	skipped  []string // columns that are not used
}

// dataColumn is a quantity, or the error of one.
type dataColumn struct {
	name     string
	quantity Quantity // "" for a column with another role
	errorOf  int      // the column that this is the error of, -1 for none
	half     bool     // a half width
}

// fixedColumns may stand in any file.
var fixedColumns = []string{"policy", "d", "replacement", "servers", "load", "service", "buffer", "quantity", "value", "half_width", "standard_error", "level"}

func (f *dataFile) readHeader(header []string) error {
	f.place = map[string]int{}
	last := -1
	var skipped []string
	for i, field := range header {
		name := strings.ToLower(strings.TrimSpace(strings.TrimPrefix(field, "\ufeff")))
		column := dataColumn{name: name, errorOf: -1}
		base, half := strings.CutSuffix(name, "half_width")
		standard := false
		if !half {
			base, standard = strings.CutSuffix(name, "standard_error")
		}
		quantity, isQuantity := quantityColumn(name)
		switch {
		case half || standard:
			column.half = half
			if base == "" {
				column.errorOf = last
			} else if column.errorOf = f.columnOf(strings.TrimSuffix(base, "_")); column.errorOf < 0 {
				return fmt.Errorf("column %s: there is no column %s before it", name, strings.TrimSuffix(base, "_"))
			}
		case isQuantity:
			column.quantity = quantity
			last = i
		case !slices.Contains(fixedColumns, name):
			skipped = append(skipped, name)
		}
		if slices.Contains(fixedColumns, name) && column.errorOf < 0 {
			if _, twice := f.place[name]; twice {
				return fmt.Errorf("the column %s is there twice", name)
			}
			f.place[name] = i
		}
		f.columns = append(f.columns, column)
	}
	if f.skipped = skipped; len(skipped) > 0 {
		f.note("columns that are not used: %s", strings.Join(skipped, ", "))
	}
	_, long := f.place["value"]
	_, named := f.place["quantity"]
	switch {
	case long && last >= 0:
		return fmt.Errorf("the columns value and %s: a file has either quantity and value or a column for each quantity", header[last])
	case !long && named:
		return errors.New("the column value is missing")
	case len(header) == 1 && strings.ContainsAny(header[0], ";\t"):
		return fmt.Errorf("%q is one column (must be columns separated by commas, numbers with a decimal point)", header[0])
	case !long && last < 0:
		return fmt.Errorf("no column of results (quantity and value, or columns such as %s, %s, p_wait, tail_2)%s", MeanJobs, MeanResponse, nearestColumn(header))
	case long && !named:
		f.note("no column quantity: taken as %s", MeanJobs)
	}
	return f.noteDefaults()
}

// nearestColumn asks whether the unknown column that is nearest to a result, not
// more than half of it apart, is one.
func nearestColumn(header []string) string {
	results := []string{"value", string(MeanJobs), string(MeanResponse), string(WaitProb), string(BlockProb)}
	least, hint := 0.5, ""
	for _, name := range header {
		guess := nearest.Of(name, results)
		if guess == "" || slices.Contains(fixedColumns, strings.ToLower(name)) {
			continue
		}
		if apart := float64(nearest.Distance(name, guess)) / float64(max(len(name), len(guess))); apart <= least {
			least, hint = apart, fmt.Sprintf("; did you mean %s by %s?", guess, name)
		}
	}
	return hint
}

func quantityColumn(name string) (Quantity, bool) {
	if level, ok := strings.CutPrefix(name, "p_at_least_"); ok {
		name = tailPrefix + level
	}
	q, err := ParseQuantity(name)
	return q, err == nil
}

func (f *dataFile) columnOf(name string) int {
	for i, c := range f.columns {
		if c.name == name && c.quantity != "" {
			return i
		}
	}
	return -1
}

// noteDefaults says what stands in for missing columns.
func (f *dataFile) noteDefaults() error {
	has := func(name string) bool { _, ok := f.place[name]; return ok }
	if f.defaults.Policy == "" {
		f.defaults.Policy = "jsq"
	}
	if f.defaults.Service == "" {
		f.defaults.Service = "exp"
	}
	if !has("policy") && !has("d") {
		f.note("no column policy: taken as %s", f.defaults.Policy)
	}
	if !has("service") {
		f.note("no column service: taken as %s", f.defaults.Service)
	}
	if !has("buffer") {
		buffer := "unlimited"
		if f.defaults.Buffer > 0 {
			buffer = fmt.Sprint(f.defaults.Buffer)
		}
		f.note("no column buffer: taken as %s", buffer)
	}
	switch {
	case !has("servers") && f.defaults.Servers == 0:
		return fmt.Errorf("the column servers is missing (or give --servers)%s", f.unused())
	case !has("load") && f.defaults.Load == 0:
		return fmt.Errorf("the column load is missing (or give --load)%s", f.unused())
	case !has("servers"):
		f.note("no column servers: taken as %d", f.defaults.Servers)
	}
	if !has("load") {
		f.note("no column load: taken as %g", f.defaults.Load)
	}
	return nil
}

func (f *dataFile) unused() string {
	if len(f.skipped) == 0 {
		return ""
	}
	return "; not used: " + strings.Join(f.skipped, ", ")
}

func (f *dataFile) note(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(f.set.Notes, text) {
		f.set.Notes = append(f.set.Notes, text)
	}
}

// cell is the text of a fixed column, "" where there is none.
func (f *dataFile) cell(record []string, name string) string {
	if i, ok := f.place[name]; ok {
		return strings.TrimSpace(record[i])
	}
	return ""
}

func (f *dataFile) readRow(line int, record []string) error {
	system, open, err := f.system(record)
	if err != nil {
		return err
	}
	level := estimate.DefaultLevel
	if text := f.cell(record, "level"); text != "" {
		if level, err = dataNumber("level", text, 0, 1); err != nil {
			return err
		}
		if level == 0 || level == 1 {
			return &ctmc.FieldError{Field: "level", Value: text, Allowed: "between 0 and 1"}
		}
	}
	row := DataRow{Line: line, System: system, Level: level, errorOf: -1, replacementOpen: open}
	if _, long := f.place["value"]; long {
		return f.readLong(row, record)
	}
	return f.readWide(row, record)
}

func (f *dataFile) readLong(row DataRow, record []string) error {
	var err error
	row.Quantity = MeanJobs
	if text := f.cell(record, "quantity"); text != "" {
		known := false
		if row.Quantity, known = quantityColumn(text); !known {
			_, err := ParseQuantity(text)
			return err
		}
	}
	if err := row.setValue("value", f.cell(record, "value")); err != nil {
		return err
	}
	for _, name := range []string{"half_width", "standard_error"} {
		if text := f.cell(record, name); text != "" {
			if row.StandardError, err = row.standardError(name, text, name == "half_width"); err != nil {
				return err
			}
		}
	}
	f.set.Rows = append(f.set.Rows, row)
	return nil
}

// readWide makes a row of every quantity that has a value.
func (f *dataFile) readWide(row DataRow, record []string) error {
	first := len(f.set.Rows)
	places := map[int]int{}
	for i, column := range f.columns {
		text := strings.TrimSpace(record[i])
		switch {
		case text == "":
		case column.quantity != "":
			one := row
			one.Quantity = column.quantity
			if err := one.setValue(column.name, text); err != nil {
				return err
			}
			places[i] = len(f.set.Rows)
			f.set.Rows = append(f.set.Rows, one)
		case column.errorOf >= 0:
			place, ok := places[column.errorOf]
			if !ok {
				continue
			}
			se, err := row.standardError(column.name, text, column.half)
			if err != nil {
				return err
			}
			f.set.Rows[place].StandardError = se
		}
	}
	rows := f.set.Rows[first:]
	if known := slices.IndexFunc(rows, func(r DataRow) bool { return r.StandardError > 0 }); known >= 0 {
		for i := range rows {
			if rows[i].StandardError == 0 {
				rows[i].errorOf = first + known
			}
		}
	}
	return nil
}

// setValue reads a value and how finely it was rounded.
func (r *DataRow) setValue(name, text string) error {
	low := 0.0
	high := largestDataSize
	if r.Quantity != MeanJobs && r.Quantity != MeanResponse {
		high = 1
	}
	x, err := dataNumber(name, text, low, high)
	if err != nil {
		return err
	}
	r.Value = x
	mantissa, exponent, _ := strings.Cut(strings.ToLower(text), "e")
	_, decimals, _ := strings.Cut(mantissa, ".")
	power, _ := strconv.Atoi(exponent)
	r.Rounding = 0.5 * math.Pow(10, float64(power-len(decimals)))
	return nil
}

func (r *DataRow) standardError(name, text string, half bool) (float64, error) {
	x, err := dataNumber(name, text, 0, largestDataSize)
	if half {
		x /= distuv.UnitNormal.Quantile((1 + r.Level) / 2)
	}
	return x, err
}

func dataNumber(name, text string, low, high float64) (float64, error) {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !(x >= low && x <= high) {
		if text == "" {
			text = "missing"
		}
		return 0, &ctmc.FieldError{Field: name, Value: text, Allowed: fmt.Sprintf("a number between %g and %g", low, high)}
	}
	return x, nil
}

// system reads the system of a row; open tells that replacement is not said.
func (f *dataFile) system(record []string) (s ctmc.System, open bool, err error) {
	key := ""
	for _, name := range []string{"policy", "d", "replacement", "servers", "load", "service", "buffer"} {
		key += f.cell(record, name) + "\x00"
	}
	_, hasD := f.place["d"]
	open = hasD && f.cell(record, "d") != "" && f.cell(record, "policy") == "" && f.cell(record, "replacement") == ""
	if known, ok := f.systems[key]; ok {
		return known, open && known.Policy.Depth == 0 && samples(known.Policy) > 1, nil
	}
	s = ctmc.System{Servers: f.defaults.Servers, Load: f.defaults.Load, Buffer: f.defaults.Buffer}
	if s.Policy, err = f.policy(record); err != nil {
		return s, false, err
	}
	service := f.defaults.Service
	if text := f.cell(record, "service"); text != "" {
		service = text
	}
	if s.Service, err = coxian.Parse(service); err != nil {
		return s, false, err
	}
	if text := f.cell(record, "servers"); text != "" {
		x, err := dataNumber("servers", text, 1, float64(ctmc.MaxServers))
		if err != nil || x != math.Trunc(x) {
			return s, false, &ctmc.FieldError{Field: "servers", Value: text, Allowed: "an integer between 1 and 1e15"}
		}
		s.Servers = int64(x)
	}
	if text := f.cell(record, "load"); text != "" {
		if s.Load, err = dataNumber("load", text, ctmc.MinLoad, ctmc.MaxLoad); err != nil {
			return s, false, err
		}
	}
	if text := f.cell(record, "buffer"); text != "" && text != "unlimited" && text != "inf" {
		if s.Buffer, err = strconv.Atoi(text); err != nil || s.Buffer < 0 {
			return s, false, &ctmc.FieldError{Field: "buffer", Value: text, Allowed: "an integer >= 1, or 0 for unlimited"}
		}
	}
	f.systems[key] = s
	return s, open && samples(s.Policy) > 1, s.Validate()
}

// samples is d of a power-of-d policy, 0 of any other.
func samples(p ctmc.Policy) int64 {
	if sampling, ok := p.Fallback.(ctmc.Sampling); ok && p.Depth == 0 {
		return sampling.Choices
	}
	return 0
}

func (f *dataFile) policy(record []string) (ctmc.Policy, error) {
	text := f.cell(record, "policy")
	if d := f.cell(record, "d"); d != "" {
		if text != "" && !strings.EqualFold(text, "pod") && !strings.EqualFold(text, "sq") {
			return ctmc.Policy{}, fmt.Errorf("policy = %s with d = %s (a row with d is power-of-d: policy must be empty or pod)", text, d)
		}
		text = "pod:d=" + d
		if r := f.cell(record, "replacement"); r != "" {
			text += ",replacement=" + r
		}
	}
	if text == "" {
		text = f.defaults.Policy
	}
	return ctmc.ParsePolicy(text)
}
