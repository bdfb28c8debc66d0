package diffusion

import "math"

// stretchedMesh cuts [0, reach] into cells whose width grows with the distance
// from the boundary: face = w (e^{κs} - 1) at s = 0, 1/cells, .., 1, w the inner
// length.
func stretchedMesh(cells int, inner, reach float64) []float64 {
	face := make([]float64, cells+1)
	stretch := math.Log1p(reach / inner)
	for i := 1; i < cells; i++ {
		face[i] = inner * math.Expm1(stretch*float64(i)/float64(cells))
	}
	face[cells] = reach
	return face
}

// focusedMesh also makes the cells narrow around a place: the number of cells
// up to u grows like log(1 + u/inner) + arsinh((u - place)/width).
func focusedMesh(cells int, inner, reach, place, width float64) []float64 {
	count := func(u float64) float64 {
		return math.Log1p(u/inner) + math.Asinh((u-place)/width) + math.Asinh(place/width)
	}
	density := func(u float64) float64 {
		return 1/(inner+u) + 1/math.Hypot(width, u-place)
	}
	face := make([]float64, cells+1)
	total := count(reach)
	for i := 1; i < cells; i++ {
		want := total * float64(i) / float64(cells)
		lo, hi := face[i-1], reach
		u := math.Min(lo+total/float64(cells)/density(lo), (lo+hi)/2)
		for range 100 {
			excess := count(u) - want
			if excess > 0 {
				hi = u
			} else {
				lo = u
			}
			next := u - excess/density(u)
			if !(next > lo && next < hi) {
				next = (lo + hi) / 2
			}
			if math.Abs(next-u) <= 1e-12*(next-face[i-1]) {
				break
			}
			u = next
		}
		face[i] = u
	}
	face[cells] = reach
	return face
}

// innerLength is the length that the cells near the boundary should resolve.
func (l *Law) innerLength(reach float64) float64 {
	inner := l.Quantile(0.5)
	if len(l.process.Breaks) > 0 {
		inner = math.Min(inner, l.process.Breaks[0])
	}
	return math.Max(inner, reach*1e-4)
}

// farthestBy is a place that the process has not reached at time t, but for a
// probability of 1e-15: from w = max(start, σ√t) on it stays below a Brownian
// motion that is reflected at w and has the largest drift and variance found
// beyond.
func (l *Law) farthestBy(start, t float64) float64 {
	const deviations = 8.5 // of the maximum of a Brownian motion
	variance := l.process.variance(start)
	for i := range l.panels {
		for _, u := range l.panels[i].node {
			variance = math.Max(variance, l.process.variance(u))
		}
	}
	spread := math.Sqrt(variance * t)
	from := math.Max(start, spread)
	drift := math.Max(0, l.process.TotalDrift(from))
	for i := range l.panels {
		for _, u := range l.panels[i].node {
			if u > from {
				drift = math.Max(drift, l.process.TotalDrift(u))
			}
		}
	}
	return from + drift*t + deviations*spread
}
