package stein

import (
	"math"
	"sort"

	"qlimit/ctmc"
)

// Membership says whether a policy is in the set of policies for which the
// bounds hold, at a given number of servers: with λ = 1 - N^-α,
//
//	A_1(s) <= 1/√N in every state with s_1 <= 1 - τ N^-α,
//
// where A_1(s) is the probability that an arrival is routed to a busy server.
// A_1 depends on s through the number m of busy servers and does not decrease
// with it, so the largest value is at the largest m: 0 for policies that serve
// idle servers first (as long as m < N), (m/N)^d or C(m,d)/C(N,d) for
// power-of-d. It is evaluated exactly, not by an asymptotic condition on d.
//
// Source: Liu, Gong, Ying, Nav. Res. Logist. (2022), equation (2).
type Membership struct {
	Tau      float64 // τ, 0 for the limit τ -> 0 of a policy that serves idle servers first
	Level    float64 // 1 - τ N^-α
	Busy     int64   // the largest number of busy servers with s_1 <= Level
	Routed   float64 // A_1 there
	Limit    float64 // 1/√N
	Holds    bool    // Routed <= Limit
	Smallest int64   // smallest d for which power-of-d without replacement is in the set at this τ ([Solve] with τ = 0: at any τ that its conditions admit); 0 = none up to N
}

// MembershipAt decides the membership at a given τ in (0, 1). The error is that of
// [ctmc.System.Validate], or names τ.
func MembershipAt(p Problem, tau float64) (*Membership, error) {
	if err := p.System().Validate(); err != nil {
		return nil, err
	}
	if !(tau > 0 && tau < 1) {
		return nil, &ctmc.FieldError{Field: "tau", Value: tau, Allowed: "between 0 and 1"}
	}
	r := newModel(p).membership(tau)
	return &r, nil
}

func (m model) membership(tau float64) Membership {
	r := Membership{Tau: tau, Level: 1 - tau*m.gap, Limit: 1 / m.root}
	r.Busy = m.busiest(r.Level)
	if tau == 0 && m.policy.Depth > 0 {
		r.Busy = m.servers - 1
	}
	r.Routed = m.routedAt(r.Busy)
	r.Holds = m.gap > 0 && r.Routed <= r.Limit
	r.Smallest = m.smallestChoices(r.Busy)
	return r
}

// smallestTau is the smallest τ with which the policy is in the set, as little
// above it as the rounding needs; 0 for policies that serve idle servers first.
// It is 1 or more when there is none.
func (m model) smallestTau() float64 {
	if m.policy.Depth > 0 || m.gap <= 0 {
		return 0
	}
	// The largest number of busy servers at which few enough are sent there.
	low, high := int64(0), m.servers
	for low < high {
		middle := low + (high-low+1)/2
		if m.routedAt(middle) <= 1/m.root {
			low = middle
		} else {
			high = middle - 1
		}
	}
	if low == m.servers {
		return 0
	}
	return (float64(m.servers-low) - 0.5) / m.n / m.gap
}

// smallestChoices is the smallest d with C(busy, d)/C(N, d) <= 1/√N.
func (m model) smallestChoices(busy int64) int64 {
	tail := func(d int64) float64 { return ctmc.Sampling{Choices: d}.Tail(busy, m.servers) }
	if busy >= m.servers {
		return 0
	}
	// The tail falls with d and is 0 from busy + 1 on.
	high := int64(1)
	for high < m.servers && tail(high) > 1/m.root {
		high = int64(math.Min(2*float64(high), m.n))
	}
	if tail(high) > 1/m.root {
		return 0
	}
	low := high / 2
	return low + 1 + int64(sort.Search(int(high-low-1), func(i int) bool { return tail(low+1+int64(i)) <= 1/m.root }))
}
