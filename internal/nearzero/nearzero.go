// Package nearzero holds elementary functions of a complex argument that keep
// their relative accuracy where they vanish: e^z - 1 and log(1 + z), and the same
// without their first-order terms. Generating functions near 1 are made of them,
// as those of queues near load 1 are. The standard library has the real ones only.
package nearzero

import (
	"math"
	"math/cmplx"
)

// small is the modulus below which series are used; fewer than terms of them
// reach rounding there.
const (
	small = 0.4
	terms = 32
)

// Expm1 is e^z - 1.
func Expm1(z complex128) complex128 {
	x, y := real(z), imag(z)
	if math.IsInf(x, -1) {
		return -1
	}
	half := math.Sin(y / 2)
	return complex(math.Expm1(x)*math.Cos(y)-2*half*half, math.Exp(x)*math.Sin(y))
}

// Log1p is the principal value of log(1 + z).
func Log1p(z complex128) complex128 {
	if cmplx.Abs(z) >= small {
		return cmplx.Log(1 + z)
	}
	return z + Log1pMinus(z)
}

// Log1pMinus is log(1 + z) - z = -z²/2 + z³/3 - ...
//
// With s = z/(2 + z), log(1 + z) = 2 artanh s and 2s - z = -z s.
func Log1pMinus(z complex128) complex128 {
	if cmplx.Abs(z) >= small {
		return cmplx.Log(1+z) - z
	}
	s := z / (2 + z)
	square := s * s
	sum, power := complex128(0), complex128(1)
	for k := 3; k < 2*terms; k += 2 {
		term := power / complex(float64(k), 0)
		sum += term
		if cmplx.Abs(term) < 1e-17 {
			break
		}
		power *= square
	}
	return -z*s + 2*s*square*sum
}

// Expm1Minus is e^z - 1 - z = z²/2 + z³/6 + ...
func Expm1Minus(z complex128) complex128 {
	if cmplx.Abs(z) >= small {
		return Expm1(z) - z
	}
	term := z * z / 2
	sum := term
	for k := 3; k < terms && cmplx.Abs(term) > 1e-17*cmplx.Abs(sum); k++ {
		term *= z / complex(float64(k), 0)
		sum += term
	}
	return sum
}
