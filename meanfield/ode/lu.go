package ode

import "math"

type scalar interface {
	float64 | complex128
}

// factors holds the factorisation P·A = L·U of a full or banded matrix by
// Gaussian elimination with partial pivoting (Golub & Van Loan, Matrix
// Computations, §3.4 and §4.3.3). Like LINPACK it leaves the multipliers of L
// where they arose and replays the row exchanges while solving, which lets one
// loop serve both storages. Row exchanges widen a band by `lower` diagonals.
type factors[T scalar] struct {
	dim          int
	lower, upper int // diagonals of A
	stride, base int // as in Matrix, for lower+upper+lower+1 diagonals
	entries      []T
	pivotRow     []int
	pivotInverse []T
	size         func(T) float64 // magnitude by which pivots are chosen
}

func newFactors[T scalar](shape *Matrix, size func(T) float64) *factors[T] {
	n := shape.dim
	f := &factors[T]{
		dim: n, lower: shape.lower, upper: shape.upper, stride: n,
		pivotRow: make([]int, n), pivotInverse: make([]T, n), size: size,
	}
	if shape.base == 0 && shape.stride == n {
		f.entries = make([]T, n*n)
		return f
	}
	f.stride, f.base = 2*f.lower+f.upper, f.lower
	f.entries = make([]T, n*(f.stride+1))
	return f
}

// cost is the order of the operations of an elimination.
func (f *factors[T]) cost() int64 {
	return int64(f.dim) * int64(f.lower) * int64(f.lower+f.upper)
}

func realSize(x float64) float64 { return math.Abs(x) }

func complexSize(z complex128) float64 { return math.Abs(real(z)) + math.Abs(imag(z)) }

// factorShifted factors shift·I − J and reports whether all pivots were
// non-zero and finite.
func factorShifted(f *factors[float64], shift float64, j *Matrix) bool {
	clear(f.entries)
	for i := range f.dim {
		first, last := max(0, i-j.lower), min(j.dim-1, i+j.upper)
		to, from := i*f.stride+f.base, i*j.stride+j.base
		for c := first; c <= last; c++ {
			f.entries[to+c] = -j.data[from+c]
		}
		f.entries[to+i] += shift
	}
	return f.eliminate()
}

// factorShiftedComplex is factorShifted for a complex shift.
func factorShiftedComplex(f *factors[complex128], shift complex128, j *Matrix) bool {
	clear(f.entries)
	for i := range f.dim {
		first, last := max(0, i-j.lower), min(j.dim-1, i+j.upper)
		to, from := i*f.stride+f.base, i*j.stride+j.base
		for c := first; c <= last; c++ {
			f.entries[to+c] = complex(-j.data[from+c], 0)
		}
		f.entries[to+i] += shift
	}
	return f.eliminate()
}

func (f *factors[T]) eliminate() bool {
	for k := range f.dim {
		lastRow := min(f.dim-1, k+f.lower)
		lastColumn := min(f.dim-1, k+f.upper+f.lower)
		p := f.largestInColumn(k, lastRow)
		f.pivotRow[k] = p
		rowK := f.entries[k*f.stride+f.base+k : k*f.stride+f.base+lastColumn+1]
		if p != k {
			rowP := f.entries[p*f.stride+f.base+k : p*f.stride+f.base+lastColumn+1]
			for c := range rowK {
				rowK[c], rowP[c] = rowP[c], rowK[c]
			}
		}
		if s := f.size(rowK[0]); s == 0 || !isFinite(s) {
			return false
		}
		inverse := 1 / rowK[0]
		f.pivotInverse[k] = inverse
		for i := k + 1; i <= lastRow; i++ {
			rowI := f.entries[i*f.stride+f.base+k : i*f.stride+f.base+lastColumn+1]
			if rowI[0] == 0 {
				continue
			}
			m := rowI[0] * inverse
			rowI[0] = m
			for c := 1; c < len(rowI); c++ {
				rowI[c] -= m * rowK[c]
			}
		}
	}
	return true
}

func (f *factors[T]) largestInColumn(k, lastRow int) int {
	best, row := -1.0, k
	for i := k; i <= lastRow; i++ {
		if s := f.size(f.entries[i*f.stride+f.base+k]); s > best {
			best, row = s, i
		}
	}
	return row
}

// solve replaces b by the solution of A·x = b.
func (f *factors[T]) solve(b []T) {
	for k := range f.dim {
		if p := f.pivotRow[k]; p != k {
			b[k], b[p] = b[p], b[k]
		}
		if b[k] == 0 {
			continue
		}
		for i := k + 1; i <= min(f.dim-1, k+f.lower); i++ {
			b[i] -= f.entries[i*f.stride+f.base+k] * b[k]
		}
	}
	for k := f.dim - 1; k >= 0; k-- {
		last := min(f.dim-1, k+f.upper+f.lower)
		row := f.entries[k*f.stride+f.base+k+1 : k*f.stride+f.base+last+1]
		sum := b[k]
		for c, u := range row {
			sum -= u * b[k+1+c]
		}
		b[k] = sum * f.pivotInverse[k]
	}
}
