package sim

import (
	"math/rand/v2"

	"qlimit/internal/stream"
)

// RoundRobin sends jobs to the servers in turn, beginning at a random one. It
// needs no messages.
func RoundRobin() JobPolicy {
	return JobPolicy{Name: "rr", Prepare: func(*JobSystem) (func() Dispatcher, error) {
		return func() Dispatcher { return &roundRobin{next: -1} }, nil
	}}
}

type roundRobin struct {
	Unnotified
	next int // -1 at the very beginning
}

func (d *roundRobin) Choose(f *Farm, _ float64, random *rand.PCG) int {
	if d.next < 0 {
		d.next = stream.Below(uint64(f.Servers()), random)
	}
	server := d.next
	d.next++
	if d.next == f.Servers() {
		d.next = 0
	}
	return server
}
