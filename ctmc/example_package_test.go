package ctmc_test

import (
	"context"
	"fmt"
	"log"

	"qlimit/coxian"
	"qlimit/ctmc"
)

// What do two servers at load 0.5 gain from a dispatcher that knows more? Jobs per
// server, exactly; known are random, λ/(1-λ), join-the-idle-queue,
// λ(1+λ)/((1-λ)(1+2λ)), and one queue for both servers, λ/(1-λ²).
func Example() {
	system := ctmc.System{Servers: 2, Load: 0.5, Service: coxian.Dist{Mu1: 1, Mu2: 1}}
	for _, policy := range []ctmc.Policy{ctmc.Random(), ctmc.JIQ(), ctmc.JSQ()} {
		system.Policy = policy
		r, err := ctmc.SolveStationary(context.Background(), system, ctmc.SolverSettings{}, 0)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%-7v %.6f\n", policy, r.MeanJobs)
	}
	fmt.Printf("M/M/2   %.6f\n", ctmc.PooledAt(2, 0.5).MeanJobs()/2)
	// Output:
	// random  1.000000
	// jiq     0.750000
	// jsq     0.713160
	// M/M/2   0.666667
}
