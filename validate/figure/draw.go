package figure

import (
	"math"

	"gonum.org/v1/plot/vg"
)

// An artist draws a layout, back to front.
type artist struct {
	*layout
	surface
	writer *writer
}

func (a *artist) draw(curves []curve) {
	a.grid()
	for i := range curves {
		a.band(&curves[i])
	}
	a.markLines()
	a.frameAndTicks()
	for i := range curves {
		a.line(&curves[i])
	}
	for i := range curves {
		a.markers(&curves[i])
	}
	a.markLabels()
	a.axisLabels()
	a.drawLegend()
}

func (a *artist) text(s string, size, x, y, angle float64) {
	if path := a.writer.outline(s, size, x, y, angle); len(path) > 0 {
		a.Fill(path, textInk)
	}
}

func (a *artist) centred(s string, size, x, y float64) {
	a.text(s, size, x-a.writer.width(s, size)/2, y, 0)
}

func (a *artist) grid() {
	with := pen{ink: gridInk, Width: a.thinWidth}
	for _, t := range a.xMajor {
		x := a.horizontal(t.at)
		a.Stroke(segment(x, a.frame.y0, x, a.frame.y1), with)
	}
	for _, t := range a.yMajor {
		y := a.vertical(t.at)
		a.Stroke(segment(a.frame.x0, y, a.frame.x1, y), with)
	}
}

func (a *artist) frameAndTicks() {
	with := pen{ink: frameInk, Width: a.ruleWidth}
	a.Stroke(a.frame.outline(), with)
	thin := pen{ink: frameInk, Width: a.thinWidth}
	a.ticks(a.xMajor, a.yMajor, a.tickLength, with)
	a.ticks(a.xMinor, a.yMinor, a.tickLength*0.55, thin)
	for _, t := range a.xMajor {
		a.centred(t.label, a.tickSize, a.horizontal(t.at), a.frame.y0-a.gap-a.tickSize*ascent)
	}
	for _, t := range a.yMajor {
		width := a.writer.width(t.label, a.tickSize)
		a.text(t.label, a.tickSize, a.frame.x0-a.gap-width, a.vertical(t.at)-a.tickSize*capMiddle, 0)
	}
}

// ticks point inwards, where they cannot meet labels.
func (a *artist) ticks(xs, ys []placedTick, length float64, with pen) {
	var path vg.Path
	for _, t := range xs {
		x := a.horizontal(t.at)
		path = append(path, segment(x, a.frame.y0, x, a.frame.y0+length)...)
	}
	for _, t := range ys {
		y := a.vertical(t.at)
		path = append(path, segment(a.frame.x0, y, a.frame.x0+length, y)...)
	}
	if len(path) > 0 {
		a.Stroke(path, with)
	}
}

func (a *artist) axisLabels() {
	middle := (a.frame.x0 + a.frame.x1) / 2
	base := a.frame.y0 - a.xTickDepth - a.gap - a.labelSize*ascent
	for i, s := range a.xLabel {
		a.centred(s, a.labelSize, middle, base-float64(i)*lineHeight*a.labelSize)
	}
	base = a.margin + a.yLabelOver + a.labelSize*ascent
	for i, s := range a.yLabel {
		y := (a.frame.y0+a.frame.y1)/2 - a.writer.width(s, a.labelSize)/2
		a.text(s, a.labelSize, base+float64(i)*lineHeight*a.labelSize, y, math.Pi/2)
	}
	base = a.height - a.margin - a.titleOver - a.titleSize*ascent
	half := a.writer.widest(a.title, a.titleSize) / 2
	middle = clamp(middle, a.margin+half, a.width-a.margin-half)
	for i, s := range a.title {
		a.centred(s, a.titleSize, middle, base-float64(i)*lineHeight*a.titleSize)
	}
}

// band shades between the interval ends of a band or a line.
func (a *artist) band(c *curve) {
	if !c.hasIntervals() || c.Style.hasMarkers() {
		return
	}
	if region := a.bandPaths(c); len(region) > 0 {
		a.Fill(region, c.fading(bandCover))
	}
	edges := append(a.stretches(c, c.low), a.stretches(c, c.high)...)
	if path := a.clippedPath(edges); len(path) > 0 {
		a.Stroke(path, pen{ink: c.fading(0.5), Width: a.thinWidth})
	}
}

func (a *artist) line(c *curve) {
	if !c.hasY() || !c.Style.hasLine() {
		return
	}
	if path := a.clippedPath(a.stretches(c, c.y)); len(path) > 0 {
		a.Stroke(path, a.penOf(c))
	}
}

