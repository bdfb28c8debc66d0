package stein

import (
	"math"
	"math/big"
)

// rationalOf is the fraction with the smallest denominator that rounds to x up
// to two units, by continued fractions; nil if the denominator would exceed 1e9.
func rationalOf(x float64) *big.Rat {
	const mostDenominator = 1e9
	beforeP, beforeQ, p, q := 0.0, 1.0, 1.0, 0.0
	for rest := x; ; {
		whole := math.Floor(rest)
		beforeP, p = p, whole*p+beforeP
		beforeQ, q = q, whole*q+beforeQ
		if !(q <= mostDenominator && p < 1<<53) {
			return nil
		}
		if math.Abs(p/q-x) <= 4.5e-16*math.Abs(x) {
			return big.NewRat(int64(p), int64(q))
		}
		rest = 1 / (rest - whole)
	}
}
