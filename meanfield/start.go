package meanfield

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"qlimit/ctmc"
)

// startTolerance is how far from 1 the fractions of a start may add up.
const startTolerance = 1e-9

// startGrammar is what ParseStart reads, in the words of its errors.
const startGrammar = `"empty", "jobs=2", "jobs=3,phase=2" or classes "0:0.2,1.1:0.1,3.2:0.7" (level.phase:fraction)`

// ParseStart reads the state in which a path starts, as the command line
// writes it:
//
//	empty                      all servers idle
//	jobs=2                     all servers hold 2 jobs, the one in service in phase 1
//	jobs=3,phase=2             the same with 3 jobs, in phase 2
//	0:0.2,1.1:0.3,3.2:0.5      fractions by class, level.phase:fraction
//
// With exponential service a class may be written level:fraction or
// level.1:fraction. A class may be given once. Fractions are not negative and
// add up to 1 within 1e-9; they are then divided by their sum. Levels go up to
// the buffer of the system. Errors are [ctmc.FieldError].
//
// The state holds the levels up to the highest one with servers.
func ParseStart(text string, sys ctmc.System) (State, error) {
	text = strings.TrimSpace(text)
	b := newStartBuilder(sys)
	switch {
	case text == "empty":
		b.add(0, 1, 1)
	case strings.HasPrefix(text, "jobs"):
		level, phase, err := b.parseUniform(text)
		if err != nil {
			return nil, err
		}
		b.add(level, phase, 1)
	case strings.Contains(text, ":"):
		for _, item := range strings.Split(text, ",") {
			if err := b.parseClass(item); err != nil {
				return nil, err
			}
		}
	default:
		return nil, badStart(text, startGrammar)
	}
	return b.state()
}

// IsStartText reports whether a text is meant in the grammar of [ParseStart]
// rather than as the name of a file.
func IsStartText(text string) bool {
	text = strings.TrimSpace(text)
	first, _, classes := strings.Cut(text, ":")
	_, _, err := splitClass(first)
	return text == "empty" || strings.HasPrefix(text, "jobs=") || classes && err == nil
}

func badStart(value, allowed string) *ctmc.FieldError {
	return &ctmc.FieldError{Field: "start", Value: strconv.Quote(value), Allowed: allowed}
}

// startBuilder collects the fractions of a start.
type startBuilder struct {
	shape  Shape // Levels is the highest level so far
	limit  int   // highest level allowed
	bound  string
	given  map[int]bool
	values State
}

func newStartBuilder(sys ctmc.System) *startBuilder {
	b := &startBuilder{shape: Shape{Phases: sys.Phases()}, limit: sys.Buffer, given: map[int]bool{},
		bound: fmt.Sprintf("between 0 and the buffer, %d", sys.Buffer)}
	if sys.Buffer == ctmc.Unlimited || sys.Buffer > maxPathLevels {
		b.limit, b.bound = maxPathLevels, fmt.Sprintf("between 0 and %d", maxPathLevels)
	}
	return b
}

// parseUniform reads jobs=LEVEL[,phase=PHASE].
func (b *startBuilder) parseUniform(text string) (level, phase int, err error) {
	phase = 1
	seen := map[string]bool{}
	for _, item := range strings.Split(text, ",") {
		key, value, ok := strings.Cut(item, "=")
		key = strings.TrimSpace(key)
		if !ok || key != "jobs" && key != "phase" || seen[key] {
			return 0, 0, badStart(text, startGrammar)
		}
		seen[key] = true
		n, err := strconv.Atoi(strings.TrimSpace(value))
		if err != nil {
			return 0, 0, &ctmc.FieldError{Field: "start " + key, Value: strconv.Quote(value), Allowed: "an integer"}
		}
		if key == "jobs" {
			level = n
		} else {
			phase = n
		}
	}
	if level == 0 && seen["phase"] {
		return 0, 0, &ctmc.FieldError{Field: "start phase", Value: phase, Allowed: "left out for idle servers"}
	}
	return level, phase, b.check(level, phase)
}

