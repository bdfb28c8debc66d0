package ctmc

import (
	"context"
	"math"
	"testing"

	"qlimit/coxian"
)

// TestTwoPhasesUnlimited: with two phases the states that carry probability
// have to be found from balanced ones in which the phases are mixed; Erlang-2
// cannot even serve jobs in a set where only one of them is in phase 2. Against
// finite buffers that lose less than 1e-12 of the jobs.
func TestTwoPhasesUnlimited(t *testing.T) {
	erlang := coxian.Dist{Mu1: 2, P: 1, Mu2: 2}
	for _, c := range []struct {
		system    System
		buffer    int
		tolerance float64 // relative
	}{
		{System{Servers: 3, Load: .7, Service: erlang, Policy: JSQ()}, 20, 1e-9},
		{System{Servers: 5, Load: .5, Service: erlang, Policy: JSQ()}, 9, 1e-9},
		{System{Servers: 4, Load: .26, Service: erlang, Policy: JIQ()}, 9, 1e-8},
		{System{Servers: 10, Load: .2, Service: erlang, Policy: JSQ()}, 3, 1e-9},
		{System{Servers: 2, Load: .5, Service: coxian.Dist{Mu1: 2, P: .05, Mu2: .1}, Policy: JSQ()}, 130, 1e-8},
	} {
		unlimited, err := SolveStationary(context.Background(), c.system, SolverSettings{}, 0)
		if err != nil {
			t.Errorf("%v: %v", c.system, err)
			continue
		}
		finite := c.system
		finite.Buffer = c.buffer
		exact, err := SolveStationary(context.Background(), finite, SolverSettings{}, 0)
		if err != nil {
			t.Fatal(err)
		}
		if lost := exact.BlockProb; lost > 1e-10 {
			t.Fatalf("%v loses %g", finite, lost)
		}
		if off := math.Abs(unlimited.MeanJobs/exact.MeanJobs - 1); off > c.tolerance {
			t.Errorf("%v: %.12g, with a buffer of %d %.12g", c.system, unlimited.MeanJobs, c.buffer, exact.MeanJobs)
		}
	}
}

// TestUnlimitedFewStates: however few states are allowed, the answer or the
// refusal comes; there was a set of 3,001 states with some that nothing left.
func TestUnlimitedFewStates(t *testing.T) {
	s := System{Servers: 10, Load: .26326, Service: coxian.Dist{Mu1: 2, P: 1, Mu2: 2}, Policy: JIQ()}
	for _, states := range []int64{1, 10, 100, 500, 1000, 2000, 3000, 5000} {
		r, err := SolveStationary(context.Background(), s, SolverSettings{}, states)
		if err == nil && math.Abs(r.MeanJobs-.26333) > 1e-3 {
			t.Errorf("%d states: %g jobs", states, r.MeanJobs)
		}
		if _, ok := err.(*TooLargeError); err != nil && !ok {
			t.Errorf("%d states: %v", states, err)
		}
	}
}
