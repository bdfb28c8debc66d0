package validate

import (
	"context"
	"math"
	"testing"

	"qlimit/coxian"
	"qlimit/ctmc"
	"qlimit/stein"
	"qlimit/validate/sim"
)

// TestExplicitBoundsAgainstSimulation: where the conditions of the explicit
// bounds hold the chain is out of reach; a simulation lies within the interval.
func TestExplicitBoundsAgainstSimulation(t *testing.T) {
	const servers = 200_000
	for _, c := range []struct {
		law    coxian.Dist
		policy ctmc.Policy
	}{
		{coxian.Dist{Mu1: 1, P: 0, Mu2: 1}, ctmc.JSQ()},
		{coxian.Dist{Mu1: 2, P: 0.5, Mu2: 1}, ctmc.JIQ()},
		{coxian.Dist{Mu1: 1, P: 0, Mu2: 1}, ctmc.PowerOfD(2000, false)},
	} {
		b, err := stein.Solve(stein.Problem{Servers: servers, Scaling: stein.LoadExponent(0.25), Buffer: 2, Service: c.law, Policy: c.policy})
		if err != nil {
			t.Fatal(err)
		}
		tail, second := fluidTails(b.System)
		r, err := sim.Run(context.Background(), b.System, sim.Settings{Seed: 5, Threads: 2, Replications: 4, Events: 3e6, Start: sim.RoundedStart(servers, tail, second)})
		if err != nil {
			t.Fatal(err)
		}
		e := &b.Explicit
		if !e.MeanJobs.Known {
			t.Fatalf("%s: no bound: %s", b.System, e.MeanJobs.Reason)
		}
		for name, upper := range map[string]stein.Bound{"explicit": e.MeanJobs, "best": b.Best.MeanJobs.Bound} {
			jobs := r.Plain.MeanJobs
			// The run covers few service times: allow for the spread of X itself,
			// about √(λ/N).
			if slack := 4 * math.Sqrt(b.System.Load/servers); jobs.Value > upper.Value+slack || jobs.Value < b.Lower.MeanJobs-slack {
				t.Errorf("%s: %s mean within [%g, %g], simulated %g ± %g", b.System, name, b.Lower.MeanJobs, upper.Value, jobs.Value, slack)
			}
		}
		for name, upper := range map[string]stein.Bound{"explicit by work": e.WaitProbByWork, "best": b.Best.WaitProb.Bound} {
			wait := r.Plain.WaitProb
			if slack := 4 * wait.StandardError; upper.Known && wait.Value > upper.Value+slack {
				t.Errorf("%s: %s P(wait) <= %g, simulated %g ± %g", b.System, name, upper.Value, wait.Value, slack)
			}
		}
	}
}
