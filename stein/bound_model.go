package stein

import (
	"fmt"
	"math"

	"qlimit/coxian"
	"qlimit/ctmc"
)

// Scaling says how the load depends on the number of servers. It returns the
// load and 1 - load, each with all its digits.
type Scaling func(servers int64) (load, gap float64)

// FixedLoad is the same load at every number of servers.
func FixedLoad(load float64) Scaling { return func(int64) (float64, float64) { return load, 1 - load } }

// SpareServers is the load 1 - A/N.
func SpareServers(a float64) Scaling {
	return func(servers int64) (float64, float64) {
		gap := a / float64(servers)
		return 1 - gap, gap
	}
}

// LoadExponent is the load 1 - N^-α.
func LoadExponent(alpha float64) Scaling {
	return func(servers int64) (float64, float64) {
		x := -alpha * math.Log(float64(servers))
		return -math.Expm1(x), math.Exp(x)
	}
}

// Problem asks for bounds on a system with a finite buffer.
type Problem struct {
	Servers int64       // N
	Scaling Scaling     // load at every number of servers
	Buffer  int         // at least 2
	Service coxian.Dist // Coxian-2; p = 1 fails a condition
	Policy  ctmc.Policy // any; Membership says whether the bounds speak of it

	// Tau is τ in the definition of the set of policies, see [Membership];
	// 0 = the smallest with which the policy is in the set.
	Tau float64
}

// System is the system at its own number of servers.
func (p Problem) System() ctmc.System {
	load, _ := p.Scaling(p.Servers)
	return ctmc.System{Servers: p.Servers, Load: load, Buffer: p.Buffer, Service: p.Service, Policy: p.Policy}
}

// Validate checks what no bound of this kind can do without. A system that is
// well formed but fails a condition of the theorem is no error: the bounds are
// then missing and the conditions say why.
func (p Problem) Validate() error {
	if p.Buffer < 2 {
		return &ctmc.FieldError{Field: "buffer", Value: p.Buffer, Allowed: ">= 2",
			Reason: "the bounds by Stein's method need a finite buffer with room for a waiting job"}
	}
	if !(p.Tau >= 0 && p.Tau < 1) {
		return &ctmc.FieldError{Field: "tau", Value: p.Tau, Allowed: "between 0 and 1 (0 = the smallest that the policy allows)"}
	}
	return p.System().Validate()
}

// model holds the numbers of a problem, time in mean service times.
type model struct {
	servers  int64
	n, root  float64 // N, √N
	logN     float64
	gap      float64 // 1 - λ
	load     float64 // λ
	b        float64
	mu1, p   float64
	mu2      float64
	fast     float64 // w_u = max((1-p)μ1, μ2), the larger rate of departures
	slow     float64 // w_l
	constant bool    // a single rate of departures: D_1 = S_1 in every state
	firstLow bool    // (1-p)μ1 <= μ2
	policy   ctmc.Policy
}

func newModel(p Problem) model {
	law := p.Service.Normalized()
	n := float64(p.Servers)
	m := model{
		servers: p.Servers, n: n, root: math.Sqrt(n), logN: math.Log(n),
		b:   float64(p.Buffer),
		mu1: law.Mu1, p: law.P, mu2: law.Mu2, policy: p.Policy,
	}
	m.load, m.gap = p.Scaling(p.Servers)
	exit := (1 - m.p) * m.mu1
	m.fast, m.slow, m.firstLow = math.Max(exit, m.mu2), math.Min(exit, m.mu2), exit <= m.mu2
	if m.p == 0 {
		m.fast, m.slow, m.mu2 = m.mu1, m.mu1, m.mu1
	}
	m.constant = m.fast == m.slow
	return m
}

// busiest is the number of busy servers at most where the fraction of busy
// servers is at most level, rounded so that it is never too low.
func (m model) busiest(level float64) int64 {
	x := m.n * level
	count := math.Floor(math.Nextafter(x, math.Inf(1)))
	return int64(math.Max(0, math.Min(count, m.n)))
}

// routed is the largest A_1(s) over the states with s_1 <= level: the
// probability that an arrival is sent to a busy server, which depends on the
// number of busy servers only and grows with it.
func (m model) routed(level float64) float64 { return m.routedAt(m.busiest(level)) }

func (m model) routedAt(busy int64) float64 {
	return m.policy.RouteTail([]int64{m.servers, busy}, 1)
}

// Condition is something that a bound needs: Value Relation Limit.
type Condition struct {
	Name     string  // short
	Meaning  string  // in words
	Holds    bool    // Value Relation Limit is true
	Value    float64 // the left side
	Relation string  // "<", "<=", ">", ">="
	Limit    float64 // the right side
}

func (c Condition) String() string {
	return fmt.Sprintf("%s: %s, %.6g %s %.6g", c.Name, c.Meaning, c.Value, c.Relation, c.Limit)
}

// compare makes a condition and decides it.
func compare(name, meaning string, value float64, relation string, limit float64) Condition {
	c := Condition{Name: name, Meaning: meaning, Value: value, Relation: relation, Limit: limit}
	switch relation {
	case "<":
		c.Holds = value < limit
	case "<=":
		c.Holds = value <= limit
	case ">":
		c.Holds = value > limit
	case ">=":
		c.Holds = value >= limit
	}
	return c
}

// firstFailing is the first condition that does not hold, or nil.
func firstFailing(conditions []Condition) *Condition {
	for i := range conditions {
		if !conditions[i].Holds {
			return &conditions[i]
		}
	}
	return nil
}
