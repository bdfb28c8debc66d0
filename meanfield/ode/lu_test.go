package ode

import (
	"math"
	"math/cmplx"
	"testing"

	"pgregory.net/rapid"
)

// drawMatrix draws a matrix, full or banded, with entries in [-1, 1].
func drawMatrix(t *rapid.T) *Matrix {
	n := rapid.IntRange(1, 12).Draw(t, "n")
	s := Structure{}
	if rapid.Bool().Draw(t, "banded") {
		s = Banded(rapid.IntRange(0, n-1).Draw(t, "lower"), rapid.IntRange(0, n-1).Draw(t, "upper"))
	}
	m := NewMatrix(n, s)
	for i := range n {
		for j := range n {
			if m.stored(i, j) {
				m.Set(i, j, rapid.Float64Range(-1, 1).Draw(t, "entry"))
			}
		}
	}
	return m
}

// (shift·I − J)·x = b: the residual is at the level of rounding errors, in
// units of |A|·|x| with the growth that partial pivoting allows.
func TestSolveShiftedSystem(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		j := drawMatrix(t)
		n := j.dim
		shift := complex(rapid.Float64Range(-2, 2).Draw(t, "re"), rapid.Float64Range(-2, 2).Draw(t, "im"))
		b := make([]float64, n)
		for i := range b {
			b[i] = rapid.Float64Range(-1, 1).Draw(t, "b")
		}
		re, im := newFactors(j, realSize), newFactors(j, complexSize)
		if factorShifted(re, real(shift), j) {
			x := append([]float64(nil), b...)
			re.solve(x)
			for i := range n {
				residual, size := b[i], math.Abs(b[i])
				for k := range n {
					a := -j.At(i, k)
					if i == k {
						a += real(shift)
					}
					residual -= a * x[k]
					size += math.Abs(a * x[k])
				}
				size += maxAbs(x)
				if math.Abs(residual) > 1e-12*size {
					t.Fatalf("real row %d: residual %v of %v", i, residual, size)
				}
			}
		}
		if factorShiftedComplex(im, shift, j) {
			x := make([]complex128, n)
			for i := range x {
				x[i] = complex(b[i], 1-b[i])
			}
			im.solve(x)
			largest := 0.0
			for _, v := range x {
				largest = max(largest, cmplx.Abs(v))
			}
			for i := range n {
				residual := complex(b[i], 1-b[i])
				for k := range n {
					a := complex(-j.At(i, k), 0)
					if i == k {
						a += shift
					}
					residual -= a * x[k]
				}
				if cmplx.Abs(residual) > 1e-12*(2+5*float64(n)*largest) {
					t.Fatalf("complex row %d: residual %v", i, residual)
				}
			}
		}
	})
}

func maxAbs(x []float64) float64 {
	m := 0.0
	for _, v := range x {
		m = max(m, math.Abs(v))
	}
	return m
}

func TestSingularMatrixIsReported(t *testing.T) {
	m := NewMatrix(3, Dense())
	for i := range 3 {
		for j := range 3 {
			m.Set(i, j, float64(i+j)) // rank 2
		}
	}
	if factorShifted(newFactors(m, realSize), 0, m) {
		t.Error("singular matrix of small integers was factored")
	}
	m.Set(0, 0, math.NaN())
	if factorShifted(newFactors(m, realSize), 1, m) {
		t.Error("matrix with NaN was factored")
	}
}

// A system with a known solution that needs row exchanges: the leading
// entry is zero.
func TestPivoting(t *testing.T) {
	for _, s := range []Structure{Dense(), Banded(1, 1)} {
		m := NewMatrix(3, s)
		m.Set(0, 1, -1)
		m.Set(1, 0, -2)
		m.Set(1, 2, -3)
		m.Set(2, 1, -4)
		m.Set(2, 2, -5)
		f := newFactors(m, realSize)
		if !factorShifted(f, 0, m) {
			t.Fatal("regular matrix not factored")
		}
		b := []float64{2, 2*1 + 3*3, 4*2 + 5*3} // x = (1, 2, 3)
		f.solve(b)
		for i, x := range b {
			if math.Abs(x-float64(i+1)) > 1e-14 {
				t.Errorf("x[%d] = %v, want %d", i, x, i+1)
			}
		}
	}
}
