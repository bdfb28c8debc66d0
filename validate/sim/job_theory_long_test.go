//go:build long

package sim

import (
	"context"
	"math"
	"testing"

	"qlimit/coxian"
	"qlimit/meanfield"
)

// TestTheoryOfJobs: round robin, least loaded of d and size intervals against
// long simulations, several laws and loads; about ten minutes of processor time,
// -run TestTheoryOfJobs/sita and the like for a part of it.
func TestTheoryOfJobs(t *testing.T) {
	check := func(s JobSystem, settings JobSettings, want, bias float64) {
		t.Run(s.String(), func(t *testing.T) {
			r, err := RunJobs(context.Background(), s, settings)
			if err != nil {
				t.Fatal(err)
			}
			e := r.MeanWait
			t.Logf("%.6f ± %.6f, theory %.6f", e.Value, e.StandardError, want)
			if math.Abs(e.Value-want) > 4*e.StandardError+bias {
				t.Errorf("%.6f ± %.6f (standard error), theory %.6f", e.Value, e.StandardError, want)
			}
		})
	}
	for _, law := range []coxian.Dist{exponential, erlang2, scv2, {Mu1: 2, P: .05, Mu2: .1}} {
		for _, load := range []float64{.5, .9} {
			for _, n := range []int{2, 10} {
				want, err := meanfield.RoundRobin(int64(n), load, law)
				if err != nil {
					t.Fatal(err)
				}
				s := JobSystem{Servers: n, Load: load, Service: CoxianLaw(law), Policy: RoundRobin()}
				check(s, JobSettings{Seed: 21, Jobs: 5e6}, want.MeanWait, 0)
			}
			for _, d := range []int{2, 5} {
				want, err := meanfield.LeastLoaded(int64(d), load, law)
				if err != nil {
					t.Fatal(err)
				}
				// With scv 10 at load 0.9 the start is forgotten after about
				// a thousand service times only: few servers, simulated long.
				const n = 1000
				s := JobSystem{Servers: n, Load: load, Service: CoxianLaw(law), Policy: LeastLoadedOf(d)}
				check(s, JobSettings{Seed: 21, Jobs: 2e7, Replications: 4, WarmUp: 1500}, want.MeanWait, 5*want.MeanWait/n)
			}
		}
	}
	for _, law := range []SizeLaw{CoxianLaw(scv2), must(BoundedPareto(1.5, 1, 1e3)), must(BoundedPareto(1.1, 1, 100))} {
		for _, n := range []int{2, 5, 20} {
			s := JobSystem{Servers: n, Load: .8, Service: law, Policy: SizeInterval()}
			_, want, err := SizeIntervals(law, n, s.ArrivalRate())
			if err != nil {
				t.Fatal(err)
			}
			check(s, JobSettings{Seed: 21, Jobs: 5e6}, want, 0)
		}
	}
}
