package stein

import "math"

// Order is a line of the corollary: quantity <= Offset + Constant × Scale.
type Order struct {
	Quantity string  // mean_jobs, mean_wait or p_wait
	Scale    string  // e.g. "log N/√N"
	Size     float64 // of the scale at this N
	Offset   float64 // what the quantity tends to
	Constant Bound   // factor of Size, an upper bound
}

// corollary states the orders with their constants at this N: mean jobs λ +
// O(log N/√N); mean wait and, for JSQ and power-of-d, P(wait) O(log N/√N); for
// the other policies P(wait) O(1/(√N (1-λ) log N)), which is N^-(1/2-α)/log N.
func (m model) corollary(v *Values) []Order {
	delta := m.logN / m.root
	scaled := func(b Bound, offset, size float64) Bound {
		if !b.Known {
			return unknown(0, "%s", b.Reason)
		}
		return known((b.Value-offset)/size, math.Inf(1))
	}
	list := []Order{
		{"mean_jobs", "log N/√N", delta, m.load, scaled(v.MeanJobs, m.load, delta)},
		{"mean_wait", "log N/√N", delta, 0, scaled(v.MeanWait, 0, delta)},
	}
	if depth := m.policy.Depth; depth == 0 || float64(depth) >= m.b {
		return append(list, Order{"p_wait", "log N/√N", delta, 0, scaled(v.WaitProbByWork, 0, delta)})
	}
	size := 1 / (m.root * m.gap * m.logN)
	return append(list, Order{"p_wait", "1/(√N (1-λ) log N)", size, 0, scaled(v.WaitProb, 0, size)})
}
