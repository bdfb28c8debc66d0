package ctmc

import (
	"math"

	"qlimit/internal/gauss"
	"qlimit/internal/nearzero"
)

// Pooled is the M/M/N queue: one waiting line in front of N servers of unit
// rate. No dispatching policy for exponential service does better.
type Pooled struct {
	Servers int64   // N
	Offered float64 // a = arrival rate × mean service, 0 < a < N

	// Idle is N - a, the mean number of idle servers, for callers that know it
	// better than by subtraction; 0 = subtract.
	Idle float64
}

// PooledAt is the M/M/N queue with the given load in (0, 1). Its N - a keeps the
// digits of 1 - load.
func PooledAt(servers int64, load float64) Pooled {
	n := float64(servers)
	return Pooled{Servers: servers, Offered: load * n, Idle: (1 - load) * n}
}

// Validate requires 0 < Offered < Servers.
func (q Pooled) Validate() error {
	if q.Servers < 1 || q.Servers > MaxServers {
		return &FieldError{Field: "servers", Value: q.Servers, Allowed: "between 1 and 1e15"}
	}
	if !(q.Offered > 0 && q.idle() > 0 && q.Offered < math.Inf(1)) {
		return &FieldError{Field: "offered load", Value: q.Offered, Allowed: "between 0 and the number of servers, both excluded"}
	}
	return nil
}

func (q Pooled) idle() float64 {
	if q.Idle != 0 {
		return q.Idle
	}
	return float64(q.Servers) - q.Offered
}

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

// WaitProbability is Erlang's C formula, P(wait) = B/(1 - (a/N)(1 - B)), with
// relative error below 1e-13. Up to 1000 servers B is summed; beyond, with
// δ = 1 - a/N and L(y) = log(1+y) - y,
//
//	1/B = N exp(-N L(-δ)) ∫ exp(N L(y)) dy over y >= -δ,
//
// which is the integral of e^-t (1 + t/a)^N over t >= 0 about its peak: time
// does not grow with N, and nothing cancels.
func (q Pooled) WaitProbability() float64 {
	n, idle := float64(q.Servers), q.idle()
	spare := idle / n // δ
	var inverse float64
	if q.Servers <= summedServers {
		inverse = 1 / ErlangB(q.Servers, q.Offered)
	} else {
		inverse = inverseErlangB(n, spare)
	}
	return 1 / (spare*inverse + q.Offered/n)
}

const summedServers = 1000

// inverseErlangB is 1/B for δ in (0, 1); +Inf where it overflows.
func inverseErlangB(n, spare float64) float64 {
	exponent := func(y float64) float64 { return n * real(nearzero.Log1pMinus(complex(y, 0))) }
	const negligible = -45
	width := 1 / math.Sqrt(n) // scale of exp(N L(y)) ~ exp(-N y²/2)
	sum := 0.0
	for y := 0.0; exponent(y) > negligible; y += width {
		sum += gauss.Integrate(func(y float64) float64 { return math.Exp(exponent(y)) }, y, y+width)
	}
	for y := 0.0; y > -spare && exponent(y) > negligible; y -= width {
		sum += gauss.Integrate(func(y float64) float64 { return math.Exp(exponent(y)) }, math.Max(y-width, -spare), y)
	}
	return n * math.Exp(-exponent(-spare)) * sum
}

// MeanJobs is the mean number of jobs in the system, a + C a/(N - a).
func (q Pooled) MeanJobs() float64 {
	return q.Offered + q.WaitProbability()*q.Offered/q.idle()
}
