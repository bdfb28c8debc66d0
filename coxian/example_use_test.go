package coxian_test

import (
	"errors"
	"fmt"
	"log"
	"math"
	"math/rand/v2"

	"qlimit/coxian"
)

// A parameter out of range: the error names it, its value and what is allowed.
func ExampleNew() {
	_, err := coxian.New(2, 1.25, 0.5)
	var parameter *coxian.ParameterError
	if errors.As(err, &parameter) {
		fmt.Println(parameter.Field, parameter.Value)
	}
	// Output: p 1.25
}

// Common random numbers: whatever happens to a job, three words are drawn, so that
// two laws see the same luck. Here the second law is the first at half the speed.
func ExampleDist_Sample() {
	fast := coxian.Dist{Mu1: 2, P: 0.25, Mu2: 0.5}
	slow, err := fast.Scale(2)
	if err != nil {
		log.Fatal(err)
	}
	one, other := rand.NewPCG(1, 2), rand.NewPCG(1, 2)
	alike := true
	for range 1000 {
		alike = alike && math.Abs(slow.Sample(other)/fast.Sample(one)-2) < 1e-12
	}
	fmt.Println(alike)
	// Output: true
}

// The waiting time in M/G/1 by its transform: with ρ = 1/2 and exponential service
// E e^{-sW} = (1-ρ)/(1 - ρ L_e(s)) is (1+s)/(1+2s), L_e that of the residual time.
func ExampleDist_Laplace() {
	d := coxian.Dist{Mu1: 1, P: 0, Mu2: 1}
	const load, s = 0.5, 3.0
	wait := (1 - load) / (1 - load*d.Residual().Laplace(s))
	fmt.Printf("%.6f %.6f\n", wait, (1+s)/(1+2*s))
	// Output: 0.571429 0.571429
}
