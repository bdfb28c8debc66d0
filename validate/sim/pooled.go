package sim

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"

	"qlimit/ctmc"
)

// pooled is a queue that runs beside the simulated system, with the same
// arrivals and the same potential ends of service, and whose mean work is known
// exactly: one more control variate.
//
//   - Exponential service, N servers: the resource-pooled queue M/M/N. Its k-th
//     busy server ends a service together with the k-th busy one of the system.
//   - One server of speed N, the queue M/G/1. It may share its speed among the
//     jobs that are there in any way that does not look into the future: the
//     total work, which falls at the rate N, does not see it. So it gives as much
//     to jobs in their second phase as the system does, and the rest to jobs in
//     their first; where all servers are busy both end the same phases.
//
// Work is the expected remaining work given the phases, whose mean is that of
// the work itself: a/(1-ρ) with Erlang's formula for M/M/N, and for M/G/1 (F.
// Pollaczek, A. Khinchine) ρ E[S²]/(2 (1-ρ)), service of mean 1.
//
// The queue starts with its stationary law, so that the control has mean 0 at
// any time, warm-up or not.
type pooled struct {
	servers int64
	speed   int64    // of one server: 1, or N if there is one only
	jobs    [3]int64 // in phase 1 or waiting, in phase 2
	work    float64  // ∫ work dt
	mean    float64  // of work
}

// newPooled returns the queue for a system of load < 1, in the state that
// leaves a share u of its stationary law below it.
func newPooled(s ctmc.System, single bool, u float64, random *rand.PCG) *pooled {
	p := &pooled{servers: s.Servers, speed: 1}
	if !single && s.Phases() == 1 {
		queue := ctmc.Pooled{Servers: s.Servers, Offered: s.Load * float64(s.Servers)}
		p.mean = queue.MeanJobs()
		p.jobs[1] = pooledQuantile(queue, u, random)
		return p
	}
	law := s.Service.Normalized()
	p.speed = s.Servers
	p.mean = s.Load * (1 + law.SCV()) / (2 * (1 - s.Load))
	// Pollaczek and Khinchine: the work is a geometric sum of equilibrium
	// remaining times; those are in phase 1 with probability 1/μ1.
	n := geometricQuantile(1-u, s.Load)
	p.jobs[1] = n
	if s.Phases() == 2 && n > 0 {
		p.jobs[1] = int64(distuv.Binomial{N: float64(n), P: 1 / law.Mu1, Src: random}.Rand())
		p.jobs[2] = n - p.jobs[1]
	}
	return p
}

// geometricQuantile is the least n >= 0 with load^(n+1) < rest.
func geometricQuantile(rest, load float64) int64 {
	return int64(math.Max(0, math.Floor(math.Log(rest)/math.Log(load))))
}

// unlikelyWait is a probability of waiting that no start will meet.
const unlikelyWait = 1e-12

// pooledQuantile inverts the stationary law of M/M/N from above: geometric from
// N on, below N with π_{k-1} = π_k k/a. Where all servers are never busy at once
// it draws from Poisson's law instead.
func pooledQuantile(q ctmc.Pooled, u float64, random *rand.PCG) int64 {
	wait, load := q.WaitProbability(), q.Offered/float64(q.Servers)
	if wait < unlikelyWait {
		return int64(distuv.Poisson{Lambda: q.Offered, Src: random}.Rand())
	}
	rest := 1 - u - wait
	if rest < 0 {
		return q.Servers + geometricQuantile((1-u)/wait, load)
	}
	k := q.Servers
	for p := wait * (1 - load); rest >= 0 && k > 0; k-- {
		p *= float64(k) / q.Offered
		rest -= p
	}
	return k
}

// split is the speed given to the two phases when so many servers of the
// system work on second phases.
func (p *pooled) split(second int64) (one, two int64) {
	switch {
	case p.jobs[1] == 0 && p.jobs[2] == 0:
		return 0, 0
	case p.jobs[1] == 0:
		return 0, p.servers
	case p.jobs[2] == 0:
		return p.servers, 0
	}
	return p.servers - second, second
}

// endFirst ends a first phase.
func (p *pooled) endFirst(leaves bool) {
	p.jobs[1]--
	if !leaves {
		p.jobs[2]++
	}
}