// parseClass reads LEVEL[.PHASE]:FRACTION.
func (b *startBuilder) parseClass(item string) error {
	class, value, ok := strings.Cut(item, ":")
	if !ok {
		return badStart(strings.TrimSpace(item), "level.phase:fraction")
	}
	level, phase, err := splitClass(class)
	if err != nil {
		return err
	}
	if phase == phaseLeftOut {
		if level > 0 && b.shape.Phases == 2 {
			return &ctmc.FieldError{Field: "start class", Value: level, Allowed: fmt.Sprintf("%d.1 or %d.2", level, level),
				Reason: "the service law has two phases"}
		}
		phase = 1
	}
	fraction, err := parseFraction(value)
	if err != nil {
		return err
	}
	return b.put(level, phase, fraction)
}

// phaseLeftOut stands for a phase that is not written.
const phaseLeftOut = math.MinInt

// splitClass reads LEVEL[.PHASE].
func splitClass(text string) (level, phase int, err error) {
	text = strings.TrimSpace(text)
	before, after, dotted := strings.Cut(text, ".")
	phase = phaseLeftOut
	level, err = strconv.Atoi(before)
	if err == nil && dotted {
		phase, err = strconv.Atoi(after)
	}
	if err != nil {
		return 0, 0, &ctmc.FieldError{Field: "start class", Value: strconv.Quote(text), Allowed: "level or level.phase, as 3.2"}
	}
	return level, phase, nil
}

func parseFraction(text string) (float64, error) {
	text = strings.TrimSpace(text)
	fraction, err := strconv.ParseFloat(text, 64)
	if err != nil || !(fraction >= 0 && fraction <= 1+startTolerance) {
		return 0, &ctmc.FieldError{Field: "start fraction", Value: strings.Join(strings.Fields(text), " "), Allowed: "a number in [0, 1]"}
	}
	return fraction, nil
}

// check holds a class against the system.
func (b *startBuilder) check(level, phase int) error {
	if level < 0 || level > b.limit {
		return &ctmc.FieldError{Field: "start level", Value: level, Allowed: b.bound}
	}
	if phase < 1 || phase > 2 {
		return &ctmc.FieldError{Field: "start phase", Value: phase, Allowed: "1 or 2"}
	}
	if phase > b.shape.Phases {
		return &ctmc.FieldError{Field: "start phase", Value: phase, Allowed: "1", Reason: "the service law is exponential"}
	}
	return nil
}

// put adds a class after checking it. Idle servers may be given phase 0.
func (b *startBuilder) put(level, phase int, fraction float64) error {
	if level == 0 && phase == 0 {
		phase = 1
	}
	if err := b.check(level, phase); err != nil {
		return err
	}
	if level == 0 && phase > 1 {
		return &ctmc.FieldError{Field: "start phase", Value: phase, Allowed: "left out for idle servers"}
	}
	if c := b.shape.Class(level, phase); b.given[c] {
		name := strconv.Itoa(level)
		if level > 0 && b.shape.Phases == 2 {
			name += "." + strconv.Itoa(phase)
		}
		return &ctmc.FieldError{Field: "start class", Value: name, Allowed: "given once"}
	}
	b.add(level, phase, fraction)
	return nil
}

func (b *startBuilder) add(level, phase int, fraction float64) {
	c := b.shape.Class(level, phase)
	b.given[c] = true
	if fraction == 0 {
		return
	}
	b.shape.Levels = max(b.shape.Levels, level)
	if grow := b.shape.Classes() - len(b.values); grow > 0 {
		b.values = append(b.values, make(State, grow)...)
	}
	b.values[c] = fraction
}

// state checks the sum and returns the normalised fractions.
func (b *startBuilder) state() (State, error) {
	sum := 0.0
	if len(b.values) > 0 {
		sum = total(b.values)
	}
	if !(math.Abs(sum-1) <= startTolerance) {
		return nil, &ctmc.FieldError{Field: "start", Value: fmt.Sprintf("fractions that add up to %.10g", sum),
			Allowed: fmt.Sprintf("fractions that add up to 1, within %g", startTolerance)}
	}
	for c := range b.values {
		b.values[c] /= sum
	}
	return b.values, nil
}
