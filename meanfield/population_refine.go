package meanfield

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"qlimit/ctmc"
)

// PopulationRefinement is the expansion of the stationary mean of a population
// process of size N about an equilibrium of its fluid limit.
type PopulationRefinement struct {
	Size  int64 // N
	Order int   // 1 or 2

	Limit                    []float64 // the equilibrium π
	Order1, Order2           []float64 // π + Correction1/N, + Correction2/N²
	Correction1, Correction2 []float64 // do not depend on N

	// Covariance is W: N Cov(x) tends to it.
	Covariance *mat.SymDense

	// Gap is minus the largest real part of an eigenvalue of the linearisation
	// at the equilibrium, within the span of the jumps.
	Gap float64

	// DerivativeError is the largest estimated relative error of a derivative
	// of a rate, 0 if all come from formulas.
	DerivativeError float64

	// Trusted is false when the terms do not fall fast enough (see Warnings).
	Trusted  bool
	Kind     ctmc.Kind // Limit
	Warnings []string  // sentences for footnotes
}

// RefinePopulation returns the expansion of E[x], to order 1 or 2 in 1/N,
// about the equilibrium that the fluid limit reaches from start.
//
// The process at finite N must be ergodic and stay near this equilibrium: with
// several stable equilibria, or an absorbing state, the stationary mean is
// another matter, which no local expansion sees.
//
// Errors: an order other than 1 and 2, a size below 1, no equilibrium, one
// that is not stable, a rate that is not finite there, or too many coordinates
// ([ctmc.TooLargeError]).
func RefinePopulation(ctx context.Context, p ctmc.Population, start []float64, size int64, order int) (*PopulationRefinement, error) {
	if size < 1 || size > ctmc.MaxServers {
		return nil, &ctmc.FieldError{Field: "size", Value: size, Allowed: "between 1 and 1e15"}
	}
	if err := checkOrder(order); err != nil {
		return nil, err
	}
	if err := checkExpansionDim(p.Dim(), order); err != nil {
		return nil, err
	}
	x, err := PopulationEquilibrium(ctx, p, start)
	if err != nil {
		return nil, err
	}
	local := newLocalModel(p)
	if err := local.at(x, order); err != nil {
		return nil, err
	}
	e, err := local.expand(ctx, order, jumpSpan(p))
	if err != nil {
		return nil, err
	}
	n := float64(size)
	r := &PopulationRefinement{Size: size, Order: order, Limit: x, Correction1: e.first, Correction2: e.second,
		Order1: addScaled(x, e.first, 1/n), Covariance: mat.NewSymDense(len(x), e.covariance),
		Gap: -e.slowest, DerivativeError: local.derivativeError(), Trusted: true, Kind: ctmc.Limit}
	if order == 2 {
		r.Order2 = addScaled(r.Order1, e.second, 1/(n*n))
	}
	r.judge()
	return r, nil
}

// judge holds the terms against each other in the maximum norm; the 1/N term
// against the limit only when the limit is not 0.
func (r *PopulationRefinement) judge() {
	n := float64(r.Size)
	first := largestAbs(r.Correction1) / n
	if limit := largestAbs(r.Limit); limit > 0 && first > trustedFirst*limit {
		r.distrust(fmt.Sprintf("the 1/N term is %.2g of the limit", first/limit))
	}
	if r.Order == 2 && first > 0 {
		if ratio := largestAbs(r.Correction2) / (n * n) / first; ratio > trustedSecond {
			r.distrust(fmt.Sprintf("the 1/N² term is %.2g of the 1/N term", ratio))
		}
	}
	if r.DerivativeError > 0 {
		r.Warnings = append(r.Warnings, fmt.Sprintf("derivatives of the rates by extrapolated differences, estimated relative error %.1g: give formulas (ctmc.Polynomial, ctmc.SmoothRate) for full accuracy", math.Max(r.DerivativeError, 1e-16)))
	}
}

func (r *PopulationRefinement) distrust(why string) {
	r.Trusted = false
	r.Warnings = append(r.Warnings, fmt.Sprintf("the expansion is not trustworthy at size %d: %s", r.Size, why))
}
