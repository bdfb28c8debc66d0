package figure

import "math"

// A layout is where everything goes on the page.
type layout struct {
	measures
	page
	height         float64
	title          []string
	xLabel, yLabel []string
	xMajor, xMinor []placedTick
	yMajor, yMinor []placedTick
	xTickDepth     float64 // from the frame down to the foot of the tick labels
	yTickReach     float64 // from the frame left to the end of the tick labels
	titleOver      float64 // what the title's first line needs above its ascent
	yLabelOver     float64 // the same of the y label, which stands upright
	bottomOver     float64 // what the lowest texts need below their descent
	legend         *legend
	marks          []placedMark
}

// arrange finds the place of everything. The frame has a fixed height, so
// the widths follow from top to bottom: y ticks, y label, frame, x ticks, x
// label, legend, title, and the height of the page comes last.
func (f *Figure) arrange(w *writer, curves []curve, x, y span) *layout {
	l := &layout{measures: measuresOf[f.Size], page: page{x: x, y: y}}
	f.placeYAxis(w, l)
	f.placeXAxis(w, l)
	seen := inkSeen(l, curves)
	entries := legendEntries(curves)
	l.legend = placeLegend(f, w, l, entries, seen)
	if l.legend != nil && l.legend.inside {
		seen.block(l.legend.box)
	}
	l.marks = placeMarks(f, w, l, seen)
	f.placeTitle(w, l)
	return l
}

// placeYAxis sets the y ticks and label and the left side of the frame.
func (f *Figure) placeYAxis(w *writer, l *layout) {
	fits := func(ticks []placedTick) bool {
		return l.apart(ticks, l.y, l.frameHeight, func(placedTick) float64 { return 2 * l.tickSize })
	}
	l.yMajor, l.yMinor = f.axisTicks(w, &f.Y, l, l.y, l.frameHeight, fits)
	reach := 0.0
	for _, t := range l.yMajor {
		reach = max(reach, w.width(t.label, l.tickSize))
	}
	l.yTickReach = l.gap + reach
	l.yLabel = f.wrapped(w, "y label", f.Y.Label, l.labelSize, l.frameHeight, axisLines)
	l.frame.x0 = l.margin + l.yTickReach
	if n := len(l.yLabel); n > 0 {
		l.yLabelOver, _ = w.overshoot(l.yLabel[0], l.labelSize)
		l.frame.x0 += l.yLabelOver + l.gap + l.labelSize*(ascent+descent+lineHeight*float64(n-1))
	}
	// The frame's lower side is at 0 until the height of what lies below it
	// is known.
	l.frame.y0, l.frame.y1 = 0, l.frameHeight
}

// placeXAxis sets the x ticks and label and the right side of the frame,
// which leaves room for the half of a tick label that hangs over.
func (f *Figure) placeXAxis(w *writer, l *layout) {
	l.frame.x1 = l.width - l.margin
	for range 3 {
		length := l.frame.width()
		fits := func(ticks []placedTick) bool {
			return l.apart(ticks, l.x, length, func(t placedTick) float64 {
				return w.width(t.label, l.tickSize) + 1.2*l.tickSize
			})
		}
		l.xMajor, l.xMinor = f.axisTicks(w, &f.X, l, l.x, length, fits)
		overRight, overLeft := 0.0, 0.0
		for _, t := range l.xMajor {
			half, place := w.width(t.label, l.tickSize)/2, l.x.fraction(t.at)*length
			overRight = max(overRight, place+half-length)
			overLeft = max(overLeft, half-place)
		}
		l.frame.x1 = l.width - l.margin - max(overRight, l.markerRadius)
		l.frame.x0 = max(l.frame.x0, l.margin+overLeft)
	}
	if len(l.xMajor) > 0 {
		l.xTickDepth = l.gap + l.tickSize*(ascent+descent)
	}
	l.xLabel = f.wrapped(w, "x label", f.X.Label, l.labelSize, l.frame.width(), axisLines)
}

