package meanfield_test

import (
	"context"
	"fmt"
	"log"

	"qlimit/coxian"
	"qlimit/ctmc"
	"qlimit/meanfield"
)

// The many-server limit of power-of-two choices: s_i = λ^(2^i - 1).
func ExampleEquilibrium() {
	exponential := coxian.Dist{Mu1: 1, Mu2: 1}
	f, err := meanfield.Equilibrium(ctmc.System{Load: 0.9, Service: exponential, Policy: ctmc.PowerOfD(2, true)})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("mean jobs %.8f, s_2 = %.4f, s_3 = %.7f\n", f.MeanJobs, f.Tail[1], f.Tail[2])
	// Output: mean jobs 2.35265164, s_2 = 0.7290, s_3 = 0.4782969
}

// Its corrections of order 1/N and 1/N² for ten servers.
func ExampleRefine() {
	exponential := coxian.Dist{Mu1: 1, Mu2: 1}
	system := ctmc.System{Servers: 10, Load: 0.9, Service: exponential, Policy: ctmc.PowerOfD(2, true)}
	r, err := meanfield.Refine(context.Background(), system, 2)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.4f + %.4f/N + %.3f/N² = %.4f\n", r.MeanJobsLimit, r.Correction1, r.Correction2, r.MeanJobsOrder2)
	// Output: 2.3527 + 3.9864/N + 5.323/N² = 2.8045
}
