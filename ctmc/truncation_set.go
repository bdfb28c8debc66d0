package ctmc

import "context"

// stateSet is a set of system states that grows where probability is: known
// states have a number; those that carry probability are expanded, that is,
// their transitions are stored. Transitions into states that are known only
// are redirected when a generator is made, see [closure].
type stateSet struct {
	walk     *occupancy
	table    *codeTable
	estimate []float64 // of the stationary probability, by number
	total    []int32   // jobs in the system, by number
	expanded []int32   // place in order + 1, 0 for a state that is known only
	order    []int32   // expanded states in the order of expansion

	outStarts []int // transitions of order[k] are outStarts[k]..outStarts[k+1]-1
	out       []outgoing

	highest int   // balanced states are in the set up to this number of jobs
	most    int64 // bytes that the set may take with a solution on it, 0 for DefaultMemory
	code    []byte
	state   []run
}

type outgoing struct {
	to    int32
	event event8
	rate  float64
}

// event8 is an event that takes one byte.
type event8 uint8

func newStateSet(s System) *stateSet {
	return &stateSet{walk: newOccupancy(s), table: newCodeTable(), outStarts: []int{0}, highest: -1}
}

// know returns the number of a state.
func (t *stateSet) know(state []run) int {
	t.code = appendRuns(t.code[:0], state)
	number, isNew := t.table.add(t.code)
	if isNew {
		t.estimate = append(t.estimate, 0)
		t.total = append(t.total, int32(t.walk.jobs(state)))
		t.expanded = append(t.expanded, 0)
	}
	return number
}

// fits reports whether the set is within a number of states and its memory.
func (t *stateSet) fits(limit int) bool {
	return len(t.order) <= limit && t.memory() <= float64(memoryLimit(t.most))
}

// raise includes the balanced states up to a number of jobs, with two phases
// for all usual numbers of servers in phase 2. It is refused where the memory
// does not suffice.
func (t *stateSet) raise(ctx context.Context, jobs int) error {
	// Each has an arrival and a departure.
	least, most := t.walk.usualInPhase2(jobs)
	missing := float64(jobs-t.highest) * float64(most-least+1) * (bytesPerKnown + bytesPerExpanded + 2*bytesPerOutgoing)
	if err := withinMemory(t.memory()+missing, t.most); err != nil {
		return err
	}
	for t.highest < jobs {
		if t.highest%4096 == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := withinMemory(t.memory(), t.most); err != nil {
				return err
			}
		}
		t.highest++
		least, most := t.walk.usualInPhase2(t.highest)
		for second := least; second <= most; second++ {
			t.expand(t.know(t.walk.spread(t.highest, second)))
		}
	}
	return nil
}

// expand stores the transitions out of a state, and gives states that were not
// expanded their share of its probability.
func (t *stateSet) expand(number int) {
	if t.expanded[number] > 0 {
		return
	}
	t.order = append(t.order, int32(number))
	t.expanded[number] = int32(len(t.order))
	t.state = decodeRuns(t.table.code(number), t.state[:0])
	begin := len(t.out)
	t.walk.visit(t.state, func(next []run, rate float64, e event) {
		t.out = append(t.out, outgoing{int32(t.know(next)), event8(e), rate})
	})
	t.outStarts = append(t.outStarts, len(t.out))
	exit := 0.0
	for _, o := range t.out[begin:] {
		exit += o.rate
	}
	for _, o := range t.out[begin:] {
		if t.expanded[o.to] == 0 {
			t.estimate[o.to] += t.estimate[number] * o.rate / exit
		}
	}
}

// grow expands all states of at least the given probability, and those that
// get as much from them, up to the highest number of jobs. It stops beyond a
// number of states.
func (t *stateSet) grow(ctx context.Context, least float64, limit int) error {
	return t.growBy(ctx, func(int32) float64 { return least }, limit)
}

// growBy is grow with a least probability that depends on the number of jobs.
func (t *stateSet) growBy(ctx context.Context, least func(total int32) float64, limit int) error {
	for number := 0; number < t.table.len(); number++ {
		if number%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if t.expanded[number] > 0 || int(t.total[number]) > t.highest || t.estimate[number] < least(t.total[number]) {
			continue
		}
		t.expand(number)
		if !t.fits(limit) {
			return nil
		}
	}
	return nil
}

// closeArrivals expands whatever arrivals lead to, up to the highest number of
// jobs.
func (t *stateSet) closeArrivals(ctx context.Context, limit int) error {
	for k := 0; k < len(t.order) && t.fits(limit); k++ {
		if k%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if int(t.total[t.order[k]]) >= t.highest {
			continue
		}
		for i := t.outStarts[k]; i < t.outStarts[k+1]; i++ {
			if event(t.out[i].event) == arrivalEvent {
				t.expand(int(t.out[i].to))
			}
		}
	}
	return nil
}

