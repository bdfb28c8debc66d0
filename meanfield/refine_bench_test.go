package meanfield

import (
	"context"
	"testing"

	"qlimit/coxian"
	"qlimit/ctmc"
	"qlimit/meanfield/ode"
)

func BenchmarkRefine(b *testing.B) {
	exp := coxian.Dist{Mu1: 1, P: 0, Mu2: 1}
	cox := coxian.Dist{Mu1: 2, P: .25, Mu2: .5}
	for _, c := range []struct {
		name  string
		sys   ctmc.System
		order int
	}{
		{"Order2/Exponential/10", ctmc.System{Servers: 10, Load: .9, Buffer: 10, Service: exp, Policy: ctmc.PowerOfD(2, true)}, 2},
		{"Order2/Exponential/20", ctmc.System{Servers: 10, Load: 1.05, Buffer: 20, Service: exp, Policy: ctmc.PowerOfD(2, true)}, 2},
		{"Order2/Coxian/10", ctmc.System{Servers: 10, Load: 1.05, Buffer: 10, Service: cox, Policy: ctmc.PowerOfD(2, false)}, 2},
		{"Order2/Coxian/20", ctmc.System{Servers: 10, Load: 1.05, Buffer: 20, Service: cox, Policy: ctmc.PowerOfD(2, false)}, 2},
		{"Order2/Coxian/60", ctmc.System{Servers: 10, Load: 1.05, Buffer: 60, Service: cox, Policy: ctmc.PowerOfD(2, false)}, 2},
		{"Order1/Exponential/10", ctmc.System{Servers: 10, Load: .9, Buffer: 20, Service: exp, Policy: ctmc.PowerOfD(2, true)}, 1},
		{"Order1/Exponential/20", ctmc.System{Servers: 10, Load: 1.05, Buffer: 20, Service: exp, Policy: ctmc.PowerOfD(2, true)}, 1},
		{"Order1/Coxian/60cut", ctmc.System{Servers: 10, Load: .9, Buffer: 60, Service: cox, Policy: ctmc.PowerOfD(2, false)}, 1},
		{"Order1/Coxian/60", ctmc.System{Servers: 10, Load: 1.05, Buffer: 60, Service: cox, Policy: ctmc.PowerOfD(2, false)}, 1},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			var levels int
			for b.Loop() {
				r, err := Refine(context.Background(), c.sys, c.order)
				if err != nil {
					b.Fatal(err)
				}
				levels = r.Levels
			}
			b.ReportMetric(float64(levels), "levels")
		})
	}
}

func BenchmarkRefineTrajectory(b *testing.B) {
	for _, law := range []coxian.Dist{{Mu1: 1, P: 0, Mu2: 1}, {Mu1: 2, P: .25, Mu2: .5}} {
		sys := ctmc.System{Servers: 10, Load: .9, Service: law, Policy: ctmc.PowerOfD(2, true)}
		b.Run(law.String(), func(b *testing.B) {
			start := Shape{Levels: 1, Phases: sys.Phases()}.Uniform(0, 1)
			for b.Loop() {
				if _, err := RefineTrajectory(context.Background(), sys, start, []float64{1, 10, 100}, ode.Settings{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
