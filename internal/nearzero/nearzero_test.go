package nearzero

import (
	"math/big"
	"math/cmplx"
	"testing"
)

// series evaluates Σ_{k >= from} z^k/weight(k) in 200 bits for |z| < 0.5.
func series(z complex128, from int, weight func(k int) *big.Float) complex128 {
	precise := func(x float64) *big.Float { return new(big.Float).SetPrec(200).SetFloat64(x) }
	re, im := precise(1), precise(0)
	x, y := precise(real(z)), precise(imag(z))
	sumRe, sumIm := precise(0), precise(0)
	for k := 0; k < 160; k++ {
		if k >= from {
			w := weight(k)
			sumRe.Add(sumRe, precise(0).Quo(re, w))
			sumIm.Add(sumIm, precise(0).Quo(im, w))
		}
		a, b := precise(0).Mul(re, x), precise(0).Mul(im, y)
		c, d := precise(0).Mul(re, y), precise(0).Mul(im, x)
		re, im = a.Sub(a, b), c.Add(c, d)
	}
	a, _ := sumRe.Float64()
	b, _ := sumIm.Float64()
	return complex(a, b)
}

func alternating(k int) *big.Float {
	w := new(big.Float).SetPrec(200).SetInt64(int64(k))
	if k%2 == 0 {
		w.Neg(w)
	}
	return w
}

func factorial(k int) *big.Float {
	return new(big.Float).SetPrec(200).SetInt(new(big.Int).MulRange(1, int64(max(k, 1))))
}

// TestAgainstSeries compares with the power series in 200 bits, on both sides
// of the change of method.
func TestAgainstSeries(t *testing.T) {
	for _, r := range []float64{1e-150, 1e-20, 1e-8, 1e-3, 0.1, 0.39, 0.41, 0.49} {
		for _, phase := range []complex128{1, -1, 1i, -1i, cmplx.Exp(1i), cmplx.Exp(2.5i), cmplx.Exp(-2i)} {
			z := complex(r, 0) * phase
			for name, pair := range map[string][2]complex128{
				"Expm1":      {Expm1(z), series(z, 1, factorial)},
				"Log1p":      {Log1p(z), series(z, 1, alternating)},
				"Log1pMinus": {Log1pMinus(z), series(z, 2, alternating)},
				"Expm1Minus": {Expm1Minus(z), series(z, 2, factorial)},
			} {
				if d := cmplx.Abs(pair[0] - pair[1]); d > 3e-15*cmplx.Abs(pair[1]) {
					t.Errorf("%s(%v) = %v, want %v", name, z, pair[0], pair[1])
				}
			}
		}
	}
}

// TestFarFromZero compares with the plain forms.
func TestFarFromZero(t *testing.T) {
	for _, z := range []complex128{2 + 1i, -3 + 2i, 5, 0.6 - 0.8i, -0.99} {
		if d := cmplx.Abs(Expm1(z) - (cmplx.Exp(z) - 1)); d > 1e-13*cmplx.Abs(cmplx.Exp(z)) {
			t.Errorf("Expm1(%v) off by %g", z, d)
		}
		if d := cmplx.Abs(Log1p(z) - cmplx.Log(1+z)); d > 1e-15*cmplx.Abs(cmplx.Log(1+z)) {
			t.Errorf("Log1p(%v) off by %g", z, d)
		}
	}
	if got := Expm1(cmplx.Log(0)); got != -1 {
		t.Errorf("Expm1(log 0) = %v", got)
	}
}
