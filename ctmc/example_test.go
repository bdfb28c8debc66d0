package ctmc_test

import (
	"context"
	"fmt"
	"log"

	"qlimit/coxian"
	"qlimit/ctmc"
)

// The exact stationary law of join-the-shortest-queue with three servers that
// hold up to four jobs each.
func ExampleSolveStationary() {
	system := ctmc.System{Servers: 3, Load: 0.9, Buffer: 4, Service: coxian.Dist{Mu1: 1, P: 0, Mu2: 1}, Policy: ctmc.JSQ()}
	r, err := ctmc.SolveStationary(context.Background(), system, ctmc.SolverSettings{}, ctmc.DefaultMaxStates)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d states, mean jobs per server %.6f, lost %.6f\n", r.States, r.MeanJobs, r.BlockProb)
	// Output: 35 states, mean jobs per server 1.900849, lost 0.049487
}

// A policy is declared, not programmed: JIQ with the idle servers first and power-of-two for the
// rest.
func ExamplePolicy() {
	policy, err := ctmc.ParsePolicy("jiq:fallback=pod:d=2")
	if err != nil {
		log.Fatal(err)
	}
	system := ctmc.System{Servers: 10, Load: 0.5, Buffer: 2, Service: coxian.Dist{Mu1: 2, P: 0.25, Mu2: 0.5}, Policy: policy}
	if err := system.Validate(); err != nil {
		log.Fatal(err)
	}
	fmt.Println(system)
	// Output: jiq:fallback=pod:d=2 N=10 load=0.5 buffer=2 coxian:mu1=2,p=0.25,mu2=0.5
}

// The pooled system M/M/N: Erlang's C formula without overflow.
func ExamplePooled() {
	pooled := ctmc.Pooled{Servers: 1000, Offered: 990}
	fmt.Printf("P(wait) = %.12f\n", pooled.WaitProbability())
	// Output: P(wait) = 0.659080421881
}
