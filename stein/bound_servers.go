package stein

import (
	"math"

	"qlimit/ctmc"
)

// SmallestServers are the smallest numbers of servers at which the explicit
// bounds hold and say something; 0 = none up to 1e15.
type SmallestServers struct {
	Excess, MeanJobs, WaitProb int64 // for each of the three bounds
	All                        int64 // all three
}

func smallestServers(p Problem) SmallestServers {
	found := map[int64]*Values{} // the four searches look at the same numbers
	at := func(servers int64) *Values {
		if v, ok := found[servers]; ok {
			return v
		}
		q := p
		q.Servers = servers
		found[servers] = nil
		if load, _ := q.Scaling(servers); q.Policy.Validate(servers) == nil && load > 0 {
			e := newModel(q).explicitBounds(q.Tau, 1)
			found[servers] = &e.Values
		}
		return found[servers]
	}
	informative := func(of func(*Values) bool) int64 {
		return smallestWith(func(servers int64) bool {
			v := at(servers)
			return v != nil && of(v)
		})
	}
	return SmallestServers{
		Excess:   informative(func(v *Values) bool { return !v.Excess.Vacuous() }),
		MeanJobs: informative(func(v *Values) bool { return !v.MeanJobs.Vacuous() }),
		WaitProb: informative(func(v *Values) bool { return !v.WaitProb.Vacuous() }),
		All:      informative(func(v *Values) bool { return len(v.Vacuous()) == 0 }),
	}
}

// smallestWith finds the smallest number of servers with a property: the first
// of a geometric sequence that has it, then by bisection between that and the
// one before. The properties asked for hold from some number on, but for the
// rounding of whole numbers.
func smallestWith(holds func(int64) bool) int64 {
	const ratio = 1.15
	low := int64(0)
	for x := 1.0; ; x *= ratio {
		high := int64(math.Min(math.Ceil(x), float64(ctmc.MaxServers)))
		if high > low && holds(high) {
			return bisectServers(holds, low, high)
		}
		if high == ctmc.MaxServers {
			return 0
		}
		low = high
	}
}

// bisectServers narrows low < answer <= high.
func bisectServers(holds func(int64) bool, low, high int64) int64 {
	for high-low > 1 {
		middle := low + (high-low)/2
		if holds(middle) {
			high = middle
		} else {
			low = middle
		}
	}
	return high
}
