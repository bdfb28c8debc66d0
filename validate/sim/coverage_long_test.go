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

// coverage counts how many of 400 intervals hold the truth, for the plain and
// the improved estimates; truthError is the standard error of the truth itself.
func coverage(t *testing.T, s ctmc.System, settings Settings, truth, truthError float64) {
	t.Helper()
	plain, improved, used, unwarned := 0, 0, 0, 0
	plainWidth, width := 0.0, 0.0
	for seed := uint64(1); seed <= seeds; seed++ {
		settings.Seed = seed
		r, err := Run(context.Background(), s, settings)
		if err != nil {
			t.Fatal(err)
		}
		plain += one(math.Abs(r.Plain.MeanJobs.Value-truth) <= r.Plain.MeanJobs.HalfWidth+truthError)
		improved += one(math.Abs(r.MeanJobs.Value-truth) <= r.MeanJobs.HalfWidth+truthError)
		used += one(r.Controls.Used)
		unwarned += one(len(r.Warnings) == 0)
		plainWidth += r.Plain.MeanJobs.HalfWidth / seeds
		width += r.MeanJobs.HalfWidth / seeds
	}
	percent := func(n int) float64 { return 100 * float64(n) / seeds }
	t.Logf("%v, %.3g events, precision %g: covered plain %.2f%%, improved %.2f%%; mean half width %.3g, %.3g of %.6g; controls used in %d, no warnings in %d", s,
		float64(settings.Events), settings.Precision, percent(plain), percent(improved), plainWidth, width, truth, used, unwarned)
	// An estimate without variance, such as that of M/M/1, covers always.
	for name, covered := range map[string]float64{"plain": percent(plain), "improved": percent(improved)} {
		if covered < 92 || covered > 98 && covered < 100 {
			t.Errorf("%v: 95%% intervals of the %s estimate cover %.2f%%", s, name, covered)
		}
	}
}

// TestCoverageExact: systems whose exact value is known from the chain.
func TestCoverageExact(t *testing.T) {
	for _, s := range []ctmc.System{
		{Servers: 10, Load: .9, Buffer: 4, Service: exponential, Policy: ctmc.JSQ()},
		{Servers: 5, Load: .9, Buffer: 4, Service: scv2, Policy: ctmc.PowerOfD(2, false)},
		{Servers: 3, Load: .9, Service: exponential, Policy: ctmc.JSQ()},
		{Servers: 4, Load: 1.2, Buffer: 3, Service: erlang2, Policy: ctmc.I1F()},
		{Servers: 6, Load: .9, Buffer: 5, Service: exponential, Policy: ctmc.JIQ()},
	} {
		exact, err := ctmc.SolveStationary(context.Background(), s, ctmc.SolverSettings{}, 0)
		if err != nil {
			t.Fatal(err)
		}
		coverage(t, s, Settings{Events: 1e6}, exact.MeanJobs, 0)
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
