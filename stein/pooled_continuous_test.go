package stein

import (
	"context"
	"errors"
	"math"
	"testing"

	"qlimit/coxian"
	"qlimit/ctmc"
)

func poolContinuous(t *testing.T, servers int64, load float64, law coxian.Dist) *ContinuousPooling {
	t.Helper()
	p, err := PoolContinuous(servers, 1-load, law)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestPoolContinuousValues: M/M/10 at load .9 has 1.5018583716969276 jobs per
// server; M/G/1 at load .9 has 9, 13.05 and 45.45 jobs for scv 1, 2, 10.
func TestPoolContinuousValues(t *testing.T) {
	if p := poolContinuous(t, 10, .9, exponential); math.Abs(p.Lower-1.5018583716969276) > 1e-13 || p.LowerFrom != CentralQueue {
		t.Errorf("M/M/10: %+v", p)
	}
	for scv, want := range map[float64]float64{1: 9, 2: 13.05, 10: 45.45} {
		law := coxian.Dist{Mu1: 2, P: 1 / (2 * scv), Mu2: 1 / scv}
		for _, n := range []int64{1, 7, 1e15} {
			if p := poolContinuous(t, n, .9, law); math.Abs(p.Fast*float64(n)/want-1) > 1e-12 || p.FastIsBound != (scv <= 1 || n == 1) {
				t.Errorf("scv %g, N=%d: %+v", scv, n, p)
			}
		}
		if p := poolContinuous(t, 1, .9, law); math.Abs(p.Lower/want-1) > 1e-12 {
			t.Errorf("one server, scv %g: %+v", scv, p)
		}
	}
	// Written with other parameters or another mean, the same system.
	same := poolContinuous(t, 10, .9, coxian.Dist{Mu1: 4, P: .5, Mu2: 2})
	if !same.HasCentral || math.Abs(same.Lower-1.5018583716969276) > 1e-13 || math.Abs(same.LowerResponse-.5*1.5018583716969276/.9) > 1e-13 {
		t.Errorf("exponential with mean 1/2: %+v", same)
	}
}

// TestPoolContinuousIsBelow: below the exact mean of every policy, for laws on
// both sides of scv 1. A buffer of 60 jobs loses next to nothing.
func TestPoolContinuousIsBelow(t *testing.T) {
	for _, law := range []coxian.Dist{exponential, {Mu1: 2, P: 1, Mu2: 2}, {Mu1: 2, P: .125, Mu2: .25}} {
		for _, policy := range []ctmc.Policy{ctmc.JSQ(), ctmc.JIQ(), ctmc.PowerOfD(2, false)} {
			for _, load := range []float64{.3, .7} {
				system := ctmc.System{Servers: 2, Load: load, Buffer: 60, Service: law, Policy: policy}
				exact, err := ctmc.SolveStationary(context.Background(), system, ctmc.SolverSettings{}, 0)
				if err != nil {
					t.Fatal(err)
				}
				p := poolContinuous(t, 2, load, law)
				if p.Lower > exact.MeanJobs+1e-9 || p.Conserved > exact.MeanJobs+1e-9 || p.FastIsBound && p.Fast > exact.MeanJobs+1e-9 {
					t.Errorf("%v: exact %.10g, bounds %+v", system, exact.MeanJobs, p)
				}
			}
		}
	}
}

// TestFastServerIsNoBound: with scv 20 two servers under JSQ hold fewer jobs
// than one of twice the speed. The claim FastIsBound = false is not idle caution.
func TestFastServerIsNoBound(t *testing.T) {
	law := coxian.Dist{Mu1: 2, P: 1. / 40, Mu2: 1. / 20}
	p := poolContinuous(t, 2, .5, law)
	exact, err := ctmc.SolveStationary(context.Background(), ctmc.System{Servers: 2, Load: .5, Buffer: 120, Service: law, Policy: ctmc.JSQ()}, ctmc.SolverSettings{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	if p.FastIsBound || !(exact.MeanJobs < p.Fast) || !(exact.MeanJobs > p.Lower) || exact.BlockProb > 1e-5 {
		t.Errorf("JSQ %.6g jobs per server, loss %.2g; fast server %.6g, bound %.6g", exact.MeanJobs, exact.BlockProb, p.Fast, p.Lower)
	}
}

func TestPoolContinuousRefusals(t *testing.T) {
	var field *ctmc.FieldError
	for name, f := range map[string]func() (*ContinuousPooling, error){
		"load":    func() (*ContinuousPooling, error) { return PoolContinuous(10, 0, exponential) },
		"Load":    func() (*ContinuousPooling, error) { return PoolContinuous(10, -.2, exponential) },
		"LOAD":    func() (*ContinuousPooling, error) { return PoolContinuous(10, 1, exponential) },
		"servers": func() (*ContinuousPooling, error) { return PoolContinuous(0, .5, exponential) },
		"service": func() (*ContinuousPooling, error) { return PoolContinuous(1, .5, coxian.Dist{}) },
	} {
		if _, err := f(); err == nil || name == "load" && !(errors.As(err, &field) && field.Field == "load") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if p := poolContinuous(t, 1e15, 1-1e-9, exponential); math.Abs(p.Central-1-(p.CentralWait*1e-6-1e-9)) > 1e-12 || math.Abs(p.CentralWait-.96) > 2e-3 {
		t.Errorf("1e15 servers: %+v", p)
	}
}
