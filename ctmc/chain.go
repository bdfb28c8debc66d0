package ctmc

// Chain is a finite continuous-time Markov chain, given by an initial state
// and the transitions out of any state. States are vectors of int64.
//
// Visit calls emit once for every transition out of state with its rate > 0.
// The slice passed to emit belongs to the chain and is valid during the call
// only. Several transitions may lead to the same next state; their rates add.
type Chain interface {
	Initial() []int64
	Visit(state []int64, emit func(next []int64, rate float64))
}

// Indexed is a Chain whose states are numbered 0..States()-1. Exploring one
// needs no table of states.
type Indexed interface {
	Chain
	States() int64
	Rank(state []int64) int64
	Unrank(rank int64, state []int64)
}

// Grouped is a Chain whose states fall into groups 0, 1, .. along which the
// chain moves slowly; solvers aggregate over them.
type Grouped interface {
	Chain
	Group(state []int64) int
}

// SystemChain is the exact chain of a System with a finite buffer over its
// occupancy states. It implements [Indexed] and [Grouped] (by total jobs).
// It is not safe for concurrent use; chains are cheap, make one for each
// goroutine.
type SystemChain struct {
	*Space
	System System

	arrival    float64 // λN
	mu1, p     float64
	mu2        float64
	tail, next []int64
	route      []float64
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
		Space: space, System: s,
		arrival: s.ArrivalRate(), mu1: s.Service.Mu1, p: s.Service.P, mu2: s.Service.Mu2,
		tail: make([]int64, s.Buffer+1), next: make([]int64, space.Classes()),
		route: make([]float64, s.Buffer+1),
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

// Visit lists the transitions of theory section "finite chain":
//
//	arrival  (0) -> (1,1)            at λN a_0
//	arrival  (i,m) -> (i+1,m)        at λN a_i q_{i,m}/q_i, i < b
//	service  (i,1) -> (i-1,1)        at (1-p) μ1 n_{i,1}
//	phase    (i,1) -> (i,2)          at p μ1 n_{i,1}
//	service  (i,2) -> (i-1,1)        at μ2 n_{i,2}
//
// where (0,1) stands for (0).
func (c *SystemChain) Visit(state []int64, emit func(next []int64, rate float64)) {
	copy(c.next, state)
	c.visitArrivals(state, emit)
	for level := 1; level <= c.Levels; level++ {
		first := c.Class(level, 1)
		below := c.Class(level-1, 1)
		if n := float64(state[first]); n > 0 {
			c.move(first, below, (1-c.p)*c.mu1*n, emit)
			if c.Phases == 2 {
				c.move(first, first+1, c.p*c.mu1*n, emit)
			}
		}
		if c.Phases == 2 {
			if n := float64(state[first+1]); n > 0 {
				c.move(first+1, below, c.mu2*n, emit)
			}
		}
	}
}

func (c *SystemChain) visitArrivals(state []int64, emit func(next []int64, rate float64)) {
	c.Tails(state, c.tail)
	c.System.Policy.RouteLevels(c.tail, c.route)
	for level := 0; level < c.Levels; level++ {
		rate := c.arrival * c.route[level]
		if rate <= 0 {
			continue
		}
		if level == 0 {
			c.move(0, c.Class(1, 1), rate, emit)
			continue
		}
		atLevel := float64(c.tail[level] - c.tail[level+1])
		for m := 1; m <= c.Phases; m++ {
			from := c.Class(level, m)
			c.move(from, from+c.Phases, rate*float64(state[from])/atLevel, emit)
		}
	}
}

// move emits the transition of one server between two classes.
func (c *SystemChain) move(from, to int, rate float64, emit func(next []int64, rate float64)) {
	if rate <= 0 {
		return
	}
	c.next[from]--
	c.next[to]++
	emit(c.next, rate)
	c.next[from]++
	c.next[to]--
}

// ApplyGenerator returns (Gf)(state) = Σ rate (f(next) - f(state)).
func ApplyGenerator(c Chain, f func(state []int64) float64, state []int64) float64 {
	here, sum := f(state), 0.0
	c.Visit(state, func(next []int64, rate float64) { sum += rate * (f(next) - here) })
	return sum
}
