package stein

import (
	"math"

	"qlimit/ctmc"
)

// Bounds are the bounds of one problem by Stein's method: three versions of the
// theorem of Liu, Gong and Ying for Coxian-2 service, each with the values that
// follow from it.
type Bounds struct {
	System ctmc.System // of the problem, at its own N
	Alpha  float64     // λ = 1 - N^-α; 0 where there is none (N = 1 or λ >= 1)
	Member Membership  // whether the policy is in the set

	Paper    Paper    // as stated, for N large enough
	Explicit Explicit // with every constant
	Best     Optimum  // with the constants optimised
	Lower    Lower    // what no policy can go below

	// Smallest are the smallest numbers of servers at which the explicit bounds
	// say something, with the same scaling of the load, law, policy and buffer;
	// 0 = none up to 1e15. All is for all three together.
	Smallest SmallestServers
}

// Explicit is the explicit version at the given N.
type Explicit struct {
	Proof
	Tau float64 // τ that was used
	Values
	Corollary []Order // the orders with their constants
}

// Optimum is the best bound found for each quantity; the choices differ from
// one to the other.
type Optimum struct {
	Excess    Best  // at the η of the explicit version
	MeanJobs  Best  // its own best choices
	WaitProb  Best  // its own best choices
	BlockProb Bound // the best that follows from these
	MeanWait  Bound // from MeanJobs, in the unit of the service law
}

// Solve finds all bounds of a problem: milliseconds for one, most of them for the
// search for the best. The error is that of [Problem.Validate]; a condition that
// fails is no error, its bound is then not Known.
func Solve(p Problem) (*Bounds, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	m, mean := newModel(p), p.Service.Mean()
	r := &Bounds{System: p.System(), Alpha: m.alpha()}
	r.Explicit = m.explicitBounds(p.Tau, mean)
	r.Member = m.membership(r.Explicit.Tau)
	if p.Tau == 0 {
		r.Member.Smallest = m.smallestAdmitted()
	}
	r.Paper = m.paper()
	r.Best = Optimum{MeanJobs: m.bestMean(), WaitProb: m.bestWait()}
	over := r.Explicit.K * r.Explicit.Delta
	r.Best.Excess = m.bestExcess(over)
	r.Best.BlockProb = m.bestBlock(r.Explicit.BlockProb, &r.Best)
	r.Best.MeanWait = m.bestMeanWait(&r.Best, mean)
	r.Lower = m.lower(r.Best.BlockProb, mean)
	r.Smallest = smallestServers(p)
	return r, nil
}

func (m model) commonHold() bool { return firstFailing(m.commonConditions()) == nil }

// explicitBounds is the explicit version with τ as given or as small as the
// policy allows.
func (m model) explicitBounds(tau, mean float64) Explicit {
	if !m.commonHold() {
		e := Explicit{Tau: tau, Proof: Proof{Conditions: m.commonConditions(), LogExcess: math.Inf(1)}}
		e.Values = m.valuesUnknown(firstFailing(e.Conditions), mean)
		return e
	}
	if tau == 0 {
		tau = m.chooseTau()
	}
	e := Explicit{Tau: tau, Proof: *m.explicit(tau)}
	if failing := firstFailing(e.Conditions); failing != nil {
		e.Values = m.valuesUnknown(failing, mean)
		return e
	}
	e.Values = m.values(math.Exp(e.LogExcess), e.K*e.Delta, e.Tau, mean)
	e.Corollary = m.corollary(&e.Values)
	return e
}
