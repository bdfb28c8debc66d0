package meanfield

import (
	"context"
	"math"
	"math/cmplx"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// stableMatrix draws a matrix with eigenvalues left of -0.1.
func stableMatrix(t *rapid.T, n int) *mat.Dense {
	a := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			a.Set(i, j, rapid.Float64Range(-1, 1).Draw(t, "entry"))
		}
	}
	var eigen mat.Eigen
	if !eigen.Factorize(a, mat.EigenNone) {
		t.Skip("no eigenvalues")
	}
	shift := 0.0
	for _, v := range eigen.Values(nil) {
		shift = math.Max(shift, real(v))
	}
	for i := range n {
		a.Set(i, i, a.At(i, i)-shift-0.1)
	}
	return a
}

// TestLyapunovSolvesItsEquation also compares with the solution of the n²
// linear equations in the entries of W.
func TestLyapunovSolvesItsEquation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 7).Draw(t, "n")
		a := stableMatrix(t, n)
		q := mat.NewSymDense(n, nil)
		for i := range n {
			for j := range i + 1 {
				q.SetSym(i, j, rapid.Float64Range(-1, 1).Draw(t, "q"))
			}
		}
		w, err := Lyapunov(a, q)
		if err != nil {
			t.Fatal(err)
		}
		equations, right := mat.NewDense(n*n, n*n, nil), mat.NewVecDense(n*n, nil)
		for i := range n {
			for j := range n {
				row := i*n + j
				right.SetVec(row, -q.At(i, j))
				for k := range n {
					equations.Set(row, k*n+j, equations.At(row, k*n+j)+a.At(i, k))
					equations.Set(row, i*n+k, equations.At(row, i*n+k)+a.At(j, k))
				}
			}
		}
		var direct mat.VecDense
		if err := direct.SolveVec(equations, right); err != nil {
			t.Skip("ill-conditioned")
		}
		size := mat.Norm(w, 2)
		for i := range n {
			for j := range n {
				if got, want := w.At(i, j), direct.AtVec(i*n+j); math.Abs(got-want) > 1e-9*(1+size) {
					t.Fatalf("W[%d,%d] = %v, directly %v", i, j, got, want)
				}
			}
		}
	})
}

// TestComplexTriangularForm checks A X = X M, X^H X = I and the zeros of M.
func TestComplexTriangularForm(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 8).Draw(t, "n")
		a := stableMatrix(t, n)
		form, err := newSchur(append([]float64(nil), a.RawMatrix().Data...), n, nil)
		if err != nil {
			t.Fatal(err)
		}
		x := form.complexTriangular()
		for i := range n {
			for c := range n {
				var left, right, product complex128
				for k := range n {
					left += complex(a.At(i, k), 0) * x.x[k*n+c]
					right += x.x[i*n+k] * x.m[k*n+c]
					product += x.xh[i*n+k] * x.x[k*n+c]
				}
				if i == c {
					product--
				}
				if cmplx.Abs(left-right) > 1e-12*float64(n) || cmplx.Abs(product) > 1e-13*float64(n) {
					t.Fatalf("entry (%d,%d): A X - X M = %v, X^H X - I = %v", i, c, left-right, product)
				}
				if c < i && x.m[i*n+c] != 0 {
					t.Fatalf("M[%d,%d] = %v below the diagonal", i, c, x.m[i*n+c])
				}
			}
		}
	})
}

func TestLyapunovRefuses(t *testing.T) {
	q := mat.NewSymDense(2, []float64{1, 0, 0, 1})
	for name, a := range map[string]*mat.Dense{
		"unstable":    mat.NewDense(2, 2, []float64{1, 0, 0, -1}),
		"on the axis": mat.NewDense(2, 2, []float64{0, 1, -1, 0}),
		"not square":  mat.NewDense(2, 3, nil),
		"not finite":  mat.NewDense(2, 2, []float64{math.NaN(), 0, 0, -1}),
	} {
		if _, err := Lyapunov(a, q); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestSymmetricThirdSolvesItsEquation, with real and complex eigenvalues.
func TestSymmetricThirdSolvesItsEquation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 5).Draw(t, "n")
		a := stableMatrix(t, n)
		form, err := newSchur(append([]float64(nil), a.RawMatrix().Data...), n, nil)
		if err != nil {
			t.Fatal(err)
		}
		quasi := append([]float64(nil), form.t...)
		g := make([]float64, n*n*n)
		for i := range n {
			for j := range i + 1 {
				for k := range j + 1 {
					setSymmetric(g, n, i, j, k, rapid.Float64Range(-1, 1).Draw(t, "g"))
				}
			}
		}
		kappa, err := form.realOrComplex().symmetricThird(context.Background(), append([]float64(nil), g...))
		if err != nil {
			t.Fatal(err)
		}
		size := 1.0
		for _, v := range kappa {
			size = math.Max(size, math.Abs(v))
		}
		at := func(i, j, k int) float64 { return kappa[(i*n+j)*n+k] }
		for i := range n {
			for j := range n {
				for k := range n {
					sum := g[(i*n+j)*n+k]
					for d := range n {
						sum += quasi[i*n+d]*at(d, j, k) + quasi[j*n+d]*at(i, d, k) + quasi[k*n+d]*at(i, j, d)
					}
					if math.Abs(sum) > 1e-11*size {
						t.Fatalf("(%d,%d,%d): residual %v, size %v", i, j, k, sum, size)
					}
				}
			}
		}
	})
}
