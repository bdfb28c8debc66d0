package figure

import (
	"math"

	"gonum.org/v1/plot/vg"
)

// An inkMap remembers where the data are, as points along everything drawn,
// so that legends and labels can keep away from them.
type inkMap struct {
	spots   []spot
	blocked []rect
}

type spot struct {
	vg.Point
	weight float64
}

// Covering a label is worse than covering any amount of data, and data worse
// than shading.
const (
	blockedWeight = 1e6
	shadeWeight   = 0.2
	inkPitch      = 2 // points between samples of a line
)

func inkSeen(l *layout, curves []curve) *inkMap {
	seen := &inkMap{}
	for i := range curves {
		c := &curves[i]
		if c.hasY() && c.Style.hasLine() {
			seen.addRuns(l, l.stretches(c, c.y), 1)
		}
		if c.Style.hasMarkers() {
			seen.addMarkers(l, c)
		}
		if c.hasIntervals() && c.Style.hasLine() && c.Style != LinePoints {
			seen.addBand(l, c)
		}
	}
	return seen
}

func (m *inkMap) add(p vg.Point, weight float64) {
	m.spots = append(m.spots, spot{p, weight})
}

func (m *inkMap) addRuns(l *layout, runs []stretch, weight float64) {
	for _, run := range runs {
		run = run.thinned()
		for i := 1; i < len(run); i++ {
			if a, b, visible := l.frame.clipSegment(run[i-1], run[i]); visible {
				m.addSegment(a, b, weight)
			}
		}
	}
}

func (m *inkMap) addSegment(a, b vg.Point, weight float64) {
	parts := math.Ceil(math.Hypot(float64(b.X-a.X), float64(b.Y-a.Y)) / inkPitch)
	for i := 0.0; i <= parts; i++ {
		t := vg.Length(i / math.Max(parts, 1))
		m.add(vg.Point{X: a.X + t*(b.X-a.X), Y: a.Y + t*(b.Y-a.Y)}, weight)
	}
}

// addMarkers gives a marker the weight of a piece of line of its size.
func (m *inkMap) addMarkers(l *layout, c *curve) {
	for i, x := range c.x {
		m.add(l.point(x, c.y[i]), 3)
		if c.hasIntervals() {
			a, b, visible := l.frame.clipSegment(l.point(x, c.low[i]), l.point(x, c.high[i]))
			if visible {
				m.addSegment(a, b, 1)
			}
		}
	}
}

// addBand samples the shaded region lightly and its edges as lines.
func (m *inkMap) addBand(l *layout, c *curve) {
	lows, highs := l.stretches(c, c.low), l.stretches(c, c.high)
	m.addRuns(l, lows, 0.5)
	m.addRuns(l, highs, 0.5)
	for i := range lows {
		low, high := lows[i].thinned(), highs[i].thinned()
		for j := range min(len(low), len(high)) {
			a, b, visible := l.frame.clipSegment(low[j], high[j])
			if visible {
				m.addSegment(a, b, shadeWeight)
			}
		}
	}
}

func (m *inkMap) block(r rect) { m.blocked = append(m.blocked, r) }

// under is the amount of ink the rectangle would hide.
func (m *inkMap) under(r rect) float64 {
	total := 0.0
	for _, s := range m.spots {
		if r.contains(s.Point) {
			total += s.weight
		}
	}
	for _, b := range m.blocked {
		if r.meets(b) {
			total += blockedWeight
		}
	}
	return total
}