// closure says what becomes of transitions that leave a set of states.
type closure int

const (
	// downward replaces a state outside by a better one inside, with shorter
	// long queues: a departure takes place at the longest queue, or all jobs
	// are balanced after it; all jobs are balanced after an arrival (with two
	// phases, it joins another queue if that state is inside) and after a
	// change of phase. Balanced states keep the number of servers in phase 2
	// as far as it is usual. An arrival beyond the highest number of jobs is
	// lost.
	downward closure = iota
	// upward replaces a state outside by a worse one inside: the departure
	// does not take place. Arrivals must not leave the set, except at its
	// highest state, where they are lost.
	upward
)

// generator makes the generator on the expanded states. States are numbered in
// the order of expansion.
func (t *stateSet) generator(ctx context.Context, c closure) (*Generator, error) {
	n := len(t.order)
	g := &Generator{starts: make([]int, n+1), exit: make([]float64, n)}
	group := make([]int32, n)
	for k, number := range t.order {
		group[k] = t.total[number]
	}
	g.arrange(group)
	if err := t.eachInside(ctx, c, func(k, to int, _ float64) { g.starts[g.position[to]+1]++ }); err != nil {
		return nil, err
	}
	for j := range n {
		g.starts[j+1] += g.starts[j]
	}
	g.from, g.rate = make([]int32, g.starts[n]), make([]float64, g.starts[n])
	fill := append([]int(nil), g.starts[:n]...)
	err := t.eachInside(ctx, c, func(k, to int, rate float64) {
		i, j := g.position[k], g.position[to]
		g.from[fill[j]], g.rate[fill[j]] = i, rate
		fill[j]++
		g.exit[i] += rate
	})
	if err != nil {
		return nil, err
	}
	g.adjacent = g.movesBetweenNeighbours()
	return g, nil
}

// eachInside calls use with the transitions between expanded states, given by
// their places in the order of expansion, after redirection.
func (t *stateSet) eachInside(ctx context.Context, c closure, use func(k, to int, rate float64)) error {
	for k := range t.order {
		if k%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		for _, o := range t.out[t.outStarts[k]:t.outStarts[k+1]] {
			to := int(t.expanded[o.to]) - 1
			if to < 0 {
				to = t.redirect(c, k, o)
			}
			if to >= 0 && to != k {
				use(k, to, o.rate)
			}
		}
	}
	return nil
}

// redirect returns where a transition goes that would leave the set, -1 for
// nowhere.
func (t *stateSet) redirect(c closure, k int, o outgoing) int {
	e := event(o.event)
	if c == upward || e == arrivalEvent && int(t.total[t.order[k]]) >= t.highest {
		return -1
	}
	t.state = decodeRuns(t.table.code(int(t.order[k])), t.state[:0])
	switch {
	case e == departureEvent:
		longest := len(t.state) - 1
		if to := t.place(t.walk.move(t.state, longest, t.walk.below(t.state[longest].class))); to >= 0 {
			return to
		}
	case e == arrivalEvent && t.walk.phases == 2:
		// Keep the phases where another queue will do.
		for i, r := range t.state {
			if to := t.place(t.walk.move(t.state, i, t.walk.above(r.class))); to >= 0 {
				return to
			}
		}
	}
	t.state = decodeRuns(t.table.code(int(o.to)), t.state[:0])
	jobs := int(t.total[o.to])
	least, most := t.walk.usualInPhase2(jobs)
	return t.place(t.walk.spread(jobs, min(max(t.walk.inPhase2(t.state), least), most)))
}

// place is the place of an expanded state in their order, -1 for others.
func (t *stateSet) place(state []run) int {
	t.code = appendRuns(t.code[:0], state)
	number, _ := t.table.find(t.code)
	if number < 0 {
		return -1
	}
	return int(t.expanded[number]) - 1
}

// update takes over probabilities and estimates those of the states that are
// known only, by what flows into them.
func (t *stateSet) update(law []float64) {
	clear(t.estimate)
	for k, number := range t.order {
		t.estimate[number] = law[k]
	}
	for k, number := range t.order {
		exit := 0.0
		for _, o := range t.out[t.outStarts[k]:t.outStarts[k+1]] {
			exit += o.rate
		}
		for _, o := range t.out[t.outStarts[k]:t.outStarts[k+1]] {
			if t.expanded[o.to] == 0 {
				t.estimate[o.to] += t.estimate[number] * o.rate / exit
			}
		}
	}
}
