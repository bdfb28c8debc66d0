package diffusion

import (
	"math"
	"sort"
)

// interpolant is a smooth function on an interval by pieces of Legendre series
// of degree 19, made where the function itself is expensive.
type interpolant struct {
	ends   []float64 // piece i is [ends[i], ends[i+1]]
	series [][order]float64
}

// interpolate cuts [a, b] until the last coefficients fall below the tolerance
// relative to the largest value on a piece, or the pieces are shorter than
// least.
func interpolate(f func(float64) float64, a, b, tolerance, least float64) *interpolant {
	t := &interpolant{ends: []float64{a}}
	for h := b - a; a < b; {
		h = math.Min(h, b-a)
		var values [order]float64
		largest := 0.0
		for i, x := range gauss.node {
			values[i] = f(a + h*(1+x)/2)
			largest = math.Max(largest, math.Abs(values[i]))
		}
		if gauss.lastCoefficients(&values) > tolerance*largest && h > least {
			h /= 2
			continue
		}
		t.series = append(t.series, gauss.coefficients(&values))
		if a += h; b-a < 1e-9*h {
			a = b
		}
		t.ends = append(t.ends, a)
		h *= 2
	}
	return t
}

// holds tells whether x lies in the interval.
func (t *interpolant) holds(x float64) bool {
	return x >= t.ends[0] && x <= t.ends[len(t.ends)-1]
}

// at is the value at x.
func (t *interpolant) at(x float64) float64 {
	i := max(sort.SearchFloat64s(t.ends[1:], x), 0)
	c := &t.series[min(i, len(t.series)-1)]
	a, b := t.ends[i], t.ends[i+1]
	s := (2*x - a - b) / (b - a)
	b1, b2 := 0.0, 0.0
	for k := order - 1; k >= 1; k-- {
		kk := float64(k)
		b1, b2 = c[k]+(2*kk+1)/(kk+1)*s*b1-(kk+1)/(kk+2)*b2, b1
	}
	return c[0] + s*b1 - b2/2
}
