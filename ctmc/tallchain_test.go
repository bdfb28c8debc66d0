package ctmc

import (
	"context"
	"math"
	"testing"

	"qlimit/coxian"
)

// TestTallChain: listing the servers gives the measures of counting them.
func TestTallChain(t *testing.T) {
	pod2 := Sampling{Choices: 2}
	for _, policy := range []Policy{JSQ(), JIQ(), I1F(), Random(), PowerOfD(2, false), PowerOfD(2, true), JIQ().WithFallback(pod2), I1F().WithFallback(pod2)} {
		for _, service := range []coxian.Dist{exponential(), {Mu1: 2, P: .25, Mu2: .5}, {Mu1: 2, P: 1, Mu2: 2}} {
			for _, load := range []float64{.8, 1.3} {
				s := System{Servers: 3, Load: load, Buffer: 4, Service: service, Policy: policy}
				listed, err := solveTall(context.Background(), s, SolverSettings{}, DefaultMaxStates)
				if err != nil {
					t.Fatal(err)
				}
				chain, err := s.Chain()
				if err != nil {
					t.Fatal(err)
				}
				counted, err := solveChain(context.Background(), s, chain, SolverSettings{}, DefaultMaxStates, func(_ *Generator, law []float64) *Stationary { return chain.measure(law) })
				if err != nil {
					t.Fatal(err)
				}
				if listed.States != counted.States || listed.Transitions != counted.Transitions {
					t.Errorf("%v: %d states, %d transitions listed; %d and %d counted", s, listed.States, listed.Transitions, counted.States, counted.Transitions)
				}
				for _, pair := range [][2]float64{{listed.MeanJobs, counted.MeanJobs}, {listed.WaitProb, counted.WaitProb}, {listed.BlockProb, counted.BlockProb}, {listed.MeanResponse, counted.MeanResponse}, {listed.Occupancy[2], counted.Occupancy[2]}} {
					if math.Abs(pair[0]-pair[1]) > 1e-11 {
						t.Errorf("%v: %v", s, pair)
					}
				}
			}
		}
	}
}

// TestHeavilyLoadedServer: M/M/1 and M/E2/1 at load 0.999 with an unlimited
// buffer, from Pollaczek-Khinchine.
func TestHeavilyLoadedServer(t *testing.T) {
	for _, service := range []coxian.Dist{exponential(), {Mu1: 2, P: 1, Mu2: 2}} {
		const load = .999
		r := solve(t, System{Servers: 1, Load: load, Service: service, Policy: JSQ()})
		want := load + load*load*(1+service.SCV())/(2*(1-load))
		if math.Abs(r.MeanJobs-want) > 1e-9*want {
			t.Errorf("%v: mean jobs %.12g, want %.12g (buffer %d, %v, residual %g)", service, r.MeanJobs, want, r.System.Buffer, r.Law.Status, r.Law.Residual)
		}
	}
}
