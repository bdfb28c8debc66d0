package ctmc

import "math"

// Pooled is the M/M/N queue: one waiting line in front of N servers of unit
// rate. No dispatching policy for exponential service does better.
type Pooled struct {
	Servers int64
	Offered float64 // a = arrival rate × mean service, 0 < a < N
}

// Validate requires 0 < Offered < Servers.
func (q Pooled) Validate() error {
	if q.Servers < 1 || q.Servers > maxErlangServers {
		return &FieldError{Field: "servers", Value: q.Servers, Allowed: "between 1 and 1e9 for Erlang's formulas"}
	}
	if !(q.Offered > 0 && q.Offered < float64(q.Servers)) {
		return &FieldError{Field: "offered load", Value: q.Offered, Allowed: "between 0 and the number of servers, both excluded"}
	}
	return nil
}

const maxErlangServers = int64(1e9)

// ErlangB is the loss probability of the M/M/N/N queue with offered load a,
// by the inverse of
//
//	1/B = Σ_k N (N-1) .. (N-k+1) / a^k, k = 0..N
//
// whose terms are positive; the sum stops when the rest is below rounding.
func ErlangB(servers int64, offered float64) float64 {
	sum, term := 1.0, 1.0
	for k := int64(0); k < servers; k++ {
		ratio := float64(servers-k) / offered
		term *= ratio
		sum += term
		if ratio < 1 && term*ratio/(1-ratio) < sum*1e-17 {
			break
		}
		if math.IsInf(sum, 1) {
			return 0
		}
	}
	return 1 / sum
}

// WaitProbability is Erlang's C formula, P(wait) = B/(1 - (a/N)(1 - B)).
// The relative error is a few roundings per summed term, at most about
// 1e-16 √N.
func (q Pooled) WaitProbability() float64 {
	b := ErlangB(q.Servers, q.Offered)
	n := float64(q.Servers)
	return b / ((n-q.Offered)/n + q.Offered/n*b)
}

// MeanJobs is the mean number of jobs in the system, a + C a/(N - a).
func (q Pooled) MeanJobs() float64 {
	return q.Offered + q.WaitProbability()*q.Offered/(float64(q.Servers)-q.Offered)
}
