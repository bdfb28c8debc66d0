package validate

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"qlimit/ctmc"
)

// Samples reads the occupancy samples of a simulation row by row, from CSV with
// a header:
//
//	time,idle,1,2,3          level counts: servers with 0, 1, 2, 3 jobs
//	weight,idle,1.1,1.2,2.1  counts by class level.phase, for a law with two phases
//
// 0 and n0 stand for idle as well, n2 and n1.2 for 2 and 1.2. The idle column may
// be left out. The first column may be a time, at which the row's state begins:
// a row then counts for the time until the next one; or a weight. Without either
// every row counts the same. Lines that begin with # are skipped. Every row must
// add up to the servers of the system.
type Samples struct {
	system  ctmc.System
	in      *bufio.Reader
	line    int
	columns []sampleColumn
	idle    int // its column, -1 for none
	levels  int
	timed   bool
	clock   float64 // of the row that is waiting
	waiting bool
	counts  []int64
	next    []int64
}

// sampleColumn says what a column holds: a class, or time or weight.
type sampleColumn struct {
	name  string
	class int // -1: time, -2: weight
}

const (
	timeColumn   = -1
	weightColumn = -2
)

// Limits of a file of samples.
const (
	mostSampleLevels = 10_000
	longestLine      = 1 << 20
)

// NewSamples reads the header. Errors name the line.
func NewSamples(r io.Reader, s ctmc.System) (*Samples, error) {
	samples := &Samples{system: s, in: bufio.NewReaderSize(r, longestLine), idle: -1}
	line, err := samples.readLine()
	switch {
	case err == io.EOF:
		return nil, errors.New("the file is empty (a header and a row for each sample are wanted)")
	case err != nil:
		return nil, err
	}
	if err := samples.readHeader(strings.TrimPrefix(string(line), "\ufeff")); err != nil {
		return nil, fmt.Errorf("line %d: %w", samples.line, err)
	}
	return samples, nil
}

// Levels is the highest level that the file has a column for.
func (s *Samples) Levels() int { return s.levels }

// Line is the number of the line read last, from 1.
func (s *Samples) Line() int { return s.line }

func (s *Samples) readHeader(header string) error {
	classes := map[int]string{}
	for i, field := range strings.Split(header, ",") {
		name := strings.ToLower(strings.Trim(strings.TrimSpace(field), `"`))
		column := sampleColumn{name: name}
		switch name {
		case "time", "t":
			column.class, s.timed = timeColumn, true
		case "weight", "w":
			column.class = weightColumn
		default:
			level, phase, err := parseClassName(name, s.system.Phases())
			if err != nil {
				return fmt.Errorf("column %d of the header: %w", i+1, err)
			}
			s.levels = max(s.levels, level)
			column.class = classIndex(level, phase, s.system.Phases())
			if column.class == 0 {
				s.idle = i
			}
		}
		if column.class < 0 && i > 0 {
			return fmt.Errorf("the column %s must be the first", name)
		}
		if before, twice := classes[column.class]; twice {
			return fmt.Errorf("the columns %s and %s say the same", before, name)
		}
		classes[column.class] = name
		s.columns = append(s.columns, column)
	}
	if s.levels == 0 {
		return errors.New("the header has no column for servers with jobs, such as 1, 2, 3 (or 1.1, 1.2, 2.1, 2.2 for two phases)")
	}
	size := classIndex(s.levels, s.system.Phases(), s.system.Phases()) + 1
	s.counts, s.next = make([]int64, size), make([]int64, size)
	return nil
}

func classIndex(level, phase, phases int) int {
	if level == 0 {
		return 0
	}
	return 1 + (level-1)*phases + phase - 1
}

// parseClassName reads idle, a level, or level.phase.
func parseClassName(name string, phases int) (level, phase int, err error) {
	wanted := "time, weight, idle or a number of jobs, such as 2"
	if phases == 2 {
		wanted = "time, weight, idle or jobs.phase, such as 2.1"
	}
	refused := fmt.Errorf("%q (must be %s)", shortText([]byte(name)), wanted)
	levelText, phaseText, hasPhase := strings.Cut(strings.TrimPrefix(name, "n"), ".")
	if name == "idle" {
		return 0, 1, nil
	}
	level, err = strconv.Atoi(levelText)
	if err != nil || level < 0 {
		return 0, 0, refused
	}
	phase = 1
	if hasPhase {
		if phase, err = strconv.Atoi(phaseText); err != nil || phase < 1 || phase > 2 {
			return 0, 0, refused
		}
	}
	switch {
	case level > mostSampleLevels:
		return 0, 0, fmt.Errorf("%q (must be at most %d jobs)", shortText([]byte(name)), mostSampleLevels)
	case level == 0:
		return 0, 1, nil
	case phases == 2 && !hasPhase:
		return 0, 0, fmt.Errorf("%q says nothing of the phase (the service law has two: %s.1 and %s.2 are wanted)", shortText([]byte(name)), levelText, levelText)
	case phase > phases:
		return 0, 0, fmt.Errorf("%q (the service law of the system has one phase)", shortText([]byte(name)))
	}
	return level, phase, nil
}

