package stein

import (
	"fmt"
	"math"

	"qlimit/ctmc"
)

// Ranked is a dispatching distribution over queues in increasing order of
// length: P_n is the probability that the jobs of a slot join the n-th shortest
// queue, Fair_n = μ_σ(n)/μ_Σ the share of the service that its server gives.
// Among tied queues both are averages over the orders, each equally likely.
//
// (X. Zhou, F. Wu, J. Tan, Y. Sun and N. Shroff, Proc. ACM Meas. Anal. Comput.
// Syst. 1(2), 2017.)
type Ranked struct {
	Lengths []int64   // increasing
	P, Fair []float64 // each adds up to 1
}

// slip is what rounding may do to a probability.
const slip = 1e-12

// Rank sorts the servers of a state by queue length and averages within ties.
// It also returns σ, ties in the order of the servers.
func Rank(lengths []int64, p, rates []float64) (r Ranked, order []int) {
	n := len(lengths)
	order = increasing(lengths)
	total := sumOf(rates)
	r = Ranked{Lengths: make([]int64, n), P: make([]float64, n), Fair: make([]float64, n)}
	for k, server := range order {
		r.Lengths[k], r.P[k], r.Fair[k] = lengths[server], p[server], rates[server]/total
	}
	for from, to := range ties(r.Lengths) {
		level(r.P[from:to])
		level(r.Fair[from:to])
	}
	return r, order
}

func level(x []float64) {
	mean := sumOf(x) / float64(len(x))
	for i := range x {
		x[i] = mean
	}
}

// Validate requires three equally long lists, lengths in increasing order and
// two distributions.
func (r Ranked) Validate() error {
	if len(r.Lengths) == 0 || len(r.P) != len(r.Lengths) || len(r.Fair) != len(r.Lengths) {
		return &ctmc.FieldError{Field: "distribution", Value: fmt.Sprintf("%d lengths, %d probabilities, %d shares", len(r.Lengths), len(r.P), len(r.Fair)), Allowed: "one of each for every server"}
	}
	for n := range r.Lengths {
		if n > 0 && r.Lengths[n] < r.Lengths[n-1] || r.Lengths[n] < 0 {
			return &ctmc.FieldError{Field: "queue length", Value: r.Lengths[n], Allowed: ">= 0, in increasing order"}
		}
	}
	for _, list := range [][]float64{r.P, r.Fair} {
		for _, x := range list {
			if !(x >= -slip && x <= 1+slip) {
				return &ctmc.FieldError{Field: "probability", Value: x, Allowed: "between 0 and 1"}
			}
		}
		if sum := sumOf(list); !(math.Abs(sum-1) < 1e-9) {
			return &ctmc.FieldError{Field: "sum of probabilities", Value: sum, Allowed: "1"}
		}
	}
	return nil
}

// Excess is Δ_n = P_n - μ_σ(n)/μ_Σ.
func (r Ranked) Excess() []float64 {
	excess := make([]float64, len(r.P))
	for n := range excess {
		if excess[n] = r.P[n] - r.Fair[n]; math.Abs(excess[n]) < slip {
			excess[n] = 0
		}
	}
	return excess
}

// Tilted tells whether Δ_n >= 0 up to some place and Δ_n <= 0 behind it: no worse
// than sharing the jobs in proportion to the rates.
func (r Ranked) Tilted() bool {
	behind := false
	for _, x := range r.Excess() {
		if x > 0 && behind {
			return false
		}
		behind = behind || x < 0
	}
	return true
}

// Tilt is the largest δ for which the distribution is δ-tilted: tilted, Δ_1 >= δ
// and Δ_N <= -δ. It is 0 where there is none.
func (r Ranked) Tilt() float64 {
	if !r.Tilted() {
		return 0
	}
	excess := r.Excess()
	return math.Max(0, math.Min(excess[0], -excess[len(excess)-1]))
}

// InnerProduct is ⟨Q_σ, Δ⟩, on which alone the drift depends.
func (r Ranked) InnerProduct() float64 {
	sum := 0.0
	for n, x := range r.Excess() {
		sum += float64(r.Lengths[n]) * x
	}
	return sum
}

// Best is an equivalent distribution with the largest tilt that can be had by
// moving probability between tied queues, which changes no inner product with
// the lengths. It is r itself unless that gains something.
//
// (Equality of inner products alone would allow more: without ties it would
// call (0, 1/2, 1/2, 0) on lengths 1, 2, 3, 4 the same as the uniform
// distribution.)
func (r Ranked) Best() Ranked {
	best, found := r, r.Tilted()
	tilt := r.Tilt()
	groups := r.groups()
	for pivot := range groups {
		q := r.rearranged(groups, pivot)
		if q.Tilted() && (!found || q.Tilt() > tilt+slip) {
			best, found, tilt = q, true, q.Tilt()
		}
	}
	return best
}

// tieGroup is a run of tied queues with what they exceed their share by.
type tieGroup struct {
	from, to int
	mass     float64
	excess   float64
}

func (r Ranked) groups() []tieGroup {
	var groups []tieGroup
	for from, to := range ties(r.Lengths) {
		g := tieGroup{from: from, to: to, mass: sumOf(r.P[from:to])}
		g.excess = g.mass - sumOf(r.Fair[from:to])
		groups = append(groups, g)
	}
	return groups
}

// rearranged gives the first queue and takes from the last one as much as can be
// if the sign of Δ changes inside the pivot. The result is tilted only if groups
// before the pivot have no deficit and those behind it no excess.
func (r Ranked) rearranged(groups []tieGroup, pivot int) Ranked {
	q := Ranked{Lengths: r.Lengths, P: make([]float64, len(r.P)), Fair: r.Fair}
	copy(q.P, r.P)
	for k, g := range groups {
		p, fair := q.P[g.from:g.to], q.Fair[g.from:g.to]
		last := len(p) - 1
		switch {
		case k == pivot: // all of it to the front
			clear(p)
			p[0] = g.mass
		case k < pivot: // what exceeds the shares to the front
			copy(p, fair)
			p[0] += g.excess
		default: // what is missing at the back
			missing := math.Min(-g.excess, fair[last])
			share := 1 - (-g.excess-missing)/math.Max(sumOf(fair[:last]), math.SmallestNonzeroFloat64)
			for i := range last {
				p[i] = fair[i] * share
			}
			p[last] = fair[last] - missing
		}
	}
	return q
}
