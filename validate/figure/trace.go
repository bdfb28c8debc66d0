package figure

import "gonum.org/v1/plot/vg"

// A page maps axis coordinates to the rectangle inside the axes.
type page struct {
	frame rect
	x, y  span
}

// farAway bounds, in lengths of the axis, how far outside the frame a point
// is put, so that positions stay finite: for what lies below a log axis, and
// for data many orders of magnitude beyond limits set by the caller.
const farAway = 1e7

func (p page) horizontal(x float64) float64 {
	return p.frame.x0 + p.frame.width()*clamp(p.x.fraction(x), -farAway, farAway)
}

func (p page) vertical(y float64) float64 {
	return p.frame.y0 + p.frame.height()*clamp(p.y.fraction(y), -farAway, farAway)
}

func (p page) point(x, y float64) vg.Point {
	return at(p.horizontal(x), p.vertical(y))
}

// A stretch is a run of consecutive points of a curve without a gap.
type stretch []vg.Point

// stretches returns the curve through the given ordinates, with the corners
// of a step curve made explicit.
func (p page) stretches(c *curve, ordinates []float64) []stretch {
	var all []stretch
	var run stretch
	for i, x := range c.x {
		if c.gap[i] {
			all = append(all, run)
			run = nil
		}
		next := p.point(x, ordinates[i])
		if c.Style == Step && len(run) > 0 {
			run = append(run, vg.Point{X: next.X, Y: run[len(run)-1].Y})
		}
		run = append(run, next)
	}
	return append(all, run)
}

// resolution is the finest horizontal detail of a line, in points: a sixth of
// a dot at 300 dots per inch would be lost in print.
const resolution = 0.08

// thinned reduces a run of points that advance by less than the resolution
// to its first, lowest, highest and last, which looks the same and keeps the
// file of a long trajectory small. Runs that move backwards are kept whole.
func (s stretch) thinned() stretch {
	if len(s) < 1000 {
		return s
	}
	var result stretch
	for begin := 0; begin < len(s); {
		end := begin + 1
		low, high := begin, begin
		for end < len(s) && s[end].X >= s[end-1].X && s[end].X-s[begin].X < resolution {
			if s[end].Y < s[low].Y {
				low = end
			}
			if s[end].Y > s[high].Y {
				high = end
			}
			end++
		}
		result = append(result, s[begin])
		for _, i := range []int{min(low, high), max(low, high), end - 1} {
			if s[i] != result[len(result)-1] {
				result = append(result, s[i])
			}
		}
		begin = end
	}
	return result
}

// clippedPath joins the visible parts of the runs into one path.
func (p page) clippedPath(runs []stretch) vg.Path {
	var path vg.Path
	for _, run := range runs {
		run = run.thinned()
		var pen vg.Point
		drawing := false
		for i := 1; i < len(run); i++ {
			a, b, visible := p.frame.clipSegment(run[i-1], run[i])
			if !visible {
				drawing = false
				continue
			}
			if !drawing || a != pen {
				path.Move(a)
			}
			path.Line(b)
			pen, drawing = b, true
		}
	}
	return path
}

// bandPaths returns one closed region for each run between gaps, cut to the
// frame.
func (p page) bandPaths(c *curve) vg.Path {
	lows, highs := p.stretches(c, c.low), p.stretches(c, c.high)
	var path vg.Path
	for i := range lows {
		low, high := lows[i].thinned(), highs[i].thinned()
		ring := append(stretch{}, high...)
		for j := len(low) - 1; j >= 0; j-- {
			ring = append(ring, low[j])
		}
		path = appendRing(path, p.frame.clipRing(ring))
	}
	return path
}

func appendRing(path vg.Path, ring stretch) vg.Path {
	if len(ring) < 3 {
		return path
	}
	path.Move(ring[0])
	for _, point := range ring[1:] {
		path.Line(point)
	}
	path.Close()
	return path
}

// clipRing cuts a closed region to the rectangle, edge by edge (Sutherland
// and Hodgman, 1974).
func (r rect) clipRing(ring stretch) stretch {
	edges := []func(vg.Point) float64{ // positive inside
		func(p vg.Point) float64 { return float64(p.X) - r.x0 },
		func(p vg.Point) float64 { return r.x1 - float64(p.X) },
		func(p vg.Point) float64 { return float64(p.Y) - r.y0 },
		func(p vg.Point) float64 { return r.y1 - float64(p.Y) },
	}
	for _, inside := range edges {
		var kept stretch
		for i, b := range ring {
			a := ring[(i+len(ring)-1)%len(ring)]
			da, db := inside(a), inside(b)
			if (da < 0) != (db < 0) {
				t := vg.Length(da / (da - db))
				kept = append(kept, r.nearest(float64(a.X+t*(b.X-a.X)), float64(a.Y+t*(b.Y-a.Y))))
			}
			if db >= 0 {
				kept = append(kept, b)
			}
		}
		ring = kept
	}
	return ring
}