// Next returns the next state and the weight it counts with; io.EOF after the
// last one. The counts are valid until the next call. The last row of a file
// with times ends the one before and does not count itself. Errors: a malformed
// row, or one that does not add up to the servers, with its line.
func (s *Samples) Next() (counts []int64, weight float64, err error) {
	for {
		mark, err := s.readRow()
		if err != nil {
			return nil, 0, err
		}
		s.counts, s.next = s.next, s.counts // the row just read is s.counts
		if !s.timed {
			return s.counts, mark, nil
		}
		before, had := s.clock, s.waiting
		s.clock, s.waiting = mark, true
		switch {
		case had && mark < before:
			return nil, 0, fmt.Errorf("line %d: time %g is before %g of the row above", s.line, mark, before)
		case had:
			return s.next, mark - before, nil
		}
	}
}

// readRow reads a row into next and returns its time or weight.
func (s *Samples) readRow() (mark float64, err error) {
	line, err := s.readLine()
	if err != nil {
		return 0, err
	}
	mark = 1
	clear(s.next)
	total := int64(0)
	for i := range s.columns {
		column := &s.columns[i]
		field, rest, more := bytes.Cut(line, comma)
		if more == (i == len(s.columns)-1) {
			return 0, fmt.Errorf("line %d: %d fields (must be %d as in the header)", s.line, i+1+bytes.Count(rest, comma)+boolCount(more), len(s.columns))
		}
		line = rest
		if column.class < 0 {
			if mark, err = s.readMark(column, field); err != nil {
				return 0, err
			}
			continue
		}
		n, ok := parseDigits(field)
		if !ok {
			return 0, fmt.Errorf("line %d: column %s = %q (must be a number of servers: an integer >= 0)", s.line, column.name, shortText(field))
		}
		if total += n; n > s.system.Servers || total > s.system.Servers {
			return 0, s.wrongTotal(total)
		}
		s.next[column.class] = n
	}
	if s.idle < 0 {
		s.next[0] = s.system.Servers - total
		total = s.system.Servers
	}
	if total != s.system.Servers {
		return 0, s.wrongTotal(total)
	}
	return mark, s.checkBuffer()
}

var comma = []byte{','}

func boolCount(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (s *Samples) wrongTotal(total int64) error {
	if total > s.system.Servers {
		return fmt.Errorf("line %d: the counts add to more than the %d servers of the system", s.line, s.system.Servers)
	}
	return fmt.Errorf("line %d: the counts add to %d (must be %d, the servers of the system)", s.line, total, s.system.Servers)
}

func (s *Samples) checkBuffer() error {
	if s.system.Buffer == ctmc.Unlimited || s.system.Buffer >= s.levels {
		return nil
	}
	for class := classIndex(s.system.Buffer+1, 1, s.system.Phases()); class < len(s.next); class++ {
		if s.next[class] > 0 {
			return fmt.Errorf("line %d: a server with more than %d jobs, the buffer of the system", s.line, s.system.Buffer)
		}
	}
	return nil
}

func (s *Samples) readMark(column *sampleColumn, field []byte) (float64, error) {
	x, err := strconv.ParseFloat(strings.TrimSpace(string(field)), 64)
	if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
		return 0, fmt.Errorf("line %d: column %s = %q (must be a number)", s.line, column.name, shortText(field))
	}
	if column.class == weightColumn && !(x >= 0 && x <= 1e100) {
		return 0, fmt.Errorf("line %d: weight = %g (must be >= 0 and at most 1e100)", s.line, x)
	}
	if math.Abs(x) > 1e100 {
		return 0, fmt.Errorf("line %d: time = %g (must be between -1e100 and 1e100)", s.line, x)
	}
	return x, nil
}

// readLine returns the next line that is neither empty nor a comment, without
// its end.
func (s *Samples) readLine() ([]byte, error) {
	for {
		line, err := s.in.ReadSlice('\n')
		if err == bufio.ErrBufferFull {
			return nil, fmt.Errorf("line %d: longer than %d bytes", s.line+1, longestLine)
		}
		if err != nil && (err != io.EOF || len(line) == 0) {
			return nil, err
		}
		s.line++
		line = bytes.TrimRight(line, "\r\n")
		if len(bytes.TrimSpace(line)) > 0 && line[0] != '#' {
			return line, nil
		}
	}
}

// parseDigits reads a count; 12.0 is one, as floating-point arrays are written.
func parseDigits(field []byte) (int64, bool) {
	n, digits := int64(0), 0
	for _, c := range field {
		if c < '0' || c > '9' || digits > 17 {
			return parseCount(field)
		}
		n = 10*n + int64(c-'0')
		digits++
	}
	return n, digits > 0
}

// parseCount is the slow way, for numbers with spaces or a decimal point.
func parseCount(field []byte) (int64, bool) {
	x, err := strconv.ParseFloat(strings.Trim(strings.TrimSpace(string(field)), `"`), 64)
	if err != nil || x != math.Trunc(x) || x < 0 || x > float64(ctmc.MaxServers) {
		return 0, false
	}
	return int64(x), true
}

func shortText(field []byte) string {
	if len(field) > 40 {
		return string(field[:40]) + "..."
	}
	return string(field)
}
