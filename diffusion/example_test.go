package diffusion_test

import (
	"context"
	"fmt"

	"qlimit/coxian"
	"qlimit/diffusion"
)

// JSQ with arrival rate N - 1 in the limit and at a hundred servers.
func Example() {
	service := coxian.Dist{Mu1: 1, P: 0, Mu2: 1}
	limit := diffusion.NDS{Discipline: diffusion.JSQ, Spare: 1, Service: service}
	mean, err := limit.MeanJobs()
	if err != nil {
		panic(err)
	}
	fmt.Printf("limit: %.4f jobs per server (%s)\n", mean, limit.Kind())

	law, err := diffusion.Averaged{Discipline: diffusion.JSQ, Servers: 100, Load: 0.99, Service: service}.Solve()
	if err != nil {
		panic(err)
	}
	fmt.Printf("N = 100: %.4f (%s)\n", law.MeanJobs(), law.Kind())
	// Output:
	// limit: 2.2384 jobs per server (limit)
	// N = 100: 2.1474 (conjecture)
}

// A process of one's own: an Ornstein-Uhlenbeck process reflected at 0, whose
// stationary law is half normal, mean √(2/π); at time t it is a folded normal law.
func ExampleProcess() {
	p := diffusion.Process{Noise: 2, Drift: func(u float64) float64 { return -u }}
	law, err := p.Stationary()
	if err != nil {
		panic(err)
	}
	later, err := p.Transient(context.Background(), 3, []float64{1, 10}, diffusion.TransientSettings{})
	if err != nil {
		panic(err)
	}
	fmt.Printf("%s at 0, mean %.10f\n", p.Boundary(), law.Mean())
	fmt.Printf("from 3: mean %.3f at time 1, %.3f at time 10\n", later.Mean[0], later.Mean[1])
	// Output:
	// reflecting at 0, mean 0.7978845608
	// from 3: mean 1.211 at time 1, 0.798 at time 10
}
