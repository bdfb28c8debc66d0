package meanfield

import (
	"context"
	"fmt"

	"qlimit/ctmc"
)

// expansion holds the coefficients of the stationary moments of a population
// process of size N about its equilibrium π:
//
//	E[x]   = π + V/N + A_2/N² + O(N^-3)
//	Cov(x) = W/N + Σ_2/N² + O(N^-3)
//
// and the third cumulant κ/N² + O(N^-3). See docs/expansion.md.
type expansion struct {
	covariance []float64 // W, n×n
	first      []float64 // V
	second     []float64 // A_2, nil at order 1
	slowest    float64   // largest real part of an eigenvalue of the linearisation
}

// Limits of the expansion: memory and time of the dense algebra.
const (
	maxFirstOrderDim  = 600 // time grows as the cube
	maxSecondOrderDim = 200 // time grows as the fourth power, memory as the cube
)

func checkOrder(order int) error {
	if order != 1 && order != 2 {
		return &ctmc.FieldError{Field: "order", Value: order, Allowed: "1 or 2"}
	}
	return nil
}

func checkExpansionDim(dim, order int) error {
	limit := maxFirstOrderDim
	if order == 2 {
		limit = maxSecondOrderDim
	}
	if dim > limit {
		return &ctmc.TooLargeError{What: fmt.Sprintf("coordinates of the order-%d expansion", order), Value: float64(dim), Limit: float64(limit),
			Hint: "give a smaller --buffer or a lower order"}
	}
	return nil
}

// expand computes the expansion of a local model evaluated at its
// equilibrium; basis as in newSchur.
func (l *localModel) expand(ctx context.Context, order int, basis []float64) (*expansion, error) {
	a := make([]float64, l.n*l.n)
	l.addJacobian(0, a)
	form, err := newSchur(a, l.n, basis)
	if err != nil {
		return nil, err
	}
	if err := form.checkStable(); err != nil {
		return nil, err
	}
	var t solver = form.realOrComplex()
	e := &expansion{covariance: l.stationaryCovariance(t), slowest: form.slowest()}
	e.first = l.firstCorrection(t, e.covariance)
	if order == 2 {
		if e.second, err = newSecondOrder(l, t, e.covariance, e.first).correction(ctx); err != nil {
			return nil, err
		}
	}
	if !finiteEntries(e.first) || !finiteEntries(e.second) || !finiteEntries(e.covariance) {
		return nil, fmt.Errorf("size expansion: the coefficients overflow; the equilibrium is too close to instability")
	}
	return e, nil
}

// stationaryCovariance solves A W + W A^T + Q = 0, Q = Σ β ℓ ℓ^T.
func (l *localModel) stationaryCovariance(t solver) []float64 {
	q := make([]float64, l.n*l.n)
	l.addNoise(limitRate, q)
	return t.lyapunov(q)
}

// firstCorrection solves A V + ½ B:W + f¹ = 0.
func (l *localModel) firstCorrection(t solver, w []float64) []float64 {
	forcing := make([]float64, l.n)
	l.firstForcing(w, forcing)
	return solveNegative(t, forcing)
}

// solveNegative returns -A^{-1} b.
func solveNegative(t solver, b []float64) []float64 {
	x := make([]float64, len(b))
	t.solve(b, x)
	for i := range x {
		x[i] = -x[i]
	}
	return x
}
