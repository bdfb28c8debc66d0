//go:build long

package sim

import (
	"context"
	"math"
	"testing"

	"qlimit/coxian"
	"qlimit/ctmc"
)

const seeds = 400

// coverage counts how many of 400 intervals of the mean number of jobs hold
// the truth; truthError is the standard error of the truth itself.
func coverage(t *testing.T, s ctmc.System, settings Settings, truth, truthError float64) {
	t.Helper()
	covered, unwarned := 0, 0
	width := 0.0
	for seed := uint64(1); seed <= seeds; seed++ {
		settings.Seed = seed
		r, err := Run(context.Background(), s, settings)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(r.MeanJobs.Value-truth) <= r.MeanJobs.HalfWidth+truthError {
			covered++
		}
		if len(r.Warnings) == 0 {
			unwarned++
		}
		width += r.MeanJobs.HalfWidth / seeds
	}
	percent := 100 * float64(covered) / seeds
	t.Logf("%v, %.3g events: covered %.2f%%, mean half width %.3g of %.6g, %d runs without warnings", s, float64(settings.Events), percent, width, truth, unwarned)
	if percent < 92 || percent > 98 {
		t.Errorf("%v: 95%% intervals cover %.2f%%", s, percent)
	}
}

// TestCoverageExact: systems whose exact value is known from the chain.
func TestCoverageExact(t *testing.T) {
	for _, s := range []ctmc.System{
		{Servers: 10, Load: .9, Buffer: 4, Service: exponential, Policy: ctmc.JSQ()},
		{Servers: 5, Load: .9, Buffer: 4, Service: scv2, Policy: ctmc.PowerOfD(2, false)},
		{Servers: 2, Load: .9, Service: exponential, Policy: ctmc.JIQ()},
	} {
		exact, err := ctmc.SolveStationary(context.Background(), s, ctmc.SolverSettings{}, 0)
		if err != nil {
			t.Fatal(err)
		}
		coverage(t, s, Settings{Events: 5e5}, exact.MeanJobs, 0)
	}
}

// TestCoveragePrecision: runs that stop by themselves at two percent.
func TestCoveragePrecision(t *testing.T) {
	s := ctmc.System{Servers: 5, Load: .9, Buffer: 4, Service: scv2, Policy: ctmc.PowerOfD(2, false)}
	exact, err := ctmc.SolveStationary(context.Background(), s, ctmc.SolverSettings{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	coverage(t, s, Settings{Events: 2e7, Precision: .02}, exact.MeanJobs, 0)
}

// TestCoverageSlowSystem: power-of-two, 100 servers, scv 10, load .9: runs
// that start empty and end too early are badly biased here.
func TestCoverageSlowSystem(t *testing.T) {
	s := ctmc.System{Servers: 100, Load: .9, Service: coxian.Dist{Mu1: 2, P: .05, Mu2: .1}, Policy: ctmc.PowerOfD(2, false)}
	truth, err := Run(context.Background(), s, Settings{Seed: 1 << 40, Events: 3e9})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("truth %.5g ± %.2g", truth.MeanJobs.Value, truth.MeanJobs.HalfWidth)
	coverage(t, s, Settings{Events: 4e6}, truth.MeanJobs.Value, truth.MeanJobs.StandardError)
}
