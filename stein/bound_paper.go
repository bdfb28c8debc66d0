package stein

import (
	"math"

	"qlimit/ctmc"
)

// Paper is the theorem as its authors state it, true for N large enough; from
// which N on is not known, and the constants have not been verified here.
type Paper struct {
	K, Eta     float64     // k, and η = λ + k log N/√N
	Excess     Bound       // 7 max(μ1, μ2)/(√N log N)
	Conditions []Condition // of the theorem
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
		r.Excess.Kind = ctmc.Limit
		return r
	}
	r.K = (1 + m.fast*m.b/m.slow) * ((1+m.fast+m.slow)/m.slow + 2*m.mu1)
	r.Eta = m.load + r.K*m.logN/m.root
	r.Excess = known(7*math.Max(m.mu1, m.mu2)/(m.root*m.logN), math.Max(m.b-r.Eta, 0))
	r.Excess.Kind = ctmc.Limit
	return r
}

// alpha solves λ = 1 - N^-α; 0 where there is no solution.
func (m model) alpha() float64 {
	if m.gap > 0 && m.gap < 1 && m.n > 1 {
		return math.Abs(math.Log(m.gap)) / m.logN
	}
	return 0
}
