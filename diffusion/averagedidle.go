package diffusion

import "math"

// idleChain is the fast birth-death chain of the number I of idle servers at a
// given number of jobs X = N + k: servers become idle at the rate (N - I) r0,
// arrivals use them up at the rate λN, I >= max(0, -k).
type idleChain struct {
	servers, arrivals float64 // N, λN
	// creation is the rate (N - I) r0 at busy = N - I busy servers and k jobs
	// above N.
	creation func(busy, k float64) float64
}

// mean returns E[I] and P(I = least) of the chain that begins at I = least. k
// and least need not be whole numbers. With smooth set the rates are continued
// beyond the point where they vanish, which makes the mean an analytic function
// of k; what that adds is of order 1/N². The sums are rescaled before they
// overflow, which they would far above the arrival rate.
func (c *idleChain) mean(k, least float64, smooth bool) (idle, none float64) {
	term, total, first := 1.0, 1.0, 0.0
	lowest := 1.0 // the first term, in the scale of the sums
	for j := 0.0; ; j++ {
		busy := c.servers - least - j
		if busy <= 0 {
			break
		}
		rate := c.creation(busy, k)
		if rate <= 0 && !smooth || math.IsNaN(rate) {
			break
		}
		term *= rate / c.arrivals
		total += term
		first += term * (j + 1)
		if total > 1e200 {
			term, total, first, lowest = term*1e-200, total*1e-200, first*1e-200, 0
		}
		if math.Abs(term)*(j+2) < 1e-17*total {
			break
		}
	}
	return least + first/total, lowest / total
}

// idleCreationRate is (N - I) r0 for the discipline, as a function of the busy
// servers and of k.
func (a Averaged) idleCreationRate() func(busy, k float64) float64 {
	n := float64(a.Servers)
	if a.Discipline.rule() == findsIdle {
		half := noiseOf(a.Service) / 2
		return func(busy, k float64) float64 {
			waiting := n + k - busy
			if waiting == 0 {
				return busy // every busy server has one job
			}
			c := half * busy
			if a.CornerRepair {
				c *= (busy - 1) / (busy + 1)
			}
			return busy * c / (waiting + c)
		}
	}
	if a.Service.IsExponential() {
		// (N - I)(1 - u) with u = (k + I)/(N - I)
		return func(busy, k float64) float64 { return 2*busy - n - k }
	}
	levels := newFastLevels(a.Service)
	return func(busy, k float64) float64 {
		return busy * levels.continuedIdleCreation((n+k)/busy-1)
	}
}

// ownOnes tells whether the servers with one job beyond X = 2N are counted: I1F
// with CornerRepair.
func (a Averaged) ownOnes() bool {
	return a.CornerRepair && a.Discipline.rule() == findsIdleOrOne && a.Discipline.policy.Depth == 2
}

// idleBeyondTwo is E[I | X] for X >= 2N under I1F, and P(no idle server | X).
//
// K servers have less than two jobs, mostly one. The B = N - K others have w jobs
// beyond two altogether, spread as under IQF: they fall to one job at the rate
// B c/(w + c), c = B (σ²/2)(B-1)/(B+1). Of the K servers, whose jobs are in the
// first phase, some become idle at the rate K (1-p)μ1 and get the next arrival.
// With a = K (1-p)μ1/(λN) none is idle a part 1/(1 + a) of the time, and arrivals
// then lower K (the part is taken at K = 1, where it matters). The idle servers
// are a/(1 + a) in the mean over K: of order 1/N, but all that there is when the
// load tends to 1 at fixed N.
func (a Averaged) idleBeyondTwo() func(x float64) (idle, none float64) {
	n, arrivals, half := a.size(), a.Load*a.size(), noiseOf(a.Service)/2
	one := firstPhaseExit(a.Service) / arrivals // a at K = 1
	return func(x float64) (idle, none float64) {
		term, total, first := 1.0, 1.0, 0.0
		for few := 1.0; few <= n; few++ {
			busy := n - few + 1
			c := half * busy * (busy - 1) / (busy + 1)
			term *= busy * c / (x - n - busy + c) / arrivals * (1 + one)
			total += term
			first += term * few * one / (1 + few*one)
			if total > 1e200 {
				term, total, first = term*1e-200, total*1e-200, first*1e-200
			}
			if term*(few+1) < 1e-17*total {
				break
			}
		}
		idle = first / total
		return idle, 1 - idle
	}
}

// continuedIdleCreation is r0 without the stop at u = 1, negative beyond; NaN
// where the square root ends.
func (f fastLevels) continuedIdleCreation(u float64) float64 {
	y := 1 - u
	_, root := f.root(u)
	return 2 * y * (f.sum - f.product*u) / (1 + f.sum*y + root)
}
