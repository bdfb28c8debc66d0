package ctmc

import (
	"context"
	"math"
	"testing"
)

// TestCertifiedBounds: coarse sets give bounds far apart, and the true mean, of
// a fine set, lies between them.
func TestCertifiedBounds(t *testing.T) {
	for _, s := range []System{
		{Servers: 2, Load: .9, Service: exponential(), Policy: JSQ()},
		{Servers: 3, Load: .8, Service: exponential(), Policy: JSQ()},
		{Servers: 3, Load: .3, Service: exponential(), Policy: JSQ()},
	} {
		fine := solve(t, s)
		widths := 0.0
		for _, states := range []int64{150, 400, 1200, 3000} {
			r, err := SolveStationary(context.Background(), s, SolverSettings{}, states)
			if err != nil {
				continue // too few states for an answer
			}
			c := r.Truncation
			if !c.Certified {
				continue
			}
			widths = math.Max(widths, c.Upper-c.Lower)
			if slack := 1e-11 * fine.MeanJobs; c.Lower > fine.MeanJobs+slack || c.Upper < fine.MeanJobs-slack || c.Lower > c.Upper {
				t.Errorf("%v, %d states: bounds %.13g, %.13g, mean %.13g", s, r.States, c.Lower, c.Upper, fine.MeanJobs)
			}
		}
		if widths == 0 {
			t.Errorf("%v: no coarse set was certified", s)
		}
	}
}

// TestTruncatedStarts: service without a direct way out of phase 1, high
// variability, loads near 0 and 1, a single server.
func TestTruncatedStarts(t *testing.T) {
	for _, c := range []struct {
		system System
		jobs   float64 // per server, 0 for unknown
	}{
		{System{Servers: 1, Load: 1e-100, Service: exponential(), Policy: JSQ()}, 1e-100},
		{System{Servers: 1, Load: .99, Service: erlang2(), Policy: Random()}, .99 + .99*.99*1.5/2/.01},
		{System{Servers: 3, Load: .5, Service: erlang2(), Policy: JSQ()}, 0},
		{System{Servers: 1, Load: .5, Service: scv10(), Policy: JIQ()}, .5 + .25*11/2/.5},
	} {
		r := solve(t, c.system)
		if r.Law.Status != Converged || c.jobs > 0 && math.Abs(r.MeanJobs-c.jobs) > 1e-8*c.jobs {
			t.Errorf("%v: mean %.12g, want %.12g (%v)", c.system, r.MeanJobs, c.jobs, r.Law.Status)
		}
		busy := 0.0
		for _, q := range r.Occupancy[1:] {
			busy += q
		}
		if math.Abs(busy-c.system.Load) > 1e-9*c.system.Load {
			t.Errorf("%v: busy %.12g", c.system, busy)
		}
	}
}
