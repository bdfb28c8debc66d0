package ctmc

import (
	"math"

	"qlimit/coxian"
)

// FluidRouter routes arrivals in the many-server limit, where a state is the
// vector q of the fractions of servers in the classes, in the order of
// [Space]. It derives the limit from the same declaration of a [Policy] as
// the finite chain.
//
// Where the levels below a priority level are empty they slide (Filippov): an
// empty level absorbs exactly its inflow, the departures from the level above
// and the arrivals that pass through the level below when that slides too.
// What is left goes on to the next priority level; past all of them it goes
// to the fallback kernel.
type FluidRouter struct {
	Policy  Policy      // whose declaration is taken to its limit
	Arrival float64     // arrival rate per server, in the time unit of Service
	Service coxian.Dist // for the departures that an empty level absorbs
	Levels  int         // b: a job sent to a server with b jobs is lost
	// Empty is the fraction of servers up to which a level counts as empty.
	Empty float64
}

// FluidRegime says which of the rules of a policy is at work in a state.
type FluidRegime struct {
	// Sliding is the number of priority levels 0, 1, .. that slide.
	Sliding int
	// Receiver is the priority level that takes the arrivals which the
	// sliding levels leave, or FallbackReceiver.
	Receiver int
	// Inflow is the rate into the highest sliding level, all of it absorbed,
	// and Reaching the rate of arrivals that reach that level; both 0 when no
	// level slides. Sliding ends where Reaching - Inflow turns negative.
	Inflow, Reaching float64
}

// FallbackReceiver is the Receiver of a regime in which every priority level
// slides.
const FallbackReceiver = -1

// phases is the number of phases in the class order of the states.
func (r *FluidRouter) phases() int { return r.Service.Phases() }

// Classes is the length of a state, 1 + b·phases.
func (r *FluidRouter) Classes() int { return 1 + r.Levels*r.phases() }

// Route writes the fraction of arrivals that is sent to each class and
// returns the regime. A job absorbed by, or sent to, an empty level i >= 1
// meets a server that has just completed a job: it counts in class (i,1).
// The fractions add up to 1; the last level's jobs are lost.
func (r *FluidRouter) Route(q, fraction []float64) FluidRegime {
	clear(fraction)
	regime := FluidRegime{Receiver: FallbackReceiver}
	remaining, absorbed := r.Arrival, 0.0
	for level := 0; level < r.Policy.Depth && level <= r.Levels; level++ {
		mass := r.mass(q, level)
		if mass > r.Empty {
			r.toLevel(q, fraction, level, mass, remaining/r.Arrival)
			regime.Receiver = level
			return regime
		}
		inflow := r.Departures(q, level+1) + absorbed
		first := r.class(level, 1)
		if inflow > remaining {
			// The level is about to fill, with servers in phase 1.
			fraction[first] += remaining / r.Arrival
			regime.Receiver = level
			return regime
		}
		fraction[first] += inflow / r.Arrival
		regime.Sliding, regime.Inflow, regime.Reaching = level+1, inflow, remaining
		remaining -= inflow
		absorbed = inflow
	}
	r.toFallback(q, fraction, remaining/r.Arrival)
	return regime
}

func (r *FluidRouter) class(level, phase int) int {
	if level == 0 {
		return 0
	}
	return 1 + (level-1)*r.phases() + (phase - 1)
}

func (r *FluidRouter) mass(q []float64, level int) float64 {
	first := r.class(level, 1)
	if level == 0 || r.phases() == 1 {
		return q[first]
	}
	return q[first] + q[first+1]
}

// Departures is the rate (1-p)μ1 q_{i,1} + μ2 q_{i,2} of completions at the
// servers with i jobs; 0 at levels 0 and beyond b.
func (r *FluidRouter) Departures(q []float64, level int) float64 {
	if level == 0 || level > r.Levels {
		return 0
	}
	first := r.class(level, 1)
	rate := (1 - r.Service.P) * r.Service.Mu1 * q[first]
	if r.phases() == 2 {
		rate += r.Service.Mu2 * q[first+1]
	}
	return rate
}

// toLevel shares a fraction of the arrivals among the phases of a level.
func (r *FluidRouter) toLevel(q, fraction []float64, level int, mass, share float64) {
	first := r.class(level, 1)
	if level == 0 || r.phases() == 1 {
		fraction[first] += share
		return
	}
	fraction[first] += share * q[first] / mass
	fraction[first+1] += share * q[first+1] / mass
}

// toFallback shares a fraction of the arrivals by the limit kernel: level i
// gets h(s_i) - h(s_{i+1}), class (i,m) the part q_{i,m}/q_i of it.
func (r *FluidRouter) toFallback(q, fraction []float64, share float64) {
	above := 0.0
	for level := r.Levels; level >= 0; level-- {
		slope := LimitSlope(r.Policy.Fallback, above+r.mass(q, level), above)
		first := r.class(level, 1)
		fraction[first] += share * slope * q[first]
		above += q[first]
		if level > 0 && r.phases() == 2 {
			fraction[first+1] += share * slope * q[first+1]
			above += q[first+1]
		}
	}
}

// LimitSlope is the divided difference (h(a) - h(x))/(a - x) of the limit h
// of a kernel, h'(x) where a = x.
func LimitSlope(k Kernel, a, x float64) float64 {
	if sampling, ok := k.(Sampling); ok {
		return samplingSlope(sampling.Choices, a, x)
	}
	h := make([]float64, 2)
	difference := a - x
	if difference > shortStep || difference < -shortStep {
		k.Expansion(a, 0, h)
		at := h[0]
		k.Expansion(x, 0, h)
		return (at - h[0]) / difference
	}
	// Three-point Gauss-Legendre average of h'.
	const offset = 0.3872983346207417
	sum := 0.0
	for j, weight := range [3]float64{5.0 / 18, 8.0 / 18, 5.0 / 18} {
		k.Expansion(x+difference*(0.5+float64(j-1)*offset), 0, h)
		sum += weight * h[1]
	}
	return sum
}

// shortStep is the distance below which a divided difference is averaged from
// the derivative: the rounding of h would be amplified by its inverse.
const shortStep = 1e-4

// samplingSlope is (a^d - x^d)/(a - x) = Σ_j a^(d-1-j) x^j without
// cancellation for a, x >= 0.
func samplingSlope(d int64, a, x float64) float64 {
	switch {
	case d == 1:
		return 1
	case d == 2:
		return a + x
	case d <= 16:
		slope, power := 1.0, 1.0
		for n := int64(1); n < d; n++ {
			power *= a
			slope = power + x*slope
		}
		return slope
	}
	high, low := max(a, x), max(min(a, x), 0)
	if high <= 0 {
		return 0
	}
	lead := math.Pow(high, float64(d-1))
	step := (high - low) / high
	if step == 0 {
		return float64(d) * lead
	}
	return -lead * math.Expm1(float64(d)*math.Log1p(-step)) / step
}
