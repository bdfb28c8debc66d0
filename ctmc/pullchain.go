package ctmc

// PullChain is the exact chain of a [PullSystem] with a finite buffer and a
// dispatcher that needs its memory (0 < Memory, 0 < Rate < ∞). A state is
//
//	(m, u, n_1, .., n_b)
//
// m idle servers whose ID is stored, u other idle servers, n_i servers with i
// jobs. Its transitions, with λN the arrival rate and service rate 1/mean:
//
//	arrival  m > 0: stored -> 1 job              at λN
//	         m = 0: i -> i+1 jobs, i < b         at λ n_i (n_0 = u)
//	service  i -> i-1 jobs (idle, not stored)    at n_i/mean
//	message  idle -> stored, if m < Memory       at Rate·u
//
// It implements [Indexed] and [Grouped] (by total jobs). It is not safe for
// concurrent use.
type PullChain struct {
	space  *Space // of the N servers in the b + 2 classes, in the order above
	memory int64  // min(Memory, N)
	states int64
	system PullSystem
	next   []int64
}

// Chain returns the exact chain. The buffer must be finite.
func (s PullSystem) Chain() (*PullChain, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	if _, degenerate := s.Pull.Memoryless(); degenerate {
		return nil, &FieldError{Field: "policy", Value: s.Pull, Allowed: "a positive memory with a positive and finite rate", Reason: "otherwise it is a policy without memory, see Memoryless"}
	}
	if s.Buffer == Unlimited {
		return nil, &FieldError{Field: "buffer", Value: "unlimited", Allowed: ">= 1 for the exact chain"}
	}
	space, err := NewSpace(s.Servers, s.Buffer+1, 1)
	if err != nil {
		return nil, err
	}
	c := &PullChain{space: space, memory: min(s.Pull.Memory, s.Servers), system: s, next: make([]int64, space.Classes())}
	c.states = space.States()
	if c.memory < s.Servers {
		// The rank grows with the count of the first class: states that store
		// too much come last.
		c.states = space.statesBelow(c.memory + 1)
	}
	return c, nil
}

// statesBelow is the number of states with fewer than k servers in class 0.
func (s *Space) statesBelow(k int64) int64 {
	behind := s.choose[s.Classes()-1]
	return behind[s.Servers] - behind[s.Servers-k]
}

// Initial is the empty system with nothing stored.
func (c *PullChain) Initial() []int64 {
	state := make([]int64, len(c.next))
	state[1] = c.system.Servers
	return state
}

// States is the number of states.
func (c *PullChain) States() int64 { return c.states }

// Rank returns the number of a state, 0..States()-1.
func (c *PullChain) Rank(state []int64) int64 { return c.space.Rank(state) }

// Unrank writes the state of a number.
func (c *PullChain) Unrank(rank int64, state []int64) { c.space.Unrank(rank, state) }

// Group is the number of jobs in the system.
func (c *PullChain) Group(state []int64) int {
	jobs := int64(0)
	for class, n := range state[1:] {
		jobs += int64(class) * n
	}
	return int(jobs)
}

// Visit lists the transitions.
func (c *PullChain) Visit(state []int64, emit func(next []int64, rate float64)) {
	copy(c.next, state)
	last := len(state) - 1
	perServer := c.system.Load / c.system.Service.Mean() // λ
	if state[0] > 0 {
		c.move(0, 2, perServer*float64(c.system.Servers), emit)
	} else {
		for class := 1; class < last; class++ {
			c.move(class, class+1, perServer*float64(state[class]), emit)
		}
	}
	for class := 2; class <= last; class++ {
		c.move(class, class-1, float64(state[class])/c.system.Service.Mean(), emit)
	}
	if state[0] < c.memory {
		c.move(1, 0, c.system.Pull.Rate*float64(state[1]), emit)
	}
}

func (c *PullChain) move(from, to int, rate float64, emit func(next []int64, rate float64)) {
	if rate <= 0 {
		return
	}
	c.next[from]--
	c.next[to]++
	emit(c.next, rate)
	c.next[from]++
	c.next[to]--
}
