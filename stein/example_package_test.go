package stein_test

import (
	"fmt"
	"log"

	"qlimit/coxian"
	"qlimit/ctmc"
	"qlimit/stein"
)

// What is certain of a hundred million servers at load 0.99, with room for one
// waiting job each? The mean jobs per server lie between these two, and few wait.
func Example() {
	bounds, err := stein.Solve(stein.Problem{
		Servers: 1e8, Scaling: stein.FixedLoad(0.99), Buffer: 2,
		Service: coxian.Dist{Mu1: 2, P: 0.5, Mu2: 1}, Policy: ctmc.JSQ(),
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.4f to %.4f jobs\n", bounds.Lower.MeanJobs, bounds.Explicit.MeanJobs.Value)
	fmt.Printf("P(wait) <= %.4f\n", bounds.Explicit.WaitProb.Value)
	// Output:
	// 0.9900 to 0.9992 jobs
	// P(wait) <= 0.0205
}
