package sim

import (
	"fmt"
	"math/rand/v2"

	"qlimit/ctmc"
	"qlimit/internal/stream"
)

// ShortestWithMemory is SQ(d,m): the dispatcher asks d servers, sampled without
// replacement, for their lengths, adds the m servers it remembers, sends the
// job to the shortest of all these candidates (ties uniform) and remembers the
// m shortest of them, that job counted: among equals those just asked, being
// known better.
//
// A remembered length is what the server last answered plus the jobs sent
// there since. Departures go unnoticed until it is sampled again, so that a
// remembered length is an upper bound. Each job costs d queries and d replies.
// (Descriptions of the policy differ in whether the remembered servers are
// asked again; that would cost 2(d+m) messages.)
func ShortestWithMemory(d, m int) JobPolicy {
	name := fmt.Sprintf("sq:d=%d,m=%d", d, m)
	return JobPolicy{Name: name, Prepare: func(s *JobSystem) (func() Dispatcher, error) {
		most := min(s.Servers, mostLooks)
		if d < 1 || d > most {
			return nil, &ctmc.FieldError{Field: "d", Value: d, Allowed: fmt.Sprintf("between 1 and %d, the number of servers or %d", most, mostLooks)}
		}
		if m < 0 || m > most {
			return nil, &ctmc.FieldError{Field: "m", Value: m, Allowed: fmt.Sprintf("between 0 and %d, the number of servers or %d", most, mostLooks)}
		}
		return func() Dispatcher {
			return &withMemory{sample: newSample(d, false), remembered: m, known: make([]candidate, 0, d+m)}
		}, nil
	}}
}

type withMemory struct {
	Unnotified
	sample     *sample
	remembered int
	known      []candidate // the remembered ones between jobs
}

// candidate is a server and its length as far as the dispatcher knows.
type candidate struct {
	server int
	length int32
	asked  bool // just now
}

func (a candidate) better(b candidate) bool {
	return a.length < b.length || a.length == b.length && a.asked && !b.asked
}

func (d *withMemory) Choose(f *Farm, _ float64, random *rand.PCG) int {
	for i := range d.known {
		d.known[i].asked = false
	}
	for _, server := range d.sample.draw(f, random) {
		d.learn(candidate{server, f.lengths[server], true})
	}
	chosen := &d.known[d.shortest(random)]
	server := chosen.server
	chosen.length = min(chosen.length+1, f.buffer)
	d.forget()
	return server
}

func (d *withMemory) learn(c candidate) {
	for i := range d.known {
		if d.known[i].server == c.server {
			d.known[i] = c
			return
		}
	}
	d.known = append(d.known, c)
}

// shortest picks one of the shortest candidates: the k-th equal replaces those
// before it with probability 1/k.
func (d *withMemory) shortest(random *rand.PCG) int {
	best, equals := 0, 1
	for i := 1; i < len(d.known); i++ {
		switch a, b := d.known[i].length, d.known[best].length; {
		case a < b:
			best, equals = i, 1
		case a == b:
			equals++
			if stream.Below(uint64(equals), random) == 0 {
				best = i
			}
		}
	}
	return best
}

// forget keeps the best of the candidates, in an insertion sort.
func (d *withMemory) forget() {
	for k := 1; k < len(d.known); k++ {
		for j := k; j > 0 && d.known[j].better(d.known[j-1]); j-- {
			d.known[j], d.known[j-1] = d.known[j-1], d.known[j]
		}
	}
	d.known = d.known[:min(len(d.known), d.remembered)]
}
