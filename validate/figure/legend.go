package figure

import (
	"math"
	"slices"
)

// A legend explains the series, inside the frame where it hides nothing, or
// else below the plot.
type legend struct {
	inside      bool
	box         rect
	entries     []legendEntry
	columns     int
	columnWidth float64
	rowHeights  []float64
	anchor      anchor // of a legend inside
}

// place returns the row and column of an entry. Entries often come in pairs,
// theory and simulation: an even number of rows is filled column by column,
// an odd one row by row, which keeps most pairs together.
func (g *legend) place(entry int) (row, column int) {
	if rows := len(g.rowHeights); rows%2 == 0 {
		return entry % rows, entry / rows
	}
	return entry / g.columns, entry % g.columns
}

type legendEntry struct {
	*curve
	lines  []string
	layers int // of shading, where bands of a group lie inside each other
}

// An anchor names a place in the frame by thirds: 0 left or bottom, 1 middle,
// 2 right or top.
type anchor struct{ column, row int }

// anchors lists the places for an inside legend, best first.
var anchors = []anchor{{2, 2}, {0, 2}, {2, 0}, {0, 0}, {2, 1}, {0, 1}, {1, 2}, {1, 0}}

func legendEntries(curves []curve) []legendEntry {
	var entries []legendEntry
	for i := range curves {
		if name := clean(curves[i].Name); name != "" {
			entries = append(entries, legendEntry{curve: &curves[i], lines: []string{name}, layers: layersUnder(curves, i)})
		}
	}
	return entries
}

// layersUnder counts a band and those before it of its group that contain it.
func layersUnder(curves []curve, i int) int {
	layers := 1
	for j := range i {
		if curves[i].Group > 0 && curves[i].Group == curves[j].Group && curves[j].contains(&curves[i]) {
			layers++
		}
	}
	return layers
}

func (c *curve) contains(inner *curve) bool {
	if c.Style.hasMarkers() || !c.hasIntervals() || !inner.hasIntervals() || !slices.Equal(c.x, inner.x) {
		return false
	}
	for i := range inner.low {
		if inner.low[i] < c.low[i] || inner.high[i] > c.high[i] {
			return false
		}
	}
	return true
}

// placeLegend returns nil when no series has a name.
func placeLegend(f *Figure, w *writer, l *layout, entries []legendEntry, seen *inkMap) *legend {
	if len(entries) == 0 {
		return nil
	}
	for _, e := range entries {
		f.warnUndrawable(w, "legend", e.Name)
	}
	if inside := insideLegend(w, l, entries, seen); inside != nil {
		return inside
	}
	return belowLegend(f, w, l, entries)
}

// insideLegend returns nil when the legend is large or would hide data.
func insideLegend(w *writer, l *layout, entries []legendEntry, seen *inkMap) *legend {
	g := &legend{inside: true, entries: entries, columns: 1}
	for _, e := range entries {
		g.columnWidth = max(g.columnWidth, l.sampleWidth()+w.widest(e.lines, l.tickSize))
	}
	g.measureRows(l)
	width, height := g.size(l)
	if len(entries) > insideEntries || width > insideShare*l.frame.width() || height > insideShare*l.frame.height() {
		return nil
	}
	least := math.Inf(1)
	for _, place := range anchors {
		box := place.box(l.frame.grown(-1.5*l.gap), width, height)
		if hidden := seen.under(box.grown(l.gap)); hidden < least {
			least, g.box, g.anchor = hidden, box, place
		}
	}
	if least > 0 {
		return nil
	}
	return g
}

// belowLegend sets the entries in as many columns as the width allows. Its box gets its place when the height of the page is known.
func belowLegend(f *Figure, w *writer, l *layout, entries []legendEntry) *legend {
	g := &legend{entries: entries}
	available := l.width - 2*l.margin
	for i := range g.entries {
		e := &g.entries[i]
		e.lines = f.wrapped(w, "legend entry", e.Name, l.tickSize, available-l.sampleWidth()-2*l.gap, legendLines)
		g.columnWidth = max(g.columnWidth, l.sampleWidth()+w.widest(e.lines, l.tickSize)+2*l.gap)
	}
	fitting := max(1, int(available/g.columnWidth))
	rows := (len(entries) + fitting - 1) / fitting
	g.columns = (len(entries) + rows - 1) / rows
	g.measureRows(l)
	width, height := g.size(l)
	middle := clamp((l.frame.x0+l.frame.x1)/2, l.margin+width/2, l.width-l.margin-width/2)
	g.box = rect{middle - width/2, 0, middle + width/2, height}
	return g
}

// sampleWidth is the room of the drawn sample before each name.
func (l *layout) sampleWidth() float64 { return l.legendSample + l.gap }

func (g *legend) measureRows(l *layout) {
	rows := (len(g.entries) + g.columns - 1) / g.columns
	g.rowHeights = make([]float64, rows)
	for i, e := range g.entries {
		height := l.tickSize * (1.35 + lineHeight*float64(len(e.lines)-1))
		row, _ := g.place(i)
		g.rowHeights[row] = max(g.rowHeights[row], height)
	}
}

func (g *legend) size(l *layout) (width, height float64) {
	for _, h := range g.rowHeights {
		height += h
	}
	if g.inside {
		return g.columnWidth + 2*l.gap, height + l.gap
	}
	return g.columnWidth * float64(g.columns), height
}

// box places a rectangle of the given size at the anchor.
func (a anchor) box(within rect, width, height float64) rect {
	x := within.x0 + (within.width()-width)*float64(a.column)/2
	y := within.y0 + (within.height()-height)*float64(a.row)/2
	return rect{x, y, x + width, y + height}
}
