package sim

import (
	"context"
	"math"
	"testing"

	"qlimit/ctmc"
	"qlimit/internal/stream"
	"qlimit/validate/estimate"
)

// TestPooledMean: the work of the queue beside the system has the mean of
// Erlang's or of Pollaczek and Khinchine's formula, and so it has in the first
// tenth of the run, where the system is still filling up.
func TestPooledMean(t *testing.T) {
	if testing.Short() {
		t.Skip("intervals of short runs prove nothing")
	}
	for _, c := range []struct {
		system   ctmc.System
		controls Controls
		mean     float64
	}{
		{ctmc.System{Servers: 10, Load: .9, Service: exponential, Policy: ctmc.JSQ()}, ControlsAll, 15.018583717},
		{ctmc.System{Servers: 10, Load: .8, Service: exponential, Policy: ctmc.PowerOfD(2, false)}, ControlsAllSingle, 4},
		{ctmc.System{Servers: 10, Load: .8, Service: scv2, Policy: ctmc.JIQ()}, ControlsAll, .8 * 3 / .4},
		{ctmc.System{Servers: 6, Load: .8, Service: erlang2, Policy: ctmc.I1F()}, ControlsAll, .8 * 1.5 / .4},
		{ctmc.System{Servers: 6, Load: .8, Buffer: 2, Service: slowScv7, Policy: ctmc.PowerOfD(2, false)}, ControlsAll, .8 * (1 + slowScv7.SCV()) / .4},
		{ctmc.System{Servers: 1, Load: .7, Service: scv2, Policy: ctmc.Random()}, ControlsAll, .7 * 3 / .6},
	} {
		settings, err := Settings{Seed: 3, Events: 4e6, Controls: c.controls, Replications: 64}.withDefaults()
		if err != nil {
			t.Fatal(err)
		}
		e := newExperiment(c.system, settings)
		if got := e.states[0].(*occupancy).pooled.mean; math.Abs(got-c.mean) > 1e-8*c.mean {
			t.Errorf("%v: mean work %.12g, want %.12g", c.system, got, c.mean)
		}
		if err := e.advance(context.Background()); err != nil {
			t.Fatal(err)
		}
		column := e.basis.firstColumn + e.basis.controls() - 1
		whole := e.series.Mean(column, estimate.NoWarmUp(), 0)
		if math.Abs(whole.Value) > 4.5*whole.StandardError || !(whole.StandardError < .1*c.mean) {
			t.Errorf("%v: work beyond its mean %.3g ± %.2g", c.system, whole.Value, whole.StandardError)
		}
		early, squares := 0.0, 0.0
		runs := float64(settings.Replications)
		for r := range settings.Replications {
			first := 0.0
			cells := e.series.Column(r, column)[:e.series.Cells()/10]
			for _, x := range cells {
				first += x / float64(len(cells))
			}
			early += first / runs
			squares += first * first / runs
		}
		if t0 := math.Abs(early) / math.Sqrt((squares-early*early)/(runs-1)); t0 > 4.5 {
			t.Errorf("%v: at first the work is beyond its mean by %.2g, %.1f standard errors", c.system, early, t0)
		}
	}
}

// TestPooledStart: quantiles of the start are those of the stationary law. For
// M/M/N by summing birth and death rates, for one server by P(n > k) = ρ^(k+1).
func TestPooledStart(t *testing.T) {
	random := stream.New(stream.Key{Seed: 1, Purpose: startPurpose})
	for _, q := range []ctmc.Pooled{{Servers: 1, Offered: .5}, {Servers: 10, Offered: 9}, {Servers: 100, Offered: 80}} {
		weights := []float64{1}
		total := 1.0
		for k := int64(1); k < 2000; k++ {
			weights = append(weights, weights[k-1]*q.Offered/float64(min(k, q.Servers)))
			total += weights[k]
		}
		below := 0.0
		for k, w := range weights {
			middle := (below + w/2) / total
			below += w
			if w/total < 1e-9 {
				continue
			}
			if got := pooledQuantile(q, middle, random); got != int64(k) {
				t.Errorf("%+v: quantile of %.6g is %d, want %d", q, middle, got, k)
			}
		}
	}
	for _, k := range []int64{0, 1, 7} {
		rest := math.Pow(.9, float64(k)+.5)
		if got := geometricQuantile(rest, .9); got != k {
			t.Errorf("P(n >= k) = %.4g: %d, want %d", rest, got, k)
		}
	}
	// Nobody waits: Poisson's law.
	if k := pooledQuantile(ctmc.Pooled{Servers: 10_000, Offered: 100}, .5, random); k < 40 || k > 160 {
		t.Errorf("M/M/10000 with 100 jobs starts with %d", k)
	}
}

// TestPooledLeavesTheSystemAlone: with the queue beside it the system is the
// same in law: mean jobs as without.
func TestPooledLeavesTheSystemAlone(t *testing.T) {
	for _, s := range []ctmc.System{
		{Servers: 5, Load: .9, Buffer: 3, Service: exponential, Policy: ctmc.JSQ()},
		{Servers: 5, Load: .9, Buffer: 3, Service: scv2, Policy: ctmc.JIQ()},
	} {
		exact, err := ctmc.SolveStationary(context.Background(), s, ctmc.SolverSettings{}, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, controls := range []Controls{ControlsPooled, ControlsAll, ControlsAllSingle} {
			r, err := Run(context.Background(), s, Settings{Seed: 2, Events: 4e5, Controls: controls})
			if err != nil {
				t.Fatal(err)
			}
			within(t, "mean jobs", r.MeanJobs, exact.MeanJobs, 4.5, 1e-9)
			within(t, "plain mean jobs", r.Plain.MeanJobs, exact.MeanJobs, 4.5, 1e-9)
			if controls == ControlsPooled && r.Controls.Rank > 1 {
				t.Errorf("%v: %d controls", s, r.Controls.Rank)
			}
		}
	}
}
