package sim_test

import (
	"context"
	"fmt"
	"log"

	"qlimit/coxian"
	"qlimit/ctmc"
	"qlimit/validate/sim"
)

// Join-the-shortest-queue with a hundred servers, one of them to spare. Near load 1
// plain averages ask for 4e7 events; with control variates a million give the mean
// to a fraction of a percent. The exact mean is certified to lie between 2.13900677
// and 2.13901300 jobs per server.
func Example() {
	system := ctmc.System{Servers: 100, Load: 0.99, Service: coxian.Dist{Mu1: 1, Mu2: 1}, Policy: ctmc.JSQ()}
	start := sim.NearCritical(system).Start()
	r, err := sim.Run(context.Background(), system, sim.Settings{Seed: 1, Events: 1e6, Start: start})
	if err != nil {
		log.Fatal(err)
	}
	e := r.MeanJobs
	fmt.Println("to 1%:", e.HalfWidth < 0.01*e.Value)
	fmt.Println("holds the exact mean:", e.Value-4*e.StandardError < 2.13901 && 2.13901 < e.Value+4*e.StandardError)
	fmt.Println("variance at least 100 times smaller:", r.Controls.VarianceRatio > 100)
	// Output:
	// to 1%: true
	// holds the exact mean: true
	// variance at least 100 times smaller: true
}
