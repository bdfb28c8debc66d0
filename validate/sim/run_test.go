package sim

import (
	"context"
	"math"
	"testing"

	"qlimit/coxian"
	"qlimit/ctmc"
	"qlimit/validate/estimate"
)

var (
	exponential = coxian.Dist{Mu1: 1, P: 0, Mu2: 1}
	erlang2     = coxian.Dist{Mu1: 2, P: 1, Mu2: 2}
	scv2        = coxian.Dist{Mu1: 2, P: .25, Mu2: .5}
	slowScv7    = coxian.Dist{Mu1: 2, P: .15, Mu2: .1} // mean 2
)

// short cuts a budget of events where the race detector makes them slow.
func short(events int64) int64 {
	if testing.Short() {
		return events / 20
	}
	return events
}

// TestAgainstExactChain holds every policy against the exact chain: each
// estimate within 4.5 standard errors, and the standard error small enough to
// tell the policies apart.
func TestAgainstExactChain(t *testing.T) {
	if testing.Short() {
		t.Skip("intervals of short runs prove nothing")
	}
	pod2 := ctmc.Sampling{Choices: 2}
	systems := []ctmc.System{
		{Servers: 1, Load: .8, Buffer: 5, Service: exponential, Policy: ctmc.Random()},
		{Servers: 5, Load: .9, Buffer: 3, Service: exponential, Policy: ctmc.JSQ()},
		{Servers: 5, Load: .9, Buffer: 3, Service: scv2, Policy: ctmc.JSQ()},
		{Servers: 4, Load: 1.2, Buffer: 4, Service: erlang2, Policy: ctmc.JSQ()},
		{Servers: 5, Load: .9, Buffer: 3, Service: scv2, Policy: ctmc.JIQ()},
		{Servers: 5, Load: .9, Buffer: 1, Service: scv2, Policy: ctmc.JIQ()},
		{Servers: 4, Load: .95, Buffer: 4, Service: slowScv7, Policy: ctmc.I1F()},
		{Servers: 6, Load: .9, Buffer: 2, Service: exponential, Policy: ctmc.I1F()},
		{Servers: 6, Load: .9, Buffer: 1, Service: exponential, Policy: ctmc.I1F()},
		{Servers: 6, Load: .9, Buffer: 4, Service: exponential, Policy: ctmc.PowerOfD(2, false)},
		{Servers: 2, Load: .9, Buffer: 4, Service: exponential, Policy: ctmc.PowerOfD(2, false)},
		{Servers: 6, Load: .9, Buffer: 4, Service: exponential, Policy: ctmc.PowerOfD(2, true)},
		{Servers: 6, Load: .9, Buffer: 3, Service: slowScv7, Policy: ctmc.PowerOfD(3, false)},
		{Servers: 6, Load: .9, Buffer: 3, Service: scv2, Policy: ctmc.PowerOfD(6, false)},
		{Servers: 6, Load: .9, Buffer: 3, Service: scv2, Policy: ctmc.PowerOfD(5, true)},
		{Servers: 4, Load: .9, Buffer: 4, Service: scv2, Policy: ctmc.Random()},
		{Servers: 5, Load: .95, Buffer: 4, Service: exponential, Policy: ctmc.JIQ().WithFallback(pod2)},
		{Servers: 5, Load: .95, Buffer: 3, Service: erlang2, Policy: ctmc.I1F().WithFallback(pod2)},
		{Servers: 3, Load: .7, Service: exponential, Policy: ctmc.JSQ()},
	}
	for _, s := range systems {
		exact, err := ctmc.SolveStationary(context.Background(), s, ctmc.SolverSettings{}, 0)
		if err != nil {
			t.Fatal(err)
		}
		r, err := Run(context.Background(), s, Settings{Seed: 7, Events: 1e6})
		if err != nil {
			t.Fatal(err)
		}
		check := func(name string, e estimate.Estimate, want float64) {
			t.Helper()
			if off := math.Abs(e.Value - want); off > 4.5*e.StandardError+1e-9 {
				t.Errorf("%v: %s = %.6g ± %.2g, exact %.6g (%.1f standard errors)", s, name, e.Value, e.HalfWidth, want, off/e.StandardError)
			}
		}
		check("mean jobs", r.MeanJobs, exact.MeanJobs)
		check("response", r.MeanResponse, exact.MeanResponse)
		check("P(wait)", r.WaitProb, exact.WaitProb)
		check("P(block)", r.BlockProb, exact.BlockProb)
		for i := range r.Occupancy {
			// Intervals of levels that are hardly ever seen are too skewed.
			if exact.Occupancy[i] > 1e-3 {
				check("occupancy", r.Occupancy[i], exact.Occupancy[i])
			}
		}
		if r.MeanJobs.HalfWidth > .01*r.MeanJobs.Value {
			t.Errorf("%v: half width %.2g of %.4g is too wide for this test to mean anything", s, r.MeanJobs.HalfWidth, r.MeanJobs.Value)
		}
	}
}

