package meanfield

import (
	"errors"
	"math"
	"strings"
	"testing"

	"qlimit/ctmc"
)

func startSystem(exp bool, buffer int) ctmc.System {
	sys := ctmc.System{Load: .9, Buffer: buffer, Service: scv2, Policy: ctmc.JSQ()}
	if exp {
		sys.Service = exponential
	}
	return sys
}

func sameState(a, b State) bool {
	if len(a) != len(b) {
		return false
	}
	for c := range a {
		if math.Abs(a[c]-b[c]) > 1e-16 {
			return false
		}
	}
	return true
}

// TestParseStart reads every form of the grammar.
func TestParseStart(t *testing.T) {
	for _, c := range []struct {
		text        string
		exponential bool
		want        State
	}{
		{"empty", false, State{1}},
		{"empty", true, State{1}},
		{"jobs=0", false, State{1}},
		{"jobs=2", false, State{0, 0, 0, 1, 0}},
		{"jobs=2", true, State{0, 0, 1}},
		{" jobs = 3 , phase = 2 ", false, State{0, 0, 0, 0, 0, 0, 1}},
		{"0:0.2,1.1:0.1,1.2:0.1,3.1:0.3,3.2:0.3", false, State{.2, .1, .1, 0, 0, .3, .3}},
		{"3.2:.3, 0:.7", false, State{.7, 0, 0, 0, 0, 0, .3}},
		{"0:0.5,2:0.25,1.1:0.25", true, State{.5, .25, .25}},
		{"0:1,4.2:0", false, State{1}},
		{"0:0.49999999995,1.1:0.5", false, State{.49999999995 / .99999999995, .5 / .99999999995, 0}},
	} {
		got, err := ParseStart(c.text, startSystem(c.exponential, 6))
		if err != nil || !sameState(got, c.want) {
			t.Errorf("%q: %v, %v, want %v", c.text, got, err, c.want)
		}
		if !IsStartText(c.text) && !strings.HasPrefix(c.text, " ") {
			t.Errorf("%q taken for a file", c.text)
		}
	}
	for _, name := range []string{"start.csv", "C:start", "./0:1", "jobs.csv", "empty.csv"} {
		if IsStartText(name) {
			t.Errorf("file %q taken for a start", name)
		}
	}
}

// TestParseStartErrors: every error names the field, the value and what is
// allowed.
func TestParseStartErrors(t *testing.T) {
	for _, c := range []struct {
		text        string
		exponential bool
		field       string
		says        string
	}{
		{"full", false, "start", "empty"},
		{"", false, "start", "jobs=2"},
		{"jobs", false, "start", "jobs=2"},
		{"jobs=x", false, "start jobs", "an integer"},
		{"jobs=7", false, "start level", "the buffer, 6"},
		{"jobs=-1", false, "start level", "the buffer, 6"},
		{"jobs=2,phase=3", false, "start phase", "1 or 2"},
		{"jobs=2,phase=2", true, "start phase", "exponential"},
		{"jobs=2,jobs=3", false, "start", "jobs=2"},
		{"jobs=0,phase=1", false, "start phase", "idle"},
		{"0:0.5", false, "start", "0.5"},
		{"0:0.5,1.1:0.500000002", false, "start", "1.000000002"},
		{"0:1,1.1:-0.1", false, "start fraction", "[0, 1]"},
		{"0:nan", false, "start fraction", "nan"},
		{"0:1e999", false, "start fraction", "1e999"},
		{"0:0.5,1:0.5", false, "start class", "1.1 or 1.2"},
		{"0:0.5,1.2:0.5", true, "start phase", "exponential"},
		{"0:0.5,1.0:0.5", false, "start phase", "1 or 2"},
		{"2.0:1", false, "start phase", "start phase = 0 "},
		{"0:0.5,1.1:0.25,1.1:0.25", false, "start class", "once"},
		{"0:0.5,0:0.5", false, "start class", "once"},
		{"0:0.5,7.1:0.5", false, "start level", "7"},
		{"0.2:1", false, "start phase", "idle"},
		{"a.1:1", false, "start class", "a.1"},
		{"0:0.5,1.1", false, "start", "level.phase:fraction"},
	} {
		_, err := ParseStart(c.text, startSystem(c.exponential, 6))
		var field *ctmc.FieldError
		if !errors.As(err, &field) || field.Field != c.field || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%q: error %v, want field %q and %q", c.text, err, c.field, c.says)
		}
	}
	if _, err := ParseStart("jobs=100000", startSystem(true, ctmc.Unlimited)); err == nil {
		t.Error("a start beyond the largest number of levels was accepted")
	}
}

// TestReadStart reads files with and without a header, comments and blanks.
func TestReadStart(t *testing.T) {
	want := State{.2, .1, .1, 0, 0, .3, .3}
	for name, text := range map[string]string{
		"header":   "level,phase,fraction\n0,,0.2\n1,1,0.1\n1,2,0.1\n3,1,0.3\n3,2,0.3\n",
		"plain":    "# a start\n0,1,.2\n1, 1, .1\n1,2,.1\n\n3,1,.3\n# end\n3,2,3e-1",
		"mark":     "\ufefflevel,phase,fraction\n0,0,0.2\n1,1,0.1\n1,2,0.1\n3,1,0.3\n3,2,0.3\n",
		"reversed": "Fraction,Phase,Level\r\n.2,,0\r\n.1,1,1\r\n.1,2,1\r\n.3,1,3\r\n.3,2,3\r\n",
	} {
		got, err := ReadStart(strings.NewReader(text), startSystem(false, 6))
		if err != nil || !sameState(got, want) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	got, err := ReadStart(strings.NewReader("0,,.5\n2,,.5\n"), startSystem(true, 6))
	if err != nil || !sameState(got, State{.5, 0, .5}) {
		t.Errorf("exponential: %v, %v", got, err)
	}
	for name, c := range map[string]struct{ text, says string }{
		"columns": {"0,1\n", "line 1"}, "level": {"# x\nx,1,1\n", "line 2"}, "phase": {"1,,1\n", "line 1"},
		"fraction": {"0,1,half\n", "half"}, "sum": {"0,1,.9\n", "0.9"}, "twice": {"0,1,.5\n0,1,.5\n", "line 2"},
		"nothing": {"# nothing\n", "no rows"}, "empty": {"", "no rows"}, "header only": {"level,phase,fraction\n", "no rows"}, "phase 0": {"1,0,1\n", "1 or 2"},
		"long line": {"# " + strings.Repeat("x", 1<<20) + "\n0,1,1\n", "1 MiB"}, "long file": {strings.Repeat("# x\n", 17<<20) + "0,1,1\n", "64 MiB"}, "buffer": {"9,1,1\n", "buffer"}, "quote": {"0,1,\"1\n", "start file"},
	} {
		_, err := ReadStart(strings.NewReader(c.text), startSystem(false, 6))
		var field *ctmc.FieldError
		if !errors.As(err, &field) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: error %v, want one that says %q", name, err, c.says)
		}
	}
}
