package stein

import (
	"math"

	"qlimit/coxian"
	"qlimit/ctmc"
)

// Lower are lower bounds on the same quantities, so that the truth lies in an
// interval. Means are per server, times in the unit of the service law.
type Lower struct {
	Kind     ctmc.Kind // LowerBound
	MeanJobs float64   // E X, per server
	WaitProb float64   // P(a job is sent to a busy server)
	MeanWait float64   // of accepted jobs
	Source   string    // of the bound on the mean number of jobs
}

// lower bounds the mean number of jobs from below:
//
//   - work conservation: E X >= E S_1 = λ(1 - P(block)), with an upper bound on
//     P(block); without one, a job is lost with probability at most s_b <= X/b,
//     so that E X >= max(λ(1-q), bq) >= λb/(λ+b), q = P(block);
//   - pooling, exponential service: N servers that share one waiting line. With
//     a limit of Nb jobs it is below JSQ path by path, both losing jobs only when
//     all places are taken, and serves no fewer of them, so that it has fewer
//     waiting. Without a limit its mean m is a bound up to what
//     losses can do: with f the solution of the Poisson equation of M/M/N,
//     E X >= m/N - λ P(block) (f(Nb+1) - f(Nb)).
//
// The others follow by the waiting jobs w <= E Σ_{i>=2} S_i, which are those of
// the pooled system less the same losses: a job waits at least w/λ on average, and
// P(wait) >= w_l E S_2/λ >= w_l w/((b-1)λ).
func (m model) lower(block Bound, mean float64) Lower {
	r := Lower{Kind: ctmc.LowerBound, MeanJobs: m.load * m.b / (m.load + m.b), Source: "work conservation, losses as large as they can be"}
	waiting := 0.0
	better := func(jobs, inQueue float64, source string) {
		waiting = math.Max(waiting, inQueue)
		if jobs > r.MeanJobs {
			r.MeanJobs, r.Source = jobs, source
		}
	}
	if block.Known {
		better(m.load*(1-block.Value), 0, "work conservation")
	}
	if m.constant { // exponential, maybe in the guise of two phases
		switch pooled, err := PoolContinuous(m.servers, m.gap, coxian.Dist{Mu1: 1, P: 0, Mu2: 1}); {
		case float64(m.policy.Depth) >= m.b && m.n <= mostPooled:
			jobs, queue := pooledWithLimit(m.n, m.load, m.b)
			better(jobs, queue, "resource pooling, M/M/N with Nb places")
		case block.Known && err == nil:
			losses := m.load * block.Value * ((m.b-pooled.Central)/m.gap + 1/(m.n*m.gap*m.gap))
			queue := pooled.CentralWait * m.load / (m.n * m.gap)
			better(pooled.Central-losses, queue-losses, "resource pooling, M/M/N, less what losses can do")
		}
	}
	r.MeanWait = waiting / m.load * mean
	r.WaitProb = math.Min(1, m.slow*waiting/((m.b-1)*m.load))
	return r
}

// mostPooled is the number of servers up to which Erlang's formula is summed.
const mostPooled = 1e9

// pooledWithLimit is the mean number of jobs per server of M/M/N with room for
// Nb jobs, at load ρ, and of those that wait: with w_k the weight of k jobs
// relative to that of N, the weights up to N add up to 1/B (Erlang), Σ k w_k =
// ρN (1/B - 1) there, and beyond N they are ρ^j, j = 1..N(b-1).
func pooledWithLimit(n, load, b float64) (jobs, waiting float64) {
	blocking := ctmc.ErlangB(int64(n), load*n)
	if blocking == 0 {
		return load, 0 // nobody ever waits
	}
	places := n * (b - 1)
	if places*math.Log(load) > 600 {
		// Almost always full but for a geometric number of places.
		return b - 1/(load-1)/n, b - 1 - 1/(load-1)/n
	}
	sum, weighted := geometricSums(load, places)
	below := 1 / blocking
	total := below + sum
	return (load*n*(below-1) + n*sum + weighted) / total / n, weighted / total / n
}

// geometricSums returns Σ ρ^j and Σ j ρ^j over j = 1..k, to about 1e-11.
func geometricSums(rho, k float64) (sum, weighted float64) {
	x := math.Log(rho)
	switch {
	case math.Abs(k*x) < 1e-4:
		half := k * (k + 1) / 2
		square := k * (k + 1) * (2*k + 1) / 6
		return k + x*half + x*x/2*square, half + x*square + x*x/2*half*half
	case k <= 100:
		power := 1.0
		for j := 1.0; j <= k; j++ {
			power *= rho
			sum += power
			weighted += j * power
		}
		return sum, weighted
	}
	sum = rho * math.Expm1(k*x) / math.Expm1(x)
	return sum, (k*rho*math.Exp(k*x) - sum) / math.Expm1(x)
}
