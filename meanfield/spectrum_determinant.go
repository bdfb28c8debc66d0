package meanfield

import (
	"math"
	"math/cmplx"

	"qlimit/meanfield/ode"
)

// shifted eliminates A - zI for one z after another, A real with a band.
// Partial pivoting; the row operations act on the derivative in z as well, so
// that with p(z) = det(A - zI) and U the triangular factor
//
//	p'/p = Σ u_ii'/u_ii.
type shifted struct {
	a            *ode.Matrix
	n            int
	lower, upper int
	width        int            // width of a row of U: its entries i..i+width-1
	rows, slopes [][]complex128 // U and dU/dz; row i starts at column i once it is final
	norm         float64        // largest row sum
	swaps        int            // row exchanges of the last elimination
}

func newShifted(a *ode.Matrix) *shifted {
	n, _ := a.Dims()
	lower, upper := a.Bandwidths()
	s := &shifted{a: a, n: n, lower: lower, upper: upper, width: min(lower+upper+1, n)}
	for i := range n {
		s.rows = append(s.rows, make([]complex128, n))
		s.slopes = append(s.slopes, make([]complex128, n))
		sum := 0.0
		for j := max(0, i-lower); j <= min(n-1, i+upper); j++ {
			sum += math.Abs(a.At(i, j))
		}
		s.norm = math.Max(s.norm, sum)
	}
	return s
}

// work is the order of operations of one elimination.
func (s *shifted) work() float64 {
	return float64(s.n) * float64(s.lower+1) * float64(s.width)
}

// load writes A - zI and its derivative -I.
func (s *shifted) load(z complex128) {
	for i := range s.n {
		from, to := max(0, i-s.lower), min(s.n, i+s.lower+s.width)
		for j := from; j < to; j++ {
			s.rows[i][j] = complex(s.a.At(i, j), 0)
			s.slopes[i][j] = 0
		}
		s.rows[i][i] -= z
		s.slopes[i][i] = -1
	}
}

// eliminate brings A - zI to triangular form and returns p'/p. The right side,
// nil or of length n, takes part. A pivot of 0 is replaced by a rounding error
// of the largest row.
func (s *shifted) eliminate(z complex128, right []complex128) complex128 {
	s.load(z)
	s.swaps = 0
	tiny := complex(0x1p-53*0x1p-10*s.norm, 0)
	sum := complex128(0)
	for k := range s.n {
		s.pivot(k, right)
		row, slope := s.rows[k], s.slopes[k]
		if row[k] == 0 {
			row[k] = tiny
		}
		inverse := 1 / row[k]
		sum += slope[k] * inverse
		to := min(s.n, k+s.width)
		for i := k + 1; i <= min(s.n-1, k+s.lower); i++ {
			if s.rows[i][k] == 0 && s.slopes[i][k] == 0 {
				continue
			}
			factor := s.rows[i][k] * inverse
			change := (s.slopes[i][k] - factor*slope[k]) * inverse
			for j := k + 1; j < to; j++ {
				s.rows[i][j] -= factor * row[j]
				s.slopes[i][j] -= factor*slope[j] + change*row[j]
			}
			if right != nil {
				right[i] -= factor * right[k]
			}
		}
	}
	return sum
}

func (s *shifted) pivot(k int, right []complex128) {
	best, largest := k, -1.0
	for i := k; i <= min(s.n-1, k+s.lower); i++ {
		if size := cmplx.Abs(s.rows[i][k]); size > largest {
			best, largest = i, size
		}
	}
	if best == k {
		return
	}
	s.swaps++
	s.rows[k], s.rows[best] = s.rows[best], s.rows[k]
	s.slopes[k], s.slopes[best] = s.slopes[best], s.slopes[k]
	if right != nil {
		right[k], right[best] = right[best], right[k]
	}
}

// backwardError takes three steps of inverse iteration at z and returns
//
//	‖Av - zv‖ / (‖A‖‖v‖),
//
// in largest components and row sums: the relative change of A that makes
// (z, v) an eigenpair.
func (s *shifted) backwardError(z complex128) float64 {
	v := make([]complex128, s.n)
	for i := range v {
		v[i] = complex(1+math.Sin(float64(3*i+1)), 0)
	}
	least := math.Inf(1)
	for range 3 {
		s.eliminate(z, v)
		s.substitute(v)
		if !normalise(v) {
			return least
		}
		least = math.Min(least, s.residual(z, v))
	}
	return least
}

// substitute solves Uv = right in place, up to a factor: where v grows, all of
// it is scaled down.
func (s *shifted) substitute(v []complex128) {
	for i := s.n - 1; i >= 0; i-- {
		for j := i + 1; j < min(s.n, i+s.width); j++ {
			v[i] -= s.rows[i][j] * v[j]
		}
		v[i] /= s.rows[i][i]
		if size := cmplx.Abs(v[i]); size > 1e100 && !math.IsInf(size, 1) {
			for j := range v {
				v[j] /= complex(size, 0)
			}
		}
	}
}

// normalise makes the largest component 1 in absolute value.
func normalise(v []complex128) bool {
	largest := 0.0
	for _, x := range v {
		largest = math.Max(largest, cmplx.Abs(x))
	}
	if !(largest > 0) || math.IsInf(largest, 1) {
		return false
	}
	for i := range v {
		v[i] /= complex(largest, 0)
	}
	return true
}

// residual of a vector whose largest component is 1.
func (s *shifted) residual(z complex128, v []complex128) float64 {
	worst := 0.0
	for i := range s.n {
		left := -z * v[i]
		for j := max(0, i-s.lower); j <= min(s.n-1, i+s.upper); j++ {
			left += complex(s.a.At(i, j), 0) * v[j]
		}
		worst = math.Max(worst, cmplx.Abs(left))
	}
	return worst / s.norm
}
