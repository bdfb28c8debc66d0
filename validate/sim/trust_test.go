package sim

import (
	"context"
	"math"
	"testing"

	"qlimit/ctmc"
)

// TestUnseenStates: at load 5 hardly a server is ever below its last but one
// job. The control variates then fit mean jobs without error, to 3, in about
// half of the runs. Exact values by the chain (GTH).
func TestUnseenStates(t *testing.T) {
	for _, system := range []ctmc.System{
		{Servers: 10, Load: 5, Buffer: 3, Service: exponential, Policy: ctmc.JSQ()},
		{Servers: 10, Load: 5, Buffer: 3, Service: erlang2, Policy: ctmc.JSQ()},
		{Servers: 5, Load: 20, Buffer: 5, Service: scv2, Policy: ctmc.JSQ()},
	} {
		solved, err := ctmc.SolveStationary(context.Background(), system, ctmc.SolverSettings{}, 0)
		if err != nil {
			t.Fatal(err)
		}
		for seed := uint64(1); seed <= 15; seed++ {
			r, err := Run(context.Background(), system, Settings{Seed: seed, Events: 2e4})
			if err != nil {
				t.Fatal(err)
			}
			if off := math.Abs(r.MeanJobs.Value - solved.MeanJobs); off > 4*r.MeanJobs.HalfWidth {
				t.Errorf("%v, seed %d: %.12g ± %.2g, exact %.12g (%+v)", system, seed, r.MeanJobs.Value, r.MeanJobs.HalfWidth, solved.MeanJobs, r.Controls)
			}
		}
	}
}
