package slotted

import (
	"fmt"
	"math/bits"

	"qlimit/ctmc"
	"qlimit/internal/stream"
)

// SQWithMemory is SQ(d,m): each dispatcher asks d servers sampled uniformly
// without replacement, adds the m servers it remembers, joins the shortest of
// all these, ties uniform, and remembers the m shortest, the jobs just sent
// counted; among equals those just asked. 2d messages a decision.
//
// The policy's source does not print the memory rule. Its values (7.51 slots at
// load 0.9 with ten servers, d = 2, m = 3) come out if the current lengths of
// the remembered servers are known, and its message count, 2d, if the 2m
// messages which that takes are not counted: the rule here. With stale, a
// remembered length is what the server last answered plus the jobs sent there
// since by this dispatcher; 2d is then all there is, and the delay is longer
// (8.58).
func SQWithMemory(d, m int64, stale bool) Policy { return withMemory{d: d, m: m, stale: stale} }

type withMemory struct {
	d, m  int64
	stale bool
}

func (w withMemory) String() string {
	text := fmt.Sprintf("sq:d=%d,m=%d", w.d, w.m)
	if w.stale {
		text += ",stale"
	}
	return text
}

// Note says what the count of messages leaves out.
func (w withMemory) Note() string {
	if w.stale || w.m == 0 {
		return ""
	}
	return fmt.Sprintf("%s knows the current lengths of the %d servers it remembers; as in the literature, the messages this takes are not counted (%s,stale does without)", w, w.m, w)
}

func (w withMemory) Validate(m *Model) error {
	if w.m < 0 || w.m > int64(m.Servers()) {
		return &ctmc.FieldError{Field: "m", Value: w.m, Allowed: fmt.Sprintf("between 0 and the number of servers, %d", m.Servers())}
	}
	if err := checkSampleSize(m, w.d); err != nil {
		return err
	}
	return checkMemory(m, w.d+w.m)
}

func (withMemory) Declaration() Declaration { return Declaration{Memory: Remembered} }

func (w withMemory) Dispatcher(m *Model, _ *View) Dispatcher {
	d := &rememberingDispatcher{withMemory: w, servers: newShuffler(m.Servers()), known: make([][]candidate, m.DispatcherCount())}
	for i := range d.known {
		d.known[i] = make([]candidate, 0, w.d+w.m)
	}
	return d
}

type rememberingDispatcher struct {
	forgetful
	withMemory
	servers shuffler
	known   [][]candidate // what each dispatcher remembers between slots
	largest int64
}

// candidate is a server and its length as far as the dispatcher knows.
type candidate struct {
	server int32
	asked  bool // just now
	length int64
}

func (a candidate) better(b candidate) bool {
	return a.length < b.length || a.length == b.length && a.asked && !b.asked
}

func (d *rememberingDispatcher) Choose(v *View, dispatcher int, jobs int64) int {
	known := d.known[dispatcher]
	for i := range known {
		known[i].asked = false
		if !d.stale {
			known[i].length = v.Lengths[known[i].server]
		}
	}
	for _, server := range d.servers.draw(int(d.d), v.Routing) {
		known = learn(known, candidate{server, true, v.Ask(int(server))})
	}
	chosen := &known[pickShortest(known, v)]
	server := chosen.server
	chosen.length += jobs
	sortCandidates(known)
	known = known[:min(len(known), int(d.m))]
	if len(known) > 0 {
		d.largest = max(d.largest, known[len(known)-1].length)
	}
	d.known[dispatcher] = known
	return int(server)
}

func learn(known []candidate, c candidate) []candidate {
	for i := range known {
		if known[i].server == c.server {
			known[i] = c
			return known
		}
	}
	return append(known, c)
}

// pickShortest: the k-th equal replaces those before it with probability 1/k.
func pickShortest(known []candidate, v *View) int {
	best, equals := 0, uint64(1)
	for i := 1; i < len(known); i++ {
		switch a, b := known[i].length, known[best].length; {
		case a < b:
			best, equals = i, 1
		case a == b:
			if equals++; stream.Below(equals, v.Routing) == 0 {
				best = i
			}
		}
	}
	return best
}

// sortCandidates is an insertion sort: there are few and most are in order.
func sortCandidates(known []candidate) {
	for k := 1; k < len(known); k++ {
		for j := k; j > 0 && known[j].better(known[j-1]); j-- {
			known[j], known[j-1] = known[j-1], known[j]
		}
	}
}

// MemoryBits: m names of servers at each dispatcher, and their lengths if those
// are not known otherwise.
func (d *rememberingDispatcher) MemoryBits() float64 {
	each := bits.Len(uint(len(d.servers) - 1))
	if d.stale {
		each += bits.Len64(uint64(d.largest))
	}
	return float64(len(d.known)) * float64(d.m) * float64(each)
}
