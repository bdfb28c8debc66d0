package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestReadColumn(t *testing.T) {
	const file = "id,seconds\n1,0.5\n2, 1.5\n3,1e1\n"
	for _, c := range []struct {
		text, column string
		want         []float64
	}{
		{"1\n2.5\n", "", []float64{1, 2.5}},
		{"seconds\n1\n2\n", "", []float64{1, 2}},
		{file, "seconds", []float64{0.5, 1.5, 10}},
		{file, "2", []float64{0.5, 1.5, 10}},
		{file, "", []float64{1, 2, 3}},
	} {
		got, err := readColumn(strings.NewReader(c.text), c.column)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%q column %q: %v, %v; want %v", c.text, c.column, got, err, c.want)
		}
	}
	for _, c := range []struct{ text, column, message string }{
		{"", "", "holds no numbers"},
		{"seconds\n", "", "holds no numbers"},
		{"1\nx\n", "", `line 2: "x" (must be a number)`},
		{"1\nNaN\n", "", `"NaN" (must be a number)`},
		{file, "second", "did you mean seconds?"},
		{file, "3", "column = 3 (must be between 1 and 2)"},
		{"1,2\n3\n", "2", "line 2: has 1 fields (column 2 is missing)"},
		{"\"1\n", "", "quote"},
	} {
		if _, err := readColumn(strings.NewReader(c.text), c.column); err == nil || !strings.Contains(err.Error(), c.message) {
			t.Errorf("%q column %q: %v, want %q", c.text, c.column, err, c.message)
		}
	}
}

// A file of (1, 2, 3, 6) has mean 3 and scv 3.5/9 below 1/2: nearest is
// Erlang-2, and what was missed is named.
func TestFitToData(t *testing.T) {
	name := filepath.Join(t.TempDir(), "times.csv")
	if err := os.WriteFile(name, []byte("1\n2\n3\n6\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := invokeJSON(t, "service fit --data "+name)
	near(t, "mean", number(t, r, "mean"), 3, 1e-14)
	near(t, "scv", number(t, r, "scv"), 0.5, 1e-14)
	near(t, "sample_scv", number(t, r, "sample_scv"), 3.5/9, 1e-14)
	if missed := r["not_attainable"].([]any); len(missed) != 2 || missed[0] != "scv" {
		t.Errorf("not_attainable = %v", missed)
	}
	if len(r["warnings"].([]any)) == 0 {
		t.Error("no warning")
	}
	// A maximum likelihood fit of a phase-type law has the mean of the data.
	em := invokeJSON(t, "service fit --method em --data "+name)
	near(t, "mean by maximum likelihood", number(t, em, "mean"), 3, 1e-3)
}
