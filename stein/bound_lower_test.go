package stein

import (
	"context"
	"math"
	"testing"

	"qlimit/coxian"
	"qlimit/ctmc"
)

// TestPooledWithLimit: M/M/N with room for Nb jobs, by its birth-death chain
// term by term.
func TestPooledWithLimit(t *testing.T) {
	for _, n := range []int{1, 3, 10, 200} {
		for _, b := range []int{2, 3, 10} {
			for _, load := range []float64{0.01, 0.5, 0.99, 1 - 1e-9, 1, 1 + 1e-7, 1.2, 5} {
				weight, total, jobs, waiting := 1.0, 1.0, 0.0, 0.0
				for k := 1; k <= n*b; k++ {
					weight *= load * float64(n) / float64(min(k, n))
					total += weight
					jobs += float64(k) * weight
					waiting += float64(max(k-n, 0)) * weight
					if total > 1e200 {
						weight, total, jobs, waiting = weight/1e200, total/1e200, jobs/1e200, waiting/1e200
					}
				}
				wantJobs, wantWaiting := jobs/total/float64(n), waiting/total/float64(n)
				gotJobs, gotWaiting := pooledWithLimit(float64(n), load, float64(b))
				if relative(gotJobs, wantJobs) > 1e-10 || math.Abs(gotWaiting-wantWaiting) > 1e-10*wantWaiting+1e-300 {
					t.Errorf("N = %d, b = %d, load %g: %.15g, want %.15g; waiting %.15g, want %.15g", n, b, load, gotJobs, wantJobs, gotWaiting, wantWaiting)
				}
			}
		}
	}
}

// TestLowerBounds: below the exact values for every policy and law, loads up
// to 1.5.
func TestLowerBounds(t *testing.T) {
	for _, s := range smallSystems(t) {
		if s.Buffer < 2 {
			continue
		}
		for _, load := range []float64{0.3, 0.9, 1, 1.5} {
			s.Load = load
			exact, err := ctmc.SolveStationary(context.Background(), s, ctmc.SolverSettings{Tolerance: 1e-14}, 0)
			if err != nil {
				t.Fatal(err)
			}
			p := Problem{Servers: s.Servers, Scaling: FixedLoad(load), Buffer: s.Buffer, Service: s.Service, Policy: s.Policy}
			m := newModel(p)
			// With and without knowing how much is lost.
			for _, block := range []Bound{unknown(1, "unknown"), known(exact.BlockProb, 1), known(1.5*exact.BlockProb, 1)} {
				low := m.lower(block, s.Service.Mean())
				wait := exact.MeanResponse - s.Service.Mean()
				const rounding = 1e-9
				if low.MeanJobs > exact.MeanJobs+rounding || low.WaitProb > exact.WaitProb+rounding || low.MeanWait > wait+rounding {
					t.Errorf("%s: lower %+v, exact jobs %g, P(wait) %g, wait %g", s, low, exact.MeanJobs, exact.WaitProb, wait)
				}
			}
		}
	}
	// The loss of a shared waiting line cannot be larger than the bound allows:
	// at N = 1 pooling is exact.
	s := ctmc.System{Servers: 1, Load: 0.8, Buffer: 30, Service: coxian.Dist{Mu1: 1, P: 0, Mu2: 1}, Policy: ctmc.JSQ()}
	exact, err := ctmc.SolveStationary(context.Background(), s, ctmc.SolverSettings{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	p := Problem{Servers: 1, Scaling: FixedLoad(0.8), Buffer: 30, Service: s.Service, Policy: s.Policy}
	if low := newModel(p).lower(unknown(1, "unknown"), 1); relative(low.MeanJobs, exact.MeanJobs) > 1e-9 {
		t.Errorf("M/M/1/30: %g, exact %g", low.MeanJobs, exact.MeanJobs)
	}
}
