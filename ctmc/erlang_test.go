package ctmc

import (
	"math"
	"testing"
)

// TestErlangIntegral: the integral about the peak and the sum of positive terms
// are two routes to 1/B.
func TestErlangIntegral(t *testing.T) {
	for _, n := range []int64{1, 2, 10, 171, 1000, 30_000} {
		for _, spare := range []float64{0.9, 0.5, 0.1, 0.01, 1e-3, 1e-6} {
			want := 1 / ErlangB(n, (1-spare)*float64(n))
			got := inverseErlangB(float64(n), spare)
			if math.IsInf(want, 1) || got > 1e290 {
				continue
			}
			if math.Abs(got/want-1) > 2e-13 {
				t.Errorf("N=%d, 1-load %g: 1/B %.15g by the integral, %.15g by the sum", n, spare, got, want)
			}
		}
	}
}

// TestErlangAtManyServers: with N(1-load) = β√N Erlang's C tends to
// (1 + βΦ(β)/φ(β))^-1 with an error of order 1/√N (S. Halfin and W. Whitt,
// Oper. Res. 29, 1981); 0.2233612748 at β = 1.
func TestErlangAtManyServers(t *testing.T) {
	for _, c := range []struct {
		servers int64
		error   float64
	}{{1e6, 1e-3}, {1e10, 1e-5}, {1e15, 1e-7}} {
		root := math.Sqrt(float64(c.servers))
		q := Pooled{Servers: c.servers, Offered: float64(c.servers) - root, Idle: root}
		got := q.WaitProbability()
		if math.Abs(got-0.2233612748) > c.error {
			t.Errorf("N=%d: P(wait) = %.12g, want 0.2233612748 within %g", c.servers, got, c.error)
		}
		if err := q.Validate(); err != nil {
			t.Error(err)
		}
	}
	if got := PooledAt(1e15, 0.5).WaitProbability(); got != 0 {
		t.Errorf("P(wait) at half load with 1e15 servers is %g, want 0 (below 1e-308)", got)
	}
	// Load 1 - 1e-12: 1 - load is known to 4 digits only through load, and all
	// of them must arrive: 1/(1 - load) jobs wait at one server.
	load := 1 - 1e-12
	if got := PooledAt(1, load).MeanJobs(); math.Abs(got*(1-load)/load-1) > 1e-14 {
		t.Errorf("M/M/1 at load 1 - 1e-12: %.17g", got)
	}
}
