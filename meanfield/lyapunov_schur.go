package meanfield

import (
	"context"
	"fmt"
	"math"
	"math/cmplx"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack"
	lapackgonum "gonum.org/v1/gonum/lapack/gonum"
)

// schur is the real Schur form A = Z T Z^T on a subspace: T quasi-triangular,
// r×r, Z with orthonormal columns, n×r.
type schur struct {
	n, r   int
	t, z   []float64
	re, im []float64 // eigenvalues
}

// newSchur returns the Schur form of A, n×n, or, if basis (n×r, orthonormal
// columns that A maps into their span) is given, of A on that span. A is
// overwritten.
func newSchur(a []float64, n int, basis []float64) (*schur, error) {
	if !finiteEntries(a) {
		return nil, fmt.Errorf("schur form: the matrix has entries that are not finite")
	}
	r := n
	if basis != nil {
		r = len(basis) / n
		a = compress(a, basis, n, r)
	}
	s := &schur{n: n, r: r, t: a, re: make([]float64, r), im: make([]float64, r)}
	z, err := s.reduce()
	if err != nil {
		return nil, err
	}
	s.z = z
	if basis != nil {
		s.z = make([]float64, n*r)
		blas64.Gemm(blasNoTrans, blasNoTrans, 1, general(basis, n, r), general(z, r, r), 0, general(s.z, n, r))
	}
	return s, nil
}

const (
	blasNoTrans = 'N'
	blasTrans   = 'T'
)

func general(data []float64, rows, columns int) blas64.General {
	return blas64.General{Rows: rows, Cols: columns, Stride: columns, Data: data}
}

// compress returns U^T A U.
func compress(a, basis []float64, n, r int) []float64 {
	half, small := make([]float64, n*r), make([]float64, r*r)
	u := general(basis, n, r)
	blas64.Gemm(blasNoTrans, blasNoTrans, 1, general(a, n, n), u, 0, general(half, n, r))
	blas64.Gemm(blasTrans, blasNoTrans, 1, u, general(half, n, r), 0, general(small, r, r))
	return small
}

// expandSymmetric returns U S U^T, exactly symmetric.
func expandSymmetric(small, basis []float64, n, r int) []float64 {
	half, full := make([]float64, n*r), make([]float64, n*n)
	u := general(basis, n, r)
	blas64.Gemm(blasNoTrans, blasNoTrans, 1, u, general(small, r, r), 0, general(half, n, r))
	blas64.Gemm(blasNoTrans, blasTrans, 1, general(half, n, r), u, 0, general(full, n, n))
	for i := range n {
		for j := range i {
			mean := (full[i*n+j] + full[j*n+i]) / 2
			full[i*n+j], full[j*n+i] = mean, mean
		}
	}
	return full
}

// reduce brings t to Schur form by orthogonal transformations, returned.
// (Without balancing: that is not orthogonal.)
func (s *schur) reduce() ([]float64, error) {
	r := s.r
	impl := lapackgonum.Implementation{}
	z := make([]float64, r*r)
	tau := make([]float64, max(r-1, 1))
	work := make([]float64, 1)
	impl.Dgehrd(r, 0, r-1, s.t, r, tau, work, -1)
	need := int(work[0])
	impl.Dorghr(r, 0, r-1, z, r, tau, work, -1)
	need = max(need, int(work[0]))
	impl.Dhseqr(lapack.EigenvaluesAndSchur, lapack.SchurOrig, r, 0, r-1, s.t, r, s.re, s.im, z, r, work, -1)
	work = make([]float64, max(need, int(work[0]), r))
	impl.Dgehrd(r, 0, r-1, s.t, r, tau[:max(r-1, 0)], work, len(work))
	copy(z, s.t)
	impl.Dorghr(r, 0, r-1, z, r, tau[:max(r-1, 0)], work, len(work))
	if left := impl.Dhseqr(lapack.EigenvaluesAndSchur, lapack.SchurOrig, r, 0, r-1, s.t, r, s.re, s.im, z, r, work, len(work)); left != 0 {
		return nil, fmt.Errorf("schur form: the QR iteration did not converge for %d of %d eigenvalues", left, r)
	}
	for i := range r {
		for j := 0; j+1 < i; j++ {
			s.t[i*r+j] = 0
		}
	}
	return z, nil
}

