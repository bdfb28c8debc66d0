package figure

import (
	"fmt"
	"math"
	"sync"

	"codeberg.org/go-fonts/dejavu/dejavusans"
	"golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"gonum.org/v1/plot/vg"
)

// figureFont is the one font of all figures.
var figureFont = sync.OnceValue(func() *sfnt.Font {
	parsed, err := sfnt.Parse(dejavusans.TTF)
	if err != nil {
		panic(fmt.Sprintf("figure: embedded font: %v", err))
	}
	return parsed
})

// Heights of the font as fractions of its size: what letters with ascenders
// and descenders reach, and the usual distance of two base lines.
const (
	ascent     = 0.76
	descent    = 0.24
	lineHeight = 1.2
	// capMiddle is half the height of a digit, to centre labels on ticks.
	capMiddle = 0.365
)

// A writer turns text into outlines. It is not safe for concurrent use.
type writer struct {
	font  *sfnt.Font
	units fixed.Int26_6 // size at which the font's coordinates come unscaled
	buf   sfnt.Buffer
}

func newWriter() *writer {
	parsed := figureFont()
	return &writer{font: parsed, units: fixed.Int26_6(parsed.UnitsPerEm())}
}

// draws reports whether the font has a glyph for the character.
func (w *writer) draws(r rune) bool {
	index, err := w.font.GlyphIndex(&w.buf, r)
	return err == nil && index != 0
}

// walk calls visit for each glyph of the text with its place relative to the
// start of the base line, y upwards, and returns the width of the text, all in
// font units.
func (w *writer) walk(text string, visit func(index sfnt.GlyphIndex, x, y float64)) float64 {
	x, baseX := 0.0, 0.0
	base := sfnt.GlyphIndex(0)
	for _, r := range text {
		index, err := w.font.GlyphIndex(&w.buf, r)
		if err != nil {
			panic(fmt.Errorf("glyph of %q: %w", r, err))
		}
		if isAccent(r) && base != 0 {
			if visit != nil {
				dx, dy := w.accent(base, index)
				visit(index, baseX+dx, dy)
			}
			continue
		}
		if kern, err := w.font.Kern(&w.buf, base, index, w.units, font.HintingNone); err == nil && base != 0 {
			x += float64(kern)
		}
		box, advance := w.bounds(index)
		if advance == 0 { // a mark that belongs to no letter gets room of its own
			x -= float64(box.Min.X)
			advance = box.Max.X
		}
		if visit != nil {
			visit(index, x, 0)
		}
		base, baseX = index, x
		x += float64(advance)
	}
	return x
}

// isAccent recognises the combining marks that sit above or below one letter.
func isAccent(r rune) bool { return r >= 0x300 && r < 0x35c }

func (w *writer) bounds(index sfnt.GlyphIndex) (fixed.Rectangle26_6, fixed.Int26_6) {
	box, advance, err := w.font.GlyphBounds(&w.buf, index, w.units, font.HintingNone)
	if err != nil {
		panic(fmt.Errorf("bounds of glyph %d: %w", index, err))
	}
	return box, advance
}

// accent centres a combining mark, such as the hat of a diffusion-scaled
// quantity, on its letter, and lifts it clear of capitals.
func (w *writer) accent(base, mark sfnt.GlyphIndex) (dx, dy float64) {
	letter, _ := w.bounds(base)
	sign, _ := w.bounds(mark)
	dx = float64(letter.Min.X+letter.Max.X-sign.Min.X-sign.Max.X) / 2
	const clearance = 0.05 // of the font size
	if sign.Max.Y < 0 {    // a mark above, sfnt counting y downwards
		dy = math.Max(0, float64(sign.Max.Y-letter.Min.Y)+clearance*float64(w.units))
	}
	return dx, dy
}

// width is the length of the text on the page, in points.
func (w *writer) width(text string, size float64) float64 {
	return w.walk(text, nil) * size / float64(w.units)
}

// overshoot is how far the text reaches above its ascent and below its
// descent, as accented capitals do. It is zero for most text.
func (w *writer) overshoot(text string, size float64) (above, below float64) {
	for _, c := range w.outline(text, size, 0, 0, 0) {
		for _, p := range append(c.Control, c.Pos) {
			above = math.Max(above, float64(p.Y)-ascent*size)
			below = math.Max(below, -float64(p.Y)-descent*size)
		}
	}
	return above, below
}

// outline returns the text as one closed path whose base line starts at
// (x, y), turned counterclockwise by angle.
func (w *writer) outline(text string, size, x, y, angle float64) vg.Path {
	scale := size / float64(w.units)
	sin, cos := math.Sincos(angle)
	var path vg.Path
	w.walk(text, func(index sfnt.GlyphIndex, right, up float64) {
		segments, err := w.font.LoadGlyph(&w.buf, index, w.units, nil)
		if err != nil {
			panic(fmt.Errorf("outline of glyph %d: %w", index, err))
		}
		place := func(p fixed.Point26_6) vg.Point {
			// sfnt counts y downwards.
			u, v := (right+float64(p.X))*scale, (up-float64(p.Y))*scale
			return at(x+u*cos-v*sin, y+u*sin+v*cos)
		}
		path = appendGlyph(path, segments, place)
	})
	return path
}

func appendGlyph(path vg.Path, segments sfnt.Segments, place func(fixed.Point26_6) vg.Point) vg.Path {
	for i, s := range segments {
		switch s.Op {
		case sfnt.SegmentOpMoveTo:
			if i > 0 {
				path.Close()
			}
			path.Move(place(s.Args[0]))
		case sfnt.SegmentOpLineTo:
			path.Line(place(s.Args[0]))
		case sfnt.SegmentOpQuadTo:
			path.QuadTo(place(s.Args[0]), place(s.Args[1]))
		case sfnt.SegmentOpCubeTo:
			path.CubeTo(place(s.Args[0]), place(s.Args[1]), place(s.Args[2]))
		}
	}
	if len(segments) > 0 {
		path.Close()
	}
	return path
}
