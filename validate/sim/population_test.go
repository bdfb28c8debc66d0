package sim

import (
	"context"
	"math"
	"testing"

	"qlimit/coxian"
	"qlimit/ctmc"
	"qlimit/internal/stream"
)

// epidemicModel is susceptible-infected-susceptible with infection from outside.
func epidemicModel(t testing.TB) *ctmc.Model {
	model, err := ctmc.NewModel(1,
		ctmc.Transition{Change: []int64{1}, Rate: ctmc.Polynomial{
			{Coefficient: .2}, {Coefficient: 1.3, Powers: []int{1}}, {Coefficient: -1.5, Powers: []int{2}}}},
		ctmc.Transition{Change: []int64{-1}, Rate: ctmc.Polynomial{{Coefficient: 1, Powers: []int{1}}}})
	if err != nil {
		t.Fatal(err)
	}
	return model
}

// TestPopulationAgainstExactChain, a model and a system with two phases.
func TestPopulationAgainstExactChain(t *testing.T) {
	sys := ctmc.System{Servers: 5, Load: .9, Buffer: 3, Service: coxian.Dist{Mu1: 2, P: .25, Mu2: .5}, Policy: ctmc.PowerOfD(2, false)}
	servers, err := sys.Population(0)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name       string
		population ctmc.Population
		size       int64
	}{{"epidemic", epidemicModel(t), 20}, {"servers", servers, 5}} {
		start := make([]int64, c.population.Dim())
		chain, err := ctmc.NewPopulationChain(c.population, c.size, start)
		if err != nil {
			t.Fatal(err)
		}
		exact, _, err := chain.Mean(context.Background(), ctmc.SolverSettings{}, 0)
		if err != nil {
			t.Fatal(err)
		}
		r, err := RunPopulation(context.Background(), c.population, c.size, start, PopulationSettings{Name: c.name, Seed: 1, Duration: 1500})
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range exact {
			e := r.Mean[i]
			if math.Abs(e.Value-want) > 4*e.StandardError || e.HalfWidth > .05*want {
				t.Errorf("%s coordinate %d: %v ± %v, exact %v", c.name, i, e.Value, e.HalfWidth, want)
			}
		}
	}
}

// TestPopulationThreads: the number of threads changes nothing, the seed does.
func TestPopulationThreads(t *testing.T) {
	run := func(threads int, seed uint64) *PopulationResult {
		r, err := RunPopulation(context.Background(), epidemicModel(t), 10, []int64{3}, PopulationSettings{Seed: seed, Threads: threads, Duration: 30})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	one, two, other := run(1, 7), run(2, 7), run(2, 8)
	if one.Mean[0].Value != two.Mean[0].Value || one.Events != two.Events {
		t.Errorf("one thread %v, two %v", one.Mean[0].Value, two.Mean[0].Value)
	}
	if one.Mean[0].Value == other.Mean[0].Value {
		t.Error("the seed has no effect")
	}
}

func TestPopulationRefuses(t *testing.T) {
	ctx := context.Background()
	good := PopulationSettings{Duration: 10}
	if _, err := RunPopulation(ctx, epidemicModel(t), 10, []int64{1, 2}, good); err == nil {
		t.Error("start of the wrong length: no error")
	}
	for _, s := range []PopulationSettings{{}, {Duration: math.Inf(1)}, {Duration: 10, Replications: 2}, {Duration: 10, WarmUp: 10}, {Duration: 10, Level: 2}} {
		if _, err := RunPopulation(ctx, epidemicModel(t), 10, []int64{1}, s); err == nil {
			t.Errorf("%+v: no error", s)
		}
	}
	for name, rate := range map[string]ctmc.Polynomial{"absorbing": {{Coefficient: 1, Powers: []int{1}}}, "negative": {{Coefficient: -1}}} {
		model, err := ctmc.NewModel(1, ctmc.Transition{Change: []int64{-1}, Rate: rate})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := RunPopulation(ctx, model, 10, []int64{3}, good); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func BenchmarkPopulation(b *testing.B) {
	walk := newPopulationWalk(epidemicModel(b), 100, []int64{10})
	random := stream.New(stream.Key{Seed: 1, Purpose: stream.Events})
	averages := make([]float64, 1)
	var events int64
	b.ReportAllocs()
	for b.Loop() {
		done, err := walk.simulateCell(10, random, averages)
		if err != nil {
			b.Fatal(err)
		}
		events += done
	}
	b.ReportMetric(float64(events)/b.Elapsed().Seconds()/1e6, "Mevents/s")
}
