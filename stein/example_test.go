package stein_test

import (
	"fmt"
	"log"

	"qlimit/coxian"
	"qlimit/ctmc"
	"qlimit/stein"
)

// An upper bound on the mean jobs of 1e8 servers at load 1 - N^(-1/4).
func ExampleSolve() {
	bounds, err := stein.Solve(stein.Problem{
		Servers: 1e8, Scaling: stein.LoadExponent(0.25), Buffer: 2,
		Service: coxian.Dist{Mu1: 2, P: 0.5, Mu2: 1}, Policy: ctmc.JSQ(),
	})
	if err != nil {
		log.Fatal(err)
	}
	e := bounds.Explicit
	fmt.Printf("k = %g, η = %.5f, E(X - η)⁺ <= %.5e\n", e.K, e.Eta, e.Excess.Value)
	// Output: k = 5, η = 0.99921, E(X - η)⁺ <= 1.61603e-05
}

// What no policy can go below: the M/M/N queue.
func ExamplePoolContinuous() {
	p, err := stein.PoolContinuous(100, 0.01, coxian.Dist{Mu1: 1, P: 0, Mu2: 1})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("at least %.6f jobs per server (%s)\n", p.Lower, p.LowerFrom)
	// Output: at least 1.863941 jobs per server (M/M/N)
}
