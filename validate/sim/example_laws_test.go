package sim_test

import (
	"fmt"
	"log"
	"math/rand/v2"

	"qlimit/validate/sim"
)

// Arrivals other than Poisson: times between them, up to their mean.
func ExampleParseArrivals() {
	law, err := sim.ParseArrivals("erlang:k=4", nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.4f %.4f\n", law.Mean(), law.SCV())
	// Output: 1.0000 0.2500
}

// Measured job sizes as a law.
func ExampleEmpirical() {
	law, err := sim.Empirical([]float64{1, 1, 4})
	if err != nil {
		log.Fatal(err)
	}
	x := law.Sample(rand.NewPCG(1, 1))
	fmt.Printf("%.4f %.4f %v %.4f\n", law.Mean(), law.SCV(), x == 1 || x == 4, law.PartialMoment(1, 2)) // E[S; S <= 2]
	// Output: 2.0000 0.5000 true 0.6667
}
