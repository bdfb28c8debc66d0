package stein_test

import (
	"fmt"

	"qlimit/stein"
)

// The load at any number of servers, and 1 - load with all its digits.
func ExampleScaling() {
	for _, scaling := range []stein.Scaling{stein.FixedLoad(0.9), stein.LoadExponent(0.5), stein.SpareServers(1)} {
		load, gap := scaling(1e12)
		fmt.Printf("%.12f %.3g\n", load, gap)
	}
	// Output:
	// 0.900000000000 0.1
	// 0.999999000000 1e-06
	// 0.999999999999 1e-12
}

// Numbers too small for a float64, such as 10^(-10^400), on a scale of logarithms.
func ExampleIteratedLog() {
	tiny := stein.IteratedLog{Iterations: 2, Value: 400}
	_, asFloat := tiny.Float()
	_, asLog := tiny.Log10()
	small, _ := stein.IteratedLog{Iterations: 1, Value: -3}.Float()
	fmt.Printf("%v %v %.3f\n", asFloat, asLog, small)
	// Output: false false 0.001
}

// Which servers does a decision tell from the rest? Server 2, which gets most jobs;
// server 0 was asked.
func ExampleDistinguished() {
	fmt.Println(stein.Distinguished([]float64{0.4, 0.1, 0.3, 0.1, 0.1}, []int{0}))
	// Output: [2]
}
