package sim

import (
	"context"
	"math"
	"testing"

	"qlimit/ctmc"
	"qlimit/validate/estimate"
)

// TestCompareAgainstExactChain: values and differences of coupled systems
// within 4.5 standard errors of the exact ones, and the differences narrower
// than independent runs would give them.
func TestCompareAgainstExactChain(t *testing.T) {
	for _, base := range []ctmc.System{
		{Servers: 5, Load: .9, Buffer: 3, Service: exponential},
		{Servers: 4, Load: .9, Buffer: 3, Service: scv2},
	} {
		var systems []ctmc.System
		var exact []*ctmc.Stationary
		for _, policy := range []ctmc.Policy{ctmc.JSQ(), ctmc.JIQ(), ctmc.PowerOfD(2, false)} {
			s := base
			s.Policy = policy
			solved, err := ctmc.SolveStationary(context.Background(), s, ctmc.SolverSettings{}, 0)
			if err != nil {
				t.Fatal(err)
			}
			systems, exact = append(systems, s), append(exact, solved)
		}
		for _, controls := range []Controls{ControlsOn, ControlsOff} {
			r, err := Compare(context.Background(), systems, nil, Settings{Seed: 11, Events: 6e5, Controls: controls})
			if err != nil {
				t.Fatal(err)
			}
			near := func(what string, e estimate.Estimate, want float64) {
				t.Helper()
				if math.Abs(e.Value-want) > 4.5*e.StandardError || e.HalfWidth > .03 {
					t.Errorf("%v, %s: %.5g ± %.2g, exact %.5g", base, what, e.Value, e.HalfWidth, want)
				}
			}
			for i, m := range r.Measures {
				near("jobs", m.MeanJobs, exact[i].MeanJobs)
				near("wait", m.WaitProb, exact[i].WaitProb)
			}
			for _, p := range r.Pairs {
				near("difference of jobs", p.MeanJobs.Estimate, exact[p.First].MeanJobs-exact[p.Second].MeanJobs)
				near("difference of response", p.MeanResponse.Estimate, exact[p.First].MeanResponse-exact[p.Second].MeanResponse)
				near("difference of P(block)", p.BlockProb.Estimate, exact[p.First].BlockProb-exact[p.Second].BlockProb)
				near("difference of P(wait)", p.WaitProb.Estimate, exact[p.First].WaitProb-exact[p.Second].WaitProb)
				if controls == ControlsOff && p.MeanJobs.Gain < 1.5 {
					t.Errorf("%v: common random numbers gain a factor %.2g only", base, p.MeanJobs.Gain)
				}
			}
			// JIQ has fewer jobs because it loses more of them, and that is said.
			if p := r.Pairs[0]; p.MeanJobs.Better != 1 || p.BlockProb.Better != 0 || p.BlockProb.Confidence < .999 || len(r.Warnings) == 0 {
				t.Errorf("JSQ against JIQ: %+v, warnings %v", p, r.Warnings)
			}
		}
	}
}

// TestCompareWithItself: the difference is exactly 0 and nobody is better.
func TestCompareWithItself(t *testing.T) {
	s := ctmc.System{Servers: 10, Load: .9, Service: scv2, Policy: ctmc.JSQ()}
	r, err := Compare(context.Background(), []ctmc.System{s, s}, nil, Settings{Seed: 1, Events: 1e5})
	if err != nil {
		t.Fatal(err)
	}
	d := r.Pairs[0].MeanJobs
	if d.Value != 0 || d.Better != -1 || d.Confidence != 0 {
		t.Errorf("a system against itself: %+v", d)
	}
}

// TestCompareRefusals: systems that cannot share their arrivals.
func TestCompareRefusals(t *testing.T) {
	s := ctmc.System{Servers: 10, Load: .9, Service: exponential, Policy: ctmc.JSQ()}
	other := s
	other.Load = .8
	for _, systems := range [][]ctmc.System{nil, {s}, {s, other}, {s, {}}} {
		if _, err := Compare(context.Background(), systems, nil, Settings{}); err == nil {
			t.Errorf("%v accepted", systems)
		}
	}
}
