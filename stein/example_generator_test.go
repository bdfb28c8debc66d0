package stein_test

import (
	"fmt"
	"log"

	"qlimit/coxian"
	"qlimit/ctmc"
	"qlimit/stein"
)

// The generator on functions of the state: jobs come at rate λN and leave at the
// busy servers; (n²) moves by 2n times the drift plus the total rate.
func ExampleGenerator() {
	g, err := stein.NewGenerator(ctmc.System{Servers: 3, Load: 0.9, Service: coxian.Dist{Mu1: 1, Mu2: 1}, Policy: ctmc.JSQ()})
	if err != nil {
		log.Fatal(err)
	}
	state := []int64{1, 1, 1} // one idle server, one with one job, one with two: n = 3
	jobs := g.Jobs()
	squared := g.ApplyAlong(jobs, func(n float64) float64 { return n * n }, state)
	fmt.Printf("%.1f %.1f\n", g.Drift(jobs, state), squared) // 2.7 - 2, 2·3·0.7 + 4.7
	// Output: 0.7 8.9
}

// Test functions for one's own simulation: every identity E[Gf] = 0, and what it
// bears on. The pilot states say where the process spends its time.
func ExampleNewBasis() {
	system := ctmc.System{Servers: 3, Load: 0.9, Buffer: 2, Service: coxian.Dist{Mu1: 1, Mu2: 1}, Policy: ctmc.JSQ()}
	basis, err := stein.NewBasis(system, 2, [][]int64{{1, 2, 0}, {0, 2, 1}, {0, 1, 2}, {2, 1, 0}})
	if err != nil {
		log.Fatal(err)
	}
	first := basis.Identities()[0]
	fmt.Println(first.Name, first.Aspect)
	// Output: work load
}

// Where the stationary law has a closed form: without waiting rooms, idle servers
// first, it is Erlang's, whatever the service law. Two busy of three against one.
func ExampleProductForm() {
	system := ctmc.System{Servers: 3, Load: 0.5, Buffer: 1, Service: coxian.Dist{Mu1: 1, Mu2: 1}, Policy: ctmc.JIQ()}
	log3 := stein.ProductForm(system)
	fmt.Printf("%.4f\n", log3([]int64{1, 2})-log3([]int64{2, 1})) // log(1.5/2)
	// Output: -0.2877
}
