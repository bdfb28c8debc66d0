package stein

import (
	"fmt"
	"math"

	"qlimit/ctmc"
	"qlimit/ctmc/slotted"
)

// EstimateQuality is what the updates of local estimates promise, from their
// declaration: the conditions on dispatching by local estimates (X. Zhou, N.
// Shroff and A. Wierman, Perform. Eval. 145, 2021) ask for E|Q_n - Q̃_n| <= C,
// with C free to depend on the load for throughput, and independent of it for
// delay optimality in heavy traffic.
type EstimateQuality struct {
	// Refresh is a lower bound p > 0 of the probability, given the past, that
	// a pair of dispatcher and server is refreshed in a slot in which its error
	// can grow; 0 if nothing is promised.
	Refresh float64
	// ErrorBound is the largest over the servers of (λ_Σ + μ_n)(1-p)/p, an upper
	// bound of E|Q_n - Q̃_n|: with chance p in each slot the age of an estimate
	// has mean at most (1-p)/p, and in each slot at most A_Σ + S_n is missed.
	// It exists where Refresh > 0.
	ErrorBound float64
	Bounded    bool   // Refresh > 0: throughput needs no more
	Uniform    bool   // and the bound stays finite as the load tends to 1
	Because    string // one sentence
}

// LocalEstimates reads the promise from the declaration of a policy with local
// estimates. Errors: an invalid model, or a policy without local estimates.
func LocalEstimates(m *slotted.Model, policy slotted.Policy) (*EstimateQuality, error) {
	declared := policy.Declaration()
	if declared.Memory != slotted.Local {
		return nil, &ctmc.FieldError{Field: "policy", Value: policy.String(), Allowed: "a policy with local estimates, such as lsq:push=2"}
	}
	if err := m.Validate(); err != nil {
		return nil, err
	}
	if err := policy.Validate(m); err != nil {
		return nil, err
	}
	q, err := promise(m, declared.Updates)
	if err != nil {
		return nil, err
	}
	if q.Refresh > 0 {
		q.Bounded, q.Uniform = true, true
		fastest := 0.0
		for _, rate := range m.Rates {
			fastest = math.Max(fastest, rate)
		}
		q.ErrorBound = (m.ArrivalRate() + fastest) * (1 - q.Refresh) / q.Refresh
	}
	return q, nil
}

// refreshes tells whether every pair is refreshed with a probability above 0 in
// every slot in which its error can grow.
func refreshes(m *slotted.Model, u slotted.UpdateRule) bool {
	return u.Push > 0 || u.Refresh > 0 || reportsToOne(m, u)
}

// reportsToOne: completions are reported with a probability above 0, and there is
// one dispatcher to hear of all of them.
func reportsToOne(m *slotted.Model, u slotted.UpdateRule) bool {
	return (u.Reports || u.Smart) && u.Pull > 0 && m.DispatcherCount() == 1
}

// promise combines the kinds of updates, which are independent.
func promise(m *slotted.Model, u slotted.UpdateRule) (*EstimateQuality, error) {
	miss := 1 - u.Refresh
	because := ""
	if u.Refresh > 0 {
		because = fmt.Sprintf("each pair is refreshed with probability %g in each slot", u.Refresh)
	}
	if u.Push > 0 {
		law, err := m.ArrivalLaw()
		if err != nil {
			return nil, err
		}
		busy := 1.0
		if first, p := law.Window(1e-17); first == 0 {
			busy = 1 - p[0]
		}
		chance := busy * float64(u.Push) / float64(m.Servers())
		miss *= 1 - chance
		because = join(because, fmt.Sprintf("a dispatcher has arrivals in a slot with probability %.6g and then refreshes %d of %d servers", busy, u.Push, m.Servers()))
	}
	if reportsToOne(m, u) {
		laws, err := m.ServiceLaws()
		if err != nil {
			return nil, err
		}
		// The error grows only in slots with completions; these are reported
		// with probability Pull, and always when the server becomes idle.
		serves := 1.0
		for _, law := range laws {
			if first, p := law.Window(1e-17); first == 0 {
				serves = math.Min(serves, 1-p[0])
			}
		}
		miss *= 1 - u.Pull*serves
		because = join(because, fmt.Sprintf("completions are reported with probability %g, and there are some with probability %.6g at a busy server", u.Pull, serves))
	}
	if miss == 1 {
		because = "reports come only from servers with completions, to one dispatcher at a time: nothing is promised of the others' estimates, measure the error"
		if m.DispatcherCount() == 1 {
			because = "a server reports only when it becomes idle: the error grows with the busy periods as the load tends to 1"
		}
	}
	return &EstimateQuality{Refresh: 1 - miss, Because: because}, nil
}

func join(a, b string) string {
	if a == "" {
		return b
	}
	return a + "; " + b
}
