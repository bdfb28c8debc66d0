package sim

import (
	"testing"

	"qlimit/ctmc"
)

// Aim: five million jobs per second on one core for JSQ and Po-2, at 100 and at
// 100,000 servers.
func BenchmarkJobs(b *testing.B) {
	for _, c := range []struct {
		name string
		JobSystem
	}{
		{"Po2/100", JobSystem{Servers: 100, Load: .9, Policy: OccupancyPolicy(ctmc.PowerOfD(2, false))}},
		{"JSQ/100", JobSystem{Servers: 100, Load: .9, Policy: OccupancyPolicy(ctmc.JSQ())}},
		{"JIQ/100", JobSystem{Servers: 100, Load: .9, Policy: OccupancyPolicy(ctmc.JIQ())}},
		{"Po2/1e5", JobSystem{Servers: 1e5, Load: .9, Policy: OccupancyPolicy(ctmc.PowerOfD(2, false))}},
		{"JSQ/1e5", JobSystem{Servers: 1e5, Load: .9, Policy: OccupancyPolicy(ctmc.JSQ())}},
		{"LL/100", JobSystem{Servers: 100, Load: .9, Policy: LeastLoaded()}},
		{"LL/1e5", JobSystem{Servers: 1e5, Load: .9, Policy: LeastLoaded()}},
		{"LL2/100", JobSystem{Servers: 100, Load: .9, Policy: LeastLoadedOf(2)}},
		{"SQ2,3/100", JobSystem{Servers: 100, Load: .9, Policy: ShortestWithMemory(2, 3)}},
		{"random/100/load.99", JobSystem{Servers: 100, Load: .99, Policy: OccupancyPolicy(ctmc.Random())}},
		{"Po2/100/coxian", JobSystem{Servers: 100, Load: .9, Service: CoxianLaw(scv2), Policy: OccupancyPolicy(ctmc.PowerOfD(2, false))}},
		{"Po2/100/pareto", JobSystem{Servers: 100, Load: .9, Service: must(BoundedPareto(1.5, 1, 1e6)), Policy: OccupancyPolicy(ctmc.PowerOfD(2, false))}},
	} {
		b.Run(c.name, func(b *testing.B) {
			if c.Service == nil {
				c.Service = CoxianLaw(exponential)
			}
			f := warmFarm(b, c.JobSystem)
			const jobs = 100_000
			b.ReportAllocs()
			for b.Loop() {
				f.simulate(jobs)
			}
			b.ReportMetric(float64(b.N)*jobs/b.Elapsed().Seconds()/1e6, "Mjobs/s")
		})
	}
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// warmFarm has simulated twenty service times.
func warmFarm(t testing.TB, s JobSystem) *Farm {
	t.Helper()
	makeDispatcher, err := s.Policy.Prepare(&s)
	if err != nil {
		t.Fatal(err)
	}
	f := newFarm(&s, makeDispatcher(), 1, 0)
	f.simulate(max(100_000, 20*s.Servers))
	return f
}
