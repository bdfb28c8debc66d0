package stein

import (
	"math"

	"qlimit/ctmc"
)

// Bounds are the bounds of one problem by Stein's method: three versions of the
// theorem of Liu, Gong and Ying for Coxian-2 service, each with the values that
// follow from it.
type Bounds struct {
	System ctmc.System
	Alpha  float64 // λ = 1 - N^-α; 0 where there is none (N = 1 or λ >= 1)
	Member Membership

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
	Tau float64
	Values
	Corollary []Order
}

// Optimum is the best bound found for each quantity; the choices differ from
// one to the other.
type Optimum struct {
	Excess    Best // at the η of the explicit version
	MeanJobs  Best
	WaitProb  Best
	BlockProb Bound // the best that follows from these
	MeanWait  Bound // from MeanJobs, in the unit of the service law
}

// Paper is the theorem as its authors state it, true for N large enough; from
// which N on is not known, and the constants have not been verified here.
type Paper struct {
	K, Eta     float64
	Excess     Bound // 7 max(μ1, μ2)/(√N log N)
	Conditions []Condition
}

// Order is a line of the corollary: quantity <= Offset + Constant × Scale.
type Order struct {
	Quantity string
	Scale    string  // e.g. "log N/√N"
	Size     float64 // of the scale at this N
	Offset   float64
	Constant Bound
}

// Solve finds all bounds of a problem.
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

// alpha solves λ = 1 - N^-α; 0 where there is no solution.
func (m model) alpha() float64 {
	if m.gap > 0 && m.gap < 1 && m.n > 1 {
		return math.Abs(math.Log(m.gap)) / m.logN
	}
	return 0
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

// chooseTau is the smallest τ with which the policy is in the set, which suits
// all conditions best; if that is more than they admit, the largest one admitted,
// so that it is the policy that is found to fail.
func (m model) chooseTau() float64 {
	smallest, most := m.smallestTau(), m.largestTau()
	if smallest > most && most > 0 {
		return most
	}
	return math.Min(smallest, 1)
}

// largestTau is the largest τ that the conditions τ <= 1/μ1 and (κ + 1/2)δ <=
// (1 - τ)(1 - λ) of the explicit version admit, a little less so that no rounding
// fails them; negative or 0 if there is none.
func (m model) largestTau() float64 {
	proof := m.explicitProof(m.logN/m.root, 0)
	most := 1 - (proof.Kappa+0.5)*proof.Delta/m.gap
	if m.p > 0 {
		most = math.Min(most, 1/m.mu1)
	}
	return most * (1 - 1e-12)
}

// smallestAdmitted is the smallest d with which power-of-d meets the conditions
// on the routing at some τ that the others admit, 0 if there is none: that is at
// the largest such τ.
func (m model) smallestAdmitted() int64 {
	if !m.commonHold() {
		return 0
	}
	most := m.largestTau()
	if !(most > 0) {
		return 0
	}
	return m.smallestChoices(m.busiest(1 - most*m.gap))
}

// paper is the theorem as stated:
//
//	k = (1 + w_u b/w_l)((1 + w_u + w_l)/w_l + 2μ1)
//	E(X - λ - k log N/√N)^+ <= 7 max(μ1, μ2)/(√N log N).
func (m model) paper() Paper {
	r := Paper{Conditions: m.commonConditions()}
	r.Conditions = append(r.Conditions,
		compare("alpha_positive", "α in λ = 1 - N^-α", m.alpha(), ">", 0),
		compare("alpha", "α in λ = 1 - N^-α", m.alpha(), "<", 0.5),
		compare("routing", "smallest τ with which few enough arrivals are sent to busy servers", m.smallestTau(), "<", 1))
	if failing := firstFailing(r.Conditions); failing != nil {
		r.Excess = unknown(m.b, "condition %s", failing)
		return r
	}
	r.K = (1 + m.fast*m.b/m.slow) * ((1+m.fast+m.slow)/m.slow + 2*m.mu1)
	r.Eta = m.load + r.K*m.logN/m.root
	r.Excess = known(7*math.Max(m.mu1, m.mu2)/(m.root*m.logN), math.Max(m.b-r.Eta, 0))
	return r
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
