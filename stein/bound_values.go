package stein

import (
	"fmt"
	"math"

	"qlimit/ctmc"
)

// Bound is a bound on one quantity, or the reason why there is none.
type Bound struct {
	Kind    ctmc.Kind // UpperBound, or Limit for what holds from some unknown N on
	Value   float64   // meaningless unless Known
	Trivial float64   // what is known without any theorem
	Known   bool      // there is a Value
	Reason  string    // why it is not known
}

// Vacuous says that the bound tells nothing: it is not known, or no better than
// what is known without it.
func (b Bound) Vacuous() bool { return !b.Known || !(b.Value < b.Trivial) }

func known(value, trivial float64) Bound {
	if math.IsNaN(value) || math.IsInf(value, 0) {
		return Bound{Kind: ctmc.UpperBound, Trivial: trivial, Reason: "beyond the range of floating-point numbers"}
	}
	return Bound{Kind: ctmc.UpperBound, Value: value, Trivial: trivial, Known: true}
}

func unknown(trivial float64, format string, arguments ...any) Bound {
	return Bound{Kind: ctmc.UpperBound, Trivial: trivial, Reason: fmt.Sprintf(format, arguments...)}
}

// Values are upper bounds that follow from H >= E(X - η)^+. Means are per
// server, times in the unit of the service law.
type Values struct {
	Excess   Bound // H itself
	MeanJobs Bound // E X <= η + H
	// WaitProb bounds the probability of being sent to a busy server by
	// Markov's inequality: H/(1 - η) for policies that serve idle servers
	// first, 1/√N + H/(1 - τ(1-λ) - η) in general.
	WaitProb  Bound
	BlockProb Bound // P(a job is lost)
	MeanWait  Bound // of accepted jobs, E Σ_{i>=2} S_i/(λ(1 - P(block))) mean services
	// WaitProbByWork bounds it through the jobs that wait: P(block) +
	// w_u E[Σ_{i>=2} S_i]/λ.
	WaitProbByWork Bound
}

// Named lists the bounds with their names.
func (v *Values) Named() []NamedBound {
	return []NamedBound{
		{"excess", v.Excess}, {"mean", v.MeanJobs}, {"p_wait", v.WaitProb},
		{"p_block", v.BlockProb}, {"mean_wait", v.MeanWait}, {"p_wait_by_work", v.WaitProbByWork},
	}
}

// NamedBound is a bound with the name of its quantity.
type NamedBound struct {
	Name string // of the quantity, as in the program's output
	Bound
}

// headline are the bounds that decide whether a result says anything: excess,
// mean and p_wait.
const headline = 3

// Vacuous names the headline bounds that say nothing.
func (v *Values) Vacuous() []string {
	list := []string{}
	for _, b := range v.Named()[:headline] {
		if b.Vacuous() {
			list = append(list, b.Name)
		}
	}
	return list
}

// values draws the conclusions from H and η = λ + over; differences of η from
// numbers near it are formed without cancellation.
func (m model) values(h, over, tau, mean float64) Values {
	v := Values{
		Excess:   known(h, math.Max(m.b-m.load-over, 0)),
		MeanJobs: known(m.load+over+h, m.b),
		WaitProb: m.waitByMarkov(h, over, tau),
	}
	block := m.blocked(h, over, v.WaitProb)
	v.BlockProb = known(block, 1)
	waiting := over + h + m.load*block // >= E X - E S_1, as E S_1 = λ(1 - P(block))
	v.MeanWait = m.meanWait(over+h, block, mean)
	v.WaitProbByWork = known(block+m.fast*waiting/m.load, 1)
	return v
}

// meanWait is E Σ_{i>=2} S_i/(λ(1 - P(block))) mean services, where E X <= λ +
// excess and E S_1 = λ(1 - P(block)).
func (m model) meanWait(excess, block, mean float64) Bound {
	longest := m.longestWait(mean)
	if !(block < 1) {
		return unknown(longest, "the bound on P(block) is not below 1")
	}
	return known((excess+m.load*block)/(m.load*(1-block))*mean, longest)
}

// longestWait is what a job waits at most on average: it finds at most b-1 jobs
// before it, one of them in service.
func (m model) longestWait(mean float64) float64 {
	return (m.b - 2 + math.Max(1, 1/m.mu2)) * mean
}

// valuesUnknown names the failing condition for every value.
func (m model) valuesUnknown(failing *Condition, mean float64) Values {
	no := func(trivial float64) Bound { return unknown(trivial, "condition %s", failing) }
	return Values{Excess: no(m.b), MeanJobs: no(m.b), WaitProb: no(1), BlockProb: no(1), MeanWait: no(m.longestWait(mean)), WaitProbByWork: no(1)}
}

// waitByMarkov is P(wait) <= E A_1 <= A + H/(level - η), A the largest A_1 where
// s_1 <= level.
func (m model) waitByMarkov(h, over, tau float64) Bound {
	room, routed := m.gap-over, 0.0
	if m.policy.Depth == 0 {
		room, routed = (1-tau)*m.gap-over, 1/m.root
	}
	if !(room > 0) {
		return unknown(1, "η = %.6g is not below %.6g", m.load+over, m.load+over+room)
	}
	return known(routed+h/room, 1)
}

// blocked bounds P(block) = E A_b. A policy that serves levels 0..K-1 in order
// loses nothing unless X >= min(K, b): H/(min(K,b) - η). Its fallback sends at
// most (s_b)^d <= (X/b)^d to full servers: (x/b)^d + H/(x - η) for any x. A job
// that is lost was sent to a busy server.
func (m model) blocked(h, over float64, wait Bound) float64 {
	least := 1.0
	if wait.Known {
		least = math.Min(least, wait.Value)
	}
	served := math.Min(float64(m.policy.Depth), m.b)
	if room := served - 1 + m.gap - over; served > 0 && room > 0 {
		least = math.Min(least, h/room)
	}
	if served < m.b && m.load+over < m.b {
		least = math.Min(least, m.blockedByFallback(h, m.load+over))
	}
	return least
}

// blockedByFallback minimises (x/b)^d + H/(x - η), a sum of two convex functions
// of x, over η < x <= b by trisection.
func (m model) blockedByFallback(h, eta float64) float64 {
	sampling, ok := m.policy.Fallback.(ctmc.Sampling)
	if !ok {
		return 1
	}
	f := func(x float64) float64 { return math.Pow(x/m.b, float64(sampling.Choices)) + h/(x-eta) }
	low, high := eta, m.b
	for range 120 {
		left, right := low+(high-low)/3, high-(high-low)/3
		if f(left) < f(right) {
			high = right
		} else {
			low = left
		}
	}
	return f((low + high) / 2)
}
