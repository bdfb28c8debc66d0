package ctmc

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"

	"qlimit/coxian"
)

func erlang2() coxian.Dist { return coxian.Dist{Mu1: 2, P: 1, Mu2: 2} }
func scv10() coxian.Dist   { return coxian.Dist{Mu1: 2, P: .05, Mu2: .1} }

// TestEveryMethodOnEveryModel: one table of models through all methods, with
// their numbers of states and transitions.
func TestEveryMethodOnEveryModel(t *testing.T) {
	law := coxian.Dist{Mu1: 2, P: .25, Mu2: .5}
	for _, c := range []struct {
		system              System
		states, transitions int
		jobs                float64 // closed form, 0 for none
	}{
		// C(8,4) states; each service from 35 of them, one arrival each but in the full one.
		{System{Servers: 4, Load: .9, Buffer: 4, Service: exponential(), Policy: JSQ()}, 70, 4*35 + 69, 0},
		{System{Servers: 4, Load: 1.2, Buffer: 4, Service: exponential(), Policy: PowerOfD(2, true)}, 70, 8 * 35, 0},
		// C(9,3) states for three levels in one phase, C(9,6) in two; every class
		// of five services is occupied in C(8,6) of them.
		{System{Servers: 3, Load: .8, Buffer: 3, Service: law, Policy: Random()}, 84, 0, 0},
		{System{Servers: 5, Load: .999, Buffer: 3, Service: law, Policy: JIQ()}, 462, 0, 0},
		{System{Servers: 5, Load: .7, Buffer: 3, Service: scv10(), Policy: I1F()}, 462, 0, 0},
		// M/M/1/10 and Erlang's loss system.
		{System{Servers: 1, Load: 1, Buffer: 10, Service: exponential(), Policy: JSQ()}, 11, 20, 5},
		{System{Servers: 30, Load: .9, Buffer: 1, Service: exponential(), Policy: JSQ()}, 31, 60, .9 * (1 - ErlangB(30, 27))},
	} {
		var first *Stationary
		for _, method := range []Method{Elimination, GaussSeidel, Aggregation, Krylov} {
			r, err := SolveStationary(context.Background(), c.system, SolverSettings{Method: method, Tolerance: 1e-13}, 0)
			if err != nil {
				t.Fatal(err)
			}
			if r.Law.Status != Converged || r.Law.Method != method {
				t.Errorf("%v %s: %v, residual %g after %d sweeps", c.system, method, r.Law.Status, r.Law.Residual, r.Law.Iterations)
			}
			if r.States != c.states || c.transitions > 0 && r.Transitions != c.transitions {
				t.Errorf("%v: %d states, %d transitions; want %d, %d", c.system, r.States, r.Transitions, c.states, c.transitions)
			}
			if first == nil {
				first = r
			}
			for _, pair := range [][2]float64{{r.MeanJobs, first.MeanJobs}, {r.WaitProb, first.WaitProb}, {r.BlockProb, first.BlockProb}} {
				if math.Abs(pair[0]-pair[1]) > 1e-10 {
					t.Errorf("%v %s: %.13g, by elimination %.13g", c.system, method, pair[0], pair[1])
				}
			}
			if c.jobs > 0 && math.Abs(r.MeanJobs-c.jobs) > 1e-11 {
				t.Errorf("%v %s: mean jobs %.13g, want %.13g", c.system, method, r.MeanJobs, c.jobs)
			}
		}
	}
}

// TestRowsFromIncoming: the generator made row by row is the one made by
// visiting every state.
func TestRowsFromIncoming(t *testing.T) {
	pod2 := Sampling{Choices: 2}
	for _, policy := range []Policy{JSQ(), JIQ(), I1F(), Random(), PowerOfD(2, false), PowerOfD(2, true), JIQ().WithFallback(pod2)} {
		for _, service := range []coxian.Dist{exponential(), {Mu1: 2, P: .25, Mu2: .5}, erlang2()} {
			s := System{Servers: 4, Load: .9, Buffer: 3, Service: service, Policy: policy}
			chain, err := s.Chain()
			if err != nil {
				t.Fatal(err)
			}
			rows, err := exploreSystem(context.Background(), chain, 1)
			if err != nil {
				t.Fatal(err)
			}
			visited, err := Explore(context.Background(), chain, 0)
			if err != nil {
				t.Fatal(err)
			}
			set := newStateSet(s)
			set.highest = 12
			set.expand(set.know(set.walk.balanced(0)))
			if err := set.grow(context.Background(), 0, math.MaxInt); err != nil {
				t.Fatal(err)
			}
			reached, err := set.generator(context.Background(), downward)
			if err != nil {
				t.Fatal(err)
			}
			if rows.Transitions() != visited.Transitions() || reached.Transitions() != visited.Transitions() || reached.States() != visited.States() {
				t.Fatalf("%v: %d transitions by rows, %d by visits, %d reached", s, rows.Transitions(), visited.Transitions(), reached.Transitions())
			}
			v := make([]float64, rows.States())
			for i := range v {
				v[i] = math.Sin(float64(i))
			}
			a, b := make([]float64, len(v)), make([]float64, len(v))
			rows.ApplyLeft(v, a)
			visited.ApplyLeft(v, b)
			for i := range a {
				if math.Abs(a[i]-b[i]) > 1e-12 {
					t.Fatalf("%v: state %d: %g by rows, %g by visits", s, i, a[i], b[i])
				}
			}
		}
	}
}

