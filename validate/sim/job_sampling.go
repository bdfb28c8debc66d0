package sim

import (
	"math/rand/v2"

	"qlimit/ctmc"
	"qlimit/internal/stream"
)

// mostSampled is the most servers that are sampled one by one; with more it is
// cheaper to draw the level.
const mostSampled = 16

func newKernelDispatcher(k ctmc.Kernel, servers int) Dispatcher {
	sampling, ok := k.(ctmc.Sampling)
	switch {
	case ok && sampling.Choices == 1:
		return uniformDispatcher{}
	case ok && sampling.Choices == 2 && !sampling.Replacement:
		return shorterOfTwo{}
	case ok && sampling.Choices <= mostSampled:
		return &shortestSampled{sample: newSample(int(sampling.Choices), sampling.Replacement)}
	}
	queries := 0
	if ok {
		queries = int(sampling.Choices)
	}
	return &byLevel{kernel: k, queries: queries, sets: newLevelSets(servers, ctmc.AllLevels)}
}

type uniformDispatcher struct{ Unnotified }

func (uniformDispatcher) Choose(f *Farm, _ float64, random *rand.PCG) int {
	return stream.Below(uint64(f.Servers()), random)
}

// shorterOfTwo is power-of-two without replacement. The sample is in random
// order, so the first of two equals is a uniform choice.
type shorterOfTwo struct{ Unnotified }

func (shorterOfTwo) Choose(f *Farm, _ float64, random *rand.PCG) int {
	f.Count(Query, 2)
	f.Count(Reply, 2)
	n := uint64(f.Servers())
	first, second := stream.Below(n, random), stream.Below(n-1, random)
	second += one(second >= first)
	if f.lengths[second] < f.lengths[first] {
		return second
	}
	return first
}

// shortestSampled is power-of-d. As with two, the first of the shortest is a
// uniform choice.
type shortestSampled struct {
	Unnotified
	sample *sample
}

func (d *shortestSampled) Choose(f *Farm, _ float64, random *rand.PCG) int {
	list := d.sample.draw(f, random)
	best := list[0]
	for _, server := range list[1:] {
		if f.lengths[server] < f.lengths[best] {
			best = server
		}
	}
	return best
}

// sample draws servers and counts the messages.
type sample struct {
	servers     []int
	replacement bool
}

func newSample(size int, replacement bool) *sample {
	return &sample{servers: make([]int, size), replacement: replacement}
}

// draw samples in random order; a server drawn again, where that is not
// allowed, is drawn anew.
func (s *sample) draw(f *Farm, random *rand.PCG) []int {
	f.Count(Query, len(s.servers))
	f.Count(Reply, len(s.servers))
	n := f.Servers()
	if !s.replacement && 2*len(s.servers) > n {
		return s.drawMost(n, random)
	}
	for k := range s.servers {
		s.servers[k] = stream.Below(uint64(n), random)
		for !s.replacement && occurs(s.servers[k], s.servers[:k]) {
			s.servers[k] = stream.Below(uint64(n), random)
		}
	}
	return s.servers
}

// drawMost samples without replacement where drawing anew would take long: the
// k-th server is the r-th of those not drawn yet.
func (s *sample) drawMost(n int, random *rand.PCG) []int {
	for k := range s.servers {
		rank := stream.Below(uint64(n-k), random)
		server := 0
		for occurs(server, s.servers[:k]) {
			server++
		}
		for ; rank > 0; rank-- {
			server++
			for occurs(server, s.servers[:k]) {
				server++
			}
		}
		s.servers[k] = server
	}
	return s.servers
}

func occurs(server int, list []int) bool {
	for _, other := range list {
		if other == server {
			return true
		}
	}
	return false
}

// byLevel draws the level from the kernel's law and a server of that level
// uniformly: one number u, the level being the largest i with
// P(level >= i) > u.
type byLevel struct {
	kernel  ctmc.Kernel
	queries int
	sets    *levelSets
}

func (d *byLevel) Choose(f *Farm, _ float64, random *rand.PCG) int {
	f.Count(Query, d.queries)
	f.Count(Reply, d.queries)
	u, n := unit(random), int64(f.Servers())
	level, start := d.sets.lowest, d.sets.start
	for level+2 < len(start) && d.kernel.Tail(n-int64(start[level+1]), n) > u {
		level++
	}
	for start[level] == start[level+1] { // rounding in Tail
		level--
	}
	return int(d.sets.ordered[int(start[level])+stream.Below(uint64(start[level+1]-start[level]), random)])
}

func (d *byLevel) Joined(f *Farm, server int) { d.sets.rise(server, f.Len(server)) }
func (d *byLevel) Left(f *Farm, server int)   { d.sets.fall(server, f.Len(server)) }
