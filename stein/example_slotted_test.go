package stein_test

import (
	"context"
	"fmt"
	"log"
	"slices"

	"qlimit/ctmc/slotted"
	"qlimit/stein"
)

// Up to which load are queues stable if two of ten servers are asked and half of
// them are ten times slower? Both are slow with probability 2/9, and slow ones
// serve 5 of 55: 9/22.
func ExampleStabilityRegion() {
	rates, err := slotted.ParseRates("1x5,10x5")
	if err != nil {
		log.Fatal(err)
	}
	m := &slotted.Model{Rates: rates, Load: 0.4}
	for _, policy := range []slotted.Policy{slotted.SQ(2, false), slotted.JSQ()} {
		region, err := stein.StabilityRegion(m, policy)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%v: %.4f (%v)\n", policy, region.CriticalLoad, region.Kind)
	}
	// Output:
	// sq:d=2: 0.4091 (exact)
	// jsq: 1.0000 (exact)
}

// Is a policy optimal in heavy traffic? Class Π: no state in which it does worse
// than sharing the jobs by rate, and regularly one in which it does better.
func ExampleDispatchRule_Member() {
	m := &slotted.Model{Rates: []float64{1, 1, 1}, Load: 0.9}
	for _, policy := range []slotted.Policy{slotted.JSQ(), slotted.SQ(2, false), slotted.Random()} {
		rule, err := stein.NewDispatchRule(m, policy)
		if err != nil {
			log.Fatal(err)
		}
		member, err := rule.Member(context.Background(), 3)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%v: tilted %v, member %v, δ = %.4f\n", policy, member.Tilted, member.Member, member.Tilt)
	}
	// Output:
	// jsq: tilted true, member true, δ = 0.3333
	// sq:d=2: tilted true, member true, δ = 0.3333
	// random: tilted true, member false, δ = 0.0000
}

// A threshold policy in the slot after its threshold was set to the length of a
// server drawn at random: on queues 0, 1, 2 it dispatches with 11/18, 5/18, 2/18.
func ExampleDispatchRule_Sampled() {
	m := &slotted.Model{Rates: []float64{1, 1, 1}, Load: 0.9}
	rule, err := stein.NewDispatchRule(m, slotted.JBT(slotted.ThresholdRule{Period: 1000, Samples: 1}))
	if err != nil {
		log.Fatal(err)
	}
	p := rule.Sampled([]int64{0, 1, 2})
	fmt.Printf("%.4f, once in %d slots\n", p, rule.Window())
	// Output: [0.6111 0.2778 0.1111], once in 1000 slots
}

// Distributions over four queues in increasing order, by the definitions.
func ExampleRanked() {
	fair := []float64{0.25, 0.25, 0.25, 0.25}
	for _, p := range [][]float64{{0.25, 0.5, 0.25, 0}, {0, 0.5, 0.5, 0}, {0.5, 0.25, 0.25, 0}} {
		r := stein.Ranked{Lengths: []int64{1, 2, 3, 4}, P: p, Fair: fair}
		if err := r.Validate(); err != nil {
			log.Fatal(err)
		}
		fmt.Println(p, "tilted", r.Tilted(), "δ", r.Tilt())
	}
	// Output:
	// [0.25 0.5 0.25 0] tilted true δ 0
	// [0 0.5 0.5 0] tilted false δ 0
	// [0.5 0.25 0.25 0] tilted true δ 0.25
}

// What do regular updates of local estimates promise? Refreshed with probability
// 1/2 in each slot an estimate is off by λ_Σ + μ at most.
func ExampleLocalEstimates() {
	m := &slotted.Model{Rates: slices.Repeat([]float64{1}, 10), Load: 0.5, Dispatchers: 2}
	quality, err := stein.LocalEstimates(m, slotted.LSQ(slotted.UpdateRule{Refresh: 0.5}))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(quality.Refresh, quality.ErrorBound, quality.Uniform)
	// Output: 0.5 6 true
}
