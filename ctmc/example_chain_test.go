package ctmc_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"qlimit/coxian"
	"qlimit/ctmc"
)

// The chain of a system: the generator applied to the number of jobs is what
// comes less what goes, and has mean 0 in steady state.
func ExampleGenerator() {
	exponential := coxian.Dist{Mu1: 1, Mu2: 1}
	system := ctmc.System{Servers: 4, Load: 0.8, Buffer: 3, Service: exponential, Policy: ctmc.PowerOfD(2, false)}
	chain, err := system.Chain()
	if err != nil {
		log.Fatal(err)
	}
	g, err := ctmc.Explore(context.Background(), chain, 0)
	if err != nil {
		log.Fatal(err)
	}
	law, err := g.Stationary(context.Background(), ctmc.SolverSettings{})
	if err != nil {
		log.Fatal(err)
	}
	jobs, drift := make([]float64, g.States()), make([]float64, g.States())
	state := make([]int64, chain.Classes())
	for i := range jobs {
		g.State(int64(i), state)
		jobs[i] = float64(chain.Jobs(state))
	}
	g.Apply(jobs, drift)
	mean := 0.0
	for i, d := range drift {
		mean += law.Probability[i] * d
	}
	fmt.Println(g.States(), "states, from the empty one", drift[g.Index(chain.Initial())])
	fmt.Println("in the mean 0:", math.Abs(mean) < 1e-10)
	// Output:
	// 35 states, from the empty one 3.2
	// in the mean 0: true
}

// The variance of a long simulation of M/M/1: 2ρ(1+ρ)/(1-ρ)⁴ divided by its length.
func ExampleGenerator_IntegratedAutocorrelation() {
	exponential := coxian.Dist{Mu1: 1, Mu2: 1}
	system := ctmc.System{Servers: 1, Load: 0.5, Buffer: 60, Service: exponential, Policy: ctmc.Random()}
	chain, err := system.Chain()
	if err != nil {
		log.Fatal(err)
	}
	g, err := ctmc.Explore(context.Background(), chain, 0)
	if err != nil {
		log.Fatal(err)
	}
	law, err := g.Stationary(context.Background(), ctmc.SolverSettings{})
	if err != nil {
		log.Fatal(err)
	}
	jobs, state := make([]float64, g.States()), make([]int64, chain.Classes())
	for i := range jobs {
		g.State(int64(i), state)
		jobs[i] = float64(chain.Jobs(state))
	}
	a, err := g.IntegratedAutocorrelation(context.Background(), law, jobs, ctmc.SolverSettings{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.6f\n", a.AsymptoticVariance)
	// Output: 24.000000
}

// A chain that other methods get wrong: three states, the third coupled to the
// others at the rate 1e-15, all equally likely. Elimination never subtracts.
func ExampleEliminate() {
	const weak = 1e-15
	law, err := ctmc.Eliminate(3, []float64{
		0, 1, weak,
		1, 0, weak,
		weak, weak, 0,
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.12f\n", law)
	// Output: [0.333333333333 0.333333333333 0.333333333333]
}

// States of four servers with at most two jobs each: C(4+2, 2), all idle last.
func ExampleSpace() {
	space, err := ctmc.NewSpace(4, 2, 1)
	if err != nil {
		log.Fatal(err)
	}
	counts := []int64{1, 2, 1} // one idle server, two with one job, one with two
	rank := space.Rank(counts)
	back := make([]int64, space.Classes())
	space.Unrank(rank, back)
	fmt.Println(space.States(), space.Jobs(counts), back, space.Rank([]int64{4, 0, 0}))
	// Output: 15 4 [1 2 1] 14
}
