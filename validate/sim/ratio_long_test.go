//go:build long

package sim

import (
	"context"
	"testing"

	"qlimit/coxian"
	"qlimit/ctmc"
	"qlimit/meanfield"
)

// TestVarianceRatioTable prints the table of docs/simulation.md: half widths in
// percent and variance ratios of runs of 2e7 events from the start that the
// command chooses, with the generator's controls, the coupled queue alone and
// both.
func TestVarianceRatioTable(t *testing.T) {
	policies := []ctmc.Policy{ctmc.JSQ(), ctmc.JIQ(), ctmc.I1F(), ctmc.PowerOfD(2, false)}
	for _, law := range []coxian.Dist{exponential, scv2} {
		for _, size := range []struct {
			servers int64
			load    float64
		}{{10, .9}, {100, .9}, {100, .99}, {100, .999}, {1000, .99}} {
			for _, p := range policies {
				s := ctmc.System{Servers: size.servers, Load: size.load, Service: law, Policy: p}
				start := startOf(s)
				if f, err := meanfield.Equilibrium(s); err == nil && start.law == nil {
					start = RoundedStart(s.Servers, f.Tail, f.TailPhase2)
				}
				var ratio [3]float64
				var r *Result
				for k, controls := range []Controls{ControlsPooled, ControlsAll, ControlsGenerator} {
					var err error
					if r, err = Run(context.Background(), s, Settings{Seed: 1, Events: 2e7, Controls: controls, Start: start}); err != nil {
						t.Fatal(err)
					}
					if r.Controls.Used {
						ratio[k] = r.Controls.VarianceRatio
					}
				}
				percent := func(width float64) float64 { return 100 * width / r.MeanJobs.Value }
				t.Logf("| %s, N = %d, load %g, scv %.0f | %.6g | %.2g | %.2g | %.2g | %.2g | %.2g |", p, s.Servers, s.Load, law.SCV(), r.MeanJobs.Value,
					percent(r.Plain.MeanJobs.HalfWidth), percent(r.MeanJobs.HalfWidth), ratio[2], ratio[0], ratio[1])
			}
		}
	}
}
