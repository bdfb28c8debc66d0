package meanfield

import (
	"math"

	"qlimit/meanfield/ode"
)

// balanced returns D⁻¹AD, D diagonal with powers of two, so that off the
// diagonal each row has about the 1-norm of the column of the same index: the
// iteration of Osborne, Parlett and Reinsch. The eigenvalues are the same to
// the last bit. Entries that go below the range of numbers are zero.
func balanced(a *ode.Matrix) *ode.Matrix {
	n, _ := a.Dims()
	lower, upper := a.Bandwidths()
	exponent := make([]int, n)
	scaled := func(i, j int) float64 { return math.Ldexp(a.At(i, j), exponent[j]-exponent[i]) }
	for range maxBalancing {
		changed := false
		for i := range n {
			row, column := 0.0, 0.0
			for j := max(0, i-max(lower, upper)); j <= min(n-1, i+max(lower, upper)); j++ {
				if j != i {
					row += math.Abs(scaled(i, j))
					column += math.Abs(scaled(j, i))
				}
			}
			if row == 0 || column == 0 {
				continue
			}
			if step := int(math.Round(math.Log2(row/column) / 2)); step != 0 {
				exponent[i] += step
				changed = true
			}
		}
		if !changed {
			break
		}
	}
	result := ode.NewMatrix(n, ode.Banded(lower, upper))
	for i := range n {
		for j := max(0, i-lower); j <= min(n-1, i+upper); j++ {
			result.Set(i, j, scaled(i, j))
		}
	}
	return result
}

const maxBalancing = 200
