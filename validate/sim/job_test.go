package sim

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"qlimit/ctmc"
	"qlimit/validate/estimate"
)

// runJobs simulates with a budget that the race detector may cut.
func runJobs(t *testing.T, s JobSystem, settings JobSettings) *JobResult {
	t.Helper()
	settings.Jobs = max(short(settings.Jobs), DefaultReplications*leastJobBlocks*leastBlockJobs)
	r, err := RunJobs(context.Background(), s, settings)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// checkWithin holds an estimate against the truth: within 4.5 standard errors,
// and the half width at most a share of the value, or the check says nothing.
func checkWithin(t *testing.T, what string, e estimate.Estimate, want, widest float64) {
	t.Helper()
	if off := math.Abs(e.Value - want); !(off <= 4.5*e.StandardError+1e-12) {
		t.Errorf("%s = %.6g ± %.2g, want %.6g (%.1f standard errors)", what, e.Value, e.HalfWidth, want, off/e.StandardError)
	}
	if !testing.Short() && e.HalfWidth > widest*want {
		t.Errorf("%s = %.6g ± %.2g: too wide to mean anything", what, e.Value, e.HalfWidth)
	}
}

// checkQuantiles: the truth is a function of p.
func checkQuantiles(t *testing.T, what string, list []JobQuantile, truth func(p float64) float64, widest float64) {
	t.Helper()
	for _, q := range list {
		if testing.Short() && q.P > .99 {
			continue // too few jobs take that long
		}
		want := truth(q.P)
		if want == 0 {
			if q.Time.Value != 0 {
				t.Errorf("%s: %g-quantile %g, want 0", what, q.P, q.Time.Value)
			}
			continue
		}
		checkWithin(t, what, q.Time, want, widest)
		if q.Lower > q.Time.Value || q.Upper < q.Time.Value {
			t.Errorf("%s: quantile %g outside its interval [%g, %g]", what, q.Time.Value, q.Lower, q.Upper)
		}
	}
}

// TestJobsAgainstExactChain: every policy that package ctmc declares has the
// law of the exact chain.
func TestJobsAgainstExactChain(t *testing.T) {
	pod2 := ctmc.Sampling{Choices: 2}
	for _, s := range []ctmc.System{
		{Servers: 5, Load: .9, Buffer: 3, Service: exponential, Policy: ctmc.JSQ()},
		{Servers: 4, Load: 1.2, Buffer: 4, Service: erlang2, Policy: ctmc.JSQ()},
		{Servers: 5, Load: .9, Buffer: 3, Service: scv2, Policy: ctmc.JIQ()},
		{Servers: 4, Load: .95, Buffer: 4, Service: slowScv7, Policy: ctmc.I1F()},
		{Servers: 6, Load: .9, Buffer: 1, Service: exponential, Policy: ctmc.I1F()},
		{Servers: 6, Load: .9, Buffer: 4, Service: exponential, Policy: ctmc.PowerOfD(2, false)},
		{Servers: 2, Load: .9, Buffer: 4, Service: exponential, Policy: ctmc.PowerOfD(2, true)},
		{Servers: 6, Load: .9, Buffer: 3, Service: slowScv7, Policy: ctmc.PowerOfD(3, false)},
		{Servers: 6, Load: .9, Buffer: 3, Service: scv2, Policy: ctmc.PowerOfD(5, false)},
		{Servers: 6, Load: .9, Buffer: 3, Service: scv2, Policy: ctmc.PowerOfD(5, true)},
		{Servers: 4, Load: .9, Buffer: 4, Service: scv2, Policy: ctmc.Random()},
		{Servers: 5, Load: .95, Buffer: 4, Service: exponential, Policy: ctmc.JIQ().WithFallback(pod2)},
		{Servers: 20, Load: 1.1, Buffer: 2, Service: exponential, Policy: ctmc.PowerOfD(17, true)},
		{Servers: 20, Load: 1.1, Buffer: 2, Service: exponential, Policy: ctmc.PowerOfD(18, false)},
		{Servers: 3, Load: .7, Service: exponential, Policy: ctmc.JSQ()},
	} {
		exact, err := ctmc.SolveStationary(context.Background(), s, ctmc.SolverSettings{}, 0)
		if err != nil {
			t.Fatal(err)
		}
		r := runJobs(t, JobSystem{
			Servers: int(s.Servers), Load: s.Load, Buffer: s.Buffer,
			Service: CoxianLaw(s.Service), Policy: OccupancyPolicy(s.Policy),
		}, JobSettings{Seed: 3, Jobs: 2e5})
		checkWithin(t, s.String()+": mean jobs", r.MeanJobs, exact.MeanJobs, .04)
		checkWithin(t, s.String()+": response", r.MeanResponse, exact.MeanResponse, .04)
		checkWithin(t, s.String()+": P(wait)", r.WaitProb, exact.WaitProb, .04)
		if s.Buffer != ctmc.Unlimited {
			checkWithin(t, s.String()+": P(block)", r.BlockProb, exact.BlockProb, .2)
		}
		checkMessages(t, s, r, exact)
	}
}

// checkMessages derives the number of messages from the exact chain. In
// equilibrium as many departures leave i jobs as arrivals find i jobs and are
// accepted; arrivals see the time average.
func checkMessages(t *testing.T, s ctmc.System, r *JobResult, exact *ctmc.Stationary) {
	t.Helper()
	pull := r.Messages[Pull]
	switch s.Policy.Name {
	case "jsq":
		if r.MessagesPerJob.Value != float64(2*s.Servers) {
			t.Errorf("%v: %g messages per job, want %d", s, r.MessagesPerJob.Value, 2*s.Servers)
		}
	case "jiq":
		checkWithin(t, s.String()+": pull messages", pull, 1-exact.WaitProb, .04)
		if r.MessagesPerJob.Value != pull.Value {
			t.Errorf("%v: %g messages, %g of them pull", s, r.MessagesPerJob.Value, pull.Value)
		}
	case "i1f":
		if s.Buffer == 1 {
			checkWithin(t, s.String()+": pull messages", pull, 1-exact.WaitProb, .04)
		}
	case "random":
		if r.MessagesPerJob.Value != 0 {
			t.Errorf("%v: %g messages", s, r.MessagesPerJob.Value)
		}
	case "pod:d=2", "pod:d=3", "pod:d=5":
		if want := 2 * float64(s.Policy.Fallback.(ctmc.Sampling).Choices); r.MessagesPerJob.Value != want || r.Messages[Query].Value != want/2 {
			t.Errorf("%v: %g messages per job, want %g", s, r.MessagesPerJob.Value, want)
		}
	}
	if pull.Value > 1 {
		t.Errorf("%v: %g pull messages per job, more than 1", s, pull.Value)
	}
}

// TestIdleOneFirstMessages: the departures that leave 0 or 1 jobs are as
// frequent as the arrivals that find 0 or 1. Under I1F with N = 3, buffer 2
// nothing else is accepted, so that is one message per accepted job.
func TestIdleOneFirstMessages(t *testing.T) {
	s := JobSystem{Servers: 3, Load: .9, Buffer: 2, Service: CoxianLaw(scv2), Policy: OccupancyPolicy(ctmc.I1F())}
	r := runJobs(t, s, JobSettings{Jobs: 2e5})
	got, want := r.Messages[Pull].Value, 1-r.BlockProb.Value
	if math.Abs(got-want) > 1e-3 {
		t.Errorf("%g pull messages per job, want %g", got, want)
	}
}

// TestJobThreadsDoNotMatter: the same seed gives the same bits.
func TestJobThreadsDoNotMatter(t *testing.T) {
	s := JobSystem{Servers: 20, Load: .9, Service: must(Lognormal(1, 4)), Policy: ShortestWithMemory(2, 3)}
	var first *JobResult
	for _, threads := range []int{1, 2, 7} {
		r := runJobs(t, s, JobSettings{Seed: 3, Jobs: 1e5, Threads: threads})
		if first == nil {
			first = r
			continue
		}
		if r.MeanWait.Value != first.MeanWait.Value || r.MeanWait.HalfWidth != first.MeanWait.HalfWidth ||
			r.ResponseQuantiles[3].Time.Value != first.ResponseQuantiles[3].Time.Value || r.MessagesPerJob.Value != first.MessagesPerJob.Value {
			t.Errorf("%d threads: %+v, with one %+v", threads, r.MeanWait, first.MeanWait)
		}
	}
	if r := runJobs(t, s, JobSettings{Seed: 4, Jobs: 1e5}); r.MeanWait.Value == first.MeanWait.Value {
		t.Error("the seed has no effect")
	}
}

// TestCommonJobs: policies meet the same jobs at the same times.
func TestCommonJobs(t *testing.T) {
	var first []float64
	for _, p := range []JobPolicy{OccupancyPolicy(ctmc.JSQ()), OccupancyPolicy(ctmc.PowerOfD(2, false)), LeastLoaded(), SizeInterval()} {
		s := JobSystem{Servers: 4, Load: .8, Service: must(BoundedPareto(1.5, 1, 1000)), Arrivals: must(Hyperexponential(1, 3)), Policy: p}
		witness := &recorder{}
		makeDispatcher, err := p.Prepare(&s)
		if err != nil {
			t.Fatal(err)
		}
		f := newFarm(&s, &recorder{Dispatcher: makeDispatcher(), to: &witness.seen}, 9, 2)
		f.simulate(1000)
		if first == nil {
			first = witness.seen
		}
		for i := range first {
			if witness.seen[i] != first[i] {
				t.Fatalf("%s: time or size %d is %g, with JSQ %g", p, i, witness.seen[i], first[i])
			}
		}
	}
}

// recorder notes time and size of every job.
type recorder struct {
	Dispatcher
	seen []float64
	to   *[]float64
}

func (r *recorder) Choose(f *Farm, size float64, random *rand.PCG) int {
	*r.to = append(*r.to, f.Now(), size)
	return r.Dispatcher.Choose(f, size, random)
}

// TestJobRefusals names what is wrong.
func TestJobRefusals(t *testing.T) {
	good := JobSystem{Servers: 4, Load: .5, Service: CoxianLaw(exponential), Policy: RoundRobin()}
	for field, change := range map[string]func(*JobSystem, *JobSettings){
		"servers":      func(s *JobSystem, _ *JobSettings) { s.Servers = 2e7 },
		"load":         func(s *JobSystem, _ *JobSettings) { s.Load = 1 },
		"buffer":       func(s *JobSystem, _ *JobSettings) { s.Buffer = -1 },
		"service":      func(s *JobSystem, _ *JobSettings) { s.Service = nil },
		"policy":       func(s *JobSystem, _ *JobSettings) { s.Policy = JobPolicy{} },
		"d":            func(s *JobSystem, _ *JobSettings) { s.Policy = LeastLoadedOf(5) },
		"m":            func(s *JobSystem, _ *JobSettings) { s.Policy = ShortestWithMemory(2, 9) },
		"size law":     func(s *JobSystem, _ *JobSettings) { s.Service, s.Policy = must(Deterministic(1)), SizeInterval() },
		"jobs":         func(_ *JobSystem, s *JobSettings) { s.Jobs = 10 },
		"replications": func(_ *JobSystem, s *JobSettings) { s.Replications = 2 },
		"level":        func(_ *JobSystem, s *JobSettings) { s.Level = 2 },
		"warmup":       func(_ *JobSystem, s *JobSettings) { s.WarmUp = math.NaN() },
		"start": func(s *JobSystem, o *JobSettings) {
			s.Service, o.Start = must(Lognormal(1, 2)), Start{Tail: []int64{2}}
		},
	} {
		system, settings := good, JobSettings{Jobs: 1e5}
		change(&system, &settings)
		_, err := RunJobs(context.Background(), system, settings)
		wrong, ok := err.(*ctmc.FieldError)
		if !ok || wrong.Field != field {
			t.Errorf("%s: %v", field, err)
		}
	}
}

// TestJobCancellation returns the context's error.
func TestJobCancellation(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	s := JobSystem{Servers: 4, Load: .5, Service: CoxianLaw(exponential), Policy: RoundRobin()}
	if _, err := RunJobs(ctx, s, JobSettings{}); err != context.Canceled {
		t.Errorf("%v, want the context's error", err)
	}
}

// TestWarmUpOfEverything leaves nothing to estimate: no number is made up.
func TestWarmUpOfEverything(t *testing.T) {
	s := JobSystem{Servers: 4, Load: .5, Service: CoxianLaw(exponential), Policy: RoundRobin()}
	r := runJobs(t, s, JobSettings{Jobs: 2e4, WarmUp: 620}) // of 627: the last block as well
	for _, e := range []estimate.Estimate{r.MeanWait, r.MeanResponse, r.MeanJobs, r.WaitProb} {
		if e.Status != estimate.Undefined || e.Value != 0 {
			t.Errorf("%+v, want undefined", e)
		}
	}
	if r.JobsUsed != 0 || len(r.WaitQuantiles) != 0 || len(r.Warnings) == 0 {
		t.Errorf("%d jobs used, quantiles %v, warnings %q", r.JobsUsed, r.WaitQuantiles, r.Warnings)
	}
}

// TestJobInterruption: a run that is stopped keeps the replications that are
// complete.
func TestJobInterruption(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	s := JobSystem{Servers: 1, Load: .5, Service: CoxianLaw(exponential), Policy: RoundRobin()}
	r, err := RunJobs(ctx, s, JobSettings{Jobs: 2e5, Threads: 1, Progress: func(done, total float64, _ string) {
		if done > total/2 {
			cancel()
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	if r.Ending != Interrupted || r.Replications != 8 || r.Jobs >= 2e5 {
		t.Errorf("%s after %d replications, %d jobs", r.Ending, r.Replications, r.Jobs)
	}
	checkWithin(t, "wait", r.MeanWait, 1, .2)
}

// TestNoAllocations: once under way, an event allocates nothing.
func TestNoAllocations(t *testing.T) {
	for _, p := range []JobPolicy{
		OccupancyPolicy(ctmc.JSQ()), OccupancyPolicy(ctmc.JIQ()), OccupancyPolicy(ctmc.PowerOfD(3, false)),
		OccupancyPolicy(ctmc.PowerOfD(40, false)), RoundRobin(), LeastLoaded(), LeastLoadedOf(2), ShortestWithMemory(2, 3), SizeInterval(), PullWithMemory(ctmc.PullRule{Memory: 2, Rate: 3}),
	} {
		f := warmFarm(t, JobSystem{Servers: 50, Load: .7, Service: must(Erlang(3, 1)), Policy: p})
		if n := testing.AllocsPerRun(5, func() { f.simulate(5000) }); n > 0 {
			t.Errorf("%s: %g allocations in 5000 jobs", p, n)
		}
	}
}
