package sim

import (
	"math"
	"testing"

	"qlimit/ctmc"
	"qlimit/internal/stream"
)

// TestDriftsAgainstDefinition: along a path, the drifts of the levels and of the
// squares of the work that follow from integrals kept at changes equal Gf summed
// from its definition over the transitions of every state.
func TestDriftsAgainstDefinition(t *testing.T) {
	pod2 := ctmc.Sampling{Choices: 2}
	for _, s := range []ctmc.System{
		{Servers: 6, Load: .9, Service: scv2, Policy: ctmc.PowerOfD(2, false)},
		{Servers: 6, Load: .9, Service: erlang2, Policy: ctmc.JSQ()},
		{Servers: 4, Load: .9, Service: slowScv7, Policy: ctmc.JIQ()},
		{Servers: 4, Load: 1.2, Buffer: 4, Service: scv2, Policy: ctmc.I1F()},
		{Servers: 3, Load: 1.2, Buffer: 1, Service: scv2, Policy: ctmc.JIQ()},
		{Servers: 5, Load: .9, Buffer: 5, Service: scv2, Policy: ctmc.JIQ().WithFallback(pod2)},
	} {
		o := newOccupancy(s)
		basis := newControlBasis(s, ControlsGenerator, []float64{2, 5}, 0)
		o.watchControls(basis)
		random := stream.New(stream.Key{Seed: 5, Purpose: stream.Events})
		want := make([]float64, basis.drifts()+1)
		for range 5000 { // a path of single events
			hold := 1 / (o.arrival + o.mu1*float64(o.busyPhase[1]) + o.mu2*float64(o.busyPhase[2]))
			for k := range want {
				want[k] += hold * o.generatorOfDrift(k, basis)
			}
			o.runUntil(o.clock+hold/2, random)
		}
		passed := o.settle()
		got := make([]float64, len(want))
		o.phaseDrifts(passed, got[:basis.drifts()])
		got[basis.drifts()] = o.workSquaresDrift(passed)
		for k := range want {
			want[k] /= passed
			if math.Abs(got[k]-want[k]) > 1e-8*(1+math.Abs(want[k])) {
				t.Errorf("%v: drift %d is %.12g, want %.12g", s, k, got[k], want[k])
			}
		}
	}
}

// generatorOfDrift is Gf in the present state for the k-th f: servers with at
// least 1, 2, .. jobs, those in phase 2, Σ w²/2.
func (o *occupancy) generatorOfDrift(k int, b controlBasis) float64 {
	value := func(level, phase int) float64 { // what one server adds to f
		switch {
		case k < b.levels:
			return float64(one(level > k))
		case k < 2*b.levels:
			return float64(one(level > k-b.levels && phase == 2))
		case level == 0:
			return 0
		}
		w := float64(level)
		if phase == 2 {
			w += 1/o.mu2 - 1
		}
		return w * w / 2
	}
	count := func(level int) float64 { return float64(o.levels[level].count - o.levels[level+1].count) }
	sum := 0.0
	for level := 0; level < len(o.levels)-2; level++ {
		if count(level) == 0 {
			continue
		}
		to := o.levelRate(level)
		for phase := 1; phase <= 2; phase++ {
			servers := float64(o.inPhase[phase][level])
			if level == 0 {
				servers = count(0) * float64(one(phase == 1))
			}
			if servers == 0 {
				continue
			}
			if level < o.buffer {
				sum += to * servers / count(level) * (value(level+1, phase) - value(level, phase))
			}
			if level == 0 {
				continue
			}
			if phase == 1 {
				sum += o.mu1 * servers * (o.leave*(value(level-1, 1)-value(level, 1)) + (1-o.leave)*(value(level, 2)-value(level, 1)))
			} else {
				sum += o.mu2 * servers * (value(level-1, 1) - value(level, 2))
			}
		}
	}
	return sum
}

// levelRate is λN P(an arrival goes to the level), by the declaration of the
// policy.
func (o *occupancy) levelRate(level int) float64 {
	if o.low < o.depth {
		return o.arrival * float64(one(level == o.low))
	}
	if level < o.depth {
		return 0
	}
	tail := func(i int) float64 {
		m := float64(o.levels[i].count)
		if o.tail != nil {
			return o.arrival * o.tail(o.levels[i].count, o.servers)
		}
		return m * (o.linear + o.quadratic*m)
	}
	return tail(level) - tail(level+1)
}
