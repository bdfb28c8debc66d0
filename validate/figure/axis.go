package figure

import "math"

// A span is the stretch of an axis that is shown, in axis coordinates: the
// value itself, or its decimal logarithm on a log axis.
type span struct {
	scale  Scale
	lo, hi float64
}

// coordinate maps a value to the axis. Values a log axis cannot show go to
// minus infinity.
func (s Scale) coordinate(v float64) float64 {
	if s == Log {
		if v <= 0 {
			return math.Inf(-1)
		}
		return math.Log10(v)
	}
	return v
}

// fraction is the place of an axis coordinate along the axis, 0 at its low
// end and 1 at its high end.
func (s span) fraction(coordinate float64) float64 {
	return (coordinate - s.lo) / (s.hi - s.lo)
}

// shows reports whether the coordinate lies on the axis, ends included.
func (s span) shows(coordinate float64) bool {
	return coordinate >= s.lo && coordinate <= s.hi
}

// An extent collects the smallest and largest finite coordinate.
type extent struct{ lo, hi float64 }

func noExtent() extent { return extent{math.Inf(1), math.Inf(-1)} }

func (e *extent) include(coordinates ...float64) {
	for _, c := range coordinates {
		if !math.IsInf(c, 0) {
			e.lo = math.Min(e.lo, c)
			e.hi = math.Max(e.hi, c)
		}
	}
}

// padding is the share of the data's extent left free at each end of an axis.
const padding = 0.04

// xSpan chooses what the x axis shows: lines run from side to side, markers
// keep clear of the frame.
func (a *Axis) xSpan(lines, markers extent) span {
	all := markers
	all.include(lines.lo, lines.hi)
	all = a.limited(a.widened(all))
	pad := padding * (all.hi - all.lo)
	all.include(markers.lo-pad, markers.hi+pad)
	return a.spanOf(all)
}

// ySpan chooses what the y axis shows: all data with a margin.
func (a *Axis) ySpan(data extent) span {
	data = a.limited(a.widened(data))
	pad := padding * (data.hi - data.lo)
	padded := extent{data.lo - pad, data.hi + pad}
	if a.Scale == Linear && data.lo >= 0 {
		// Most quantities here cannot be negative: do not suggest it.
		padded.lo = math.Max(padded.lo, 0)
	}
	return a.spanOf(padded)
}

func (a *Axis) spanOf(e extent) span {
	e = a.limited(e)
	return span{a.Scale, e.lo, e.hi}
}

// limited replaces the ends of the extent by those the axis's owner set.
func (a *Axis) limited(e extent) extent {
	if a.Min != nil {
		e.lo = a.Scale.coordinate(*a.Min)
	}
	if a.Max != nil {
		e.hi = a.Scale.coordinate(*a.Max)
	}
	if e.lo < e.hi {
		return e
	}
	// The one end that was set lies beyond all data.
	if a.Max == nil {
		e.hi = e.lo + a.leastWidth(e.lo)
	} else {
		e.lo = e.hi - a.leastWidth(e.hi)
	}
	return e
}

// widened gives a single value, or values equal up to rounding, an extent
// that can carry ticks.
func (a *Axis) widened(data extent) extent {
	if a.Scale == Log {
		if data.hi-data.lo < 1e-9 {
			return extent{data.lo - 0.5, data.hi + 0.5}
		}
		return data
	}
	largest := math.Max(math.Abs(data.lo), math.Abs(data.hi))
	if data.hi-data.lo > math.Max(1e-9*largest, 1e-300) {
		return data
	}
	half := a.leastWidth(largest) / 2
	return extent{data.lo - half, data.hi + half}
}

// leastWidth is the extent given to an axis with one value on it.
func (a *Axis) leastWidth(value float64) float64 {
	if a.Scale == Log {
		return 1
	}
	if math.Abs(value) < 1e-290 {
		return 2
	}
	return 0.2 * math.Abs(value)
}
