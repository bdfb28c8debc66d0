package ode

import "math"

type newtonOutcome int

const (
	converged newtonOutcome = iota
	diverged                // or too slow
	notFinite
)

// newton solves the stage equations of one Radau step in modes.
type newton struct {
	course  *course
	bounds  *tolerance
	real    *factors[float64]
	complex *factors[complex128]

	z, w, f      [3][]float64 // stage increments, their modes, slopes at the stages
	stage        []float64
	complexRight []complex128

	jacobian *Matrix
	factored float64 // step the factors belong to, 0 for none
	stopAt   float64 // accepted size of the remaining error

	contraction float64 // estimate of rate/(1−rate), carried from step to step
	rate        float64
	iterations  int
	retryFactor float64 // after a failure: ratio of the next size to try
}

func newNewton(c *course, jacobian *Matrix, bounds *tolerance) newton {
	n := c.problem.Dim
	s := newton{
		course: c, bounds: bounds, jacobian: jacobian,
		real:         newFactors(jacobian, realSize),
		complex:      newFactors(jacobian, complexSize),
		complexRight: make([]complex128, n),
	}
	vectors := make([]float64, 10*n)
	for i := range 3 {
		s.z[i] = vectors[(3*i)*n : (3*i+1)*n : (3*i+1)*n]
		s.w[i] = vectors[(3*i+1)*n : (3*i+2)*n : (3*i+2)*n]
		s.f[i] = vectors[(3*i+2)*n : (3*i+3)*n : (3*i+3)*n]
	}
	s.stage = vectors[9*n:]
	const unitRoundoff = 1.1e-16
	s.stopAt = max(10*unitRoundoff/bounds.relative, min(0.03, math.Sqrt(bounds.relative)))
	return s
}

func (s *newton) restart() {
	s.factored = 0
	s.contraction = 1
}

// factorFor factors the matrices of a step of size h unless that was done.
func (s *newton) factorFor(h float64) bool {
	if math.Abs(h-s.factored) <= 1e-10*math.Abs(h) {
		return true
	}
	s.factored = 0
	s.course.stats.Factorizations += 2
	s.course.stats.Work += s.real.cost() / operationsPerWork
	if !factorShifted(s.real, radauReal/h, s.jacobian) {
		return false
	}
	if !factorShiftedComplex(s.complex, radauComplex/complex(h, 0), s.jacobian) {
		return false
	}
	s.factored = h
	return true
}

func (s *newton) startFromZero() {
	for i := range 3 {
		clear(s.z[i])
		clear(s.w[i])
	}
}

func (s *newton) toModes() {
	for i := range s.stage {
		a, b, c := s.z[0][i], s.z[1][i], s.z[2][i]
		s.w[0][i] = inverseT11*a + inverseT12*b + inverseT13*c
		s.w[1][i] = inverseT21*a + inverseT22*b + inverseT23*c
		s.w[2][i] = inverseT31*a + inverseT32*b + inverseT33*c
	}
}

func (s *newton) fromModes() {
	for i := range s.stage {
		a, b, c := s.w[0][i], s.w[1][i], s.w[2][i]
		s.z[0][i] = t11*a + t12*b + t13*c
		s.z[1][i] = t21*a + t22*b + t23*c
		s.z[2][i] = t31*a + b
	}
}

// iterate runs the simplified Newton method from the present stage increments.
func (s *newton) iterate(h float64) newtonOutcome {
	s.contraction = math.Pow(max(s.contraction, 1.1e-16), 0.8)
	s.rate = keepJacobianRate
	s.retryFactor = 0.5
	var previous, previousRatio float64
	for s.iterations = 1; s.iterations <= maxNewton; s.iterations++ {
		change := s.increment(h)
		if !isFinite(change) {
			s.contraction = 1
			return notFinite
		}
		if s.iterations > 1 {
			ratio := change / previous
			s.rate = ratio
			if s.iterations > 2 {
				s.rate = math.Sqrt(ratio * previousRatio)
			}
			previousRatio = ratio
			if !s.promising(change) {
				return diverged
			}
		}
		previous = max(change, 1.1e-16)
		s.applyIncrement()
		if s.contraction*change <= s.stopAt {
			return converged
		}
	}
	return diverged
}

// promising updates the contraction and predicts from it the error left when
// the iterations run out. If that will not do, it proposes the step size that
// should.
func (s *newton) promising(change float64) bool {
	if s.rate >= 0.99 {
		return false
	}
	s.contraction = s.rate / (1 - s.rate)
	left := float64(maxNewton - s.iterations)
	expected := s.contraction * change * math.Pow(s.rate, left) / s.stopAt
	if expected >= 1 {
		s.retryFactor = 0.8 * math.Pow(min(20, expected), -1/(4+left))
		return false
	}
	return true
}

// increment solves for the Newton correction of the modes, leaves it in f, and
// returns its norm.
func (s *newton) increment(h float64) float64 {
	s.evaluateStages(h)
	g, alpha, beta := radauReal/h, radauAlpha/h, radauBeta/h
	for i := range s.stage {
		a, b, c := s.f[0][i], s.f[1][i], s.f[2][i]
		w2, w3 := s.w[1][i], s.w[2][i]
		s.f[0][i] = inverseT11*a + inverseT12*b + inverseT13*c - g*s.w[0][i]
		re := inverseT21*a + inverseT22*b + inverseT23*c - (alpha*w2 - beta*w3)
		im := inverseT31*a + inverseT32*b + inverseT33*c - (alpha*w3 + beta*w2)
		s.complexRight[i] = complex(re, im)
	}
	s.real.solve(s.f[0])
	s.complex.solve(s.complexRight)
	for i, v := range s.complexRight {
		s.f[1][i], s.f[2][i] = real(v), imag(v)
	}
	s.course.stats.NewtonIterations++
	norm := 0.0
	for _, f := range s.f {
		part := s.bounds.norm(f, s.course.y)
		if part != part {
			return part
		}
		norm = max(norm, part)
	}
	return norm
}

func (s *newton) evaluateStages(h float64) {
	c := s.course
	for i, node := range [3]float64{radauNode1, radauNode2, 1} {
		for j, y := range c.y {
			s.stage[j] = y + s.z[i][j]
		}
		c.evaluate(c.t+node*h, s.stage, s.f[i])
	}
}

func (s *newton) applyIncrement() {
	for m := range s.w {
		w, f := s.w[m], s.f[m]
		for i := range w {
			w[i] += f[i]
		}
	}
	s.fromModes()
}
