package meanfield

import (
	"fmt"
	"math"
	"math/cmplx"

	"gonum.org/v1/gonum/mat"
)

type scalar interface {
	float64 | complex128
}

// triangular is a stable matrix A on the span of n×r columns X,
//
//	A X = X M,  X^H X = I,
//
// M upper triangular, r×r: the Schur form of A, complex where A has complex
// eigenvalues. Then X = Z G with the real columns Z of the real Schur form and
// a unitary G made of rotations of disjoint pairs of columns. Matrices are
// stored by rows. The tensor equations of the size expansion are solved in
// this basis, where each is a back substitution.
type triangular[T scalar] struct {
	n, r  int
	m     []T       // r×r
	x     []T       // n×r
	xh    []T       // r×n, the conjugate transpose of x
	z     []float64 // n×r
	pairs []rotation[T]
}

// rotation replaces the columns k-1 and k, p and q, by c p + s q and
// -s* p + c* q (* the complex conjugate).
type rotation[T scalar] struct {
	k                  int
	c, s, cConj, sConj T
}

// toBasis writes X^H v for a real v.
func (t *triangular[T]) toBasis(v []float64, dst []T) {
	for a := range t.r {
		row := t.xh[a*t.n : (a+1)*t.n]
		var sum T
		for i, c := range row {
			sum += c * fromReal[T](v[i])
		}
		dst[a] = sum
	}
}

// fromBasis writes X z, real up to rounding for the image of a real vector.
func (t *triangular[T]) fromBasis(z []T, dst []float64) {
	for i := range t.n {
		var sum T
		for a, c := range t.x[i*t.r : (i+1)*t.r] {
			sum += c * z[a]
		}
		dst[i] = realPart(sum)
	}
}

// solve writes A^{-1} b, b in the span of X.
func (t *triangular[T]) solve(b, dst []float64) {
	z := make([]T, t.r)
	t.toBasis(b, z)
	for a := t.r - 1; a >= 0; a-- {
		row := t.m[a*t.r : (a+1)*t.r]
		sum := z[a]
		for c := a + 1; c < t.r; c++ {
			sum -= row[c] * z[c]
		}
		z[a] = sum / row[a]
	}
	t.fromBasis(z, dst)
}

// lyapunov returns the symmetric W, n×n, with A W + W A^T + Q = 0 for a
// symmetric Q whose columns lie in the span of X (Bartels, Stewart, Comm. ACM
// 15, 1972): with Q' = X^H Q conj(X) and W = X Y X^T,
//
//	(M_aa + M_bb) Y_ab = -Q'_ab - Σ_{c>a} M_ac Y_cb - Σ_{c>b} M_bc Y_ac.
func (t *triangular[T]) lyapunov(q []float64) []float64 {
	r := t.r
	y := t.symmetricToBasis(q)
	for a := r - 1; a >= 0; a-- {
		rowA := t.m[a*r : (a+1)*r]
		for b := r - 1; b >= a; b-- {
			rowB := t.m[b*r : (b+1)*r]
			sum := -y[a*r+b] - dot(rowA[a+1:], y[b*r+a+1:(b+1)*r]) - dot(rowB[b+1:], y[a*r+b+1:(a+1)*r])
			sum /= rowA[a] + rowB[b]
			y[a*r+b], y[b*r+a] = sum, sum
		}
	}
	return t.symmetricFromBasis(y)
}

// symmetricToBasis returns X^H Q conj(X) = G^H (Z^T Q Z) conj(G).
func (t *triangular[T]) symmetricToBasis(q []float64) []T {
	small := compress(q, t.z, t.n, t.r)
	y := make([]T, len(small))
	for i, v := range small {
		y[i] = fromReal[T](v)
	}
	for _, pair := range t.pairs {
		turn(y, t.r, pair.k, pair.cConj, pair.sConj, pair.s, pair.c)
	}
	return y
}

// symmetricFromBasis returns X Y X^T = Z (G Y G^T) Z^T for the image Y of a
// real symmetric matrix, which makes G Y G^T real.
func (t *triangular[T]) symmetricFromBasis(y []T) []float64 {
	for _, pair := range t.pairs {
		turn(y, t.r, pair.k, pair.c, -pair.sConj, -pair.s, pair.cConj)
	}
	small := make([]float64, len(y))
	for i, v := range y {
		small[i] = realPart(v)
	}
	return expandSymmetric(small, t.z, t.n, t.r)
}

// turn replaces rows and then columns k-1 and k, p and q, by a p + b q and
// d q - e p.
func turn[T scalar](y []T, r, k int, a, b, e, d T) {
	upper, lower := y[(k-1)*r:k*r], y[k*r:(k+1)*r]
	for j, p := range upper {
		q := lower[j]
		upper[j], lower[j] = a*p+b*q, d*q-e*p
	}
	for i := range r {
		p, q := y[i*r+k-1], y[i*r+k]
		y[i*r+k-1], y[i*r+k] = a*p+b*q, d*q-e*p
	}
}

// dot is Σ a_i b_i, without conjugation, over the length of a.
func dot[T scalar](a, b []T) T {
	b = b[:len(a)]
	var even, odd T
	i := 0
	for ; i+1 < len(a); i += 2 {
		even += a[i] * b[i]
		odd += a[i+1] * b[i+1]
	}
	if i < len(a) {
		even += a[i] * b[i]
	}
	return even + odd
}

func fromReal[T scalar](v float64) T {
	var t T
	switch p := any(&t).(type) {
	case *float64:
		*p = v
	case *complex128:
		*p = complex(v, 0)
	}
	return t
}

func realPart[T scalar](v T) float64 {
	switch v := any(v).(type) {
	case float64:
		return v
	case complex128:
		return real(v)
	}
	return 0
}

func conjugate[T scalar](v T) T {
	if p, ok := any(&v).(*complex128); ok {
		*p = cmplx.Conj(*p)
	}
	return v
}

// Lyapunov returns the symmetric W with A W + W A^T + Q = 0 for a stable A
// (all eigenvalues have a negative real part) and a symmetric Q, by the method
// of Bartels and Stewart. The error is a few roundings times the norm of W
// times |A| over twice the distance of the eigenvalues from the imaginary
// axis. An A that is not square or not stable, or a Q of another size, is an
// error.
func Lyapunov(a mat.Matrix, q mat.Symmetric) (*mat.SymDense, error) {
	n, columns := a.Dims()
	if n != columns || q.SymmetricDim() != n {
		return nil, fmt.Errorf("lyapunov: A is %d×%d and Q %d×%d: both must be square and of the same size", n, columns, q.SymmetricDim(), q.SymmetricDim())
	}
	entries, right := make([]float64, n*n), make([]float64, n*n)
	for i := range n {
		for j := range n {
			entries[i*n+j], right[i*n+j] = a.At(i, j), q.At(i, j)
		}
	}
	form, err := newSchur(entries, n, nil)
	if err != nil {
		return nil, err
	}
	if err := form.checkStable(); err != nil {
		return nil, err
	}
	return mat.NewSymDense(n, form.realOrComplex().lyapunov(right)), nil
}

// finiteEntries reports whether no entry is NaN or infinite.
func finiteEntries(values []float64) bool {
	for _, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}
