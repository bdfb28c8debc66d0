package ctmc_test

import (
	"context"
	"fmt"
	"log"

	"qlimit/ctmc"
)

// repairShop is a chain of one's own: machines break at rate 1 each, one fitter
// repairs them at rate 2. The state is the number of broken machines.
type repairShop struct{ machines int64 }

func (s repairShop) Initial() []int64 { return []int64{0} }

func (s repairShop) Visit(state []int64, emit func(next []int64, rate float64)) {
	if broken := state[0]; broken < s.machines {
		emit([]int64{broken + 1}, float64(s.machines-broken))
	}
	if broken := state[0]; broken > 0 {
		emit([]int64{broken - 1}, 2)
	}
}

// Any finite chain: two machines and one fitter are in states 0, 1, 2 in the
// proportions 1 : 2/2 : (2·1)/(2·2).
func ExampleChain() {
	g, err := ctmc.Explore(context.Background(), repairShop{machines: 2}, 0)
	if err != nil {
		log.Fatal(err)
	}
	law, err := g.Stationary(context.Background(), ctmc.SolverSettings{})
	if err != nil {
		log.Fatal(err)
	}
	for broken := range int64(3) {
		fmt.Printf("%d broken: %.4f\n", broken, law.Probability[g.Index([]int64{broken})])
	}
	// Output:
	// 0 broken: 0.4000
	// 1 broken: 0.4000
	// 2 broken: 0.2000
}
