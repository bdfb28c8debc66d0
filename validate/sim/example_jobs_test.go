package sim_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"qlimit/ctmc"
	"qlimit/validate/sim"
)

// Job by job: any service law, quantiles, and what the dispatcher says. One server
// with constant service at load 0.5 is M/D/1, mean wait λ/(2(1-λ)) = 0.5.
func ExampleRunJobs() {
	service, err := sim.Deterministic(1)
	if err != nil {
		log.Fatal(err)
	}
	r, err := sim.RunJobs(context.Background(), sim.JobSystem{
		Servers: 1, Load: 0.5, Service: service, Policy: sim.OccupancyPolicy(ctmc.Random()),
	}, sim.JobSettings{Seed: 1, Jobs: 3e5})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("mean wait 0.5:", math.Abs(r.MeanWait.Value-0.5) < 4*r.MeanWait.StandardError)
	fmt.Println("P(wait) 0.5:", math.Abs(r.WaitProb.Value-0.5) < 4*r.WaitProb.StandardError)
	median := r.ResponseQuantiles[0]
	fmt.Printf("a fraction %g of the jobs stay %.1f services at most\n", median.P, median.Time.Value)
	// Output:
	// mean wait 0.5: true
	// P(wait) 0.5: true
	// a fraction 0.5 of the jobs stay 1.0 services at most
}

// Laws by their names on the command line, and what is wrong with one.
func ExampleParseServiceLaw() {
	for _, text := range []string{"erlang:k=4", "lognormal:scv=4", "deterministic:mean=2"} {
		law, err := sim.ParseServiceLaw(text, nil)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s: mean %.4g, scv %.4g\n", text, law.Mean(), law.SCV())
	}
	// Output:
	// erlang:k=4: mean 1, scv 0.25
	// lognormal:scv=4: mean 1, scv 4
	// deterministic:mean=2: mean 2, scv 0
}

// Two servers, one for short jobs: the best cut of a law with two sizes is between
// them. Nine jobs in ten are of size 1/2, the tenth of size 11/2: both servers are
// M/D/1 then.
func ExampleSizeIntervals() {
	law, err := sim.Empirical([]float64{0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 5.5})
	if err != nil {
		log.Fatal(err)
	}
	cut, wait, err := sim.SizeIntervals(law, 2, 1)
	if err != nil {
		log.Fatal(err)
	}
	short := 0.45 * 0.5 / (2 * (1 - 0.45))
	long := 0.55 * 5.5 / (2 * (1 - 0.55))
	fmt.Printf("up to %.1f: %.6f, by hand %.6f\n", cut[0], wait, 0.9*short+0.1*long)
	// Output: up to 0.5: 0.520202, by hand 0.520202
}

// Every policy that looks at jobs one by one.
func ExampleParseJobPolicy() {
	for _, text := range []string{"ll:d=2", "sq:d=2,m=1", "jiq", "pull:memory=2,rate=5"} {
		p, err := sim.ParseJobPolicy(text)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(p)
	}
	// Output:
	// ll:d=2
	// sq:d=2,m=1
	// jiq
	// pull:memory=2,rate=5
}
