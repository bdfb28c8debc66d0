package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"qlimit/internal/manifest"
)

// TestEveryFigureHasAPaper: all but those of no paper, under a second name that
// is made from the paper, runs the same command, and cites it.
func TestEveryFigureHasAPaper(t *testing.T) {
	var list struct {
		Figures []struct {
			Name    string
			Paper   *string
			ByPaper *string `json:"by_paper"`
		}
	}
	if err := json.Unmarshal([]byte(invoke("figure", "list", "--format", "json").stdout), &list); err != nil {
		t.Fatal(err)
	}
	root, known := newRoot(&environment{stdout: &watchedWriter{to: &bytes.Buffer{}}, stderr: &bytes.Buffer{}}), bibliography()
	seen := map[string]bool{}
	for _, f := range list.Figures {
		if f.Name == "plot" || f.Name == "chain-total" || f.Name == "response-tail" { // exact chains of any system
			continue
		}
		if f.Paper == nil || f.ByPaper == nil {
			t.Errorf("%s has no paper", f.Name)
			continue
		}
		if seen[*f.ByPaper] {
			t.Errorf("%s is the name of two figures", *f.ByPaper)
		}
		seen[*f.ByPaper] = true
		c, _, err := root.Find([]string{"figure", *f.ByPaper})
		if err != nil || c.Name() != f.Name {
			t.Errorf("%s leads to %s (%v), not to %s", *f.ByPaper, c.Name(), err, f.Name)
			continue
		}
		key := c.Annotations[paperKey]
		if known.text[key] == "" || !strings.Contains(strings.Join(citationsOf(c), " "), key) {
			t.Errorf("%s does not cite %s", f.Name, key)
		}
	}
	if len(seen) < 25 {
		t.Errorf("%d figures", len(seen))
	}
}

// TestAlbum: all formats, the series and a manifest; the same bytes a second
// time, by either name.
func TestAlbum(t *testing.T) {
	first, second := filepath.Join(t.TempDir(), "a"), filepath.Join(t.TempDir(), "b")
	for _, arguments := range [][]string{
		{"figure", "nds-response", "--output-dir", first}, {"figure", "gupta-walton-2019-response", "--output-dir", second},
		{"figure", "collapse", "--servers", "10", "--load", "0.5", "--buffer", "2", "--output-dir", first}, {"figure", "collapse", "--servers", "10", "--load", "0.5", "--buffer", "2", "--output-dir", second},
	} {
		if r := invoke(arguments...); r.code != exitDone {
			t.Fatalf("%v: %s", arguments, r.stderr)
		}
	}
	for _, name := range []string{"nds-response", "collapse"} {
		for _, extension := range []string{".pdf", ".svg", ".png", ".tex", ".csv"} {
			a, err1 := os.ReadFile(filepath.Join(first, name+extension))
			b, err2 := os.ReadFile(filepath.Join(second, name+extension))
			if err1 != nil || err2 != nil || len(a) == 0 || !bytes.Equal(a, b) {
				t.Errorf("%s%s: %v, %v, equal %v", name, extension, err1, err2, bytes.Equal(a, b))
			}
		}
		m, err := manifest.Read(filepath.Join(first, name+".pdf"+manifest.Suffix))
		if err != nil || len(m.Outputs) != 5 {
			t.Errorf("manifest of %s: %v", name, err)
		}
	}
	if r := invoke("rerun", filepath.Join(first, "nds-response.pdf"+manifest.Suffix), "--quiet"); r.code != exitDone {
		t.Errorf("rerun: %s", r.stderr)
	}
	for _, wrong := range [][]string{
		{"figure", "all"},
		{"figure", "nds-response", "--output-dir", first, "--output", "x.pdf"},
		{"figure", "all", "--output-dir", first, "--size", "huge"},
	} {
		if r := invoke(wrong...); r.code != exitRequest || r.stdout != "" {
			t.Errorf("%v: exit code %d, %s", wrong, r.code, r.stdout)
		}
	}
}

// TestAllFigures draws those that take no time as `figure all` draws each.
func TestAllFigures(t *testing.T) {
	o := &allFiguresOptions{environment: &environment{stdout: &watchedWriter{to: &bytes.Buffer{}}, stderr: &bytes.Buffer{}, seed: 1}, directory: t.TempDir(), quick: true, size: "single"}
	figures := drawnFigures(newFigureCommand(o.environment))
	if len(figures) < 25 {
		t.Fatalf("%d figures", len(figures))
	}
	cheap := " trajectory collapse expansion-means least-loaded stein-bounds "
	drawn := 0
	for _, c := range figures {
		if !strings.Contains(cheap, " "+c.Name()+" ") {
			continue
		}
		drawn++
		if err := o.draw(context.Background(), c); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(filepath.Join(o.directory, c.Name()+".pdf"+manifest.Suffix)); err != nil {
			t.Error(err)
		}
	}
	if drawn != 5 {
		t.Errorf("%d of 5 drawn", drawn)
	}
}
