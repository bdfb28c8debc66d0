package sim

import (
	"context"
	"fmt"
	"math"
	"testing"

	"qlimit/ctmc"
)

func random1(load float64, arrivals, service Law) JobSystem {
	return JobSystem{Servers: 1, Load: load, Arrivals: arrivals, Service: service, Policy: OccupancyPolicy(ctmc.Random())}
}

// TestMM1Response: the response time of M/M/1 is exponential of rate 1 - ρ, the
// waiting time exceeds t with probability ρ e^{-(1-ρ)t}.
func TestMM1Response(t *testing.T) {
	const load = .8
	r := runJobs(t, random1(load, nil, CoxianLaw(exponential)), JobSettings{Seed: 1, Jobs: 1e6})
	checkWithin(t, "response", r.MeanResponse, 1/(1-load), .06)
	checkWithin(t, "wait", r.MeanWait, load/(1-load), .06)
	checkWithin(t, "P(wait)", r.WaitProb, load, .02)
	checkQuantiles(t, "response", r.ResponseQuantiles, func(p float64) float64 { return -math.Log(1-p) / (1 - load) }, .2)
	checkQuantiles(t, "wait", r.WaitQuantiles, exponentialWait(load, 1-load), .2)
}

// exponentialWait is the quantile function of a time with
// P(W > t) = c e^{-rate t}.
func exponentialWait(c, rate float64) func(p float64) float64 {
	return func(p float64) float64 { return math.Max(0, math.Log(c/(1-p))/rate) }
}

// TestMD1Wait: P(W <= t) = (1-ρ) Σ_{k<=t} (ρ(k-t))^k/k! e^{-ρ(k-t)} (Erlang
// 1909), and the response is one service time longer, also in its atom.
func TestMD1Wait(t *testing.T) {
	const load = .6
	r := runJobs(t, random1(load, nil, must(Deterministic(1))), JobSettings{Seed: 2, Jobs: 5e5})
	checkWithin(t, "wait", r.MeanWait, load/(2*(1-load)), .04)
	truth := func(p float64) float64 {
		low, high := 0.0, 20.0
		for range 80 {
			if middle := (low + high) / 2; md1CDF(load, middle) >= p {
				high = middle
			} else {
				low = middle
			}
		}
		return high
	}
	for _, q := range r.WaitQuantiles {
		checkWithin(t, fmt.Sprintf("M/D/1 wait p=%g", q.P), q.Time, truth(q.P), .2)
	}
	low := random1(.3, nil, must(Deterministic(2)))
	r = runJobs(t, low, JobSettings{Seed: 2, Jobs: 2e5})
	if q := r.ResponseQuantiles[0]; q.Time.Value != 2 || q.Lower != 2 || q.Upper != 2 {
		t.Errorf("median response %+v, want exactly 2", q)
	}
}

func md1CDF(load, t float64) float64 {
	sum, factorial := 0.0, 1.0
	for k := 0.0; k <= t; k++ {
		if k > 0 {
			factorial *= k
		}
		sum += math.Pow(load*(k-t), k) / factorial * math.Exp(-load*(k-t))
	}
	return (1 - load) * sum
}

// TestPollaczekKhinchine: E[W] = ρ E[S] (1 + scv)/(2(1-ρ)).
func TestPollaczekKhinchine(t *testing.T) {
	sample := []float64{.2, .2, .5, 1, 1, 7, 3, .1}
	for _, service := range []Law{
		CoxianLaw(scv2), CoxianLaw(slowScv7), must(Erlang(3, 1)), must(Lognormal(2, 1.5)),
		must(BoundedPareto(1.5, 1, 100)), must(Empirical(sample)),
	} {
		const load = .7
		r := runJobs(t, random1(load, nil, service), JobSettings{Seed: 4, Jobs: 4e5})
		want := load * service.Mean() * (1 + service.SCV()) / (2 * (1 - load))
		checkWithin(t, service.String()+": wait", r.MeanWait, want, .2)
		checkWithin(t, service.String()+": P(wait)", r.WaitProb, load, .04)
	}
}

// transforms of renewal arrivals of mean gap, for TestGIM1.
func erlangTransform(k int, gap, s float64) float64 {
	return math.Pow(1+s*gap/float64(k), -float64(k))
}

// gim1Root is the root σ in (0, 1) of σ = A*(1 - σ), by iteration from 0.
func gim1Root(transform func(s float64) float64) float64 {
	sigma := 0.0
	for range 10_000 {
		sigma = transform(1 - sigma)
	}
	return sigma
}

