package stein

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"qlimit/ctmc"
	"qlimit/ctmc/slotted"
)

// Region is the set of loads that a slotted policy can carry: stable below
// CriticalLoad = λ_Σ/μ_Σ, unstable above.
type Region struct {
	CriticalLoad float64   // λ_Σ/μ_Σ, at most 1
	Fraction     string    // CriticalLoad as a fraction where the rates make a short one, "" otherwise
	Kind         ctmc.Kind // Exact, or UpperBound where the condition is only necessary
	Method       string    // how it was found: saturated-servers, class-pi or shares
	Because      string    // what binds, or why the whole region is reached

	// BindingServers are the slowest servers that fill first, and BindingRate
	// what they serve together; 0 where all servers bind.
	BindingServers int
	BindingRate    float64
}

// Methods of [StabilityRegion].
const (
	bySaturation = "saturated-servers"
	byTilt       = "class-pi"
	byRates      = "shares"
)

// StabilityRegion finds the region by theory; nil where theory has no exact
// answer (join-the-idle-queue and its kin with unequal servers, remembered
// servers, estimates without regular updates) and simulation must decide.
//
// A set B of servers whose queues are far longer than all others receives
// λ_Σ P(B), P(B) the probability that the jobs of a slot go there all the same;
// that must be less than it can serve. For policies that compare the lengths of
// a sample the condition for every set is also sufficient (S. Foss and N.
// Chernova, Queueing Syst. 29, 1998), and it is the k slowest servers that it
// binds, for some k: P(B) depends on their number only and is convex in it, so
// that pools need to be checked at their ends only.
//
// Tilted in every state is sufficient for the whole region: then the drift of
// ‖Q‖² is at most -2(ε/μ_Σ)⟨Q, μ⟩ + constant. See [PiMembership].
func StabilityRegion(m *slotted.Model, policy slotted.Policy) (*Region, error) {
	checked := *m
	checked.Load = 0 // the region is asked for, not a load
	if err := checked.Validate(); err != nil {
		return nil, err
	}
	if err := policy.Validate(&checked); err != nil {
		return nil, err
	}
	declared := policy.Declaration()
	switch declared.Memory {
	case slotted.Oblivious:
		return shareRegion(&checked, declared), nil
	case slotted.TrueLength:
		return saturationRegion(&checked, policy, declared), nil
	case slotted.Threshold:
		return thresholdRegion(&checked, policy), nil
	case slotted.Local:
		return localRegion(&checked, policy, declared), nil
	}
	return nil, nil
}

// shareRegion: each server by itself.
func shareRegion(m *slotted.Model, declared slotted.Declaration) *Region {
	p := make([]float64, m.Servers())
	declared.Probabilities(m, make([]int64, m.Servers()), 0, p)
	r := &Region{CriticalLoad: 1, Fraction: "1", Kind: ctmc.Exact, Method: byRates, Because: "every server gets at most its share of the arrivals"}
	for n, chance := range p {
		r.restrict(m, 1, m.Rates[n], chance)
	}
	return r
}

// restrict lowers the critical load to that at which servers of the given total
// rate receive as much as they serve.
func (r *Region) restrict(m *slotted.Model, servers int, rate, chance float64) {
	if chance == 0 {
		return
	}
	total := m.TotalRate()
	if load := rate / (chance * total); load < r.CriticalLoad*(1-1e-14) {
		r.CriticalLoad, r.Fraction = exactQuotient(rate, chance, total)
		r.BindingServers, r.BindingRate = servers, rate
		r.Because = fmt.Sprintf("the %d slowest servers, together of rate %g, get a fraction %.6g of the arrivals however long their queues", servers, rate, chance)
		if servers == 1 {
			r.Because = fmt.Sprintf("a server of rate %g gets a fraction %.6g of the arrivals however long its queue", rate, chance)
		}
	}
}

