package meanfield

import (
	"math"

	"qlimit/coxian"
	"qlimit/ctmc"
)

// RoundRobin returns the waiting time if jobs go to the N servers in turn. With
// Poisson arrivals every server is a GI/G/1 queue whose times between arrivals
// are Erlang with N phases; as N grows they become constant (servers = 0, kind
// limit: D/G/1).
//
// The waiting time is the maximum of a random walk with steps S - A. Let α(s) =
// E e^{-sA} and, in mean service times, the equation
//
//	(μ1 - s)(μ2 - s) = ε(s),   ε(s) = α(s) μ1 (μ2 - (1-p) s),
//
// that is α(s) E e^{sS} = 1, have the roots 0 < r_1 < r_2. Then P(W > t) = c_1
// e^{-r_1 t} + c_2 e^{-r_2 t} with
//
//	c_1 = ε(r_1) r_2/(μ1 μ2 (r_2 - r_1)),   c_2 = -ε(r_2) r_1/(μ1 μ2 (r_2 - r_1)),
//
// and E[W] = c_1/r_1 + c_2/r_2. (For exponential service there is one root and
// c_1 = α(r_1).) Kind: exact at finite N. Relative accuracy about 1e-15/(1-λ).
//
// Source: Asmussen, Applied Probability and Queues (2003), VIII.5.
//
// Errors: N, load or law out of range ([ctmc.FieldError]).
func RoundRobin(servers int64, load float64, service coxian.Dist) (*Delay, error) {
	if servers < 0 || servers > ctmc.MaxServers {
		return nil, &ctmc.FieldError{Field: "servers", Value: servers, Allowed: "between 1 and 1e15, or 0 for the limit"}
	}
	if err := checkDelay(load, service); err != nil {
		return nil, err
	}
	w := newRegularArrivals(servers, load, service)
	wait, probability := w.wait()
	kind := ctmc.Exact
	if servers == 0 {
		kind = ctmc.Limit
	}
	return newDelay(wait, probability, service, kind, "roots of the walk"), nil
}

// regularArrivals is a queue with Erlang times between arrivals of mean gap.
type regularArrivals struct {
	unitLaw
	phases float64 // 0: constant times
	gap    float64
}

func newRegularArrivals(servers int64, load float64, service coxian.Dist) *regularArrivals {
	if service.IsExponential() {
		service = coxian.Dist{Mu1: 1, Mu2: 1}
	}
	return &regularArrivals{unitLaw: newUnitLaw(service), phases: float64(servers), gap: 1 / load}
}

// logArrivals is log α(s).
func (w *regularArrivals) logArrivals(s float64) float64 {
	if w.phases == 0 {
		return -s * w.gap
	}
	return -w.phases * math.Log1p(s*w.gap/w.phases)
}

// logService is log E e^{sS} = log[(1 + p s/(μ2 - s))/(1 - s/μ1)], below the
// smaller rate: both parts are positive.
func (w *regularArrivals) logService(s float64) float64 {
	if w.exponential {
		return -math.Log1p(-s)
	}
	return math.Log1p(w.p*s/(w.mu2-s)) - math.Log1p(-s/w.mu1)
}

// source is ε(s).
func (w *regularArrivals) source(s float64) float64 {
	return math.Exp(w.logArrivals(s)) * (w.product - w.leave*s)
}

func (w *regularArrivals) wait() (mean, probability float64) {
	first := w.firstRoot()
	if w.exponential {
		sigma := math.Exp(w.logArrivals(first))
		return sigma / first, sigma
	}
	second := w.secondRoot()
	at1, at2 := w.source(first), w.source(second)
	if at1 == 0 {
		return 0, 0 // below the smallest number
	}
	scale := w.product * (second - first)
	probability = (at1*second - at2*first) / scale
	mean = (at1*second/first - at2*first/second) / scale
	return mean, probability
}

// firstRoot: log α(s) + log E e^{sS} is convex and 0 at 0, so that its ratio to
// s increases, from 1 - 1/λ < 0 to infinity at the smaller rate.
func (w *regularArrivals) firstRoot() float64 {
	high := math.Min(w.mu1, w.mu2)
	root, _ := rootOfDecreasing(func(s float64) float64 {
		return -(w.logArrivals(s) + w.logService(s)) / s
	}, 1e-18*high, high)
	return root
}

// secondRoot: beyond the smaller rate the left side less the right one goes from
// negative to positive once.
func (w *regularArrivals) secondRoot() float64 {
	low, high := math.Min(w.mu1, w.mu2), math.Max(w.mu1, w.mu2)
	f := func(s float64) float64 { return w.source(s) - (w.mu1-s)*(w.mu2-s) }
	for f(high) > 0 {
		high *= 2
	}
	root, _ := rootOfDecreasing(f, low, high)
	return root
}
