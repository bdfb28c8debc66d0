package diffusion

import (
	"context"
	"testing"
)

// At most 200 µs for the stationary law of a process.
func BenchmarkStationary(b *testing.B) {
	for _, n := range []NDS{{JSQ, 1, exponential}, {JSQ, 1, scvHigh}, {IQF, 1e4, scvTwo}, {CQ, 1e-4, exponential}} {
		b.Run(n.Discipline.Name, func(b *testing.B) {
			for b.Loop() {
				if _, err := n.Engine(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// At most 100 ms for 2,000 cells and 200 output times.
func BenchmarkTransient(b *testing.B) {
	p, err := NDS{JSQ, 1, exponential}.Process()
	if err != nil {
		b.Fatal(err)
	}
	times := make([]float64, 200)
	for i := range times {
		times[i] = 0.1 * float64(i)
	}
	for b.Loop() {
		if _, err := p.Transient(context.Background(), 0, times, TransientSettings{}); err != nil {
			b.Fatal(err)
		}
	}
}

// Tens of microseconds at N = 100, below a millisecond at N = 1000.
func BenchmarkAveraged(b *testing.B) {
	for name, a := range map[string]Averaged{
		"jsq-100-exp":  {Discipline: JSQ, Servers: 100, Load: 0.99, Service: exponential},
		"jsq-1000-exp": {Discipline: JSQ, Servers: 1000, Load: 0.999, Service: exponential},
		"jsq-1e5-scv2": {Discipline: JSQ, Servers: 100_000, Load: 0.99999, Service: scvTwo},
		"i1f-1e5-exp":  {Discipline: I1F, Servers: 100_000, Load: 0.99999, Service: exponential, CornerRepair: true},
		"iqf-100-exp":  {Discipline: IQF, Servers: 100, Load: 0.99, Service: exponential},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := a.Solve(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