// TestThreadsDoNotMatter: the same seed gives the same bits.
func TestThreadsDoNotMatter(t *testing.T) {
	s := ctmc.System{Servers: 20, Load: .9, Service: scv2, Policy: ctmc.PowerOfD(2, false)}
	var first *Result
	for _, threads := range []int{1, 2, 7} {
		r, err := Run(context.Background(), s, Settings{Seed: 3, Events: 4e5, Threads: threads, Precision: .02})
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = r
			continue
		}
		if r.MeanJobs.Value != first.MeanJobs.Value || r.MeanJobs.HalfWidth != first.MeanJobs.HalfWidth ||
			r.WaitProb.Value != first.WaitProb.Value || r.Events != first.Events || r.WarmUp != first.WarmUp {
			t.Errorf("%d threads: %+v, with one %+v", threads, r.MeanJobs, first.MeanJobs)
		}
	}
	other, err := Run(context.Background(), s, Settings{Seed: 4, Events: 4e5, Precision: .02})
	if err != nil {
		t.Fatal(err)
	}
	if other.MeanJobs.Value == first.MeanJobs.Value {
		t.Error("the seed has no effect")
	}
}

// TestKnownQueues: M/M/1, M/M/10 through JSQ's bound, and M/G/1 by random
// routing, means from closed forms: 9 at load .9; 13.05 at scv 2
// (Pollaczek-Khinchine: ρ + ρ²(1+scv)/(2(1-ρ))).
func TestKnownQueues(t *testing.T) {
	if testing.Short() {
		t.Skip("a run too short for its warm-up is biased")
	}
	for _, c := range []struct {
		service coxian.Dist
		load    float64
	}{{exponential, .9}, {scv2, .9}, {slowScv7, .8}, {erlang2, .9}} {
		s := ctmc.System{Servers: 50, Load: c.load, Service: c.service, Policy: ctmc.Random()}
		r, err := Run(context.Background(), s, Settings{Seed: 5, Events: 4e6})
		if err != nil {
			t.Fatal(err)
		}
		want := c.load + c.load*c.load*(1+c.service.SCV())/(2*(1-c.load))
		if off := math.Abs(r.MeanJobs.Value - want); off > 4.5*r.MeanJobs.StandardError {
			t.Errorf("%v: mean jobs %.5g ± %.2g, want %.5g", s, r.MeanJobs.Value, r.MeanJobs.HalfWidth, want)
		}
		if want := want / c.load * c.service.Mean(); math.Abs(r.MeanResponse.Value-want) > 4.5*r.MeanResponse.StandardError {
			t.Errorf("%v: response %.5g ± %.2g, want %.5g", s, r.MeanResponse.Value, r.MeanResponse.HalfWidth, want)
		}
	}
}

