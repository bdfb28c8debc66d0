package meanfield

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"qlimit/ctmc"
)

// checkFuzzedStart: a start that is read is a law on the classes of the system;
// a refusal names a field on one line.
func checkFuzzedStart(t *testing.T, text string, sys ctmc.System, state State, err error) {
	t.Helper()
	if err != nil {
		var field *ctmc.FieldError
		if !errors.As(err, &field) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v", text, err)
		}
		return
	}
	sum := 0.0
	for c, x := range state {
		if !(x >= 0 && x <= 1) {
			t.Errorf("%q: class %d has %g", text, c, x)
		}
		sum += x
	}
	if !(math.Abs(sum-1) <= 1e-12) {
		t.Errorf("%q: fractions add up to %.17g", text, sum)
	}
	levels := (len(state) - 1) / sys.Phases()
	if (len(state)-1)%sys.Phases() != 0 || levels > maxPathLevels || sys.Buffer > 0 && levels > sys.Buffer {
		t.Errorf("%q: %d classes for buffer %d, %d phases", text, len(state), sys.Buffer, sys.Phases())
	}
}

// FuzzParseStart: what is read is a law, and written class by class with all
// digits it is read again as the same.
func FuzzParseStart(f *testing.F) {
	for _, text := range []string{"empty", "jobs=2", "jobs=3,phase=2", "0:0.2,1.1:0.3,3.2:0.5", "0:.5,1:.5", "0.0:1", "jobs=", "1.1:1e-300,2.1:1", "4.1:1.0000000001", ":,.", "0:nan,1.1:1", "jobs=9223372036854775807"} {
		f.Add(text, true, 5)
		f.Add(text, false, 0)
	}
	f.Fuzz(func(t *testing.T, text string, exponential bool, buffer int) {
		if buffer < 0 {
			return
		}
		sys := startSystem(exponential, buffer)
		state, err := ParseStart(text, sys)
		checkFuzzedStart(t, text, sys, state, err)
		if err != nil || len(state) > 1000 {
			return
		}
		var parts []string
		shape := Shape{Phases: sys.Phases()}
		for c, x := range state {
			level, phase := 0, 1
			if c > 0 {
				level, phase = (c-1)/sys.Phases()+1, (c-1)%sys.Phases()+1
			}
			if shape.Class(level, phase) != c {
				t.Fatalf("class %d is not level %d, phase %d", c, level, phase)
			}
			parts = append(parts, fmt.Sprintf("%d.%d:%.17g", level, phase, x))
		}
		again, err := ParseStart(strings.Join(parts, ","), sys)
		if err != nil || !sameState(again, state) {
			t.Errorf("%q is %v, written out it is %v, %v", text, state, again, err)
		}
	})
}

// FuzzReadStart: the file and the flag say the same of the same classes.
func FuzzReadStart(f *testing.F) {
	for _, text := range []string{"0,,0.5\n1,1,0.5\n", "level,phase,fraction\n3,2,1\n", "# comment\nfraction,level,phase\n1,0,0\n", "\ufeff0,,1", "0,,1,\n", "\"0\",\"\",\"1\"", "0,,1\n0,,0\n"} {
		f.Add(text, true, 5)
		f.Add(text, false, 0)
	}
	f.Fuzz(func(t *testing.T, text string, exponential bool, buffer int) {
		if buffer < 0 {
			return
		}
		sys := startSystem(exponential, buffer)
		state, err := ReadStart(strings.NewReader(text), sys)
		checkFuzzedStart(t, text, sys, state, err)
	})
}
