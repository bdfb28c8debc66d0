package ctmc_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"qlimit/coxian"
	"qlimit/ctmc"
)

// A request beyond what the method can do is refused before memory is asked for,
// and says what to do instead.
func ExampleTooLargeError() {
	system := ctmc.System{Servers: 1000, Load: 0.9, Buffer: 10, Service: coxian.Dist{Mu1: 1, Mu2: 1}, Policy: ctmc.PowerOfD(2, false)}
	_, err := ctmc.SolveStationary(context.Background(), system, ctmc.SolverSettings{}, 1000)
	var large *ctmc.TooLargeError
	fmt.Println(errors.As(err, &large) && large.What == "states" && large.Hint != "")
	fmt.Printf("C(1010, 10) = %.4g\n", ctmc.CountStates(1000, 10, 1))
	// Output:
	// true
	// C(1010, 10) = 2.911e+23
}

// The transitions out of a state without numbering any: a million servers, all but
// two of them with one job.
func ExampleMoves() {
	system := ctmc.System{Servers: 1e6, Load: 0.9, Service: coxian.Dist{Mu1: 1, Mu2: 1}, Policy: ctmc.JSQ()}
	state := []int64{1, 999998, 1} // servers with 0, 1, 2 jobs
	system.Moves().Visit(state, func(from, to int, rate float64) {
		fmt.Printf("%d -> %d at %.0f\n", from, to, rate)
	})
	// Unordered output:
	// 0 -> 1 at 900000
	// 1 -> 0 at 999998
	// 2 -> 1 at 1
}

// A system with a smooth policy is a population process, whose rates at finite N
// are exact: with 4 of 10 servers busy a sample of two distinct servers holds no
// idle one with probability 4·3/(10·9).
func ExampleSystem_Population() {
	system := ctmc.System{Servers: 10, Load: 0.9, Buffer: 2, Service: coxian.Dist{Mu1: 1, Mu2: 1}, Policy: ctmc.PowerOfD(2, false)}
	p, err := system.Population(0)
	if err != nil {
		log.Fatal(err)
	}
	counts := []int64{4, 0} // servers with at least 1, 2 jobs
	for k, jump := range p.Jumps() {
		if rate := p.RateAt(k, counts, 10); rate > 0 {
			fmt.Printf("s_%d %+d at %.2f\n", jump[0].Coordinate+1, jump[0].By, rate)
		}
	}
	// Unordered output:
	// s_1 +1 at 7.80
	// s_2 +1 at 1.20
	// s_1 -1 at 4.00
}

// (Gf)(n) = Σ rate (f(next) - f(n)) on any chain: the number of jobs of three
// servers, two of them busy, drifts by 2.7 - 2.
func ExampleApplyGenerator() {
	system := ctmc.System{Servers: 3, Load: 0.9, Buffer: 2, Service: coxian.Dist{Mu1: 1, Mu2: 1}, Policy: ctmc.JSQ()}
	chain, err := system.Chain()
	if err != nil {
		log.Fatal(err)
	}
	jobs := func(state []int64) float64 { return float64(chain.Jobs(state)) }
	fmt.Printf("%.4f\n", ctmc.ApplyGenerator(chain, jobs, []int64{1, 1, 1}))
	// Output: 0.7000
}