func (l *layout) penOf(c *curve) pen {
	if c.Faint {
		return pen{ink: c.fading(faintCover), Width: faintWidth * l.lineWidth, Dash: c.dash.pattern(faintWidth * l.lineWidth)}
	}
	return pen{ink: c.ink, Width: l.lineWidth, Dash: c.dash.pattern(l.lineWidth)}
}

// markers draws error bars, then markers with a thin white edge that keeps
// them apart from the line they sit on.
func (a *artist) markers(c *curve) {
	if !c.Style.hasMarkers() {
		return
	}
	if c.hasIntervals() {
		if bars := a.errorBars(c); len(bars) > 0 {
			a.Stroke(bars, pen{ink: c.ink, Width: a.lineWidth * 0.7})
		}
	}
	var path vg.Path
	for i, x := range c.x {
		if a.x.shows(x) && a.y.shows(c.y[i]) {
			path = markerAt(path, markerShapes[c.marker], a.horizontal(x), a.vertical(c.y[i]), a.markerRadius)
		}
	}
	a.stamp(path, c.ink)
}

func (a *artist) stamp(path vg.Path, colour ink) {
	if len(path) > 0 {
		a.Stroke(path, pen{ink: paper, Width: a.lineWidth * 0.8})
		a.Fill(path, colour)
	}
}

// errorBars has caps only at ends that are really there.
func (a *artist) errorBars(c *curve) vg.Path {
	var path vg.Path
	for i, coordinate := range c.x {
		if !a.x.shows(coordinate) {
			continue
		}
		x, low, high := a.horizontal(coordinate), c.low[i], c.high[i]
		from, to, visible := a.frame.clipSegment(at(x, a.vertical(low)), at(x, a.vertical(high)))
		if !visible {
			continue
		}
		path = append(path, segment(x, float64(from.Y), x, float64(to.Y))...)
		for _, end := range []float64{low, high} {
			if a.y.shows(end) {
				y := a.vertical(end)
				path = append(path, segment(x-a.capWidth/2, y, x+a.capWidth/2, y)...)
			}
		}
	}
	return path
}

func (a *artist) markLines() {
	with := pen{ink: markInk, Width: a.ruleWidth, Dash: []float64{3, 2}}
	for _, m := range a.marks {
		if m.Direction == Vertical {
			x := a.horizontal(m.at)
			a.Stroke(segment(x, a.frame.y0, x, a.frame.y1), with)
		} else {
			y := a.vertical(m.at)
			a.Stroke(segment(a.frame.x0, y, a.frame.x1, y), with)
		}
	}
}

func (a *artist) markLabels() {
	for _, m := range a.marks {
		if m.label == "" {
			continue
		}
		x, y, angle := m.box.x0, m.box.y0+a.tickSize*descent, 0.0
		if m.Direction == Vertical {
			x, y, angle = m.box.x0+a.tickSize*ascent, m.box.y0, math.Pi/2
		}
		if path := a.writer.outline(m.label, a.tickSize, x, y, angle); len(path) > 0 {
			a.Stroke(path, pen{ink: paper, Width: 2 * a.lineWidth})
			a.Fill(path, textInk)
		}
	}
}

func (a *artist) drawLegend() {
	g := a.legend
	if g == nil {
		return
	}
	left, top := g.box.x0, g.box.y1
	if g.inside {
		a.Fill(g.box.outline(), paper.fading(0.9))
		a.Stroke(g.box.outline(), pen{ink: gridInk, Width: a.thinWidth})
		left, top = left+a.gap, top-a.gap/2
	}
	for i, e := range g.entries {
		row, column := g.place(i)
		y := top - a.tickSize*1.35/2
		for _, height := range g.rowHeights[:row] {
			y -= height
		}
		x := left + float64(column)*g.columnWidth
		a.sample(e, x, y)
		for j, s := range e.lines {
			a.text(s, a.tickSize, x+a.sampleWidth(), y-a.tickSize*(capMiddle+lineHeight*float64(j)), 0)
		}
	}
}

// sample draws a short piece of the series at the left of its name.
func (a *artist) sample(e legendEntry, x, y float64) {
	c, end := e.curve, x+a.legendSample
	if c.hasIntervals() && !c.Style.hasMarkers() {
		half := a.tickSize * 0.4
		a.Fill(rect{x, y - half, end, y + half}.outline(), c.fading(shade(e.layers)))
		edges := append(segment(x, y-half, end, y-half), segment(x, y+half, end, y+half)...)
		a.Stroke(edges, pen{ink: c.fading(0.5), Width: a.thinWidth})
	}
	if c.hasY() && c.Style.hasLine() {
		a.Stroke(segment(x, y, end, y), a.penOf(c))
	}
	if c.Style.hasMarkers() {
		a.stamp(markerAt(nil, markerShapes[c.marker], (x+end)/2, y, a.markerRadius), c.ink)
	}
}
