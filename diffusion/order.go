package diffusion

import "math"

// Dominance is the outcome of a comparison of two laws.
type Dominance struct {
	Holds   bool    // P(lower > u) <= P(upper > u) at all places looked at
	Largest float64 // largest P(lower > u) - P(upper > u), relative to the larger
	At      float64 // where
}

// StochasticOrder checks whether one distribution lies below another in the
// usual stochastic order, at a geometric sequence of places from 1e-6 times to
// 40 times the mean of the upper one. Violations up to 1e-12 count as
// rounding.
func StochasticOrder(lower, upper Distribution) Dominance {
	const places, first, last = 400, 1e-6, 40.0
	d := Dominance{Holds: true, Largest: math.Inf(-1)}
	for i := range places {
		u := upper.Mean() * first * math.Pow(last/first, float64(i)/(places-1))
		low, high := lower.Survival(u), upper.Survival(u)
		if violation := (low - high) / math.Max(low, high); violation > d.Largest {
			d.Largest, d.At = violation, u
		}
	}
	d.Holds = d.Largest <= 1e-12
	return d
}
