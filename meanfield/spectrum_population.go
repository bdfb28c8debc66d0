package meanfield

import (
	"fmt"

	"qlimit/ctmc"
	"qlimit/meanfield/ode"
)

// PopulationSpectrum returns the spectrum of the fluid limit of a population
// process linearised at an equilibrium, as of [PopulationEquilibrium]: the
// eigenvalues of the derivative of the drift Σ ℓ β(x), per unit of time of the
// rates.
//
// A linear combination c·x that no jump changes is conserved; it makes an
// eigenvalue 0 that says nothing about stability. The derivative is therefore
// restricted to the span of the jumps, which a trajectory never leaves; Levels
// is the dimension of the span and Conserved the number of zeros taken away. A
// further eigenvalue 0, from a drift that conserves what single jumps do not,
// stays and makes the gap 0, with a warning.
//
// The accuracy is that of [Spectrum], limited by numerical derivatives where
// the rates have no formulas, which a warning states. Errors: a point of the
// wrong length, not finite, or where the drift exceeds 1e-8 of the largest rate
// of a jump; a model too large.
func PopulationSpectrum(p ctmc.Population, at []float64) (*Modes, error) {
	n := p.Dim()
	if len(at) != n || !finiteEntries(at) {
		return nil, &ctmc.FieldError{Field: "at", Value: at, Allowed: fmt.Sprintf("%d finite coordinates", n)}
	}
	if n > maxSpectrumDim {
		return nil, &ctmc.TooLargeError{What: "coordinates of the linearisation", Value: float64(n), Limit: maxSpectrumDim, Hint: "spectra need a smaller model"}
	}
	d := NewPopulationDynamics(p)
	drift, jacobian := make([]float64, n), make([]float64, n*n)
	d.Drift(at, drift)
	d.Jacobian(at, jacobian)
	if !finiteEntries(drift) || !finiteEntries(jacobian) {
		return nil, fmt.Errorf("population: the drift or its derivative is not finite at %v", at)
	}
	if largestAbs(drift) > restingDrift*d.largestFlow(at) {
		return nil, &ctmc.FieldError{Field: "at", Value: at, Allowed: "an equilibrium", Reason: fmt.Sprintf("the drift there is %.3g", largestAbs(drift))}
	}
	s := &Modes{Repeats: 1, Levels: n}
	if basis := jumpSpan(p); basis != nil {
		s.Levels = len(basis) / n
		s.Conserved = n - s.Levels
		if s.Levels > 0 {
			jacobian = compress(jacobian, basis, n, s.Levels)
		}
	}
	if s.Levels == 0 {
		s.finish(1)
		return s, nil
	}
	var err error
	s.Eigenvalues, s.Warnings, err = reliableEigenvalues(denseMatrix(jacobian, s.Levels))
	if err != nil {
		return nil, err
	}
	if size := d.derivativeError(); size > 0 {
		s.Warnings = append(s.Warnings, fmt.Sprintf("derivatives of the rates by extrapolated differences, estimated relative error %.1g", size))
	}
	s.finish(1)
	return s, nil
}

// restingDrift is the drift of an equilibrium, relative to the largest rate.
const restingDrift = 1e-8

// derivativeError is the largest estimated relative error of a derivative of
// the rates in the last Jacobian.
func (d *PopulationDynamics) derivativeError() float64 {
	largest := 0.0
	for _, j := range d.local.jumps {
		largest = max(largest, j.rate[0].Error)
	}
	return largest
}

func denseMatrix(rows []float64, n int) *ode.Matrix {
	a := ode.NewMatrix(n, ode.Dense())
	for i, v := range rows[:n*n] {
		a.Set(i/n, i%n, v)
	}
	return a
}
