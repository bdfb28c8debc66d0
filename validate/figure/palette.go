package figure

import (
	"math"

	"gonum.org/v1/plot/vg"
)

// Colours of Okabe and Ito, Color Universal Design (2008), strongest first;
// their yellow, too faint for lines on white, is replaced by a grey.
var colours = []ink{
	{0x00, 0x72, 0xB2, 1}, // blue
	{0xD5, 0x5E, 0x00, 1}, // vermillion
	{0x00, 0x9E, 0x73, 1}, // bluish green
	{0xCC, 0x79, 0xA7, 1}, // reddish purple
	{0xE6, 0x9F, 0x00, 1}, // orange
	{0x56, 0xB4, 0xE9, 1}, // sky blue
	{0x00, 0x00, 0x00, 1}, // black
	{0x7F, 0x7F, 0x7F, 1}, // grey
}

var (
	textInk  = ink{0x1A, 0x1A, 0x1A, 1}
	frameInk = ink{0x33, 0x33, 0x33, 1}
	gridInk  = ink{0xE8, 0xE8, 0xE8, 1}
	markInk  = ink{0x55, 0x55, 0x55, 1}
	paper    = ink{0xFF, 0xFF, 0xFF, 1}
)

const (
	bandCover  = 0.22 // lets overlapping and nested bands be told apart
	faintCover = 0.55
	faintWidth = 0.55 // of the usual width
)

// shade is how much a band covers that lies on others of its group.
func shade(layers int) float64 { return 1 - math.Pow(1-bandCover, float64(layers)) }

// dashPatterns gives the lengths of dashes and gaps in line widths.
var dashPatterns = map[Dash][]float64{
	Solid:      nil,
	Dashed:     {4.5, 2},
	Dotted:     {1.2, 1.6},
	DashDot:    {5, 1.8, 1.2, 1.8},
	LongDash:   {9, 2.5},
	DashDotDot: {6, 1.6, 1.2, 1.6, 1.2, 1.6},
}

var automaticDashes = []Dash{Solid, Dashed, DashDot, Dotted, LongDash, DashDotDot}

// A look is what tells one series from the others.
type look struct {
	ink
	dash   Dash
	marker int
}

// looks assigns colours by group in order of first appearance, and line
// patterns and marker shapes by counting the series that need one.
func looks(series []Series) []look {
	result := make([]look, len(series))
	colourOf := map[int]int{}
	colour, lines, clouds := 0, 0, 0
	for i, s := range series {
		chosen, known := colourOf[s.Group]
		if s.Group == 0 || !known {
			chosen = colour
			colourOf[s.Group] = chosen
			colour++
		}
		result[i].ink = colours[chosen%len(colours)]
		if s.Style.hasLine() && (s.Style != Band || s.Y != nil) {
			result[i].dash = s.Dash
			if s.Dash == AutoDash && s.Faint {
				result[i].dash = Solid
			} else if s.Dash == AutoDash {
				result[i].dash = automaticDashes[lines%len(automaticDashes)]
				lines++
			}
		}
		if s.Style.hasMarkers() {
			result[i].marker = clouds % len(markerShapes)
			clouds++
		}
	}
	return result
}

func (s Style) hasLine() bool    { return s != Points }
func (s Style) hasMarkers() bool { return s == Points || s == LinePoints }

// pattern returns the dash lengths in points for a line of the given width.
func (d Dash) pattern(width float64) []float64 {
	units := dashPatterns[d]
	lengths := make([]float64, len(units))
	for i, u := range units {
		lengths[i] = u * width
	}
	return lengths
}

// markerShapes are outlines of about equal area around the origin, for a
// nominal radius of one.
var markerShapes = []vg.Path{
	circle(1),
	polygon(-.88, -.88, .88, -.88, .88, .88, -.88, .88),
	polygon(-1.15, -.8, 1.15, -.8, 0, 1.2),
	polygon(0, -1.3, 1.1, 0, 0, 1.3, -1.1, 0),
	polygon(-1.15, .8, 0, -1.2, 1.15, .8),
	cross(1.15, .3),
	append(circle(1.1), reversedSquare(.45)...),
	append(polygon(-1, -1, 1, -1, 1, 1, -1, 1), reversedSquare(.55)...),
}

// circle is four cubic arcs; the control points lie at 4(√2-1)/3 of the
// radius, which keeps the error below 0.03 %.
func circle(r float64) vg.Path {
	c := r * 4 * (math.Sqrt2 - 1) / 3
	var p vg.Path
	p.Move(at(r, 0))
	p.CubeTo(at(r, c), at(c, r), at(0, r))
	p.CubeTo(at(-c, r), at(-r, c), at(-r, 0))
	p.CubeTo(at(-r, -c), at(-c, -r), at(0, -r))
	p.CubeTo(at(c, -r), at(r, -c), at(r, 0))
	p.Close()
	return p
}

func polygon(xy ...float64) vg.Path {
	var p vg.Path
	p.Move(at(xy[0], xy[1]))
	for i := 2; i < len(xy); i += 2 {
		p.Line(at(xy[i], xy[i+1]))
	}
	p.Close()
	return p
}

// reversedSquare runs clockwise, so that it is a hole in a filled shape.
func reversedSquare(h float64) vg.Path {
	return polygon(-h, -h, -h, h, h, h, h, -h)
}

// cross is a saltire with arms of the given reach and half thickness.
func cross(reach, half float64) vg.Path {
	inner, along := half*math.Sqrt2, reach-half*math.Sqrt2/2
	outer := reach + half*math.Sqrt2/2
	return polygon(
		inner, 0, outer, along, along, outer,
		0, inner, -along, outer, -outer, along,
		-inner, 0, -outer, -along, -along, -outer,
		0, -inner, along, -outer, outer, -along)
}

// markerAt appends the shape, scaled and moved, to the path.
func markerAt(path vg.Path, shape vg.Path, x, y, radius float64) vg.Path {
	move := func(p vg.Point) vg.Point {
		return at(x+radius*float64(p.X), y+radius*float64(p.Y))
	}
	for _, c := range shape {
		c.Pos = move(c.Pos)
		if len(c.Control) > 0 {
			controls := make([]vg.Point, len(c.Control))
			for i, p := range c.Control {
				controls[i] = move(p)
			}
			c.Control = controls
		}
		path = append(path, c)
	}
	return path
}
