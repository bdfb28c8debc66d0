//go:build long

package ctmc

import (
	"context"
	"math"
	"testing"
)

// TestLargeUnlimitedBufferValues: mean number of jobs in the system from other
// software, as precise as they are known here.
func TestLargeUnlimitedBufferValues(t *testing.T) {
	for _, c := range []struct {
		policy    Policy
		servers   int64
		load      float64
		jobs, tol float64
	}{
		{JSQ(), 10, .5, 5.12085626128, 1e-9},
		{JSQ(), 5, .8, 7.01753798, 2e-7},
		{JSQ(), 10, .7, 8.120766104, 1e-8},
		{JSQ(), 10, .8, 10.8465882, 3e-7},
		{PowerOfD(2, true), 10, .7, 12.19135410, 3e-8},
		// Simulation: 2.139 jobs per server.
		{JSQ(), 100, .99, 213.9, 0.05},
	} {
		s := System{Servers: c.servers, Load: c.load, Service: exponential(), Policy: c.policy}
		r, err := SolveStationary(context.Background(), s, SolverSettings{}, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := r.MeanJobs * float64(c.servers); math.Abs(got-c.jobs) > c.tol {
			t.Errorf("%v: mean jobs in system %.12g, want %.12g", s, got, c.jobs)
		}
		if c.policy.Depth == AllLevels && !r.Truncation.Certified {
			t.Errorf("%v: not certified", s)
		}
	}
}
