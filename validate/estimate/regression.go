package estimate

import "math"

// dependentTolerance is the part of a control, relative to its own size, that
// must be left when the controls already taken in have been projected out.
const dependentTolerance = 1e-3

// regression is a QR factorisation with column pivoting of centred
// observations of controls, each scaled to norm 1.
type regression struct {
	kept    []int       // indices of the controls taken in, in the order of the factors
	norms   []float64   // theirs, before scaling
	basis   [][]float64 // Q, by columns
	factors [][]float64 // upper triangle R, by columns
}

// newRegression takes in at most the given number of controls by the modified
// Gram-Schmidt method, each column orthogonalised twice: the control with the
// largest part left comes next, ties go to the first. nil stands for a control
// that is not offered.
func newRegression(controls [][]float64, most int) regression {
	return newRegressionOf(controls, most, func([]float64) bool { return true })
}

// newRegressionOf takes in only controls whose part that is left, of norm 1, is
// accepted.
func newRegressionOf(controls [][]float64, most int, accept func(direction []float64) bool) regression {
	var g regression
	left := make([][]float64, len(controls))
	norms := make([]float64, len(controls))
	for i, control := range controls {
		if norms[i] = norm(control); norms[i] > 0 {
			left[i] = append([]float64(nil), control...)
			scale(left[i], 1/norms[i])
		}
	}
	for len(g.kept) < most {
		next, largest := -1, dependentTolerance
		for i := range left {
			if size := norm(left[i]); size > largest {
				next, largest = i, size
			}
		}
		if next < 0 {
			break
		}
		direction := left[next]
		left[next] = nil
		for _, q := range g.basis {
			subtract(direction, q, dot(direction, q))
		}
		scale(direction, 1/norm(direction))
		if !accept(direction) {
			continue
		}
		g.kept = append(g.kept, next)
		g.norms = append(g.norms, norms[next])
		g.basis = append(g.basis, direction)
		factor := make([]float64, len(g.basis))
		for k, q := range g.basis {
			factor[k] = dot(controls[next], q) / norms[next]
		}
		g.factors = append(g.factors, factor)
		for i := range left {
			if left[i] != nil {
				subtract(left[i], direction, dot(left[i], direction))
			}
		}
	}
	return g
}

func (g *regression) rank() int { return len(g.kept) }

// coefficients solves the least-squares problem for centred observations y,
// of which it leaves the residual.
func (g *regression) coefficients(y []float64) []float64 {
	solved := make([]float64, g.rank())
	for k, q := range g.basis {
		solved[k] = dot(y, q)
		subtract(y, q, solved[k])
	}
	for k := len(solved) - 1; k >= 0; k-- {
		solved[k] /= g.factors[k][k]
		for i := 0; i < k; i++ {
			solved[i] -= solved[k] * g.factors[k][i]
		}
	}
	for k := range solved {
		solved[k] /= g.norms[k]
	}
	return solved
}

// whiten is R⁻ᵀ m for the means m of the controls.
func (g *regression) whiten(means []float64) []float64 {
	solved := make([]float64, g.rank())
	for k := range solved {
		x := means[g.kept[k]] / g.norms[k]
		for i := 0; i < k; i++ {
			x -= g.factors[k][i] * solved[i]
		}
		solved[k] = x / g.factors[k][k]
	}
	return solved
}

// unconfirmed is the sum of squared errors when the coefficients fitted to half
// of the observations, as on the black squares of a chessboard with a row of
// perRun for each replication, predict the other half, and the other way round.
func unconfirmed(controls [][]float64, y []float64, perRun, most int) float64 {
	sum := 0.0
	for side := range 2 {
		learned := make([][]float64, len(controls))
		for i, control := range controls {
			learned[i] = squaresOf(control, perRun, side)
		}
		g := newRegression(learned, most)
		errors := squaresOf(y, perRun, 1-side)
		for k, coefficient := range g.coefficients(squaresOf(y, perRun, side)) {
			subtract(errors, squaresOf(controls[g.kept[k]], perRun, 1-side), coefficient)
		}
		sum += dot(errors, errors)
	}
	return sum
}

// squaresOf is a centred copy of the observations on the squares of a colour.
func squaresOf(a []float64, perRun, colour int) []float64 {
	var out []float64
	for i, x := range a {
		if (i/perRun+i%perRun)%2 == colour {
			out = append(out, x)
		}
	}
	centre(out)
	return out
}

func centre(a []float64) {
	middle := mean(a)
	for i := range a {
		a[i] -= middle
	}
}

func dot(a, b []float64) float64 {
	sum := 0.0
	for i, x := range a {
		sum += x * b[i]
	}
	return sum
}

func norm(a []float64) float64 { return math.Sqrt(dot(a, a)) }

func scale(a []float64, factor float64) {
	for i := range a {
		a[i] *= factor
	}
}

// subtract takes factor × b from a.
func subtract(a, b []float64, factor float64) {
	for i, x := range b {
		a[i] -= factor * x
	}
}
