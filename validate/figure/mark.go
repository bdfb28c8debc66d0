package figure

import (
	"math"
	"slices"
)

// A placedMark is a reference line with the box of its label.
type placedMark struct {
	Mark
	at    float64 // axis coordinate
	label string
	box   rect
}

// placeMarks puts each label beside its line, where it hides least. Longer
// labels are placed first, because they have fewer places.
func placeMarks(f *Figure, w *writer, l *layout, seen *inkMap) []placedMark {
	var marks []placedMark
	for _, m := range f.Marks {
		if p, shown := f.shownMark(w, l, m); shown {
			marks = append(marks, p)
		}
	}
	order := make([]int, len(marks))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return len(marks[j].label) - len(marks[i].label) })
	for _, i := range order {
		if p := &marks[i]; p.label != "" {
			p.box = l.labelPlace(*p, w.width(p.label, l.tickSize), seen)
			seen.block(p.box)
		}
	}
	return marks
}

// shownMark reports false, and warns, when the mark lies outside the axes.
func (f *Figure) shownMark(w *writer, l *layout, m Mark) (placedMark, bool) {
	p := placedMark{Mark: m, at: f.X.Scale.coordinate(m.At)}
	shown, room := l.x.shows(p.at), l.frame.height()
	if m.Direction == Horizontal {
		p.at = f.Y.Scale.coordinate(m.At)
		shown, room = l.y.shows(p.at), l.frame.width()
	}
	if !shown {
		f.warn("mark %q at %g outside the axes", m.Label, m.At)
		return p, false
	}
	f.warnUndrawable(w, "mark", m.Label)
	cut := false
	p.label, cut = w.shorten(clean(m.Label), l.tickSize, room-4*l.gap)
	if cut {
		f.warn("mark %q: label shortened", m.Label)
	}
	return p, true
}

// labelPlace tries the places along the line, the far end first.
func (l *layout) labelPlace(p placedMark, length float64, seen *inkMap) rect {
	thickness := l.tickSize * (ascent + descent)
	best, least := rect{}, math.Inf(1)
	for i := range 21 {
		along := 1 - float64(i)/20
		for _, side := range []float64{1, -1} {
			box := l.beside(p, along, side, length, thickness)
			hidden := seen.under(box.grown(l.gap / 2))
			if box.x0 < l.frame.x0 || box.x1 > l.frame.x1 || box.y0 < l.frame.y0 || box.y1 > l.frame.y1 {
				hidden += blockedWeight * 10
			}
			if hidden < least {
				best, least = box, hidden
			}
		}
	}
	return best
}

// beside is the box of a label at a fraction along the line, on the side
// right of or above it (+1), or left of or below it (-1).
func (l *layout) beside(p placedMark, along, side, length, thickness float64) rect {
	offset := l.gap / 2
	if p.Direction == Vertical {
		x := l.horizontal(p.at) + offset
		if side < 0 {
			x = l.horizontal(p.at) - offset - thickness
		}
		y := l.frame.y0 + l.gap*1.5 + along*(l.frame.height()-3*l.gap-length)
		return rect{x, y, x + thickness, y + length}
	}
	y := l.vertical(p.at) + offset
	if side < 0 {
		y = l.vertical(p.at) - offset - thickness
	}
	x := l.frame.x0 + l.gap*1.5 + along*(l.frame.width()-3*l.gap-length)
	return rect{x, y, x + length, y + thickness}
}