// TestGIM1: with renewal arrivals and exponential service of rate 1 a job waits
// longer than t with probability σ e^{-(1-σ)t}.
func TestGIM1(t *testing.T) {
	const load = .8
	gap := 1 / load
	for _, c := range []struct {
		arrivals  Law
		transform func(s float64) float64
	}{
		{must(Deterministic(3)), func(s float64) float64 { return math.Exp(-s * gap) }},
		{must(Erlang(4, 1)), func(s float64) float64 { return erlangTransform(4, gap, s) }},
		{must(Hyperexponential(1, 4)), func(s float64) float64 {
			x := math.Sqrt(.6)
			a, b := (1+x)/2, (1-x)/2
			return a/(1+s*gap/(2*a)) + b/(1+s*gap/(2*b))
		}},
	} {
		r := runJobs(t, random1(load, c.arrivals, CoxianLaw(exponential)), JobSettings{Seed: 5, Jobs: 5e5})
		sigma := gim1Root(c.transform)
		name := c.arrivals.String()
		checkWithin(t, name+": P(wait)", r.WaitProb, sigma, .04)
		checkWithin(t, name+": wait", r.MeanWait, sigma/(1-sigma), .1)
		checkQuantiles(t, name+": wait", r.WaitQuantiles, exponentialWait(sigma, 1-sigma), 1)
	}
}

// TestRoundRobin: with Poisson arrivals every server has Erlang-N arrivals.
func TestRoundRobin(t *testing.T) {
	const load, n = .9, 5
	r := runJobs(t, JobSystem{Servers: n, Load: load, Service: CoxianLaw(exponential), Policy: RoundRobin()}, JobSettings{Seed: 6, Jobs: 8e5})
	sigma := gim1Root(func(s float64) float64 { return erlangTransform(n, 1/load, s) })
	checkWithin(t, "P(wait)", r.WaitProb, sigma, .02)
	checkWithin(t, "wait", r.MeanWait, sigma/(1-sigma), .08)
	checkQuantiles(t, "wait", r.WaitQuantiles, exponentialWait(sigma, 1-sigma), .4)
	if r.MessagesPerJob.Value != 0 {
		t.Errorf("%g messages per job", r.MessagesPerJob.Value)
	}
}

// TestLeastLoadedIsCentralQueue: jobs wait as in M/M/N, longer than t with
// probability C e^{-(N-a)t}, C Erlang's formula.
func TestLeastLoadedIsCentralQueue(t *testing.T) {
	const load, n = .9, 6
	r := runJobs(t, JobSystem{Servers: n, Load: load, Service: CoxianLaw(exponential), Policy: LeastLoaded()}, JobSettings{Seed: 7, Jobs: 8e5})
	c := ctmc.Pooled{Servers: n, Offered: load * n}.WaitProbability()
	rate := n * (1 - load)
	checkWithin(t, "P(wait)", r.WaitProb, c, .04)
	checkWithin(t, "wait", r.MeanWait, c/rate, .1)
	checkWithin(t, "response", r.MeanResponse, 1+c/rate, .06)
	checkQuantiles(t, "wait", r.WaitQuantiles, exponentialWait(c, rate), .4)
	if r.MessagesPerJob.Value != 2*n {
		t.Errorf("%g messages per job", r.MessagesPerJob.Value)
	}
}

// TestLeastLoadedOfMany: in the many-server limit LL(2) with exponential
// service has the mean response -log(1-λ²)/λ² (Hellemans and Van Houdt 2018);
// the effect of 1,000 servers is of the order 1/N.
func TestLeastLoadedOfMany(t *testing.T) {
	if testing.Short() {
		t.Skip("a thousand servers need more jobs than a short test has")
	}
	const load, n = .8, 1000
	r := runJobs(t, JobSystem{Servers: n, Load: load, Service: CoxianLaw(exponential), Policy: LeastLoadedOf(2)}, JobSettings{Seed: 8, Jobs: 1.2e6, WarmUp: 15})
	want := -math.Log(1-load*load) / (load * load)
	if off := math.Abs(r.MeanResponse.Value - want); off > 4.5*r.MeanResponse.StandardError+3./n {
		t.Errorf("response %.5f ± %.2g, want %.5f", r.MeanResponse.Value, r.MeanResponse.HalfWidth, want)
	}
	if r.MessagesPerJob.Value != 4 {
		t.Errorf("%g messages per job", r.MessagesPerJob.Value)
	}
}

// TestMemoryWithoutMemory: SQ(d,0) is SQ(d), and SQ(N,m) is JSQ.
func TestMemoryWithoutMemory(t *testing.T) {
	for _, c := range []struct {
		policy JobPolicy
		same   ctmc.Policy
	}{{ShortestWithMemory(2, 0), ctmc.PowerOfD(2, false)}, {ShortestWithMemory(4, 2), ctmc.JSQ()}} {
		s := ctmc.System{Servers: 4, Load: .9, Buffer: 4, Service: exponential, Policy: c.same}
		exact, err := ctmc.SolveStationary(context.Background(), s, ctmc.SolverSettings{}, 0)
		if err != nil {
			t.Fatal(err)
		}
		r := runJobs(t, JobSystem{Servers: 4, Load: .9, Buffer: 4, Service: CoxianLaw(exponential), Policy: c.policy}, JobSettings{Jobs: 3e5})
		checkWithin(t, c.policy.Name+": mean jobs", r.MeanJobs, exact.MeanJobs, .04)
		checkWithin(t, c.policy.Name+": P(block)", r.BlockProb, exact.BlockProb, .2)
	}
}

