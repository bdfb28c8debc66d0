//go:build long

package sim

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"qlimit/coxian"
	"qlimit/ctmc"
)

// TestCoverageFinite: random small systems with a buffer, from light load to
// twentyfold overload, in short runs. States that such a run never sees make
// control variates say nonsense with great confidence.
func TestCoverageFinite(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 6))
	runs, covered, gross := 0, 0, 0
	for range 200 {
		s := ctmc.System{
			Servers: []int64{2, 3, 5, 10}[r.IntN(4)], Load: []float64{.3, .7, .9, 1, 1.2, 2, 5, 20}[r.IntN(8)], Buffer: 2 + r.IntN(4),
			Service: []coxian.Dist{exponential, scv2, erlang2}[r.IntN(3)],
			Policy:  []ctmc.Policy{ctmc.JSQ(), ctmc.JIQ(), ctmc.I1F(), ctmc.PowerOfD(2, false), ctmc.PowerOfD(1, false)}[r.IntN(5)],
		}
		if ctmc.CountStates(s.Servers, s.Buffer, s.Phases()) > 2e5 {
			continue
		}
		exact, err := ctmc.SolveStationary(context.Background(), s, ctmc.SolverSettings{}, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, events := range []int64{2e4, 1e5} {
			for seed := uint64(1); seed <= 20; seed++ {
				found, err := Run(context.Background(), s, Settings{Seed: seed, Events: events, Start: startOf(s)})
				if err != nil {
					t.Fatal(err)
				}
				runs++
				off, width := math.Abs(found.MeanJobs.Value-exact.MeanJobs), found.MeanJobs.HalfWidth
				covered += one(off <= width+1e-12*exact.MeanJobs)
				if off > 4*width+1e-11*exact.MeanJobs {
					gross++
					t.Logf("%v, %g events, seed %d: %.10g ± %.2g, exact %.10g, plain %.8g ± %.2g; %+v", s, float64(events), seed,
						found.MeanJobs.Value, width, exact.MeanJobs, found.Plain.MeanJobs.Value, found.Plain.MeanJobs.HalfWidth, found.Controls)
				}
			}
		}
	}
	t.Logf("%d runs: %d covered, %d off by more than four half widths", runs, covered, gross)
	if part := float64(covered) / float64(runs); part < .93 {
		t.Errorf("95%% intervals cover %.2f%%", 100*part)
	}
	if gross > runs/300 {
		t.Errorf("%d of %d estimates are off by more than four half widths", gross, runs)
	}
}
