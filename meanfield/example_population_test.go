package meanfield_test

import (
	"context"
	"fmt"
	"log"

	"gonum.org/v1/gonum/mat"

	"qlimit/coxian"
	"qlimit/ctmc"
	"qlimit/meanfield"
	"qlimit/meanfield/ode"
)

// The fluid limit of particles that arrive at rate N and merge pairwise, x' = 1 -
// x², is tanh t from 0.
func ExampleNewPopulationDynamics() {
	merging, err := ctmc.NewModel(1,
		ctmc.Transition{Change: []int64{1}, Rate: ctmc.Polynomial{{Coefficient: 1}}},
		ctmc.Transition{Change: []int64{-1}, Rate: ctmc.Polynomial{{Coefficient: 1, Powers: []int{2}}}},
	)
	if err != nil {
		log.Fatal(err)
	}
	problem := meanfield.NewPopulationDynamics(merging).Problem()
	s, err := ode.Integrate(context.Background(), problem, 0, []float64{0}, 1, ode.Settings{RelTol: 1e-10, AbsTol: 1e-12})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.8f\n", s.State[0])
	// Output: 0.76159416
}

// Equilibrium and eigenvalue of x' = 1 - x²: x = 1 and -2x.
func ExamplePopulationSpectrum() {
	merging, err := ctmc.NewModel(1,
		ctmc.Transition{Change: []int64{1}, Rate: ctmc.Polynomial{{Coefficient: 1}}},
		ctmc.Transition{Change: []int64{-1}, Rate: ctmc.Polynomial{{Coefficient: 1, Powers: []int{2}}}},
	)
	if err != nil {
		log.Fatal(err)
	}
	at, err := meanfield.PopulationEquilibrium(context.Background(), merging, []float64{0})
	if err != nil {
		log.Fatal(err)
	}
	modes, err := meanfield.PopulationSpectrum(merging, at)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.6f %.6f\n", at[0], modes.Eigenvalues[0].Re)
	// Output: 1.000000 -2.000000
}

// Fluctuations along time: a server without waiting room is busy with probability
// p = (1 - e^{-2t})/2 at load 1, the fraction of busy ones has variance p(1-p)/N.
func ExampleRefineTrajectory() {
	exponential := coxian.Dist{Mu1: 1, Mu2: 1}
	system := ctmc.System{Servers: 100, Load: 1, Buffer: 1, Service: exponential, Policy: ctmc.Random()}
	p, err := meanfield.RefineTrajectory(context.Background(), system, meanfield.State{1}, []float64{0.5}, ode.Settings{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("jobs %.6f, N Var %.6f\n", p.JobsOrder1[0], p.JobsVariance[0])
	// Output: jobs 0.316060, N Var 0.216166
}

// A W + W Aᵀ + Q = 0 with A = diag(-1, -2), Q = 1.
func ExampleLyapunov() {
	a := mat.NewDense(2, 2, []float64{-1, 0, 0, -2})
	w, err := meanfield.Lyapunov(a, mat.NewSymDense(2, []float64{1, 0, 0, 1}))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.4f %.4f\n", w.At(0, 0), w.At(1, 1))
	// Output: 0.5000 0.2500
}
