package ctmc_test

import (
	"context"
	"fmt"
	"log"

	"qlimit/coxian"
	"qlimit/ctmc"
)

// mixture asks two servers for every second job and none for the others.
type mixture struct{}

func (mixture) Tail(m, n int64) float64 {
	return (ctmc.Uniform.Tail(m, n) + ctmc.Sampling{Choices: 2}.Tail(m, n)) / 2
}

func (mixture) Expansion(s float64, order int, dst []float64) {
	two := make([]float64, len(dst))
	ctmc.Uniform.Expansion(s, order, dst)
	ctmc.Sampling{Choices: 2}.Expansion(s, order, two)
	for j := range dst {
		dst[j] = (dst[j] + two[j]) / 2
	}
}

func (mixture) Validate(n int64) error { return ctmc.Sampling{Choices: 2}.Validate(n) }

// A kernel of one's own is one function and its expansion; chain, simulator and
// fluid limit follow. Two servers, one of them idle: half of the jobs find it for
// certain, the others with probability 1/2.
func ExampleKernel() {
	policy := ctmc.Policy{Name: "mixture", Fallback: mixture{}}
	fmt.Println("P(wait) with one of two idle:", policy.WaitProbability([]int64{2, 1}))

	system := ctmc.System{Servers: 2, Load: 0.9, Buffer: 5, Service: coxian.Dist{Mu1: 1, Mu2: 1}}
	var means [3]float64
	for i, p := range []ctmc.Policy{ctmc.PowerOfD(2, false), policy, ctmc.Random()} {
		system.Policy = p
		r, err := ctmc.SolveStationary(context.Background(), system, ctmc.SolverSettings{}, 0)
		if err != nil {
			log.Fatal(err)
		}
		means[i] = r.MeanResponse
	}
	fmt.Println("between the two:", means[0] < means[1] && means[1] < means[2])
	// Output:
	// P(wait) with one of two idle: 0.25
	// between the two: true
}
