package stein_test

import (
	"context"
	"fmt"
	"log"
	"slices"

	"qlimit/coxian"
	"qlimit/ctmc"
	"qlimit/ctmc/slotted"
	"qlimit/stein"
)

// The fluid that drains at rate δ: -δ g'(x) = (x - η)⁺.
func ExampleEquation() {
	e := stein.Equation{Eta: 1, Delta: 0.25}
	x := 1.5
	fmt.Println(-e.Delta*e.Slope(x), e.Excess(x), e.Solution(x), e.Curvature(x))
	// Output: 0.5 0.5 -0.5 -4
}

// The decomposition behind all bounds is exact: under the stationary law the terms
// add up to E(X - η)⁺. Two servers without waiting room that idle ones relieve are
// the loss system of Erlang, n busy with weights 1, a, a²/2, a = 1.6 offered.
func ExampleNewDecomposition() {
	system := ctmc.System{Servers: 2, Load: 0.8, Buffer: 1, Service: coxian.Dist{Mu1: 1, Mu2: 1}, Policy: ctmc.JIQ()}
	d, err := stein.NewDecomposition(system, 0.75, 0.1)
	if err != nil {
		log.Fatal(err)
	}
	weights := []float64{1, 1.6, 1.6 * 1.6 / 2}
	var left, sum, total float64
	for busy, w := range weights {
		var terms [stein.Terms]float64
		d.At([]int64{int64(2 - busy), int64(busy)}, &terms)
		total += w
		left += w * terms[stein.LeftSide]
		for _, term := range stein.Summed() {
			sum += w * terms[term]
		}
	}
	// (1 - 0.75) P(both busy) = 0.25 · 1.28/3.88
	fmt.Printf("%.10f %.10f\n", left/total, sum/total)
	// Output: 0.0824742268 0.0824742268
}

// Which policies does the theorem speak of? Those that send at most 1/√N of the
// jobs to busy servers as long as enough are idle.
func ExampleMembershipAt() {
	problem := stein.Problem{
		Servers: 10_000, Scaling: stein.LoadExponent(0.25), Buffer: 2,
		Service: coxian.Dist{Mu1: 1, Mu2: 1},
	}
	for _, policy := range []ctmc.Policy{ctmc.JSQ(), ctmc.PowerOfD(2, false)} {
		problem.Policy = policy
		m, err := stein.MembershipAt(problem, 0.5)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%v: %v, %.4f <= %.2f\n", policy, m.Holds, m.Routed, m.Limit) // 9500 busy
	}
	// Output:
	// jsq: true, 0.0000 <= 0.01
	// pod:d=2: false, 0.9025 <= 0.01
}

// The argument step by step. With phases of different rates κ and k grow.
func ExampleCollapseAsPublished() {
	proof, err := stein.CollapseAsPublished(stein.Problem{
		Servers: 1e12, Scaling: stein.LoadExponent(0.25), Buffer: 2,
		Service: coxian.Dist{Mu1: 1.5, P: 1.0 / 6, Mu2: 0.5}, Policy: ctmc.JSQ(),
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("k = %.2f, all conditions hold: %v\n", proof.K, proof.Holds())
	for i := range proof.Steps {
		fmt.Println(proof.Steps[i].Focus)
	}
	// Output:
	// k = 23.25, all conditions hold: true
	// phase-2-crowd
	// phase-1-lack
	// phase-2-lack
	// queue
}

// A bound may say nothing, and then it says so: at a hundred servers the explicit
// one does, with the number of servers from which on it speaks.
func ExampleBound_Vacuous() {
	b, err := stein.Solve(stein.Problem{
		Servers: 100, Scaling: stein.LoadExponent(0.25), Buffer: 2,
		Service: coxian.Dist{Mu1: 1, Mu2: 1}, Policy: ctmc.JSQ(),
	})
	if err != nil {
		log.Fatal(err)
	}
	mean := b.Explicit.MeanJobs
	fmt.Println(mean.Known, mean.Vacuous(), mean.Reason != "", b.Smallest.All)
	// Output: false true true 66216879
}

// What no policy can go below in slots: one queue that all ten servers share.
func ExamplePoolSlotted() {
	m := &slotted.Model{Rates: slices.Repeat([]float64{1}, 10), Load: 0.9}
	p, err := stein.PoolSlotted(context.Background(), m)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("at least %.10f jobs; ε E q -> %g\n", p.MeanQueue, p.Limit)
	// Output: at least 7.1713966624 jobs; ε E q -> 10
}

// What can a dispatcher do that remembers log2 n bits and asks two servers for each
// job? Its jobs wait, however many servers there are.
func ExampleResources() {
	r := stein.Resources{Load: 0.9, Service: coxian.Dist{Mu1: 1, Mu2: 1}, Memory: 1, Queries: 2}
	best, err := r.Best()
	if err != nil {
		log.Fatal(err)
	}
	r.MessageClock = 1 // and every server may speak once a service
	at, err := r.At(0.1, 0.1)
	if err != nil {
		log.Fatal(err)
	}
	value, _ := best.Delay.Float()
	plain, _ := at.Delay.Float()
	fmt.Printf("%.4e (%v), with messages and at γ = θ = 0.1 %.10e\n", value, best.Kind, plain)
	// Output: 8.1345e-05 (lower-bound), with messages and at γ = θ = 0.1 3.1758267594e-09
}

// How many servers can a memory of n² states tell from the rest? Two in the long
// run, but three of seven, for C(7,3) = 35 <= 49.
func ExampleMostDistinguished() {
	fmt.Println(stein.MostDistinguished(7, 49), stein.MostDistinguished(20, 400))
	// Output: 3 2
}