// TestMemoryChain holds SQ(1,1) with two servers against its Markov chain on
// (lengths, remembered server, remembered length), written out here.
func TestMemoryChain(t *testing.T) {
	const load, buffer = .9, 4
	jobs, lost := memoryChain(load, buffer)
	r := runJobs(t, JobSystem{Servers: 2, Load: load, Buffer: buffer, Service: CoxianLaw(exponential), Policy: ShortestWithMemory(1, 1)}, JobSettings{Seed: 9, Jobs: 4e5})
	checkWithin(t, "mean jobs", r.MeanJobs, jobs/2, .04)
	checkWithin(t, "P(block)", r.BlockProb, lost, .1)
	if r.MessagesPerJob.Value != 2 {
		t.Errorf("%g messages per job", r.MessagesPerJob.Value)
	}
}

// memoryState: the remembered server is number 0.
type memoryState struct{ remembered, other, known int }

// memoryChain returns the mean number of jobs and the share that is lost, by
// iterating the uniformised chain.
func memoryChain(load float64, buffer int) (jobs, lost float64) {
	law := map[memoryState]float64{{0, 0, 0}: 1}
	uniform := 2*load + 2
	for range 3000 {
		next := map[memoryState]float64{}
		for s, p := range law {
			served := 0.0
			if s.remembered > 0 {
				next[memoryState{s.remembered - 1, s.other, s.known}] += p / uniform
				served++
			}
			if s.other > 0 {
				next[memoryState{s.remembered, s.other - 1, s.known}] += p / uniform
				served++
			}
			next[s] += p * (2 - served) / uniform
			for _, a := range memoryArrivals(s, buffer) {
				next[a.to] += p * a.probability * 2 * load / uniform
			}
		}
		law = next
	}
	for s, p := range law {
		jobs += p * float64(s.remembered+s.other)
		for _, a := range memoryArrivals(s, buffer) {
			if a.lost {
				lost += p * a.probability
			}
		}
	}
	return jobs, lost
}

type memoryArrival struct {
	to          memoryState
	probability float64
	lost        bool
}

func memoryArrivals(s memoryState, buffer int) []memoryArrival {
	up := func(n int) int { return min(n+1, buffer) }
	// The remembered server itself is asked.
	list := []memoryArrival{{memoryState{up(s.remembered), s.other, up(s.remembered)}, .5, s.remembered == buffer}}
	toKnown, toAsked := .5, 0.0
	switch {
	case s.other < s.known:
		toKnown, toAsked = 0, .5
	case s.other == s.known:
		toKnown, toAsked = .25, .25
	}
	// The other is asked; afterwards it is remembered unless it is longer.
	settle := func(remembered, other, known, answered int, probability float64, lost bool) {
		if answered <= known {
			list = append(list, memoryArrival{memoryState{other, remembered, answered}, probability, lost})
			return
		}
		list = append(list, memoryArrival{memoryState{remembered, other, known}, probability, lost})
	}
	settle(up(s.remembered), s.other, up(s.known), s.other, toKnown, s.remembered == buffer)
	settle(s.remembered, up(s.other), s.known, up(s.other), toAsked, s.other == buffer)
	return list
}

// TestSizeIntervalAssignment: each server is an M/G/1 queue on the sizes of its
// interval.
func TestSizeIntervalAssignment(t *testing.T) {
	for _, n := range []int{2, 4, 12} {
		law := must(BoundedPareto(1.3, 1, 200))
		s := JobSystem{Servers: n, Load: .7, Service: law, Policy: SizeInterval()}
		_, want, err := SizeIntervals(law, n, s.ArrivalRate())
		if err != nil {
			t.Fatal(err)
		}
		r := runJobs(t, s, JobSettings{Seed: 10, Jobs: 4e5})
		checkWithin(t, fmt.Sprintf("%d servers: wait", n), r.MeanWait, want, .2)
	}
}

// TestFluidStart: a start in the law of equilibrium needs no warm-up: half of
// the servers of M/M/1 queues at load .5 have at least one job, a quarter two.
func TestFluidStart(t *testing.T) {
	const n = 4096
	start := Start{}
	for k := n / 2; k > 0; k /= 2 {
		start.Tail = append(start.Tail, int64(k))
	}
	s := JobSystem{Servers: n, Load: .5, Service: CoxianLaw(exponential), Policy: OccupancyPolicy(ctmc.Random())}
	r := runJobs(t, s, JobSettings{Jobs: 2e5, WarmUp: -1, Start: start})
	checkWithin(t, "wait", r.MeanWait, 1, .1)
	r = runJobs(t, s, JobSettings{Jobs: 2e5, WarmUp: -1})
	if r.MeanWait.Value > .9 {
		t.Errorf("from empty the wait is %g: the comparison says nothing", r.MeanWait.Value)
	}
}
