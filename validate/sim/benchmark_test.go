package sim

import (
	"testing"

	"qlimit/coxian"
	"qlimit/ctmc"
	"qlimit/internal/stream"
)

func benchmarkEvents(b *testing.B, s ctmc.System, controls Controls) {
	o := newOccupancy(s)
	random := stream.New(stream.Key{Seed: 1, Cell: s.String(), Purpose: stream.Events})
	averages := make([]float64, firstTail+4)
	var basis controlBasis
	if controls != ControlsOff {
		basis = newControlBasis(s, controls, pilotKnots(s, Settings{Seed: 1, Events: 2e7}), len(averages))
		o.watchControls(basis)
		if basis.pooled {
			o.pooled = newPooled(s, basis.single, .5, random)
		}
		averages = append(averages, make([]float64, basis.columns())...)
	}
	step := 1e6 / eventRate(s)
	for k := 0.0; k < 30*eventRate(s)/1e6+1; k++ {
		o.simulateCell(step, random, averages, basis)
	}
	var events int64
	b.ReportAllocs()
	for b.Loop() {
		events += o.simulateCell(step, random, averages, basis)
	}
	b.ReportMetric(float64(events)/b.Elapsed().Seconds()/1e6, "Mevents/s")
}

// Targets on one core of the 2-core build machine: Po-2 at least 28 million
// events per second, JSQ at least 38 million, a million servers at least half
// of that.
func BenchmarkOccupancy(b *testing.B) {
	exponential := coxian.Dist{Mu1: 1, P: 0, Mu2: 1}
	coxian2 := coxian.Dist{Mu1: 2, P: .25, Mu2: .5}
	for _, c := range []struct {
		name string
		ctmc.System
	}{
		{"Po2/100", ctmc.System{Servers: 100, Load: .9, Service: exponential, Policy: ctmc.PowerOfD(2, false)}},
		{"JSQ/100", ctmc.System{Servers: 100, Load: .9, Service: exponential, Policy: ctmc.JSQ()}},
		{"Po2/1e6", ctmc.System{Servers: 1e6, Load: .9, Service: exponential, Policy: ctmc.PowerOfD(2, false)}},
		{"JSQ/1e6", ctmc.System{Servers: 1e6, Load: .9, Service: exponential, Policy: ctmc.JSQ()}},
		{"JIQ/100", ctmc.System{Servers: 100, Load: .99, Service: exponential, Policy: ctmc.JIQ()}},
		{"Po3/100", ctmc.System{Servers: 100, Load: .9, Service: exponential, Policy: ctmc.PowerOfD(3, false)}},
		{"Po2/100/Coxian", ctmc.System{Servers: 100, Load: .9, Service: coxian2, Policy: ctmc.PowerOfD(2, false)}},
		{"JSQ/100/Coxian", ctmc.System{Servers: 100, Load: .9, Service: coxian2, Policy: ctmc.JSQ()}},
		{"random/100", ctmc.System{Servers: 100, Load: .99, Service: exponential, Policy: ctmc.Random()}},
	} {
		for name, controls := range map[string]Controls{"plain": ControlsOff, "generator": ControlsGenerator, "all": ControlsAll} {
			b.Run(c.name+"/"+name, func(b *testing.B) { benchmarkEvents(b, c.System, controls) })
		}
	}
}