// comparesSamples are the policies for which the condition on saturated sets is
// known to be sufficient; for others it is necessary. (SED by itself: with j the
// server chosen, Q_j/μ_j is at most the mean of (Q_n+1)/μ_n weighted by rates, so
// that the drift of ΣQ_n²/μ_n is at most -2(ε/μ_Σ)ΣQ_n + constant.)
func comparesSamples(policy slotted.Policy) bool {
	name, _, _ := strings.Cut(policy.String(), ":")
	return slices.Contains([]string{"jsq", "sq", "sed"}, name)
}

func saturationRegion(m *slotted.Model, policy slotted.Policy, declared slotted.Declaration) *Region {
	r := &Region{CriticalLoad: 1, Fraction: "1", Kind: ctmc.Exact, Method: bySaturation, Because: "no proper subset of the servers gets more than it can serve when its queues are longest"}
	if !comparesSamples(policy) {
		r.Kind = ctmc.UpperBound
	}
	order := make([]int, m.Servers())
	for n := range order {
		order[n] = n
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(m.Rates[a], m.Rates[b]) })
	lengths, p := make([]int64, len(order)), make([]float64, len(order))
	rate := 0.0
	for k, server := range order {
		lengths[server] = saturated
		rate += m.Rates[server]
		if k+1 == len(order) || m.Rates[order[k+1]] == m.Rates[server] {
			continue // all servers, or within a pool
		}
		declared.Probabilities(m, lengths, 0, p)
		r.restrict(m, k+1, rate, probabilityOf(order[:k+1], p))
	}
	return r
}

// probabilityOf adds up with compensation: a million small terms.
func probabilityOf(servers []int, p []float64) float64 {
	sum, lost := 0.0, 0.0
	for _, n := range servers {
		term := p[n] - lost
		next := sum + term
		lost = (next - sum) - term
		sum = next
	}
	return sum
}

// saturated is a queue length beyond any comparison with an idle server.
const saturated = 1 << 40

// thresholdRegion: with equal servers every distribution is tilted, and with
// choices in proportion to the rates always.
func thresholdRegion(m *slotted.Model, policy slotted.Policy) *Region {
	name, _, _ := strings.Cut(policy.String(), ":")
	known := slices.Contains([]string{"jiq", "jbt", "jbtg"}, name)
	if m.DispatcherCount() > 1 || !known || !(m.Equal() || name == "jbtg") {
		return nil
	}
	return &Region{CriticalLoad: 1, Fraction: "1", Kind: ctmc.Exact, Method: byTilt,
		Because: "stored servers are the shortest queues and get at least their share: tilted in every state"}
}

// localRegion: tilted in the local order and estimates whose error is bounded in
// mean.
func localRegion(m *slotted.Model, policy slotted.Policy, declared slotted.Declaration) *Region {
	name, _, _ := strings.Cut(policy.String(), ":")
	tilted := name == "lsq" || name == "local-jba" || name == "local-sq" && m.Equal()
	if !tilted || !refreshes(m, declared.Updates) {
		return nil
	}
	return &Region{CriticalLoad: 1, Fraction: "1", Kind: ctmc.Exact, Method: byTilt,
		Because: "tilted in the local order, and every estimate is refreshed with a probability above 0 in each slot in which its error can grow"}
}

// exactQuotient is rate/(chance·total) rounded once, and as a fraction, where
// all three are recognised as fractions with denominators up to 1e9.
func exactQuotient(rate, chance, total float64) (value float64, text string) {
	q := rationalOf(rate)
	c, t := rationalOf(chance), rationalOf(total)
	if q == nil || c == nil || t == nil {
		return rate / (chance * total), ""
	}
	q.Quo(q, c.Mul(c, t))
	value, _ = q.Float64()
	if math.Abs(value-rate/(chance*total)) > 1e-14*value || q.Denom().BitLen() > 40 {
		return rate / (chance * total), ""
	}
	return value, q.RatString()
}
