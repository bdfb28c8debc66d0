package ctmc

import (
	"encoding/binary"
	"math"
	"slices"
)

// A system state in which few classes are occupied is written as runs: the
// occupied classes in increasing order, in the numbering of [Space], with the
// number of servers in each. It costs the same to follow a chain of a hundred
// servers near balance as one of a single server with thousands of jobs.
type run struct {
	class, count int32
}

// occupancy lists transitions between states written as runs.
type occupancy struct {
	system   System
	phases   int32
	arrival  float64
	mu1, mu2 float64
	p        float64
	join     []float64 // probability that an arrival joins a server of each run
	next     []run
}

func newOccupancy(s System) *occupancy {
	return &occupancy{system: s, phases: int32(s.Phases()), arrival: s.ArrivalRate(), mu1: s.Service.Mu1, p: s.Service.P, mu2: s.Service.Mu2}
}

func (o *occupancy) level(class int32) int32 { return (class + o.phases - 1) / o.phases }

// below is the class of a server after a job has left.
func (o *occupancy) below(class int32) int32 { return o.first(o.level(class) - 1) }

// first is the class of a server with the given number of jobs in phase 1.
func (o *occupancy) first(level int32) int32 {
	if level == 0 {
		return 0
	}
	return 1 + (level-1)*o.phases
}

// above is the class of a server after a job has arrived.
func (o *occupancy) above(class int32) int32 {
	if class == 0 {
		return 1
	}
	return class + o.phases
}

func (o *occupancy) jobs(state []run) int {
	sum := 0
	for _, r := range state {
		sum += int(o.level(r.class)) * int(r.count)
	}
	return sum
}

// balanced is the state of a number of jobs in which queues differ by at most
// one job and all jobs in service are in phase 1.
func (o *occupancy) balanced(jobs int) []run {
	n := int(o.system.Servers)
	level, more := int32(jobs/n), int32(jobs%n)
	state := []run{{o.first(level), int32(n) - more}}
	if more > 0 {
		state = append(state, run{o.first(level + 1), more})
	}
	return state
}

// spread is [occupancy.balanced] with a number of servers in phase 2, those with
// the longer queues first.
func (o *occupancy) spread(jobs, second int) []run {
	state := o.balanced(jobs)
	if o.phases == 1 {
		return state
	}
	var spread []run
	for k := len(state) - 1; k >= 0; k-- {
		r := state[k]
		if there := min(int32(second), r.count); r.class > 0 && there > 0 {
			second -= int(there)
			r.count -= there
			spread = append(spread, run{r.class + 1, there})
		}
		if r.count > 0 {
			spread = append(spread, r)
		}
	}
	slices.Reverse(spread)
	return spread
}

// inPhase2 is the number of servers in phase 2.
func (o *occupancy) inPhase2(state []run) int {
	sum := 0
	for _, r := range state {
		if r.class > 0 && r.class%2 == 0 && o.phases == 2 {
			sum += int(r.count)
		}
	}
	return sum
}

// usualInPhase2 bounds the number of servers in phase 2 with so many jobs in
// balance, if phases were independent, up to eight standard deviations.
func (o *occupancy) usualInPhase2(jobs int) (least, most int) {
	if o.phases == 1 {
		return 0, 0
	}
	busy := math.Min(float64(jobs), float64(o.system.Servers))
	share := o.p * o.mu1 / (o.p*o.mu1 + o.mu2)
	middle, reach := busy*share, 8*math.Sqrt(busy*share*(1-share))+1
	return int(math.Max(0, math.Floor(middle-reach))), int(math.Min(busy, math.Ceil(middle+reach)))
}

// joins writes the probabilities that an arrival joins a server of each run; a
// job that joins a full server is lost.
func (o *occupancy) joins(state []run) []float64 {
	o.join = o.join[:0]
	policy, n := o.system.Policy, o.system.Servers
	tail, upper := n, 1.0 // servers from this level on; P(level of the chosen server >= this one)
	for k := 0; k < len(state); {
		level, high, servers := o.level(state[k].class), k, int64(0)
		for high < len(state) && o.level(state[high].class) == level {
			servers += int64(state[high].count)
			high++
		}
		tail -= servers
		next := 0.0
		if int(o.level(state[0].class)) >= policy.Depth {
			next = policy.Fallback.Tail(tail, n)
		}
		for ; k < high; k++ {
			o.join = append(o.join, (upper-next)*float64(state[k].count)/float64(servers))
		}
		upper = next
	}
	return o.join
}

// event says what a transition is.
type event int

const (
	arrivalEvent event = iota
	phaseEvent
	departureEvent
)

// visit lists the transitions out of a state. The slice passed to emit is valid
// during the call only.
func (o *occupancy) visit(state []run, emit func(next []run, rate float64, e event)) {
	for k, probability := range o.joins(state) {
		full := o.system.Buffer != Unlimited && int(o.level(state[k].class)) >= o.system.Buffer
		if rate := o.arrival * probability; rate > 0 && !full {
			emit(o.move(state, k, o.above(state[k].class)), rate, arrivalEvent)
		}
	}
	for k, r := range state {
		n := float64(r.count)
		switch {
		case r.class == 0:
		case o.phases == 2 && r.class%2 == 0:
			emit(o.move(state, k, o.below(r.class)), o.mu2*n, departureEvent)
		default:
			if rate := (1 - o.p) * o.mu1 * n; rate > 0 {
				emit(o.move(state, k, o.below(r.class)), rate, departureEvent)
			}
			if o.phases == 2 {
				emit(o.move(state, k, r.class+1), o.p*o.mu1*n, phaseEvent)
			}
		}
	}
}

// move returns the state after one server of run k has moved to a class. The
// result is valid until the next call.
func (o *occupancy) move(state []run, k int, to int32) []run {
	next, placed := o.next[:0], false
	for i, r := range state {
		if i == k {
			r.count--
		}
		if !placed && r.class >= to {
			placed = true
			if r.class == to {
				r.count++
			} else {
				next = append(next, run{to, 1})
			}
		}
		if r.count > 0 {
			next = append(next, r)
		}
	}
	if !placed {
		next = append(next, run{to, 1})
	}
	o.next = next
	return next
}

// appendRuns encodes a state as the steps between its classes and their counts.
func appendRuns(code []byte, state []run) []byte {
	last := int32(-1)
	for _, r := range state {
		code = binary.AppendUvarint(code, uint64(r.class-last))
		code = binary.AppendUvarint(code, uint64(r.count))
		last = r.class
	}
	return code
}

// decodeRuns appends the runs of an encoded state.
func decodeRuns(code []byte, state []run) []run {
	last := int32(-1)
	for len(code) > 0 {
		step, n := binary.Uvarint(code)
		count, m := binary.Uvarint(code[n:])
		code = code[n+m:]
		last += int32(step)
		state = append(state, run{last, int32(count)})
	}
	return state
}
