package figure

import "qlimit/ctmc"

// A Figure is one plot: axes, series, reference lines and the words around
// them. The zero value of every field but Series is usable.
//
// A Figure may be rendered many times, but not from two goroutines at once,
// because rendering sets Warnings.
type Figure struct {
	Name    string // short identifier, the first column of the data file
	Title   string // drawn above the plot; wrapped
	Caption string // the sentence below a printed figure; not drawn, carried in the file where the format has a place for it

	X, Y   Axis     // horizontal and vertical axis
	Series []Series // drawn in this order, at least one
	Marks  []Mark   // reference lines
	Size   Size     // of a printed column or of a screen

	// Warnings tells what the last rendering left out, cut or shortened.
	// It is replaced by each rendering.
	Warnings []string
}

// An Axis is one coordinate direction.
type Axis struct {
	Label string // plain Unicode
	Scale Scale  // Linear or Log

	// Min and Max set the ends of the axis; nil means that the data decide.
	Min, Max *float64

	// Ticks replaces the automatic ticks when it is not empty.
	Ticks []Tick
}

// A Tick is a labelled place on an axis. A tick without a label is drawn short.
type Tick struct {
	At    float64 // place on the axis
	Label string  // "" draws it short
}

// Scale is the way an axis maps numbers to lengths.
type Scale int

const (
	Linear Scale = iota // equal differences, equal lengths
	Log                 // decimal logarithm; values must be positive
)

// A Series is one curve, cloud of points or band.
type Series struct {
	// Name is the legend entry. A series without a name is drawn but has no
	// entry.
	Name string

	// X and Y hold the points. Y may be nil for a Band.
	X, Y []float64

	// Low and High are the interval ends at each X, both nil when there are
	// none. They are error bars for Points and LinePoints, and a shaded band
	// behind Line and Step. A Band needs them.
	Low, High []float64

	Style Style // kind of mark

	// Group ties series together: series with the same positive Group share
	// a colour. Zero gives the series a colour of its own.
	Group int

	// Dash overrides the automatic choice of line pattern.
	Dash Dash

	// Faint draws a line thin, solid and pale, as suits a simulated path behind
	// the theory curve of the same Group.
	Faint bool

	// Kind says what the numbers are; where the points differ in it, Kinds has
	// one for each and Kind is not used. It goes with the data and changes
	// nothing in the drawing. Zero is a series that says nothing of a system.
	Kind  ctmc.Kind
	Kinds []ctmc.Kind
}

// Style is the kind of mark a series is drawn with.
type Style int

const (
	Line       Style = iota // straight segments between the points
	Points                  // one marker a point
	LinePoints              // both
	Step                    // Y[i] holds from X[i] up to X[i+1]; X must not decrease
	Band                    // the region between Low and High, with a line through Y if given; X must not decrease
)

// Dash is a line pattern.
type Dash int

const (
	AutoDash   Dash = iota // the next pattern not used yet in the figure
	Solid                  // unbroken
	Dashed                 // short dashes
	Dotted                 // points
	DashDot                // a dash, a point
	LongDash               // long dashes
	DashDotDot             // a dash, two points
)

// A Mark is a reference line across the whole plot: the time of a change of
// regime, a bound, a critical load.
type Mark struct {
	Direction Direction // Vertical or Horizontal
	At        float64   // x of a vertical mark, y of a horizontal one
	Label     string    // optional, written along the line
}

// Direction tells which way a mark runs.
type Direction int

const (
	Vertical   Direction = iota // at one x
	Horizontal                  // at one y
)

// Size is the format a figure is made for. Width is fixed; the height grows
// with the lines of the title and with a legend that does not fit inside.
type Size int

const (
	SingleColumn Size = iota // 85 mm wide, 8 point labels
	DoubleColumn             // 178 mm wide, 9 point labels
	Screen                   // 8 inches wide, 11 point labels
)
