package main

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"qlimit/validate/estimate"
)

func TestSignificant(t *testing.T) {
	for _, c := range []struct {
		x    float64
		want string
	}{
		{0, "0"}, {1, "1"}, {0.1 + 0.2, "0.3"}, {2.3526516395914885, "2.35265164"},
		{1e-12, "1e-12"}, {123456789.123, "123456789.1"}, {1e15, "1e+15"},
	} {
		if got := significant(c.x); got != c.want {
			t.Errorf("significant(%g) = %q, want %q", c.x, got, c.want)
		}
	}
}

// TestCircumstance: a number that does not exist is written as such.
func TestCircumstance(t *testing.T) {
	for want, v := range map[string]any{"0.333333": 1. / 3, "-": math.Inf(-1), "true": true} {
		if got := circumstance(v); got != want {
			t.Errorf("%v is written %q, want %q", v, got, want)
		}
	}
	if o := invoke("bound", "stein", "-n", "100", "--load", "0.5", "--buffer", "2"); strings.Contains(o.stdout, "Inf") {
		t.Errorf("infinity in\n%s", o.stdout)
	}
}

func TestInterval(t *testing.T) {
	for _, c := range []struct {
		value, half float64
		want        string
	}{
		{2.39876, 0.05612, "2.399 ± 0.056"},
		{0.813, 0.0081, "0.8130 ± 0.0081"},
		{123.4567, 12.3, "123 ± 12"},
		{123456, 1234, "123456 ± 1234"},
		{6.3e-5, 5.7e-5, "(6.3 ± 5.7)e-05"},
		{1.234e20, 5e17, "(1.2340 ± 0.0050)e+20"},
		{0.5, 0, "0.5"},
	} {
		e := estimate.Estimate{Status: estimate.Usable, Value: c.value, HalfWidth: c.half}
		if got := interval(e); got != c.want {
			t.Errorf("%g ± %g is written %q, want %q", c.value, c.half, got, c.want)
		}
	}
	if got := interval(estimate.Estimate{}); got != noNumber {
		t.Errorf("an undefined estimate is written %q", got)
	}
}

func TestAlignPoints(t *testing.T) {
	cells := []string{"1.5", "123", "-2.25", "1e-12", "decreasing", "-"}
	alignPoints(cells)
	want := []string{"  1.5", "123", " -2.25", "  1e-12", "decreasing", "  -"}
	if !slices.Equal(cells, want) {
		t.Errorf("%q, want %q", cells, want)
	}
}

func TestParseCount(t *testing.T) {
	for text, want := range map[string]int64{"10": 10, "1e9": 1e9, "1.5e3": 1500, "1E6": 1e6, "+7": 7} {
		if n, ok := parseCount(text); !ok || n != want {
			t.Errorf("parseCount(%q) = %d, %v", text, n, ok)
		}
	}
	for _, text := range []string{"", "1.5", "1e-1", "NaN", "Inf", "0x10", "1_000", "1e400", "1e17", " 1"} {
		if n, ok := parseCount(text); ok {
			t.Errorf("parseCount(%q) = %d", text, n)
		}
	}
}

func TestShortCount(t *testing.T) {
	for n, want := range map[int64]string{1e8: "1e8", 5_000_000: "5e6", 50_000: "50000", 16: "16"} {
		if got := shortCount(n); got != want {
			t.Errorf("shortCount(%d) = %q, want %q", n, got, want)
		}
	}
}

// Tables end no line with blanks, align their columns and cap long vectors.
func TestTableLayout(t *testing.T) {
	o := invoke("meanfield", "equilibrium", "--load", "0.9", "--policy", "random")
	for _, line := range strings.Split(o.stdout, "\n") {
		if strings.TrimRight(line, " ") != line {
			t.Errorf("blanks at the end of %q", line)
		}
	}
	if !strings.Contains(o.stdout, "more rows: --format csv or json shows all.") {
		t.Errorf("a long tail is not capped:\n%s", o.stdout)
	}
	var columns []int
	for _, line := range strings.Split(o.stdout, "\n") {
		if i := strings.Index(line, " limit"); i >= 0 {
			columns = append(columns, len([]rune(line[:i])))
		}
	}
	if len(columns) != 4 || slices.Min(columns) != slices.Max(columns) {
		t.Errorf("the kinds stand in columns %v", columns)
	}
}

// Without a terminal there is a line every ten seconds, not more.
func TestProgressLines(t *testing.T) {
	var stderr bytes.Buffer
	clock := time.Unix(0, 0)
	p := newLines(&stderr, "simulating", func() time.Time { return clock })
	for second := 0; second <= 25; second++ {
		clock = time.Unix(int64(second), 0)
		p.report(float64(second)/50, "detail")
	}
	p.close()
	if want := "qlimit: simulating: 20% (detail), about 40s left\nqlimit: simulating: 40% (detail), about 30s left\n"; stderr.String() != want {
		t.Errorf("%q, want %q", stderr.String(), want)
	}
}

// Work of several passes counts them and says what is left of each.
func TestProgressPasses(t *testing.T) {
	var stderr bytes.Buffer
	clock := time.Unix(0, 0)
	p := newLines(&stderr, "solving", func() time.Time { return clock })
	for second, share := range []float64{0, 0.2, 0.4, 0.8, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7} {
		clock = time.Unix(int64(second), 0)
		p.report(share, "")
	}
	if want := "qlimit: solving, pass 2: 70%, about 3s left of it\n"; stderr.String() != want {
		t.Errorf("%q, want %q", stderr.String(), want)
	}
}

// What is left is said in a unit that can be read, and nothing of it at 0.
func TestTimeLeft(t *testing.T) {
	for _, c := range []struct {
		share float64
		want  string
	}{
		{0, ""}, {1, ""}, {0.25, ", about 30s left"}, {1e-4, ", about 27h46m30s left"},
		{1e-6, ", about 116 days left"}, {1e-300, ", centuries left at this rate"},
	} {
		if got := timeLeft(c.share, 10*time.Second); got != c.want {
			t.Errorf("share %g: %q, want %q", c.share, got, c.want)
		}
	}
}

func TestQuietShowsNoProgress(t *testing.T) {
	var stderr bytes.Buffer
	p := (&environment{stderr: &stderr, quiet: true}).newProgress("simulating")
	p.report(0.5, "")
	p.close()
	if stderr.Len() > 0 {
		t.Errorf("--quiet printed %q", stderr.String())
	}
}
