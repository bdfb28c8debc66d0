package ctmc

import "math"

// Generator is the sparse transition rate matrix Q of a finite chain, stored
// by incoming transitions: for state j, the predecessors i ≠ j and q_ij. It
// takes 12 bytes for each transition and 24 for each state.
//
// States have a number, by which all methods speak of them, and a position in
// storage: states of one group lie together, so that a sweep reads memory
// nearly in order.
type Generator struct {
	starts []int     // len states+1: range of the state at position j in from and rate
	from   []int32   // position of the predecessor
	rate   []float64 // q_ij > 0
	exit   []float64 // total rate out of a state

	number, position []int32 // number by position and position by number; nil where they are the same
	groups           []int   // positions groups[h]..groups[h+1]-1 are the states of group h; nil without groups
	adjacent         bool    // no transition skips a group

	index func(state []int64) int64
	state func(i int64, dst []int64)
}

// State writes the state of a number.
func (g *Generator) State(i int64, dst []int64) { g.state(i, dst) }

// States is the number of states.
func (g *Generator) States() int { return len(g.exit) }

// Transitions is the number of stored transitions q_ij > 0, i ≠ j, counting
// transitions between the same two states once for each time they are listed.
func (g *Generator) Transitions() int { return len(g.rate) }

// Index returns the number of a state, -1 for one that is not in the chain.
func (g *Generator) Index(state []int64) int64 { return g.index(state) }

// Exit is the total rate out of the state of a number.
func (g *Generator) Exit(i int64) float64 { return g.exit[g.positionOf(i)] }

func (g *Generator) positionOf(i int64) int {
	if g.position == nil {
		return int(i)
	}
	return int(g.position[i])
}

func (g *Generator) numberOf(j int) int {
	if g.number == nil {
		return j
	}
	return int(g.number[j])
}

// byPosition returns a vector given by number in the order of storage; it may
// be the vector itself.
func (g *Generator) byPosition(v []float64) []float64 {
	if g.number == nil {
		return v
	}
	ordered := make([]float64, len(v))
	for j, i := range g.number {
		ordered[j] = v[i]
	}
	return ordered
}

// byNumber is the inverse of byPosition.
func (g *Generator) byNumber(v []float64) []float64 {
	if g.position == nil {
		return v
	}
	ordered := make([]float64, len(v))
	for i, j := range g.position {
		ordered[i] = v[j]
	}
	return ordered
}

// Apply writes (Qf)_i = Σ_j q_ij (f_j - f_i), the generator applied to a
// function on the states.
func (g *Generator) Apply(f, dst []float64) {
	clear(dst)
	for j := range g.exit {
		to := g.numberOf(j)
		for t := g.starts[j]; t < g.starts[j+1]; t++ {
			i := g.numberOf(int(g.from[t]))
			dst[i] += g.rate[t] * (f[to] - f[i])
		}
	}
}

// ApplyLeft writes (πQ)_j = Σ_i π_i q_ij - π_j exit_j, the rate of change of
// a law on the states.
func (g *Generator) ApplyLeft(law, dst []float64) {
	ordered := g.byPosition(law)
	for j := range g.exit {
		dst[g.numberOf(j)] = g.inflow(ordered, j) - ordered[j]*g.exit[j]
	}
}

// inflow is Σ_i v_i q_ij for a vector in the order of storage.
func (g *Generator) inflow(v []float64, j int) float64 {
	from := g.from[g.starts[j]:g.starts[j+1]]
	rate := g.rate[g.starts[j]:g.starts[j+1]]
	sum := 0.0
	for t, i := range from {
		sum += v[i] * rate[t]
	}
	return sum
}

// Residual is Σ_j |(πQ)_j| / Σ_j π_j exit_j: the flow imbalance of a law as a
// fraction of the total flow.
func (g *Generator) Residual(law []float64) float64 {
	return g.residual(g.byPosition(law), 1)
}

// residual is Residual for a law in the order of storage.
func (g *Generator) residual(law []float64, workers int) float64 {
	sums := reduce(len(law), workers, 2, func(low, high int, sums []float64) {
		imbalance, flow := 0.0, 0.0
		for j := low; j < high; j++ {
			out := law[j] * g.exit[j]
			imbalance += math.Abs(g.inflow(law, j) - out)
			flow += out
		}
		sums[0], sums[1] = imbalance, flow
	})
	if sums[1] == 0 {
		return 0
	}
	return sums[0] / sums[1]
}
