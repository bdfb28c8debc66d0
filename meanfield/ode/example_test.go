package ode_test

import (
	"context"
	"fmt"
	"math"

	"qlimit/meanfield/ode"
)

// The fluid limit of a queue with infinitely many servers, q' = λ − q.
func ExampleIntegrate() {
	const arrivalRate = 5
	queue := ode.Problem{
		Dim: 1,
		F:   func(t float64, q, slope []float64) { slope[0] = arrivalRate - q[0] },
	}
	solution, err := ode.Integrate(context.Background(), queue, 0, []float64{0}, 3, ode.Settings{
		Times: []float64{1, 2, 3},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for k, t := range solution.Times {
		fmt.Printf("q(%g) = %.5f\n", t, solution.States[k][0])
	}
	fmt.Println(solution.Status)
	// Output:
	// q(1) = 3.16060
	// q(2) = 4.32332
	// q(3) = 4.75106
	// done
}

// A stiff problem: chemical kinetics of Robertson over eleven decades of time.
func ExampleIntegrate_stiff() {
	kinetics := ode.Problem{
		Dim: 3,
		F: func(t float64, y, slope []float64) {
			slope[0] = -0.04*y[0] + 1e4*y[1]*y[2]
			slope[2] = 3e7 * y[1] * y[1]
			slope[1] = -slope[0] - slope[2]
		},
	}
	solution, err := ode.Integrate(context.Background(), kinetics, 0, []float64{1, 0, 0}, 1e11, ode.Settings{
		Method:  ode.RadauIIA5,
		AbsTols: []float64{1e-12, 1e-16, 1e-8},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.5g in fewer than 1000 steps: %v\n", solution.State, solution.Stats.Accepted < 1000)
	// Output:
	// [2.0833e-08 8.3334e-14 1] in fewer than 1000 steps: true
}

// A ball that loses a fifth of its speed at every bounce.
func ExampleEvent() {
	ball := ode.Problem{
		Dim: 2,
		F:   func(t float64, y, slope []float64) { slope[0], slope[1] = y[1], -1 },
	}
	ground := ode.Event{
		G:         func(t float64, y []float64) float64 { return y[0] },
		Direction: ode.Falling,
		Jump:      func(t float64, y []float64) { y[0], y[1] = 0, -0.8*y[1] },
	}
	solution, err := ode.Integrate(context.Background(), ball, 0, []float64{0.5, 0}, 5, ode.Settings{
		Events: []ode.Event{ground},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, hit := range solution.Hits {
		fmt.Printf("bounce at %.4f with speed %.4f\n", hit.Time, -hit.State[1])
	}
	// Output:
	// bounce at 1.0000 with speed 1.0000
	// bounce at 2.6000 with speed 0.8000
	// bounce at 3.8800 with speed 0.6400
	// bounce at 4.9040 with speed 0.5120
}

// A fluid queue with service capacity 1 drains at first and, once empty,
// slides along q = 0 until its input exceeds the capacity again. The caller
// changes the right-hand side at the events.
func ExampleIntegrator() {
	input := func(t float64) float64 { return 0.8 + 0.5*math.Sin(t-math.Pi) }
	busy := ode.Problem{Dim: 1, F: func(t float64, q, slope []float64) { slope[0] = input(t) - 1 }}
	empty := ode.Problem{Dim: 1, F: func(t float64, q, slope []float64) { slope[0] = 0 }}
	runsEmpty := []ode.Event{{
		G:         func(t float64, q []float64) float64 { return q[0] },
		Direction: ode.Falling, Terminal: true,
	}}
	fillsAgain := []ode.Event{{
		G:         func(t float64, q []float64) float64 { return input(t) - 1 },
		Direction: ode.Rising, Terminal: true,
	}}
	queue, err := ode.NewIntegrator(busy, 0, []float64{0.5}, 6, ode.Settings{MaxStep: 0.5, Events: runsEmpty})
	if err != nil {
		fmt.Println(err)
		return
	}
	sliding := false
	for status := ode.Running; status == ode.Running; {
		status = queue.Step()
		if status != ode.EventReached {
			continue
		}
		sliding = !sliding
		problem, events, change := busy, runsEmpty, "fills again"
		if sliding {
			problem, events, change = empty, fillsAgain, "runs empty"
		}
		fmt.Printf("%s at %.6f\n", change, queue.Time())
		if err := queue.RestartWith(queue.Time(), queue.State(), problem, events); err != nil {
			fmt.Println(err)
			return
		}
		status = ode.Running
	}
	fmt.Printf("%v at %g with q = %.6f\n", queue.Status(), queue.Time(), queue.State()[0])
	// Output:
	// runs empty at 1.110511
	// fills again at 3.553109
	// done at 6 with q = 0.448965
}
