package ctmc

// Chain is a finite continuous-time Markov chain, given by an initial state
// and the transitions out of any state. States are vectors of int64.
//
// Visit calls emit once for every transition out of state with its rate > 0.
// The slice passed to emit belongs to the chain and is valid during the call
// only. Several transitions may lead to the same next state; their rates add.
type Chain interface {
	Initial() []int64                                           // the state to explore from
	Visit(state []int64, emit func(next []int64, rate float64)) // all transitions out of state
}

// Indexed is a Chain whose states are numbered 0..States()-1. Exploring one
// needs no table of states.
type Indexed interface {
	Chain
	States() int64                    // the number of states
	Rank(state []int64) int64         // the number of a state, 0..States()-1
	Unrank(rank int64, state []int64) // writes the state of a number
}

// Grouped is a Chain whose states fall into groups 0, 1, .. along which the
// chain moves slowly; solvers aggregate over them.
type Grouped interface {
	Chain
	Group(state []int64) int // the group of a state
}

// SystemChain is the exact chain of a System with a finite buffer over its
// occupancy states. It implements [Indexed] and [Grouped] (by total jobs).
// It is not safe for concurrent use; chains are cheap, make one for each
// goroutine.
type SystemChain struct {
	*Space
	System System // with its finite buffer

	moves      *Moves
	tail, next []int64
}

// Chain returns the exact chain of the system. The buffer must be finite.
func (s System) Chain() (*SystemChain, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	if s.Buffer == Unlimited {
		return nil, &FieldError{Field: "buffer", Value: "unlimited", Allowed: ">= 1 for the exact chain"}
	}
	space, err := NewSpace(s.Servers, s.Buffer, s.Phases())
	if err != nil {
		return nil, err
	}
	return &SystemChain{
		Space: space, System: s, moves: s.Moves(),
		tail: make([]int64, s.Buffer+1), next: make([]int64, space.Classes()),
	}, nil
}

// Initial is the empty system.
func (c *SystemChain) Initial() []int64 {
	state := make([]int64, c.Classes())
	state[0] = c.Servers
	return state
}

// Group is the number of jobs in the system.
func (c *SystemChain) Group(state []int64) int { return int(c.Jobs(state)) }

// Visit lists the transitions, see [Moves.Visit].
func (c *SystemChain) Visit(state []int64, emit func(next []int64, rate float64)) {
	copy(c.next, state)
	c.moves.Visit(state, func(from, to int, rate float64) {
		c.next[from]--
		c.next[to]++
		emit(c.next, rate)
		c.next[from]++
		c.next[to]--
	})
}

// ApplyGenerator returns (Gf)(state) = Σ rate (f(next) - f(state)).
func ApplyGenerator(c Chain, f func(state []int64) float64, state []int64) float64 {
	here, sum := f(state), 0.0
	c.Visit(state, func(next []int64, rate float64) { sum += rate * (f(next) - here) })
	return sum
}
