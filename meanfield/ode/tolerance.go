package ode

import "math"

// tolerance holds the error bounds absolute[i] + relative·|y_i|.
type tolerance struct {
	relative float64
	absolute []float64
}

// norm returns max_i |v_i| / (absolute_i + relative·|y_i|). The maximum, not a
// mean, so that every component keeps its own tolerance whatever the number
// of others. NaN wins over every number.
func (tol *tolerance) norm(v, y []float64) float64 {
	largest := 0.0
	for i, x := range v {
		q := math.Abs(x) / (tol.absolute[i] + tol.relative*math.Abs(y[i]))
		if !(q <= largest) {
			largest = q
		}
		if q != q {
			return q
		}
	}
	return largest
}

// normBetween is norm with the larger of |a_i| and |b_i| for |y_i|.
func (tol *tolerance) normBetween(v, a, b []float64) float64 {
	largest := 0.0
	for i, x := range v {
		q := math.Abs(x) / (tol.absolute[i] + tol.relative*max(math.Abs(a[i]), math.Abs(b[i])))
		if !(q <= largest) {
			largest = q
		}
		if q != q {
			return q
		}
	}
	return largest
}

// loosened returns the tolerance with relative replaced and the ratio of
// absolute to relative kept.
func (tol *tolerance) loosened(relative float64) tolerance {
	absolute := make([]float64, len(tol.absolute))
	for i, a := range tol.absolute {
		absolute[i] = a * (relative / tol.relative)
	}
	return tolerance{relative, absolute}
}
