package figure

import (
	"math"
	"reflect"
	"testing"

	"golang.org/x/image/font"
	"gonum.org/v1/plot/vg"
)

const mathematics = "αβγδεζηθικλμνξοπρστυφχψωΓΔΘΛΞΠΣΦΨΩ⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺₀₁₂₃ᵢ≤≥≠≈∞√−×·±→∑∂∈⌊⌋⌈⌉ℓ…–′"

func TestMathematicsHasGlyphs(t *testing.T) {
	w := newWriter()
	missing := w.outline("\U0010FFFD", 10, 0, 0, 0) // no font has this one
	for _, r := range mathematics {
		index, err := figureFont().GlyphIndex(nil, r)
		if err != nil || index == 0 || !w.draws(r) {
			t.Errorf("%q: glyph %d, error %v", r, index, err)
		}
		path := w.outline(string(r), 10, 0, 0, 0)
		if len(path) == 0 || reflect.DeepEqual(path, missing) {
			t.Errorf("%q is drawn as %d components", r, len(path))
		}
	}
	if w.draws('\U0010FFFD') {
		t.Error("a character without glyph is said to have one")
	}
}

// The width must be what the font says: the sum of the advances, which for
// digits, never kerned, is exact.
func TestWidthIsSumOfAdvances(t *testing.T) {
	w := newWriter()
	want := 0.0
	for _, r := range "3141592" {
		index, _ := figureFont().GlyphIndex(nil, r)
		advance, err := figureFont().GlyphAdvance(nil, index, w.units, font.HintingNone)
		if err != nil {
			t.Fatal(err)
		}
		want += float64(advance) / float64(w.units) * 12
	}
	if got := w.width("3141592", 12); math.Abs(got-want) > 1e-12 {
		t.Errorf("width %v, want %v", got, want)
	}
}

// Outlines lie on the base line where they were asked for, also turned.
func TestOutlinePlacement(t *testing.T) {
	w := newWriter()
	level := boundsOf(w.outline("HHH", 10, 100, 50, 0))
	if level.y0 != 50 || math.Abs(level.y1-50-7.29) > 0.05 { // capitals of DejaVu Sans are 0.729 high
		t.Errorf("level text spans y %v to %v", level.y0, level.y1)
	}
	if level.x0 < 100 || level.x1 > 100+w.width("HHH", 10) {
		t.Errorf("level text spans x %v to %v", level.x0, level.x1)
	}
	turned := boundsOf(w.outline("HHH", 10, 100, 50, math.Pi/2))
	for _, pair := range [][2]float64{
		{turned.x1, 100}, {turned.x0, 100 - (level.y1 - 50)},
		{turned.y0, 50 + level.x0 - 100}, {turned.y1, 50 + level.x1 - 100},
	} {
		if math.Abs(pair[0]-pair[1]) > 1e-9 {
			t.Errorf("turned text: %v, want %v", pair[0], pair[1])
		}
	}
}

func TestAccentSitsOnLetter(t *testing.T) {
	w := newWriter()
	for _, letter := range []string{"Q", "x", "λ", "N"} {
		bare, hatted := boundsOf(w.outline(letter, 10, 0, 0, 0)), w.outline(letter+"\u0302", 10, 0, 0, 0)
		n := len(w.outline(letter, 10, 0, 0, 0))
		hat := boundsOf(hatted[n:])
		if hat.y0 <= bare.y1 {
			t.Errorf("hat of %s starts at %v, letter ends at %v", letter, hat.y0, bare.y1)
		}
		if off := (hat.x0 + hat.x1 - bare.x0 - bare.x1) / 2; math.Abs(off) > 1e-9 {
			t.Errorf("hat of %s is %v off centre", letter, off)
		}
		if w.width(letter, 10) != w.width(letter+"\u0302", 10) {
			t.Errorf("a hat widens %s", letter)
		}
	}
}

func TestWrap(t *testing.T) {
	w := newWriter()
	for _, c := range []struct {
		text  string
		width float64
		lines int
		cut   bool
		count int
	}{
		{"", 100, 3, false, 0},
		{"short", 100, 3, false, 1},
		{"several words that need a second line", 120, 3, false, 2},
		{"several words that need a second line", 120, 1, true, 1},
		{"Donaudampfschifffahrtsgesellschaft", 50, 9, false, 3},
		{"λλλλλλλλλλλλλλλλ", 0.1, 20, false, 16},
		{"\xff\xfe broken \xff", 100, 3, false, 1},
	} {
		lines, cut := w.wrap(c.text, 8, c.width, c.lines)
		if cut != c.cut || len(lines) != c.count {
			t.Errorf("%q in %v: %d lines %q, cut %v", c.text, c.width, len(lines), lines, cut)
		}
		for _, line := range lines {
			if got := w.width(line, 8); got > c.width && len([]rune(line)) > 1 {
				t.Errorf("%q is %v wide, allowed %v", line, got, c.width)
			}
		}
	}
}

// boundsOf is the box of all points of a path, control points included.
func boundsOf(path vg.Path) rect {
	box := rect{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}
	for _, c := range path {
		if c.Type == vg.CloseComp {
			continue
		}
		for _, p := range append([]vg.Point{c.Pos}, c.Control...) {
			box.x0, box.x1 = math.Min(box.x0, float64(p.X)), math.Max(box.x1, float64(p.X))
			box.y0, box.y1 = math.Min(box.y0, float64(p.Y)), math.Max(box.y1, float64(p.Y))
		}
	}
	return box
}
