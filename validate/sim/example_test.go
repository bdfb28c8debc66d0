package sim_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"qlimit/coxian"
	"qlimit/ctmc"
	"qlimit/validate/sim"
)

// JSQ with two servers at load .9; its mean is known exactly, 9.854843 jobs.
func ExampleRun() {
	system := ctmc.System{Servers: 2, Load: 0.9, Service: coxian.Dist{Mu1: 1, P: 0, Mu2: 1}, Policy: ctmc.JSQ()}
	r, err := sim.Run(context.Background(), system, sim.Settings{Seed: 1, Events: 1e6})
	if err != nil {
		log.Fatal(err)
	}
	const exact = 9.85484307834 / 2
	fmt.Println("within four standard errors:", math.Abs(r.MeanJobs.Value-exact) < 4*r.MeanJobs.StandardError)
	fmt.Println("relative half width below 1%:", r.MeanJobs.HalfWidth < 0.01*exact)
	// Output:
	// within four standard errors: true
	// relative half width below 1%: true
}
