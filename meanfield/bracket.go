package meanfield

import "math"

// rootOfDecreasing returns the root in [low, high], 0 < low < high, of a
// decreasing function that is positive at low and negative at high, to within
// rounding of the root. Wide brackets are bisected geometrically; narrow ones
// shrink by the Illinois variant of the secant rule, with bisection whenever
// that does not halve the bracket in three steps.
func rootOfDecreasing(f func(float64) float64, low, high float64) (root float64, evaluations int) {
	atLow, atHigh := math.Inf(1), math.Inf(-1)
	lastKept, slow := 0, 0
	for evaluations < maxBracketing && high-low > 2*epsilon*high {
		width := high - low
		middle := low + width/2
		switch {
		case high > 4*low:
			middle = math.Sqrt(low) * math.Sqrt(high)
		case slow < 3 && !math.IsInf(atLow, 0) && !math.IsInf(atHigh, 0):
			secant := low + width*(atLow/(atLow-atHigh))
			// Stay a rounding error inside, so that the far end moves too.
			inside := 2 * epsilon * high
			middle = math.Min(math.Max(secant, low+inside), high-inside)
		}
		if middle <= low || middle >= high {
			break
		}
		value := f(middle)
		evaluations++
		switch {
		case value == 0:
			return middle, evaluations
		case value > 0:
			low, atLow = middle, value
			if lastKept == 1 {
				atHigh /= 2
			}
			lastKept = 1
		default:
			high, atHigh = middle, value
			if lastKept == -1 {
				atLow /= 2
			}
			lastKept = -1
		}
		if high-low > width/2 {
			slow++
		} else {
			slow = 0
		}
	}
	return low + (high-low)/2, evaluations
}

const maxBracketing = 500
