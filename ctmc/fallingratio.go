package ctmc

import "math"

// mostFactors is the number of factors up to which a product is formed as it
// stands.
const mostFactors = 256

// fallingRatio returns the product over j < terms of (a-j)/(b-j), terms <= a
// <= b, in bounded time. Its relative error is at most terms roundings where
// there are no more than mostFactors of them, else some roundings of terms
// (b-a)/b and of the smaller of terms and terms²/b.
func fallingRatio(a, b, terms int64) float64 {
	if terms > mostFactors {
		// The factors fall, so the ones left for later are the smallest.
		const direct = 128
		first := math.Exp(logFallingRatio(float64(a), float64(b), float64(terms-direct)))
		return first * fallingRatio(a-(terms-direct), b-(terms-direct), direct)
	}
	product := 1.0
	for j := int64(0); j < terms && product > 0; j++ {
		product *= float64(a-j) / float64(b-j)
	}
	return product
}

// logFallingRatio is the sum of h(j) = log((a-j)/(b-j)), j = 0..u-1, a - u not
// small, by the Euler-Maclaurin formula about midpoints
//
//	Σ h(j) = ∫ h - (1/24) [h'] + (7/5760) [h'''] - ..
//
// taken between -1/2 and u - 1/2.
func logFallingRatio(a, b, u float64) float64 {
	c, e := a+0.5, b+0.5
	integral := u*math.Log1p((a-b)/e) - c*logIntegral(u/c) + e*logIntegral(u/e)
	first := func(t float64) float64 { return 1/(e-t) - 1/(c-t) }
	third := func(t float64) float64 { return 2/((e-t)*(e-t)*(e-t)) - 2/((c-t)*(c-t)*(c-t)) }
	return integral - (first(u)-first(0))/24 + 7*(third(u)-third(0))/5760
}

// logIntegral is -∫_0^x log(1 - y) dy = (1-x) log(1-x) + x, by its series
// Σ x^k/(k(k-1)) where that would cancel.
func logIntegral(x float64) float64 {
	if x > 0.25 {
		return (1-x)*math.Log1p(-x) + x
	}
	sum, power := 0.0, x
	for k := 2.0; ; k++ {
		power *= x
		term := power / (k * (k - 1))
		sum += term
		if term <= sum*1e-17 {
			return sum
		}
	}
}
