package meanfield_test

import (
	"context"
	"fmt"
	"log"

	"gonum.org/v1/gonum/mat"

	"qlimit/ctmc"
	"qlimit/meanfield"
	"qlimit/meanfield/ode"
)

// merging particles arrive at rate N and merge pairwise at rate n(n-1)/N, that is
// N (x² - x/N) with x = n/N.
func merging() *ctmc.Model {
	m, err := ctmc.NewModel(1,
		ctmc.Transition{Name: "arrives", Change: []int64{1}, Rate: ctmc.Polynomial{{Coefficient: 1}}},
		ctmc.Transition{Name: "merges", Change: []int64{-1},
			Rate:  ctmc.Polynomial{{Coefficient: 1, Powers: []int{2}}},
			OverN: ctmc.Polynomial{{Coefficient: -1, Powers: []int{1}}},
		},
	)
	if err != nil {
		log.Fatal(err)
	}
	return m
}

// The size expansion of a population of one's own. The exact mean of merging
// particles is I0(2N)/I1(2N) = 1 + 1/(4N) + 3/(32N²) + ...
func ExampleRefinePopulation() {
	r, err := meanfield.RefinePopulation(context.Background(), merging(), []float64{0.5}, 10, 2)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.6f + %.6f/N + %.6f/N², %.4f at N = 10\n", r.Limit[0], r.Correction1[0], r.Correction2[0], r.Order2[0])
	fmt.Printf("N Var -> %.4f, gap %.4f\n", r.Covariance.At(0, 0), r.Gap)
	// Output:
	// 1.000000 + 0.250000/N + 0.093750/N², 1.0259 at N = 10
	// N Var -> 0.5000, gap 2.0000
}

// Its fluid limit x' = 1 - x² is tanh t from 0.
func ExampleNewPopulationDynamics() {
	problem := meanfield.NewPopulationDynamics(merging()).Problem()
	s, err := ode.Integrate(context.Background(), problem, 0, []float64{0}, 1, ode.Settings{RelTol: 1e-10, AbsTol: 1e-12})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.8f\n", s.State[0])
	// Output: 0.76159416
}

// Equilibrium and eigenvalue: x = 1 and -2x.
func ExamplePopulationSpectrum() {
	at, err := meanfield.PopulationEquilibrium(context.Background(), merging(), []float64{0})
	if err != nil {
		log.Fatal(err)
	}
	modes, err := meanfield.PopulationSpectrum(merging(), at)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.6f %.6f\n", at[0], modes.Eigenvalues[0].Re)
	// Output: 1.000000 -2.000000
}

// Fluctuations along time: a server without waiting room is busy with probability
// p = (1 - e^{-2t})/2 at load 1, the fraction of busy ones has variance p(1-p)/N.
func ExampleRefineTrajectory() {
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