// TestCountsStayConsistent: after many events the incremental state equals
// one rebuilt from its class counts.
func TestCountsStayConsistent(t *testing.T) {
	for _, s := range []ctmc.System{
		{Servers: 30, Load: .95, Buffer: 6, Service: scv2, Policy: ctmc.I1F()},
		{Servers: 30, Load: .95, Service: exponential, Policy: ctmc.JSQ()},
		{Servers: 30, Load: .98, Service: erlang2, Policy: ctmc.Random()},
		{Servers: 30, Load: .98, Service: exponential, Policy: ctmc.Random()},
	} {
		e := newExperiment(s, Settings{Seed: 1, Replications: 4, Events: 4e6})
		o := e.states[0].(*occupancy)
		o.runUntil(3000, e.random[0])
		if o.levels[0].count != s.Servers {
			t.Errorf("%v: %d servers hold at least 0 jobs", s, o.levels[0].count)
		}
		low := 0
		for i := 1; i < len(o.levels); i++ {
			if o.levels[i].count > o.levels[i-1].count || o.levels[i].count < 0 {
				t.Errorf("%v: tail counts increase at level %d", s, i)
			}
			if o.levels[i].count == s.Servers {
				low = i
			}
			if got, want := o.table[i], o.route(i, o.levels[i].count); got != want {
				t.Errorf("%v: stale route %g at level %d, want %g", s, got, i, want)
			}
			exactly := o.levels[i].count
			if i+1 < len(o.levels) {
				exactly -= o.levels[i+1].count
			}
			if s.Phases() == 2 && o.inPhase[1][i]+o.inPhase[2][i] != exactly {
				t.Errorf("%v: phases at level %d do not add up", s, i)
			}
		}
		if o.low != low {
			t.Errorf("%v: lowest level %d, want %d", s, o.low, low)
		}
	}
}

// TestStart: a start is taken as given and inconsistent ones are refused.
func TestStart(t *testing.T) {
	s := ctmc.System{Servers: 10, Load: .5, Buffer: 3, Service: scv2, Policy: ctmc.JSQ()}
	o := newOccupancy(s)
	o.start(RoundedStart(10, []float64{1, .6, .2}, []float64{.5, .2, .2}))
	if o.low != 1 || o.levels[2].count != 6 || o.inPhase[2][3] != 2 || o.inPhase[1][1] != 1 || o.busyPhase[2] != 5 {
		t.Errorf("start misread: %+v %v", o.levels[:4], o.inPhase)
	}
	for _, tail := range [][]int64{{11}, {3, 4}, {-1}, {5, 4, 3, 1}} {
		if _, err := Run(context.Background(), s, Settings{Start: Start{Tail: tail, TailPhase2: make([]int64, len(tail))}}); err == nil {
			t.Errorf("start %v accepted", tail)
		}
	}
}

// TestRefusals names the field of each bad setting.
func TestRefusals(t *testing.T) {
	good := ctmc.System{Servers: 10, Load: .5, Service: exponential, Policy: ctmc.JSQ()}
	for name, settings := range map[string]Settings{
		"replications": {Replications: 1},
		"events":       {Events: 10},
		"precision":    {Precision: -1},
		"level":        {Level: 1.5},
		"warmup":       {WarmUp: math.NaN()},
	} {
		_, err := Run(context.Background(), good, settings)
		field, ok := err.(*ctmc.FieldError)
		if !ok || field.Field != name {
			t.Errorf("%s: error %v", name, err)
		}
	}
	large := good
	large.Servers = 2e9
	if _, err := Run(context.Background(), large, Settings{}); err == nil {
		t.Error("2e9 servers accepted")
	}
}

// TestInterruption: a cancelled run returns what it has.
func TestInterruption(t *testing.T) {
	s := ctmc.System{Servers: 10, Load: .5, Service: exponential, Policy: ctmc.JSQ()}
	ctx, cancel := context.WithCancel(context.Background())
	calls := make(chan struct{}, 1<<20)
	r, err := Run(ctx, s, Settings{Seed: 1, Events: 1e9, Progress: func(done, total float64, _ string) {
		calls <- struct{}{}
		if done > total/20 {
			cancel()
		}
	}})
	cancel()
	if err != nil && r == nil {
		if err != context.Canceled {
			t.Fatal(err)
		}
		return
	}
	if r.Ending != Interrupted || len(r.Warnings) == 0 {
		t.Errorf("ending %q, warnings %v", r.Ending, r.Warnings)
	}
}

// TestEventsDoNotAllocate.
func TestEventsDoNotAllocate(t *testing.T) {
	for _, service := range []coxian.Dist{exponential, scv2} {
		e := newExperiment(ctmc.System{Servers: 100, Load: .9, Service: service, Policy: ctmc.PowerOfD(2, false)}, Settings{Seed: 1, Replications: 4, Events: 4e6})
		averages := make([]float64, e.series.Columns())
		if n := testing.AllocsPerRun(5, func() {
			e.states[0].simulateCell(100, e.random[0], averages, e.basis)
		}); n != 0 {
			t.Errorf("%v allocations in 18,000 events", n)
		}
	}
}
