package ctmc

import "slices"

// tallChain is the chain of a System with few servers and many levels. Its
// state lists the levels and phases of the servers instead of the number of
// servers in each class: N numbers in place of 1 + 2b, in increasing order, a
// server with i jobs in phase m being 2i + m - 1 and an idle one 0. The states
// are the occupancy states, the transitions those of [SystemChain].
type tallChain struct {
	system  System
	arrival float64
	mu1, p  float64
	mu2     float64
	next    []int64
}

func (s System) tallChain() *tallChain {
	n := int(s.Servers)
	return &tallChain{
		system: s, arrival: s.ArrivalRate(), mu1: s.Service.Mu1, p: s.Service.P, mu2: s.Service.Mu2,
		next: make([]int64, n),
	}
}

func serverLevel(server int64) int64 { return server / 2 }

// Initial is the empty system.
func (c *tallChain) Initial() []int64 { return make([]int64, c.system.Servers) }

// Group is the number of jobs in the system.
func (c *tallChain) Group(state []int64) int {
	jobs := int64(0)
	for _, server := range state {
		jobs += serverLevel(server)
	}
	return int(jobs)
}

// Visit lists the transitions, equal servers together.
func (c *tallChain) Visit(state []int64, emit func(next []int64, rate float64)) {
	for i := 0; i < len(state); {
		j := i
		for j < len(state) && state[j] == state[i] {
			j++
		}
		server, count := state[i], float64(j-i)
		c.change(state, i, server+2, c.arrivalRate(state, i, j), emit)
		if server > 0 {
			c.visitService(state, i, count, emit)
		}
		i = j
	}
}

func (c *tallChain) visitService(state []int64, i int, count float64, emit func(next []int64, rate float64)) {
	server := state[i]
	below := 2 * (serverLevel(server) - 1) // level below in phase 1, or idle
	if server%2 == 1 {
		c.change(state, i, below, c.mu2*count, emit)
		return
	}
	c.change(state, i, below, (1-c.p)*c.mu1*count, emit)
	c.change(state, i, server+1, c.p*c.mu1*count, emit)
}

// arrivalRate is the rate of arrivals at the servers i..j-1, which are alike.
func (c *tallChain) arrivalRate(state []int64, i, j int) float64 {
	level := serverLevel(state[i])
	if level >= int64(c.system.Buffer) {
		return 0 // lost
	}
	low, high := i, j // all servers of the level
	for low > 0 && serverLevel(state[low-1]) == level {
		low--
	}
	for high < len(state) && serverLevel(state[high]) == level {
		high++
	}
	return c.arrival * c.routed(state, low, high) * float64(j-i) / float64(high-low)
}

// routed is the probability that an arrival goes to the level of the servers
// low..high-1.
func (c *tallChain) routed(state []int64, low, high int) float64 {
	policy, n := c.system.Policy, int64(len(state))
	if lowest := serverLevel(state[0]); lowest < int64(policy.Depth) {
		if low == 0 {
			return 1
		}
		return 0
	}
	atLeast, above := n-int64(low), n-int64(high)
	return policy.Fallback.Tail(atLeast, n) - policy.Fallback.Tail(above, n)
}

// change emits the transition of server i to another class.
func (c *tallChain) change(state []int64, i int, to int64, rate float64, emit func(next []int64, rate float64)) {
	if rate <= 0 {
		return
	}
	copy(c.next, state)
	c.next[i] = to
	slices.Sort(c.next)
	emit(c.next, rate)
}

// measure averages the reported quantities over a law on the states.
func (c *tallChain) measure(g *Generator, law []float64) *Stationary {
	s := c.system
	r := &Stationary{System: s, Occupancy: make([]float64, s.Buffer+1)}
	state := make([]int64, s.Servers)
	for i, p := range law {
		g.State(int64(i), state)
		share := p / float64(len(state))
		for _, server := range state {
			r.Occupancy[serverLevel(server)] += share
		}
		r.WaitProb += p * (1 - c.routedTo(state, 0))
		r.BlockProb += p * c.routedTo(state, int64(s.Buffer))
	}
	return r
}

// routedTo is the probability that an arrival goes to a level, 0 if no server
// is there.
func (c *tallChain) routedTo(state []int64, level int64) float64 {
	low := 0
	for low < len(state) && serverLevel(state[low]) < level {
		low++
	}
	high := low
	for high < len(state) && serverLevel(state[high]) == level {
		high++
	}
	if high == low {
		return 0
	}
	return c.routed(state, low, high)
}