// real reports whether all eigenvalues are real.
func (s *schur) real() bool {
	for _, v := range s.im {
		if v != 0 {
			return false
		}
	}
	return true
}

// slowest is the largest real part of an eigenvalue.
func (s *schur) slowest() float64 {
	largest := math.Inf(-1)
	for _, v := range s.re {
		largest = math.Max(largest, v)
	}
	return largest
}

// checkStable asks for eigenvalues with negative real parts, beyond rounding.
func (s *schur) checkStable() error {
	norm := 0.0
	for _, v := range s.t {
		norm = math.Max(norm, math.Abs(v))
	}
	if largest := s.slowest(); !(largest < -1e-13*norm) {
		return fmt.Errorf("the linearisation has an eigenvalue with real part %.3g: the equilibrium must be stable for a size expansion", largest)
	}
	return nil
}

// solver is what a triangular form, real or complex, does for real vectors,
// symmetric matrices and symmetric tensors.
type solver interface {
	solve(b, dst []float64)                                             // A x = b
	lyapunov(q []float64) []float64                                     // A W + W A^T + Q = 0
	symmetricThird(ctx context.Context, g []float64) ([]float64, error) // the same for tensors, in the Schur basis
	schurBasis() (z []float64, r int)
}

func (s *schur) realOrComplex() solver {
	if s.real() {
		return s.realTriangular()
	}
	return s.complexTriangular()
}

func (s *schur) realTriangular() *triangular[float64] {
	return withConjugate(&triangular[float64]{n: s.n, r: s.r, m: s.t, x: s.z, z: s.z})
}

// complexTriangular removes the 2×2 blocks on the diagonal by complex plane
// rotations (Golub, Van Loan, Matrix Computations, §7.4).
func (s *schur) complexTriangular() *triangular[complex128] {
	r := s.r
	t := &triangular[complex128]{n: s.n, r: r, m: make([]complex128, r*r), x: make([]complex128, s.n*r), z: s.z}
	for i, v := range s.t {
		t.m[i] = complex(v, 0)
	}
	for i, v := range s.z {
		t.x[i] = complex(v, 0)
	}
	for k := r - 1; k > 0; k-- {
		if s.t[k*r+k-1] != 0 {
			splitBlock(t, k, complex(s.re[k-1], s.im[k-1]))
		}
	}
	return withConjugate(t)
}

// splitBlock makes entry (k, k-1) of M zero, given an eigenvalue of the block
// on the diagonal: its eigenvector (eigenvalue - m_kk, m_{k,k-1}) becomes the
// first axis.
func splitBlock(t *triangular[complex128], k int, eigenvalue complex128) {
	m, r := t.m, t.r
	top, below := eigenvalue-m[k*r+k], m[k*r+k-1]
	length := complex(math.Hypot(cmplx.Abs(top), cmplx.Abs(below)), 0)
	c, s := top/length, below/length
	pair := rotation[complex128]{k: k, c: c, s: s, cConj: cmplx.Conj(c), sConj: cmplx.Conj(s)}
	for j := k - 1; j < r; j++ {
		p, q := m[(k-1)*r+j], m[k*r+j]
		m[(k-1)*r+j], m[k*r+j] = pair.cConj*p+pair.sConj*q, c*q-s*p
	}
	pair.applyToColumns(m, k+1, r)
	pair.applyToColumns(t.x, t.n, r)
	m[k*r+k-1] = 0
	t.pairs = append(t.pairs, pair)
}

func (p *rotation[T]) applyToColumns(entries []T, rows, r int) {
	for i := range rows {
		left, right := entries[i*r+p.k-1], entries[i*r+p.k]
		entries[i*r+p.k-1] = p.c*left + p.s*right
		entries[i*r+p.k] = p.cConj*right - p.sConj*left
	}
}

func withConjugate[T scalar](t *triangular[T]) *triangular[T] {
	t.xh = make([]T, len(t.x))
	for i := range t.n {
		for a := range t.r {
			t.xh[a*t.n+i] = conjugate(t.x[i*t.r+a])
		}
	}
	return t
}
