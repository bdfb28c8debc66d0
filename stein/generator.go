package stein

import "qlimit/ctmc"

// Generator is the generator G of a system acting on functions of its
// occupancy state, (Gf)(n) = Σ rate (f(n') - f(n)) over the transitions out of
// n. In steady state E[Gf] = 0 for every f for which the mean exists: the
// source of all bounds and tests of this package.
//
// A state holds the number of servers in each class (0), (1,1), (1,2), (2,1),
// .., or (0), (1), (2), .. for exponential service, up to a whole level. With
// an unlimited buffer a state may be as long as it needs to be. Rates are per
// unit of time of the service law.
//
// It is not safe for concurrent use; generators are cheap, make one for each
// goroutine.
type Generator struct {
	System ctmc.System // whose transitions it has

	moves *ctmc.Moves
	next  []int64
}

// NewGenerator returns the generator of a system; an invalid one is an error.
func NewGenerator(s ctmc.System) (*Generator, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	return &Generator{System: s, moves: s.Moves()}, nil
}

// Class is the place in a state of the servers with the given number of jobs,
// the one in service in the given phase.
func (g *Generator) Class(level, phase int) int { return g.moves.Class(level, phase) }

// Level is the number of jobs at a server of the class.
func (g *Generator) Level(class int) int { return g.moves.Level(class) }

// Phases is 1 for exponential service and 2 otherwise.
func (g *Generator) Phases() int { return g.moves.Phases }

// Moves calls use for every transition out of the state: one server leaves the
// class from for the class to, at the rate. The class to may lie in the level
// above the last one of the state.
func (g *Generator) Moves(state []int64, use func(from, to int, rate float64)) {
	g.moves.Visit(state, use)
}

// Routing returns the tail counts of the state, tail[i] = servers with at least
// i jobs, and a_i, the probability that an arrival is sent to level i. The
// slices are valid until the next call of a method.
func (g *Generator) Routing(state []int64) (tail []int64, route []float64) {
	return g.moves.Routing(state)
}

// Apply returns (Gf)(state) for any f. The slice that f gets is valid during
// the call only; it may be a level longer than the state.
func (g *Generator) Apply(f func(state []int64) float64, state []int64) float64 {
	g.next = append(g.next[:0], state...)
	here, sum := f(state), 0.0
	for m := 0; m < g.moves.Phases; m++ {
		g.next = append(g.next, 0)
	}
	g.Moves(state, func(from, to int, rate float64) {
		g.next[from]--
		g.next[to]++
		reached := g.next
		if to < len(state) {
			reached = g.next[:len(state)]
		}
		sum += rate * (f(reached) - here)
		g.next[from]++
		g.next[to]--
	})
	return sum
}

// Linear is a function of the state that adds a weight for each server
// according to its class, such as the number of jobs or the expected work.
type Linear func(class int) float64

// At is the value of the function in a state.
func (w Linear) At(state []int64) float64 {
	sum := 0.0
	for class, n := range state {
		if n > 0 {
			sum += w(class) * float64(n)
		}
	}
	return sum
}

// ApplyAlong returns (Gf)(state) for f = h(w), h any function of one variable:
// the value of w changes by the difference of two weights with each transition,
// so that the state need not be touched.
func (g *Generator) ApplyAlong(w Linear, h func(x float64) float64, state []int64) float64 {
	x := w.At(state)
	here, sum := h(x), 0.0
	g.Moves(state, func(from, to int, rate float64) {
		sum += rate * (h(x+w(to)-w(from)) - here)
	})
	return sum
}

// Drift returns (Gw)(state) for a linear function itself.
func (g *Generator) Drift(w Linear, state []int64) float64 {
	sum := 0.0
	g.Moves(state, func(from, to int, rate float64) { sum += rate * (w(to) - w(from)) })
	return sum
}

// Jobs is the number of jobs in the system.
func (g *Generator) Jobs() Linear {
	return func(class int) float64 { return float64(g.Level(class)) }
}

// Work is the expected remaining work: for a server with i jobs i-1 mean
// services and, for the job in service, a mean service in phase 1 or 1/μ2 in
// phase 2. Its drift is λN(1 - P(lost)) times the mean service, less the number
// of busy servers.
func (g *Generator) Work() Linear {
	mean, rest := g.System.Service.Mean(), 1/g.System.Service.Mu2
	return func(class int) float64 {
		level := g.Level(class)
		if class > 0 && class != g.Class(level, 1) {
			return float64(level-1)*mean + rest
		}
		return float64(level) * mean
	}
}
