package sim

import (
	"fmt"
	"math/rand/v2"

	"qlimit/ctmc"
)

// LeastLoaded sends a job to the server with the least work, ties (the idle
// ones, above all) uniform. With it the waiting times are those of a central
// queue: every job starts as early as it could in arrival order. It costs N
// queries and N replies.
func LeastLoaded() JobPolicy {
	return JobPolicy{Name: "ll", Prepare: func(s *JobSystem) (func() Dispatcher, error) {
		return func() Dispatcher {
			return &leastLoaded{idle: newLevelSets(s.Servers, 1), busy: make([]busyServer, 0, s.Servers)}
		}, nil
	}}
}

// leastLoaded keeps the idle servers as a set and the busy ones in a heap by
// the time they run out of work.
type leastLoaded struct {
	idle *levelSets
	busy []busyServer
	tie  uint32 // of the server chosen last
}

type busyServer struct {
	freeAt float64
	server int32
	tie    uint32 // random, settles between equal times
}

func (a busyServer) before(b busyServer) bool {
	return a.freeAt < b.freeAt || a.freeAt == b.freeAt && a.tie < b.tie
}

func (d *leastLoaded) Choose(f *Farm, _ float64, random *rand.PCG) int {
	f.Count(Query, f.Servers())
	f.Count(Reply, f.Servers())
	d.tie = uint32(random.Uint64() >> 32)
	if d.idle.lowest == 0 {
		return d.idle.choose(random)
	}
	return int(d.busy[0].server)
}

func (d *leastLoaded) Joined(f *Farm, server int) {
	entry := busyServer{f.freeAt[server], int32(server), d.tie}
	if f.Len(server) == 1 {
		d.idle.rise(server, 1)
		d.busy = append(d.busy, entry)
		d.climb(len(d.busy) - 1)
		return
	}
	i := 0 // the first of the busy ones, except while a start is set up
	for d.busy[i].server != int32(server) {
		i++
	}
	d.busy[i] = entry
	d.sink(i)
}

// Left removes those that have run out of work. They are the first of the
// heap, though among equal times another may come off it than the one that
// left; the calls are as many.
func (d *leastLoaded) Left(f *Farm, server int) {
	if f.Len(server) > 0 {
		return
	}
	d.idle.fall(server, 0)
	for len(d.busy) > 0 && d.busy[0].freeAt <= f.now {
		last := len(d.busy) - 1
		d.busy[0] = d.busy[last]
		d.busy = d.busy[:last]
		if last > 0 {
			d.sink(0)
		}
	}
}

// The heap has four children to a node: half the depth, and the children share
// a cache line.

func (d *leastLoaded) climb(i int) {
	moved := d.busy[i]
	for i > 0 {
		parent := (i - 1) / 4
		if !moved.before(d.busy[parent]) {
			break
		}
		d.busy[i] = d.busy[parent]
		i = parent
	}
	d.busy[i] = moved
}

func (d *leastLoaded) sink(i int) {
	moved := d.busy[i]
	for {
		child := 4*i + 1
		if child >= len(d.busy) {
			break
		}
		least := child
		for k := child + 1; k < min(child+4, len(d.busy)); k++ {
			if d.busy[k].before(d.busy[least]) {
				least = k
			}
		}
		if !d.busy[least].before(moved) {
			break
		}
		d.busy[i] = d.busy[least]
		i = least
	}
	d.busy[i] = moved
}

// LeastLoadedOf samples d servers without replacement and takes the one with
// the least work, ties uniform: d queries and d replies.
func LeastLoadedOf(d int) JobPolicy {
	name := fmt.Sprintf("ll:d=%d", d)
	return JobPolicy{Name: name, Prepare: func(s *JobSystem) (func() Dispatcher, error) {
		if d < 1 || d > min(s.Servers, mostLooks) {
			return nil, &ctmc.FieldError{Field: "d", Value: d, Allowed: fmt.Sprintf("between 1 and %d, the number of servers or %d", min(s.Servers, mostLooks), mostLooks)}
		}
		return func() Dispatcher { return &leastLoadedOf{sample: newSample(d, false)} }, nil
	}}
}

// mostLooks is the most servers that a policy looks at one by one.
const mostLooks = 64

type leastLoadedOf struct {
	Unnotified
	sample *sample
}

func (d *leastLoadedOf) Choose(f *Farm, _ float64, random *rand.PCG) int {
	list := d.sample.draw(f, random)
	best, least := list[0], f.Work(list[0])
	for _, server := range list[1:] {
		if work := f.Work(server); work < least {
			best, least = server, work
		}
	}
	return best
}
