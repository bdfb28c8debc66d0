package meanfield_test

import (
	"errors"
	"fmt"
	"log"

	"qlimit/coxian"
	"qlimit/ctmc"
	"qlimit/meanfield"
)

// At load exactly 1 join-the-shortest-queue can rest at any number of jobs: no
// number is returned, but the reason.
func ExampleEquilibrium_notUnique() {
	exponential := coxian.Dist{Mu1: 1, Mu2: 1}
	_, err := meanfield.Equilibrium(ctmc.System{Load: 1, Buffer: 5, Service: exponential, Policy: ctmc.JSQ()})
	var many *ctmc.NotUniqueError
	fmt.Println(errors.As(err, &many))
	// Output: true
}

// Overload with a finite buffer: every server is full, a sixth of the jobs is lost.
func ExampleFixpoint() {
	exponential := coxian.Dist{Mu1: 1, Mu2: 1}
	f, err := meanfield.Equilibrium(ctmc.System{Load: 1.2, Buffer: 5, Service: exponential, Policy: ctmc.JSQ()})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("jobs %.4f, lost %.4f, response %.4f\n", f.MeanJobs, f.BlockProb, f.MeanResponse)
	// Output: jobs 5.0000, lost 0.1667, response 5.0000
}

// Random dispatch at any number of servers is M/G/1: λ (1 + scv)/(2 (1 - λ)).
func ExampleRandomDelay() {
	d, err := meanfield.RandomDelay(0.9, 1, 2)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.4f (%v)\n", d.MeanWait, d.Kind)
	// Output: 13.5000 (exact)
}

// States by class, and what they mean: a tenth idle, the others with two jobs, the
// one in service in phase 2.
func ExampleShape() {
	shape := meanfield.Shape{Levels: 2, Phases: 2}
	q := make(meanfield.State, shape.Classes())
	q[shape.Class(0, 0)] = 0.1
	q[shape.Class(2, 2)] = 0.9
	fmt.Println(q, shape.Jobs(q), shape.Mass(q, 2))
	// Output: [0.1 0 0 0 0.9] 1.8 0.9
}

// Two laws with the same two moments, scv 10, have different queues under
// power-of-two: the answer is that of the law, not of its moments.
func ExampleEquilibrium_twoMoments() {
	two, err := coxian.FitMeanSCV(1, 10)
	if err != nil {
		log.Fatal(err)
	}
	three, err := coxian.FitMoments(1, 10, 2*two.Skewness())
	if err != nil {
		log.Fatal(err)
	}
	var means [2]float64
	for i, service := range []coxian.Dist{two, three} {
		f, err := meanfield.Equilibrium(ctmc.System{Load: 0.9, Service: service, Policy: ctmc.PowerOfD(2, true)})
		if err != nil {
			log.Fatal(err)
		}
		means[i] = f.MeanJobs
	}
	fmt.Printf("%.4f, the other more than 2%% away: %v\n", means[0], means[1] < 0.98*means[0] || means[1] > 1.02*means[0])
	// Output: 6.3074, the other more than 2% away: true
}