// axisTicks returns the caller's ticks, or else automatic ones, with labels
// cut to a sane length.
func (f *Figure) axisTicks(w *writer, a *Axis, l *layout, s span, length float64, fits fitTest) (major, minor []placedTick) {
	if len(a.Ticks) == 0 {
		return s.ticks(fits, 3*(s.hi-s.lo)/length)
	}
	major, minor = a.placed(s)
	for i := range major {
		major[i].label, _ = w.shorten(clean(major[i].label), l.tickSize, tickLabelShare*l.width)
	}
	return major, minor
}

// apart reports whether neighbouring labels, each needing the given room
// along the axis, keep clear of each other.
func (l *layout) apart(ticks []placedTick, s span, length float64, room func(placedTick) float64) bool {
	for i := 1; i < len(ticks); i++ {
		distance := (s.fraction(ticks[i].at) - s.fraction(ticks[i-1].at)) * length
		if distance < (room(ticks[i])+room(ticks[i-1]))/2 {
			return false
		}
	}
	return true
}

// placeTitle wraps the title and fixes the height of the page: everything
// placed so far moves up by what lies below the frame.
func (f *Figure) placeTitle(w *writer, l *layout) {
	l.bottomOver = l.lowestOvershoot(w)
	below := l.margin + l.bottomOver + l.xTickDepth
	if n := len(l.xLabel); n > 0 {
		below += l.gap + l.labelSize*(ascent+descent+lineHeight*float64(n-1))
	}
	if l.legend != nil && !l.legend.inside {
		below += 2*l.gap + l.legend.box.height()
	}
	below = math.Max(below, l.margin+l.tickSize/2)
	l.moveUp(below)
	above := l.margin + math.Max(l.tickSize*capMiddle, l.markerRadius)
	l.title = f.wrapped(w, "title", f.Title, l.titleSize, l.width-2*l.margin, titleLines)
	if n := len(l.title); n > 0 {
		l.titleOver, _ = w.overshoot(l.title[0], l.titleSize)
		above = l.titleOver + l.margin + 2*l.gap + l.titleSize*(ascent+descent+lineHeight*float64(n-1))
	}
	l.height = l.frame.y1 + above
}

// lowestOvershoot is taken over all texts that may stand at the foot of the
// page.
func (l *layout) lowestOvershoot(w *writer) float64 {
	most := 0.0
	include := func(text string, size float64) {
		_, below := w.overshoot(text, size)
		most = max(most, below)
	}
	for _, t := range l.xMajor {
		include(t.label, l.tickSize)
	}
	for _, line := range l.xLabel {
		include(line, l.labelSize)
	}
	if l.legend != nil && !l.legend.inside {
		for _, e := range l.legend.entries {
			include(e.lines[len(e.lines)-1], l.tickSize)
		}
	}
	return most
}

func (l *layout) moveUp(by float64) {
	l.frame = l.frame.moved(0, by)
	if l.legend != nil {
		if !l.legend.inside {
			l.legend.box = l.legend.box.moved(0, l.margin+l.bottomOver-l.legend.box.y0)
		} else {
			l.legend.box = l.legend.box.moved(0, by)
		}
	}
	for i := range l.marks {
		l.marks[i].box = l.marks[i].box.moved(0, by)
	}
}

// wrapped breaks a label into lines and warns when it had to be cut or has
// characters without a glyph.
func (f *Figure) wrapped(w *writer, what, text string, size, width float64, lines int) []string {
	f.warnUndrawable(w, what, text)
	result, cut := w.wrap(text, size, width, lines)
	if cut {
		f.warn("%s shortened to %d lines", what, lines)
	}
	return result
}

func (f *Figure) warnUndrawable(w *writer, what, text string) {
	for _, r := range clean(text) {
		if !w.draws(r) {
			f.warn("%s: no glyph for %q (%U)", what, r, r)
		}
	}
}
