package sim

import (
	"fmt"
	"math/rand/v2"

	"qlimit/ctmc"
	"qlimit/internal/stream"
)

// PullWithMemory is the rule with a memory for IDs of idle servers, job by job
// and with any service law; see [ctmc.PullRule].
//
// Messages: every idle server sends its ID at the rule's rate, also if it is
// stored already or there is no room. Those that change nothing are counted by
// their expected number.
func PullWithMemory(rule ctmc.PullRule) JobPolicy {
	if policy, ok := rule.Memoryless(); ok {
		return OccupancyPolicy(policy)
	}
	return JobPolicy{Name: rule.String(), Prepare: func(s *JobSystem) (func() Dispatcher, error) {
		if err := rule.Validate(); err != nil {
			return nil, err
		}
		if most := mostMessages / s.Service.Mean(); rule.Rate > most {
			return nil, &ctmc.FieldError{Field: "rate", Value: rule.Rate, Allowed: fmt.Sprintf("at most %g, or inf, for the simulation of single jobs", most)}
		}
		return func() Dispatcher { return newPullDispatcher(rule, s.Servers) }, nil
	}}
}

// mostMessages is the most messages of an idle server in a mean service time:
// counts stay within an integer.
const mostMessages = 1e6

// pullDispatcher brings its memory up to date when a job arrives: until then
// nobody looks at it.
type pullDispatcher struct {
	memory int
	rate   float64
	time   float64    // up to which the memory is known
	idle   []int32    // idle servers, those whose ID is stored first
	place  []int32    // of a server in idle, -1 if it is not there
	stored int        // IDs
	newly  []becoming // servers that became idle after time
	owed   float64    // expected messages not counted yet
}

type becoming struct {
	time   float64
	server int32
}

func newPullDispatcher(rule ctmc.PullRule, servers int) *pullDispatcher {
	d := &pullDispatcher{
		memory: int(min(rule.Memory, int64(servers))), rate: rule.Rate,
		idle: make([]int32, servers), place: make([]int32, servers), newly: make([]becoming, 0, servers),
	}
	for j := range d.idle {
		d.idle[j], d.place[j] = int32(j), int32(j)
	}
	return d
}

func (d *pullDispatcher) Choose(f *Farm, _ float64, random *rand.PCG) int {
	for _, b := range d.newly {
		d.advance(b.time, f, random)
		d.place[b.server] = int32(len(d.idle))
		d.idle = append(d.idle, b.server)
	}
	d.newly = d.newly[:0]
	d.advance(f.now, f, random)
	if d.stored > 0 {
		return int(d.idle[stream.Below(uint64(d.stored), random)])
	}
	return stream.Below(uint64(f.Servers()), random)
}

// advance lets the idle servers send their IDs up to a time.
func (d *pullDispatcher) advance(to float64, f *Farm, random *rand.PCG) {
	for d.stored < d.memory && d.stored < len(d.idle) {
		gap := unitExponential(random) / (d.rate * float64(len(d.idle)-d.stored))
		if d.time+gap > to {
			break
		}
		d.owed += d.rate * float64(d.stored) * gap
		d.time += gap
		sender := d.stored + stream.Below(uint64(len(d.idle)-d.stored), random)
		d.swap(sender, d.stored)
		d.stored++
		f.Count(Pull, 1)
	}
	idle := len(d.idle)
	if d.stored < d.memory {
		idle = d.stored // the others did not send
	}
	d.owed += d.rate * float64(idle) * (to - d.time)
	d.time = to
	if whole := int(d.owed); whole > 0 {
		f.Count(Pull, whole)
		d.owed -= float64(whole)
	}
}

func (d *pullDispatcher) swap(i, j int) {
	a, b := d.idle[i], d.idle[j]
	d.idle[i], d.idle[j] = b, a
	d.place[a], d.place[b] = int32(j), int32(i)
}

// Joined takes an idle server off the list.
func (d *pullDispatcher) Joined(_ *Farm, server int) {
	i := int(d.place[server])
	if i < 0 {
		return
	}
	if i < d.stored {
		d.stored--
		d.swap(i, d.stored)
		i = d.stored
	}
	last := len(d.idle) - 1
	d.swap(i, last)
	d.idle = d.idle[:last]
	d.place[server] = -1
}

// Left notes a server that has become idle.
func (d *pullDispatcher) Left(f *Farm, server int) {
	if f.Len(server) == 0 {
		d.newly = append(d.newly, becoming{f.now, int32(server)})
	}
}
