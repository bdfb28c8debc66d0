package sim

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"reflect"
	"testing"

	"qlimit/ctmc"
	"qlimit/meanfield"
	"qlimit/validate/estimate"
)

func runPull(t *testing.T, s ctmc.PullSystem, settings Settings) *PullResult {
	t.Helper()
	r, err := RunPull(context.Background(), s, settings)
	if err != nil {
		t.Fatalf("%v: %v", s, err)
	}
	return r
}

func pullCase(servers int64, load float64, buffer int, memory int64, rate float64) ctmc.PullSystem {
	return ctmc.PullSystem{Servers: servers, Load: load, Buffer: buffer, Service: exponential, Pull: ctmc.PullRule{Memory: memory, Rate: rate}}
}

// TestPullAgainstChain: every measure agrees with the exact chain within four
// standard errors, below, at and above load 1, with little and much memory.
func TestPullAgainstChain(t *testing.T) {
	for _, s := range []ctmc.PullSystem{
		pullCase(1, .8, 5, 1, 2),
		pullCase(2, .7, 0, 1, 1),
		pullCase(5, .9, 5, 2, 3),
		pullCase(5, 1, 4, ctmc.AnyMemory, 2),
		pullCase(6, 1.2, 4, 3, 50),
	} {
		exact, err := ctmc.SolvePullStationary(context.Background(), s, ctmc.SolverSettings{}, 0)
		if err != nil {
			t.Fatal(err)
		}
		got := runPull(t, s, Settings{Seed: 7, Events: 2e6})
		check := func(name string, e estimate.Estimate, want float64) {
			if math.Abs(e.Value-want) > 4*e.StandardError+1e-9 {
				t.Errorf("%v: %s %.6f ± %.6f (standard error), exact %.6f", s, name, e.Value, e.StandardError, want)
			}
		}
		check("jobs", got.MeanJobs, exact.MeanJobs)
		check("response", got.MeanResponse, exact.MeanResponse)
		check("P(wait)", got.WaitProb, exact.WaitProb)
		check("P(empty)", got.EmptyProb, exact.EmptyProb)
		check("messages", got.MessageRate, exact.MessageRate)
		stored := 0.0
		for m, p := range exact.Stored {
			stored += float64(m) * p
		}
		check("stored IDs", got.Stored, stored)
		if s.Buffer > 0 {
			check("P(block)", got.BlockProb, exact.BlockProb)
			for i, q := range exact.Occupancy {
				if i < len(got.Occupancy) {
					check("occupancy", got.Occupancy[i], q)
				}
			}
		}
	}
}

// TestPullResumes: a run that was stopped ends with the digits of one that was
// not, and threads do not matter.
func TestPullResumes(t *testing.T) {
	s := pullCase(20, .9, 0, 2, 5)
	settings := Settings{Seed: 3, Replications: 4, Events: 4e5, Threads: 2}
	whole := runPull(t, s, settings)
	settings.Threads, settings.Checkpoint = 1, filepath.Join(t.TempDir(), "run")
	var resumed *PullResult
	for resumed == nil || resumed.Ending == Interrupted {
		ctx, cancel := context.WithCancel(context.Background())
		left := 300
		settings.Progress = func(float64, float64, string) {
			if left--; left == 0 {
				cancel()
			}
		}
		var err error
		resumed, err = RunPull(ctx, s, settings)
		cancel()
		if err != nil && !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	}
	resumed.Elapsed = whole.Elapsed
	if !reflect.DeepEqual(whole, resumed) {
		t.Errorf("the resumed run differs:\n%+v\n%+v", whole, resumed)
	}
}

// TestPullApproachesFluid: at 1e5 servers the mean is that of the fluid.
func TestPullApproachesFluid(t *testing.T) {
	s := pullCase(1e5, .7, 0, 2, 2)
	fluid, err := meanfield.PullEquilibrium(s)
	if err != nil {
		t.Fatal(err)
	}
	got := runPull(t, s, Settings{Seed: 5, Events: 2e7, Replications: 4, Start: RoundedStart(s.Servers, fluid.Tail, nil)})
	if math.Abs(got.MeanJobs.Value-fluid.MeanJobs) > 4*got.MeanJobs.StandardError+5/float64(s.Servers) {
		t.Errorf("mean jobs %.6f ± %.6f, fluid %.6f", got.MeanJobs.Value, got.MeanJobs.StandardError, fluid.MeanJobs)
	}
	if math.Abs(got.EmptyProb.Value-fluid.EmptyProb) > 4*got.EmptyProb.StandardError+1e-4 {
		t.Errorf("P(empty) %.6f ± %.6f, fluid %.6f", got.EmptyProb.Value, got.EmptyProb.StandardError, fluid.EmptyProb)
	}
}

// TestPullRefusals: what RunPull does not take is named.
func TestPullRefusals(t *testing.T) {
	for name, s := range map[string]ctmc.PullSystem{
		"no memory":        pullCase(5, .9, 0, 0, 1),
		"messages at once": pullCase(5, .9, 0, 1, math.Inf(1)),
		"overload":         pullCase(5, 1, 0, 1, 1),
		"no servers":       pullCase(0, .9, 0, 1, 1),
		"too many":         pullCase(1e10, .9, 0, 1, 1),
		"coxian":           {Servers: 5, Load: .5, Service: scv2, Pull: ctmc.PullRule{Memory: 1, Rate: 1}},
	} {
		if _, err := RunPull(context.Background(), s, Settings{Events: 1e5}); err == nil {
			t.Errorf("%s accepted", name)
		}
	}
}

// Aim: ten million events per second on one core, whatever the number of
// servers.
func BenchmarkPull(b *testing.B) {
	for _, s := range []ctmc.PullSystem{pullCase(100, .9, 0, 2, 5), pullCase(1e6, .9, 0, 2, 5)} {
		b.Run(s.String(), func(b *testing.B) {
			e := newPullExperiment(s, Settings{Seed: 1, Replications: 4, Events: 1e6})
			o := e.states[0].(*pullOccupancy)
			o.runUntil(1e6/e.source.eventRate, e.random[0])
			events := int64(0)
			b.ReportAllocs()
			for b.Loop() {
				events += o.runUntil(o.clock+1e5/e.source.eventRate, e.random[0])
			}
			b.ReportMetric(float64(events)/b.Elapsed().Seconds()/1e6, "Mevents/s")
		})
	}
}
