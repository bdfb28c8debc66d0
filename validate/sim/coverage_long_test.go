//go:build long

package sim

import (
	"context"
	"math"
	"strings"
	"testing"

	"qlimit/coxian"
	"qlimit/ctmc"
)

const seeds = 400

// coverage counts how many of 400 intervals hold the truth, for the plain and
// the improved estimates; truthError is the standard error of the truth itself.
func coverage(t *testing.T, s ctmc.System, settings Settings, truth, truthError float64) {
	t.Helper()
	plain, improved, used, unwarned, doubtful := 0, 0, 0, 0, 0
	plainError, improvedError := 0.0, 0.0 // sums of squares
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
		doubtful += one(len(r.Plain.MeanJobs.Warnings) > 0)
		if own := r.Plain.MeanJobs.Warnings; r.Duration < dwellingTimes*r.Plan.AutocorrelationTime && !strings.Contains(strings.Join(own, ";"), "began") {
			t.Errorf("%v, seed %d: no warning with plain averages of a run that is too short for them: %q", s, seed, own)
		}
		plainWidth += r.Plain.MeanJobs.HalfWidth / seeds
		width += r.MeanJobs.HalfWidth / seeds
		plainError += (r.Plain.MeanJobs.Value - truth) * (r.Plain.MeanJobs.Value - truth) / seeds
		improvedError += (r.MeanJobs.Value - truth) * (r.MeanJobs.Value - truth) / seeds
	}
	percent := func(n int) float64 { return 100 * float64(n) / seeds }
	t.Logf("%v, %.3g events, precision %g: covered plain %.2f%%, improved %.2f%%; mean half width %.3g, %.3g of %.6g; root mean square error %.3g, %.3g, ratio %.3g; controls used in %d, no warnings in %d, plain averages warned of in %d", s,
		float64(settings.Events), settings.Precision, percent(plain), percent(improved), plainWidth, width, truth, math.Sqrt(plainError), math.Sqrt(improvedError), plainError/improvedError, used, unwarned, doubtful)
	// An estimate without variance, such as that of M/M/1, covers always.
	held := map[string]float64{"improved": percent(improved)}
	if truthError == 0 || doubtful < seeds/2 {
		held["plain"] = percent(plain) // else most of these intervals say themselves that the run is too short
	}
	for name, covered := range held {
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
		{Servers: 4, Load: .9, Buffer: 6, Service: scv2, Policy: ctmc.JIQ()},
	} {
		exact, err := ctmc.SolveStationary(context.Background(), s, ctmc.SolverSettings{}, 0)
		if err != nil {
			t.Fatal(err)
		}
		coverage(t, s, Settings{Events: 1e6, Start: startOf(s)}, exact.MeanJobs, 0)
	}
}

// startOf is the start of the command line, but for the mean-field limit.
func startOf(s ctmc.System) Start {
	if law := NearCritical(s); law != nil {
		return law.Start()
	}
	return Start{}
}

// TestCoverageSingleServer: M/G/1, scv 2, load 0.9, 13.05 jobs (Pollaczek and
// Khinchine); improved estimates are exact there, up to the error of rounding.
func TestCoverageSingleServer(t *testing.T) {
	s := ctmc.System{Servers: 1, Load: .9, Service: scv2, Policy: ctmc.JSQ()}
	for _, events := range []int64{1e6, 4e6} {
		coverage(t, s, Settings{Events: events, Start: startOf(s)}, .9+.81*3/.2, 1e-9)
	}
}

// TestCoverageHeavy: runs shorter than the relaxation time of the system, 400
// and 40,000 mean service times for N = 100 at load 0.99 and 0.999. The truth is
// the certified mean of the chain for JSQ at 0.99 (qlimit ctmc stationary: between
// 2.1390067 and 2.1390131), else from runs a thousand times longer.
func TestCoverageHeavy(t *testing.T) {
	for _, c := range []struct {
		system       ctmc.System
		events       int64
		truth, error float64
	}{
		{ctmc.System{Servers: 100, Load: .99, Service: exponential, Policy: ctmc.JSQ()}, 1e6, 2.13901, 4e-6},
		{ctmc.System{Servers: 100, Load: .999, Service: exponential, Policy: ctmc.JSQ()}, 1e6, 11.2060, 3e-4},
		{ctmc.System{Servers: 100, Load: .99, Service: exponential, Policy: ctmc.JIQ()}, 1e6, 2.8760, 4e-4},
		{ctmc.System{Servers: 100, Load: .99, Service: exponential, Policy: ctmc.JSQ()}, 1e7, 2.13901, 4e-6},
		{ctmc.System{Servers: 100, Load: .999, Service: exponential, Policy: ctmc.JSQ()}, 1e7, 11.2060, 3e-4},
	} {
		coverage(t, c.system, Settings{Events: c.events, Start: startOf(c.system)}, c.truth, c.error)
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