// TestThreadsChangeNothing: the same bits with one thread and with several.
func TestThreadsChangeNothing(t *testing.T) {
	s := System{Servers: 14, Load: .95, Buffer: 3, Service: coxian.Dist{Mu1: 2, P: .25, Mu2: .5}, Policy: PowerOfD(2, false)}
	var first *Stationary
	for _, threads := range []int{1, 2, 5} {
		r, err := SolveStationary(context.Background(), s, SolverSettings{Threads: threads}, 0)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = r
		}
		if r.MeanJobs != first.MeanJobs || r.WaitProb != first.WaitProb || r.Law.Residual != first.Law.Residual || r.Law.Iterations != first.Law.Iterations {
			t.Errorf("%d threads: %v %v, one thread %v %v", threads, r.MeanJobs, r.WaitProb, first.MeanJobs, first.WaitProb)
		}
	}
}

// TestHeavyLoad: close to load 1 the iteration does not stall.
func TestHeavyLoad(t *testing.T) {
	for _, load := range []float64{.99, .999, 1, 1.001} {
		s := System{Servers: 12, Load: load, Buffer: 6, Service: exponential(), Policy: JSQ()}
		r := solve(t, s)
		if r.Law.Status != Converged || r.Law.Iterations > 400 {
			t.Errorf("load %g: %v after %d sweeps", load, r.Law.Status, r.Law.Iterations)
		}
		if busy := 1 - r.Occupancy[0]; math.Abs(busy-load*(1-r.BlockProb)) > 1e-11 {
			t.Errorf("load %g: busy %.13g, accepted %.13g", load, busy, load*(1-r.BlockProb))
		}
	}
}

// TestHonestNonConvergence: an iteration that is cut short says so.
func TestHonestNonConvergence(t *testing.T) {
	s := System{Servers: 8, Load: .99, Buffer: 5, Service: exponential(), Policy: JSQ()}
	r, err := SolveStationary(context.Background(), s, SolverSettings{MaxIterations: 5}, 0)
	if err != nil || r.Law.Status != NotConverged || r.Law.Residual < 1e-12 {
		t.Errorf("%v after %d sweeps with residual %g (%v)", r.Law.Status, r.Law.Iterations, r.Law.Residual, err)
	}
}

func benchmark(b *testing.B, s System, settings SolverSettings) {
	if testing.Short() {
		b.Skip("minutes")
	}
	for b.Loop() {
		r, err := SolveStationary(context.Background(), s, settings, 0)
		if err != nil || r.Law.Status != Converged || r.Law.Residual > 1e-12 {
			b.Fatal(r, err)
		}
		b.ReportMetric(float64(r.States), "states")
		b.ReportMetric(float64(r.Law.Iterations), "sweeps")
	}
}

// TestDeadline: a search for the states of an unlimited buffer, which would
// take a minute here, ends soon after its deadline.
func TestDeadline(t *testing.T) {
	for _, s := range []System{
		{Servers: 4, Load: .9, Service: exponential(), Policy: JIQ()},
		{Servers: 30, Load: .9, Service: coxian.Dist{Mu1: 2, P: .25, Mu2: .5}, Policy: JSQ()},
	} {
		ctx, stop := context.WithTimeout(context.Background(), 100*time.Millisecond)
		begin := time.Now()
		_, err := SolveStationary(ctx, s, SolverSettings{}, 0)
		stop()
		if late := time.Since(begin); !errors.Is(err, context.DeadlineExceeded) || late > 5*time.Second {
			t.Errorf("%v: %v after %v", s, err, late)
		}
	}
}

// To reach: 2 s on one core.
func BenchmarkCoxianPowerOfTwo(b *testing.B) {
	benchmark(b, System{Servers: 20, Load: .9, Buffer: 3, Service: coxian.Dist{Mu1: 2, P: .25, Mu2: .5}, Policy: PowerOfD(2, false)}, SolverSettings{Threads: 1})
}

// To reach: 2 s on one core.
func BenchmarkHeavyShortestQueue(b *testing.B) {
	benchmark(b, System{Servers: 20, Load: .99, Buffer: 6, Service: exponential(), Policy: JSQ()}, SolverSettings{Threads: 1})
}

// Two million states and 23 million transitions. To reach: 30 s, 1 GiB; two
// threads 1.5 times faster than one.
func BenchmarkTwoMillionStates(b *testing.B) {
	benchmark(b, twoMillionStates, SolverSettings{})
}

func BenchmarkTwoMillionStatesOneThread(b *testing.B) {
	benchmark(b, twoMillionStates, SolverSettings{Threads: 1})
}

var twoMillionStates = System{Servers: 30, Load: .9, Buffer: 3, Service: coxian.Dist{Mu1: 2, P: .25, Mu2: .5}, Policy: PowerOfD(2, false)}

// 4.6 million states. To reach: 90 s, 2 GiB.
func BenchmarkHundredServers(b *testing.B) {
	benchmark(b, System{Servers: 100, Load: .9, Buffer: 4, Service: exponential(), Policy: JSQ()}, SolverSettings{})
}
