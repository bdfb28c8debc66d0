package ctmc

import (
	"context"
	"math"
	"testing"

	"qlimit/coxian"
)

func exponential() coxian.Dist { return coxian.Dist{Mu1: 1, P: 0, Mu2: 1} }

// TestUnlimitedBufferValues holds systems with an unlimited buffer against
// values from the literature and other software: the mean number of jobs in
// the system. JIQ with two servers has the closed form
// 2ρ(1+ρ)/((1-ρ)(1+2ρ)).
func TestUnlimitedBufferValues(t *testing.T) {
	jiqTwoServers := func(rho float64) float64 { return 2 * rho * (1 + rho) / ((1 - rho) * (1 + 2*rho)) }
	cases := []struct {
		policy    Policy
		servers   int64
		load      float64
		jobs, tol float64
	}{
		{JSQ(), 2, .5, 1.42632075117, 1e-10},
		{JSQ(), 2, .7, 2.95147618358, 1e-10},
		{JSQ(), 2, .9, 9.85484307834, 1e-9},
		{JSQ(), 2, .95, 19.924613742, 4e-9},
		{JSQ(), 3, .5, 1.86725378646, 1e-10},
		{JSQ(), 3, .9, 10.75253937, 1e-8},
		{JSQ(), 5, .5, 2.77160324599, 1e-10},
		{PowerOfD(2, true), 2, .9, 10.55643277, 1e-8},
		{JIQ(), 2, .5, jiqTwoServers(.5), 1e-9},
		{JIQ(), 2, .9, jiqTwoServers(.9), 1e-9},
		// One server: M/M/1, whatever the policy.
		{JSQ(), 1, .9, 9, 1e-9},
		{Random(), 1, .5, 1, 1e-10},
	}
	for _, c := range cases {
		s := System{Servers: c.servers, Load: c.load, Service: exponential(), Policy: c.policy}
		r, err := SolveStationary(context.Background(), s, SolverSettings{}, 0)
		if err != nil {
			t.Fatalf("%v: %v", s, err)
		}
		if got := r.MeanJobs * float64(c.servers); math.Abs(got-c.jobs) > c.tol {
			t.Errorf("%v: mean jobs in system %.12g, want %.12g (buffer %d, block %g)", s, got, c.jobs, r.System.Buffer, r.BlockProb)
		}
		if !r.Truncated || r.BlockProb != 0 || r.Truncation.Neglected > 1e-12 {
			t.Errorf("%v: truncated=%v loss=%g neglected %g", s, r.Truncated, r.BlockProb, r.Truncation.Neglected)
		}
		if jobs := c.jobs / float64(c.servers); r.Truncation.Certified && (r.Truncation.Lower > jobs+c.tol || r.Truncation.Upper < jobs-c.tol) {
			t.Errorf("%v: %.12g outside the bounds %.12g, %.12g", s, jobs, r.Truncation.Lower, r.Truncation.Upper)
		}
	}
}
