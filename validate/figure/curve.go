package figure

import (
	"fmt"
	"math"
)

// A curve is a series ready for drawing: in axis coordinates, without the
// points that the axes cannot show. An interval end of minus infinity lies
// below a log axis.
type curve struct {
	*Series
	look
	x, y, low, high []float64
	source          []int  // the index of each point in the series
	gap             []bool // a point was left out before this one
}

func (c *curve) hasIntervals() bool { return len(c.low) > 0 }
func (c *curve) hasY() bool         { return len(c.y) > 0 }

// curves prepares all series and chooses what the axes show.
func (f *Figure) curves() (curves []curve, x, y span, err error) {
	appearance := looks(f.Series)
	lines, markers, ys := noExtent(), noExtent(), noExtent()
	shown := 0
	for i := range f.Series {
		c := f.curve(i, appearance[i])
		if c.Style.hasMarkers() {
			markers.include(c.x...)
		} else {
			lines.include(c.x...)
		}
		ys.include(c.y...)
		ys.include(c.low...)
		ys.include(c.high...)
		shown += len(c.x)
		curves = append(curves, c)
	}
	if shown == 0 {
		return nil, x, y, fmt.Errorf("figure %q: no point of any series is positive on the log axes", f.Name)
	}
	for _, m := range f.Marks {
		if m.Direction == Vertical {
			lines.include(f.X.Scale.coordinate(m.At))
		} else {
			ys.include(f.Y.Scale.coordinate(m.At))
		}
	}
	x, y = f.X.xSpan(lines, markers), f.Y.ySpan(ys)
	for i := range curves {
		f.warnOutside(i, &curves[i], x, y)
	}
	return curves, x, y, nil
}

// curve maps one series to axis coordinates and leaves out what cannot be
// mapped.
func (f *Figure) curve(index int, appearance look) curve {
	s := &f.Series[index]
	c := curve{Series: s, look: appearance}
	dropped, cut, gap := 0, 0, false
	for i := range s.X {
		p, ok := f.mapped(s, i)
		if !ok {
			dropped++
			gap = true
			continue
		}
		c.x = append(c.x, p.x)
		c.source = append(c.source, i)
		c.gap = append(c.gap, gap && len(c.x) > 1)
		gap = false
		if s.Y != nil {
			c.y = append(c.y, p.y)
		}
		if s.Low != nil {
			c.low = append(c.low, p.low)
			c.high = append(c.high, p.high)
			if math.IsInf(p.low, -1) {
				cut++
			}
		}
	}
	if dropped > 0 {
		f.warn("series %s: %s left out: not positive on a log axis", f.seriesName(index), plural(dropped, "point"))
	}
	if cut > 0 {
		f.warn("series %s: %s cut at the bottom of the log axis: lower end not positive", f.seriesName(index), plural(cut, "interval"))
	}
	return c
}

type mappedPoint struct{ x, y, low, high float64 }

// mapped reports false when the point has no place on the axes. A band needs
// its upper end there, every other style its Y.
func (f *Figure) mapped(s *Series, i int) (p mappedPoint, ok bool) {
	p.x = f.X.Scale.coordinate(s.X[i])
	if s.Y != nil {
		p.y = f.Y.Scale.coordinate(s.Y[i])
	}
	if s.Low != nil {
		p.low = f.Y.Scale.coordinate(s.Low[i])
		p.high = f.Y.Scale.coordinate(s.High[i])
	}
	missing := math.IsInf(p.x, -1) || math.IsInf(p.y, -1) || s.Style == Band && math.IsInf(p.high, -1)
	return p, !missing
}

// warnOutside counts what lies beyond limits set by the caller.
func (f *Figure) warnOutside(index int, c *curve, x, y span) {
	points, intervals := 0, 0
	for i := range c.x {
		switch {
		case !x.shows(c.x[i]) || c.hasY() && !y.shows(c.y[i]):
			points++
		case c.hasIntervals() && (c.high[i] > y.hi || c.low[i] < y.lo && !math.IsInf(c.low[i], -1)):
			intervals++
		}
	}
	if points > 0 {
		f.warn("series %s: %s outside the axes", f.seriesName(index), plural(points, "point"))
	}
	if intervals > 0 {
		f.warn("series %s: %s cut at the edge of the plot", f.seriesName(index), plural(intervals, "interval"))
	}
}

func (f *Figure) warn(format string, args ...any) {
	f.Warnings = append(f.Warnings, fmt.Sprintf(format, args...))
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
