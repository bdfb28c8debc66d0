package slotted

import (
	"math"
	"math/cmplx"

	"qlimit/internal/nearzero"
)

// Transformed is a law whose generating function is known in closed form.
type Transformed interface {
	Law
	// LogTransform returns log E[(1+w)^count] - mean·w, accurate relative to
	// its own size also for w near 0, where it is (variance - mean) w²/2 + ...
	// Any branch of the logarithm will do.
	LogTransform(w complex128) complex128
	// Radius is the supremum of the real w with E[(1+w)^count] finite.
	Radius() float64
}

// TransformOf returns the law itself if it is Transformed, else, for a bounded
// law, one that sums over the counts; nil for an unbounded law without a
// transform.
func TransformOf(law Law) Transformed {
	if t, ok := law.(Transformed); ok {
		return t
	}
	if _, bounded := law.Max(); !bounded {
		return nil
	}
	t := summed{Law: law}
	t.first, t.p = law.Window(1e-300)
	return t
}

// summed is a bounded law with its probabilities.
type summed struct {
	Law
	first int64
	p     []float64
}

// LogTransform uses (1+w)^k - 1 - k w, of second order in w, for each count k.
func (l summed) LogTransform(w complex128) complex128 {
	perCount := nearzero.Log1p(w)
	second := nearzero.Log1pMinus(w) // log(1+w) - w
	var excess, beyond complex128    // E(1+w)^k - 1, and less mean w
	for i, p := range l.p {
		k := float64(l.first) + float64(i)
		power := times(k, perCount)
		excess += times(p, nearzero.Expm1(power))
		beyond += times(p, nearzero.Expm1Minus(power)+times(k, second))
	}
	return nearzero.Log1pMinus(excess) + beyond
}

// Radius is infinite.
func (summed) Radius() float64 { return math.Inf(1) }

var _ = []Transformed{&poissonLaw{}, &binomialLaw{}, burstLaw{}, geometricLaw{}, point(0)}

// LogTransform is 0: E[(1+w)^count] = e^(mean w).
func (*poissonLaw) LogTransform(complex128) complex128 { return 0 }

// Radius is infinite.
func (*poissonLaw) Radius() float64 { return math.Inf(1) }

// LogTransform uses E[(1+w)^count] = (1 + p w)^n.
func (l *binomialLaw) LogTransform(w complex128) complex128 {
	return times(float64(l.trials), nearzero.Log1pMinus(times(l.probability(), w)))
}

// Radius is infinite.
func (*binomialLaw) Radius() float64 { return math.Inf(1) }

// LogTransform uses E[(1+w)^count] = 1 + p ((1+w)^k - 1).
func (l burstLaw) LogTransform(w complex128) complex128 {
	size := float64(l.size)
	p := l.mean / size
	power := times(size, nearzero.Log1p(w)) // k log(1+w)
	if real(power) > 700 {                  // E[(1+w)^count] is p (1+w)^k to rounding
		return power + complex(math.Log(p), 0) - times(l.mean, w)
	}
	// (1+w)^k - 1 - k w, both parts of second order
	beyond := nearzero.Expm1Minus(power) + times(size, nearzero.Log1pMinus(w))
	return nearzero.Log1pMinus(times(p, nearzero.Expm1(power))) + times(p, beyond)
}

// Radius is infinite.
func (burstLaw) Radius() float64 { return math.Inf(1) }

// LogTransform uses E[(1+w)^count] = 1/(1 - mean w).
func (l geometricLaw) LogTransform(w complex128) complex128 {
	return -nearzero.Log1pMinus(times(-l.mean, w))
}

// Radius is 1/mean.
func (l geometricLaw) Radius() float64 { return 1 / l.mean }

// LogTransform uses E[(1+w)^count] = (1+w)^n.
func (p point) LogTransform(w complex128) complex128 {
	return times(float64(p), nearzero.Log1pMinus(w))
}

// Radius is infinite.
func (point) Radius() float64 { return math.Inf(1) }

// times scales z by a real number; unlike complex(a, 0)*z it makes no NaN of
// an infinite part, and 0 of all that is multiplied by 0.
func times(a float64, z complex128) complex128 {
	if a == 0 || z == 0 {
		return 0
	}
	if cmplx.IsInf(z) {
		return complex(a*real(z), 0)
	}
	return complex(a*real(z), a*imag(z))
}
