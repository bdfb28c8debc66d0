package sim

import "testing"

// BenchmarkSlots is a slot with ten servers at load .9, with everything that is
// measured, Poisson arrivals and service. To reach: 1 µs for JSQ and JBT, that
// is a million slots a second on one core; no allocations.
func BenchmarkSlots(b *testing.B) {
	for _, policy := range []string{"jsq", "jbt:d=2,T=1000", "jiq", "sq:d=2", "sq:d=2,m=3", "random", "lsq:refresh=0.1", "local-jba:push=2"} {
		b.Run(policy, func(b *testing.B) {
			m := slottedModel(b, "1x10", 0.9)
			d, err := newSlottedDraws(m, 1, 0)
			if err != nil {
				b.Fatal(err)
			}
			s := newSlottedState(m, slottedPolicy(b, policy), 1, 0, true)
			b.ReportAllocs()
			for b.Loop() {
				d.next()
				s.advance(d)
			}
		})
	}
}
