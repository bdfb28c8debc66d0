package meanfield_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"qlimit/coxian"
	"qlimit/ctmc"
	"qlimit/meanfield"
	"qlimit/meanfield/ode"
)

// Two jobs at every server and join-the-shortest-queue: while no server is idle
// the jobs per server fall at the rate 1 - load, until 1.1 are left at time 9.
func ExampleTrajectory() {
	exponential := coxian.Dist{Mu1: 1, Mu2: 1}
	system := ctmc.System{Load: 0.9, Service: exponential, Policy: ctmc.JSQ()}
	start, err := meanfield.ParseStart("jobs=2", system)
	if err != nil {
		log.Fatal(err)
	}
	path, err := meanfield.Trajectory(context.Background(), system, start, []float64{0, 5, 20}, ode.Settings{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("jobs %.4f, idle %.4f\n", path.Jobs[:2], path.Idle[:2])
	for _, change := range path.RegimeChanges {
		fmt.Printf("at %.4f: %v\n", change.Time, change.To)
	}
	// Output:
	// jobs [2.0000 1.5000], idle [0.0000 0.0000]
	// at 9.0000: level 0 takes the arrivals
}

// A start by classes, level.phase:fraction.
func ExampleParseStart() {
	exponential := coxian.Dist{Mu1: 1, Mu2: 1}
	system := ctmc.System{Load: 0.9, Service: exponential, Policy: ctmc.JSQ()}
	q, err := meanfield.ParseStart("0:0.5,3:0.5", system)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(q)
	_, err = meanfield.ParseStart("0:0.5,3:0.6", system)
	fmt.Println(err != nil)

	file, err := meanfield.ReadStart(strings.NewReader("level,phase,fraction\n0,,0.5\n3,1,0.5\n"), system)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(file)
	// Output:
	// [0.5 0 0 0.5]
	// true
	// [0.5 0 0 0.5]
}

// The second route to an equilibrium: follow the fluid, then Newton's method.
func ExampleEquilibriumByIntegration() {
	exponential := coxian.Dist{Mu1: 1, Mu2: 1}
	system := ctmc.System{Load: 0.9, Service: exponential, Policy: ctmc.PowerOfD(2, true)}
	e, err := meanfield.EquilibriumByIntegration(context.Background(), system, nil, ode.Settings{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("mean jobs %.8f, error below 1e-10: %v\n", e.MeanJobs, e.ErrorBound < 1e-10)
	// Output: mean jobs 2.35265164, error below 1e-10: true
}

// Do all starts end in the same equilibrium? Evidence, not a proof.
func ExampleScanStability() {
	exponential := coxian.Dist{Mu1: 1, Mu2: 1}
	system := ctmc.System{Load: 0.7, Buffer: 3, Service: exponential, Policy: ctmc.PowerOfD(2, true)}
	scan, err := meanfield.ScanStability(context.Background(), system, meanfield.ScanStarts(system, 3, 12, 1))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(scan.Converged, "of", scan.Starts, scan.Kind)
	// Output: 12 of 12 conjecture
}

// How fast is a deviation forgotten? A server without a waiting room relaxes at
// rate 1 + load; servers that idle ones relieve of every job at rate 1.
func ExampleSpectrum() {
	exponential := coxian.Dist{Mu1: 1, Mu2: 1}
	for _, system := range []ctmc.System{
		{Load: 0.9, Buffer: 1, Service: exponential, Policy: ctmc.Random()},
		{Load: 0.9, Service: exponential, Policy: ctmc.JIQ()},
	} {
		modes, err := meanfield.Spectrum(system)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%v: gap %.6f\n", system.Policy, modes.Gap)
	}
	// Output:
	// random: gap 1.900000
	// jiq: gap 1.000000
}

// The drift at a point. All servers hold one job, and so many become idle that
// join-the-shortest-queue sends them everything.
func ExampleDynamics_Drift() {
	exponential := coxian.Dist{Mu1: 1, Mu2: 1}
	system := ctmc.System{Load: 0.9, Buffer: 3, Service: exponential, Policy: ctmc.JSQ()}
	dynamics, err := meanfield.NewDynamics(system, 0, 0)
	if err != nil {
		log.Fatal(err)
	}
	drift := make([]float64, dynamics.Classes())
	regime := dynamics.Drift(dynamics.Uniform(1, 1), drift)
	fmt.Printf("%.2f, level %d receives\n", drift, regime.Receiver)
	// Output: [0.10 -0.10 0.00 0.00], level 0 receives
}

// The fluid of a smooth policy as a problem of one's own for the integrators.
// Without waiting rooms s_1(t) = (1 - e^{-2t})/2 at load 1.
func ExampleSmoothSystem() {
	exponential := coxian.Dist{Mu1: 1, Mu2: 1}
	system := ctmc.System{Load: 1, Buffer: 1, Service: exponential, Policy: ctmc.Random()}
	smooth, err := meanfield.NewSmoothSystem(system, 0)
	if err != nil {
		log.Fatal(err)
	}
	s, err := ode.Integrate(context.Background(), smooth.Problem(), 0, make([]float64, smooth.Dim()), 0.5, ode.Settings{RelTol: 1e-10, AbsTol: 1e-12})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.8f\n", s.State[0])
	// Output: 0.31606028
}

// A dispatcher that remembers one ID of an idle server, half a message per server
// and service: the mean wait at load 0.9 falls from 9 to 1.37 services.
func ExamplePullEquilibrium() {
	exponential := coxian.Dist{Mu1: 1, Mu2: 1}
	system := ctmc.PullSystem{Servers: 1000, Load: 0.9, Service: exponential, Pull: ctmc.PullRule{Memory: 1, Rate: 5}}
	f, err := meanfield.PullEquilibrium(system)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("wait %.6f, messages %.4f\n", f.Delay, f.MessageRate)
	// Output: wait 1.372881, messages 0.5000
}

// The least work of two sampled servers: -log(1 - λ²)/λ² - 1.
func ExampleLeastLoaded() {
	exponential := coxian.Dist{Mu1: 1, Mu2: 1}
	d, err := meanfield.LeastLoaded(2, 0.9, exponential)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("mean wait %.9f, P(wait) %.2f\n", d.MeanWait, d.WaitProb)
	// Output: mean wait 1.050285441, P(wait) 0.81
}

// Servers in turn: one server is M/M/1, many are D/M/1 each.
func ExampleRoundRobin() {
	exponential := coxian.Dist{Mu1: 1, Mu2: 1}
	for _, servers := range []int64{1, 0} {
		d, err := meanfield.RoundRobin(servers, 0.9, exponential)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%.6f (%v)\n", d.MeanWait, d.Kind)
	}
	// Output:
	// 9.000000 (exact)
	// 4.178659 (limit)
}
