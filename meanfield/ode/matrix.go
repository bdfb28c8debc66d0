package ode

import "fmt"

// Matrix is a square matrix in full or banded row-major storage. Entry (i, j)
// lives at data[i*stride + j + base]: a full matrix has stride dim and base 0,
// a band with l lower and u upper diagonals has stride l+u and base l, so both
// are addressed by one formula.
type Matrix struct {
	dim          int
	lower, upper int
	stride, base int
	data         []float64
}

// NewMatrix returns a zero matrix of the given dimension, stored as the
// structure asks. It panics if the structure does not fit the dimension.
func NewMatrix(dim int, s Structure) *Matrix {
	if dim < 1 {
		panic(fmt.Sprintf("ode: NewMatrix with dimension %d", dim))
	}
	if err := s.check(dim); err != nil {
		panic(err.Error())
	}
	lower, upper, banded := s.bandwidths(dim)
	if !banded {
		return &Matrix{dim: dim, lower: dim - 1, upper: dim - 1, stride: dim, data: make([]float64, dim*dim)}
	}
	return &Matrix{
		dim: dim, lower: lower, upper: upper, stride: lower + upper, base: lower,
		data: make([]float64, dim*(lower+upper+1)),
	}
}

// Dims returns the numbers of rows and columns.
func (m *Matrix) Dims() (rows, columns int) { return m.dim, m.dim }

// Bandwidths returns the numbers of stored diagonals below and above the main
// one; both are Dim-1 for a full matrix.
func (m *Matrix) Bandwidths() (lower, upper int) { return m.lower, m.upper }

func (m *Matrix) stored(i, j int) bool {
	return i-j <= m.lower && j-i <= m.upper
}

func (m *Matrix) checkIndex(i, j int) {
	if uint(i) >= uint(m.dim) || uint(j) >= uint(m.dim) {
		panic(fmt.Sprintf("ode: matrix index (%d, %d) outside %d×%d", i, j, m.dim, m.dim))
	}
}

func (m *Matrix) place(i, j int) int {
	m.checkIndex(i, j)
	if !m.stored(i, j) {
		panic(fmt.Sprintf("ode: matrix entry (%d, %d) outside the band of %d lower and %d upper diagonals", i, j, m.lower, m.upper))
	}
	return i*m.stride + j + m.base
}

// At returns the entry in row i and column j; outside the band that is 0.
func (m *Matrix) At(i, j int) float64 {
	m.checkIndex(i, j)
	if !m.stored(i, j) {
		return 0
	}
	return m.data[i*m.stride+j+m.base]
}

// Set sets the entry in row i and column j. It panics outside the band.
func (m *Matrix) Set(i, j int, v float64) { m.data[m.place(i, j)] = v }

// Add adds v to the entry in row i and column j. It panics outside the band.
func (m *Matrix) Add(i, j int, v float64) { m.data[m.place(i, j)] += v }

// Zero sets all entries to 0.
func (m *Matrix) Zero() { clear(m.data) }
