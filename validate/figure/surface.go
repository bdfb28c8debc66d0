package figure

import (
	"math"

	"gonum.org/v1/plot/vg"
)

// A surface is what a figure is drawn on. Coordinates are points (1/72 inch)
// from the lower left corner. Two operations are all a figure needs, since
// text arrives as outlines and clipping is done before drawing.
type surface interface {
	Fill(path vg.Path, with ink)
	Stroke(path vg.Path, with pen)
}

// An ink is a colour and how much it covers what lies below, 0 to 1.
type ink struct {
	R, G, B uint8
	Cover   float64
}

// A pen strokes with round joins and flat ends.
type pen struct {
	ink
	Width float64   // points
	Dash  []float64 // lengths of dashes and gaps in points; none for a solid line
}

func (i ink) fading(cover float64) ink {
	i.Cover *= cover
	return i
}

func at(x, y float64) vg.Point {
	return vg.Point{X: vg.Length(x), Y: vg.Length(y)}
}

// A rect is an upright rectangle.
type rect struct{ x0, y0, x1, y1 float64 }

func (r rect) width() float64  { return r.x1 - r.x0 }
func (r rect) height() float64 { return r.y1 - r.y0 }

func (r rect) moved(dx, dy float64) rect {
	return rect{r.x0 + dx, r.y0 + dy, r.x1 + dx, r.y1 + dy}
}

func (r rect) grown(by float64) rect {
	return rect{r.x0 - by, r.y0 - by, r.x1 + by, r.y1 + by}
}

func (r rect) contains(p vg.Point) bool {
	x, y := float64(p.X), float64(p.Y)
	return x >= r.x0 && x <= r.x1 && y >= r.y0 && y <= r.y1
}

func (r rect) meets(o rect) bool {
	return r.x0 < o.x1 && o.x0 < r.x1 && r.y0 < o.y1 && o.y0 < r.y1
}

// outline starts in the middle of an edge: a stroke that starts in a corner
// leaves a notch there on surfaces that do not join the ends of a loop.
func (r rect) outline() vg.Path {
	var p vg.Path
	p.Move(at((r.x0+r.x1)/2, r.y0))
	p.Line(at(r.x1, r.y0))
	p.Line(at(r.x1, r.y1))
	p.Line(at(r.x0, r.y1))
	p.Line(at(r.x0, r.y0))
	p.Close()
	return p
}

func segment(x0, y0, x1, y1 float64) vg.Path {
	var p vg.Path
	p.Move(at(x0, y0))
	p.Line(at(x1, y1))
	return p
}

// clipSegment cuts the segment a-b to the rectangle (Liang and Barsky, 1984).
// It reports false when nothing is left.
func (r rect) clipSegment(a, b vg.Point) (vg.Point, vg.Point, bool) {
	dx, dy := float64(b.X-a.X), float64(b.Y-a.Y)
	enter, leave := 0.0, 1.0
	for _, edge := range [4]struct{ toward, room float64 }{
		{-dx, float64(a.X) - r.x0},
		{dx, r.x1 - float64(a.X)},
		{-dy, float64(a.Y) - r.y0},
		{dy, r.y1 - float64(a.Y)},
	} {
		switch {
		case edge.toward == 0 && edge.room < 0:
			return a, b, false
		case edge.toward < 0:
			enter = math.Max(enter, edge.room/edge.toward)
		case edge.toward > 0:
			leave = math.Min(leave, edge.room/edge.toward)
		}
	}
	if enter > leave {
		return a, b, false
	}
	start, end := a, b
	if enter > 0 {
		start = r.nearest(float64(a.X)+enter*dx, float64(a.Y)+enter*dy)
	}
	if leave < 1 {
		end = r.nearest(float64(a.X)+leave*dx, float64(a.Y)+leave*dy)
	}
	return start, end, true
}

// nearest undoes the rounding in the cut of a very long segment.
func (r rect) nearest(x, y float64) vg.Point {
	return at(clamp(x, r.x0, r.x1), clamp(y, r.y0, r.y1))
}
