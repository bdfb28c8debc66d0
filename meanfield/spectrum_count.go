package meanfield

import (
	"math"
	"math/cmplx"
)

// countRight is the number of eigenvalues with a real part above c, by the
// principle of the argument: with p(z) = det(A - zI) of degree n, real, and no
// eigenvalue on the line,
//
//	∫_0^∞ Re p'/p(c + iω) dω = (n - 2 countRight) π/2.
//
// It does not depend on the eigenvalues found. A piece of the line is halved
// until Simpson's rule settles and agrees with the change of log p over it, the
// phase of which is known up to turns, so that a narrow peak between the points
// is noticed. The value is not near an integer when the integral fails.
func (s *shifted) countRight(c float64) float64 {
	const pieces = 24
	line := &countLine{pencil: s, c: c}
	// ω = e^t. Below the first point and above the last the integrand is that
	// of one point.
	from, to := math.Log(1e-4*math.Max(math.Abs(c), 1e-12*s.norm)), math.Log(1e3*(s.norm+math.Abs(c)))
	left := line.at(from)
	total := real(left.slope)
	for k := range pieces {
		right := line.at(from + (to-from)*float64(k+1)/pieces)
		middle := line.at((left.t + right.t) / 2)
		total += line.integral(left, middle, right, 24)
		left = right
	}
	total += real(left.slope)
	return float64(s.n)/2 - total/math.Pi
}

// countTolerance is the error of the integral that a piece may have.
const countTolerance = 1e-3

type countLine struct {
	pencil *shifted
	c      float64
}

// countPoint is ω p'/p and log p at z = c + iω, ω = e^t.
type countPoint struct {
	t          float64
	slope, log complex128
}

func (l *countLine) at(t float64) countPoint {
	omega := math.Exp(t)
	slope := complex(omega, 0) * l.pencil.eliminate(complex(l.c, omega), nil)
	return countPoint{t: t, slope: slope, log: l.pencil.logDeterminant()}
}

// integral of Re(ω p'/p) in t from left to right.
func (l *countLine) integral(left, middle, right countPoint, depth int) float64 {
	first, second := l.at((left.t+middle.t)/2), l.at((middle.t+right.t)/2)
	length := complex(right.t-left.t, 0)
	whole := length / 6 * (left.slope + 4*middle.slope + right.slope)
	halves := length / 12 * (left.slope + 4*first.slope + 2*middle.slope + 4*second.slope + right.slope)
	// d log p/dt = iω p'/p.
	off := right.log - left.log - 1i*halves
	off = complex(real(off), math.Remainder(imag(off), 2*math.Pi))
	if depth == 0 || cmplx.Abs(halves-whole) <= 15*countTolerance && cmplx.Abs(off) <= 0.02 {
		return real(halves)
	}
	return l.integral(left, first, middle, depth-1) + l.integral(middle, second, right, depth-1)
}

// logDeterminant of the matrix eliminated last, up to turns.
func (s *shifted) logDeterminant() complex128 {
	sum := complex(0, math.Pi*float64(s.swaps%2))
	for i := range s.n {
		sum += cmplx.Log(s.rows[i][i])
	}
	return sum
}
