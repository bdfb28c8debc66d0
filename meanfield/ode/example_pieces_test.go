package ode_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"qlimit/meanfield/ode"
)

// Dense output: the whole solution as a function. An oscillator, cos t.
func ExampleTrajectory() {
	oscillator := ode.Problem{Dim: 2, F: func(t float64, y, slope []float64) { slope[0], slope[1] = y[1], -y[0] }}
	s, err := ode.Integrate(context.Background(), oscillator, 0, []float64{1, 0}, 10, ode.Settings{
		RelTol: 1e-9, AbsTol: 1e-9, KeepTrajectory: true,
	})
	if err != nil {
		log.Fatal(err)
	}
	y := make([]float64, 2)
	for _, t := range []float64{1, math.Pi, 7.5} {
		if err := s.Trajectory.At(t, y); err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%.6f %.6f\n", y[0], math.Cos(t))
	}
	// Output:
	// 0.540302 0.540302
	// -1.000000 -1.000000
	// 0.346635 0.346635
}

// A stiff system with a banded Jacobian: heat in a rod cut into 99 pieces, whose
// first mode decays at the rate 4·100² sin²(π/200).
func ExampleBanded() {
	const n, squared = 99, 1e4 // 1/h²
	rod := ode.Problem{
		Dim: n,
		F: func(t float64, y, slope []float64) {
			for i := range y {
				slope[i] = -2 * squared * y[i]
				if i > 0 {
					slope[i] += squared * y[i-1]
				}
				if i < n-1 {
					slope[i] += squared * y[i+1]
				}
			}
		},
		Jacobian: func(t float64, y []float64, jac *ode.Matrix) {
			for i := range n {
				jac.Set(i, i, -2*squared)
				if i > 0 {
					jac.Set(i, i-1, squared)
					jac.Set(i-1, i, squared)
				}
			}
		},
		Structure: ode.Banded(1, 1),
	}
	start := make([]float64, n)
	for i := range start {
		start[i] = math.Sin(math.Pi * float64(i+1) / (n + 1))
	}
	s, err := ode.Integrate(context.Background(), rod, 0, start, 0.1, ode.Settings{Method: ode.RadauIIA5, RelTol: 1e-8, AbsTol: 1e-10})
	if err != nil {
		log.Fatal(err)
	}
	sine := math.Sin(math.Pi / 200)
	fmt.Printf("%.6f %.6f\n", s.State[n/2], math.Exp(-4*squared*sine*sine*0.1))
	// Output: 0.372738 0.372738
}

// Is my problem stiff? An explicit method counts the steps that stability, not
// accuracy, has held down.
func ExampleStats() {
	stiff := ode.Problem{Dim: 1, F: func(t float64, y, slope []float64) { slope[0] = -1000 * (y[0] - math.Cos(t)) }}
	for _, method := range []ode.Method{ode.Tsitouras5, ode.RadauIIA5} {
		s, err := ode.Integrate(context.Background(), stiff, 0, []float64{1}, 2, ode.Settings{Method: method, RelTol: 1e-4, AbsTol: 1e-4})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%v: mostly held by stability %v, below 100 steps %v\n",
			method, 2*s.Stats.StabilityLimited > s.Stats.Accepted, s.Stats.Accepted < 100)
	}
	// Output:
	// Tsitouras 5(4): mostly held by stability true, below 100 steps false
	// Radau IIA 5: mostly held by stability false, below 100 steps true
}

// An integration that cannot reach its end says so: y' = y² from 1 blows up at 1.
func ExampleSolution_Err() {
	blowUp := ode.Problem{Dim: 1, F: func(t float64, y, slope []float64) { slope[0] = y[0] * y[0] }}
	s, err := ode.Integrate(context.Background(), blowUp, 0, []float64{1}, 2, ode.Settings{})
	if err != nil {
		log.Fatal(err) // bad data only
	}
	fmt.Println(s.Status.OK(), s.Err() != nil)
	fmt.Printf("got to %.4f\n", s.Time)
	// Output:
	// false true
	// got to 1.0000
}

// Stop when nothing moves any more. The slope is no bound of the distance: here it
// is the distance times the rate 0.1.
func ExampleSteadyState() {
	slow := ode.Problem{Dim: 1, F: func(t float64, y, slope []float64) { slope[0] = 0.1 * (2 - y[0]) }}
	s, err := ode.Integrate(context.Background(), slow, 0, []float64{0}, 1e6, ode.Settings{
		SteadyState: &ode.SteadyState{AbsTol: 1e-6},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%v before time 1000: %v, at %.4f\n", s.Status, s.Time < 1000, s.State[0])
	// Output: steady state reached before time 1000: true, at 2.0000
}
