package coxian

import (
	"math"
	"math/big"
)

// A 480-bit evaluation of the defining formulas, in which cancellation between
// the exponentials is harmless: the independent reference of the accuracy tests.

const bigPrecision = 480

func newBig(x float64) *big.Float { return new(big.Float).SetPrec(bigPrecision).SetFloat64(x) }

func bigSub(a, b *big.Float) *big.Float { return bigAdd(a, new(big.Float).Neg(b)) }
func bigMul(a, b *big.Float) *big.Float { return new(big.Float).SetPrec(bigPrecision).Mul(a, b) }
func bigDiv(a, b *big.Float) *big.Float { return new(big.Float).SetPrec(bigPrecision).Quo(a, b) }

// bigAdd returns a + b, leaving out a term below the last bit of the other: the
// sum would be computed over all the bits in between.
func bigAdd(a, b *big.Float) *big.Float {
	if a.Sign() != 0 && b.Sign() != 0 {
		gap := a.MantExp(nil) - b.MantExp(nil)
		if gap > bigPrecision+1 {
			b = newBig(0)
		} else if gap < -bigPrecision-1 {
			a = newBig(0)
		}
	}
	return new(big.Float).SetPrec(bigPrecision).Add(a, b)
}

// bigExp returns e^{-y} for y >= 0: Taylor's series at y/2^k < 2^-60, squared k times.
func bigExp(y *big.Float) *big.Float {
	k := 0
	if y.Sign() != 0 {
		k = max(0, y.MantExp(nil)+60)
	}
	t := new(big.Float).SetPrec(bigPrecision).SetMantExp(y, -k)
	t.Neg(t)
	sum, term := newBig(1), newBig(1)
	for n := 1; n <= 9; n++ {
		term = bigDiv(bigMul(term, t), newBig(float64(n)))
		sum = bigAdd(sum, term)
	}
	for range k {
		sum = bigMul(sum, sum)
	}
	return sum
}

// bigLaw holds what the formulas give at one point.
type bigLaw struct{ density, cdf, survival, hazard *big.Float }

func bigEvaluate(d Dist, x float64) bigLaw {
	mu1, p, mu2, at := newBig(d.Mu1), newBig(d.P), newBig(d.Mu2), newBig(x)
	one := newBig(1)
	e1, e2 := bigExp(bigMul(mu1, at)), bigExp(bigMul(mu2, at))
	var overlap *big.Float // (e2 - e1)/(mu1 - mu2)
	if d.Mu1 == d.Mu2 {
		overlap = bigMul(at, e1)
	} else {
		overlap = bigDiv(bigSub(e2, e1), bigSub(mu1, mu2))
	}
	second := bigMul(bigMul(p, mu1), overlap)
	survival := bigAdd(e1, second)
	density := bigAdd(bigMul(bigMul(bigSub(one, p), mu1), e1), bigMul(mu2, second))
	return bigLaw{density, bigSub(one, survival), survival, bigDiv(density, survival)}
}

// relativeError returns |got - want|/|want|, and 0 if both vanish.
func relativeError(got float64, want *big.Float) float64 {
	if want.Sign() == 0 {
		if got == 0 {
			return 0
		}
		return 1
	}
	difference := bigSub(newBig(got), want)
	e, _ := bigDiv(difference.Abs(difference), new(big.Float).Abs(want)).Float64()
	return e
}

// bigLog returns the logarithm of v > 0 from its mantissa and exponent; -Inf at 0.
func bigLog(v *big.Float) float64 {
	if v.Sign() == 0 {
		return math.Inf(-1)
	}
	mantissa := new(big.Float)
	exponent := v.MantExp(mantissa)
	// Near 1 the logarithm is that of a small step, known to full precision.
	if distance := bigSub(v, newBig(1)); distance.Sign() == 0 || distance.MantExp(nil) < -2 {
		step, _ := distance.Float64()
		return math.Log1p(step)
	}
	m, _ := mantissa.Float64()
	return math.FMA(float64(exponent), math.Ln2, math.Log(m))
}
