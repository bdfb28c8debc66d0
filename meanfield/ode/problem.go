package ode

import (
	"fmt"
	"math"
)

// Problem is the initial value problem y' = F(t, y) without its initial value.
type Problem struct {
	// Dim is the number of unknowns, at least 1.
	Dim int

	// F writes F(t, y) into slope. Both slices have length Dim; y must not be
	// changed and neither slice may be kept. F is called at trial points that
	// need not lie on the solution: where it has no value it should write NaN,
	// which makes the integrator retreat to a smaller step.
	F func(t float64, y, slope []float64)

	// Jacobian adds the non-zero entries ∂F_i/∂y_j(t, y) to jac, which arrives
	// zeroed and shaped by Structure. Nil means finite differences, with
	// columns that share no row evaluated together. Only implicit methods ask
	// for it.
	Jacobian func(t float64, y []float64, jac *Matrix)

	// Structure says which entries of the Jacobian can be non-zero. The zero
	// value means all of them.
	Structure Structure
}

func (p *Problem) check() error {
	if p.Dim < 1 {
		return fmt.Errorf("ode: Problem.Dim = %d, must be at least 1", p.Dim)
	}
	if p.F == nil {
		return fmt.Errorf("ode: Problem.F is nil")
	}
	return p.Structure.check(p.Dim)
}

func checkState(y []float64, dim int) error {
	if len(y) != dim {
		return fmt.Errorf("ode: initial state has length %d, must be Problem.Dim = %d", len(y), dim)
	}
	for i, v := range y {
		if !isFinite(v) {
			return fmt.Errorf("ode: initial state[%d] = %v, must be finite", i, v)
		}
	}
	return nil
}

func isFinite(x float64) bool {
	return !math.IsNaN(x) && !math.IsInf(x, 0)
}

// ulp returns the distance from |x| to the next larger number.
func ulp(x float64) float64 {
	x = math.Abs(x)
	return math.Nextafter(x, math.Inf(1)) - x
}
