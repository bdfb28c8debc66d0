package ctmc_test

import (
	"context"
	"fmt"
	"log"

	"qlimit/ctmc"
)

// A population of one's own: N lamps, dark ones are lit at rate 1, lit ones fail
// at rate 3. A quarter of them is lit in the long run.
func ExampleModel() {
	lamps, err := ctmc.NewModel(1,
		ctmc.Transition{Name: "lit", Change: []int64{1}, Rate: ctmc.Polynomial{
			{Coefficient: 1},
			{Coefficient: -1, Powers: []int{1}},
		}},
		ctmc.Transition{Name: "fails", Change: []int64{-1}, Rate: ctmc.Polynomial{{Coefficient: 3, Powers: []int{1}}}},
	)
	if err != nil {
		log.Fatal(err)
	}
	chain, err := ctmc.NewPopulationChain(lamps, 20, []int64{0})
	if err != nil {
		log.Fatal(err)
	}
	mean, law, err := chain.Mean(context.Background(), ctmc.SolverSettings{}, 0)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.6f (%v)\n", mean[0], law.Status)
	// Output: 0.250000 (converged)
}

// The probability that at most one of four lamps is lit: (3/4)^4 + 4 (1/4)(3/4)³.
func ExamplePopulationChain_Mean() {
	lamps, err := ctmc.NewModel(1,
		ctmc.Transition{Change: []int64{1}, Rate: ctmc.RateFunc(func(x []float64) float64 { return 1 - x[0] })},
		ctmc.Transition{Change: []int64{-1}, Rate: ctmc.RateFunc(func(x []float64) float64 { return 3 * x[0] })},
	)
	if err != nil {
		log.Fatal(err)
	}
	chain, err := ctmc.NewPopulationChain(lamps, 4, []int64{4})
	if err != nil {
		log.Fatal(err)
	}
	mean, _, err := chain.Mean(context.Background(), ctmc.SolverSettings{}, 0, func(x []float64) float64 {
		if x[0] <= 0.25 {
			return 1
		}
		return 0
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.6f\n", mean[0])
	// Output: 0.738281
}
