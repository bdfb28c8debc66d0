package sim

import (
	"fmt"
	"math"
	"testing"

	"qlimit/coxian"
	"qlimit/meanfield"
)

// TestRoundRobinTheory: Erlang arrivals at each server and service in two
// phases, against the roots of the walk.
func TestRoundRobinTheory(t *testing.T) {
	for _, c := range []struct {
		servers int
		law     coxian.Dist
	}{{2, scv2}, {8, erlang2}} {
		const load = .8
		want, err := meanfield.RoundRobin(int64(c.servers), load, c.law)
		if err != nil {
			t.Fatal(err)
		}
		r := runJobs(t, JobSystem{Servers: c.servers, Load: load, Service: CoxianLaw(c.law), Policy: RoundRobin()}, JobSettings{Seed: 6, Jobs: 6e5})
		name := fmt.Sprintf("%d servers, %v", c.servers, c.law)
		checkWithin(t, name+": P(wait)", r.WaitProb, want.WaitProb, .03)
		checkWithin(t, name+": wait", r.MeanWait, want.MeanWait, .08)
	}
}

// TestLeastLoadedTheory: the cavity queue with service in two phases; the effect
// of n servers is of the order 1/n.
func TestLeastLoadedTheory(t *testing.T) {
	if testing.Short() {
		t.Skip("many servers need more jobs than a short test has")
	}
	const load, n = .7, 1000
	for _, law := range []coxian.Dist{scv2, erlang2} {
		want, err := meanfield.LeastLoaded(2, load, law)
		if err != nil {
			t.Fatal(err)
		}
		r := runJobs(t, JobSystem{Servers: n, Load: load, Service: CoxianLaw(law), Policy: LeastLoadedOf(2)}, JobSettings{Seed: 8, Jobs: 8e5, WarmUp: 15})
		if off := math.Abs(r.MeanWait.Value - want.MeanWait); off > 4.5*r.MeanWait.StandardError+2./n {
			t.Errorf("%v: wait %.5f ± %.2g, want %.5f", law, r.MeanWait.Value, r.MeanWait.HalfWidth, want.MeanWait)
		}
		if off := math.Abs(r.WaitProb.Value - want.WaitProb); off > 4.5*r.WaitProb.StandardError+2./n {
			t.Errorf("%v: P(wait) %.5f ± %.2g, want %.5f", law, r.WaitProb.Value, r.WaitProb.HalfWidth, want.WaitProb)
		}
	}
}

// TestSizeIntervalsTheory: optimal cut-offs for laws of two phases and bounded
// Pareto laws; never better than M/D/1, to which many servers come close.
func TestSizeIntervalsTheory(t *testing.T) {
	const load = .7
	for _, law := range []SizeLaw{CoxianLaw(scv2), must(BoundedPareto(1.5, 1, 1e4))} {
		deterministic := load / (2 * (1 - load)) * law.Mean()
		last := math.Inf(1)
		for _, n := range []int{1, 2, 4, 8, 60, 1000} {
			rate := load * float64(n) / law.Mean()
			_, wait, err := SizeIntervals(law, n, rate)
			if err != nil {
				t.Fatal(err)
			}
			if wait < deterministic*(1-1e-12) || wait >= last {
				t.Errorf("%v, %d servers: wait %g, fewer servers %g, M/D/1 %g", law, n, wait, last, deterministic)
			}
			last = wait
		}
		if last > 1.02*deterministic {
			t.Errorf("%v, 1000 servers: wait %g, M/D/1 %g", law, last, deterministic)
		}
	}
	law := CoxianLaw(scv2)
	s := JobSystem{Servers: 3, Load: load, Service: law, Policy: SizeInterval()}
	_, want, err := SizeIntervals(law, 3, s.ArrivalRate())
	if err != nil {
		t.Fatal(err)
	}
	r := runJobs(t, s, JobSettings{Seed: 10, Jobs: 4e5})
	checkWithin(t, "coxian, 3 servers: wait", r.MeanWait, want, .1)
}
