package ctmc

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
)

// MaxStoredTransitions bounds the memory of an explored generator: 12 bytes
// for each transition.
const MaxStoredTransitions = 200_000_000

// DefaultMaxStates is the largest chain that [Explore] takes by default.
const DefaultMaxStates = int64(5_000_000)

// Generator is the sparse transition rate matrix Q of a finite chain, stored
// by incoming transitions: for state j, the predecessors i ≠ j and q_ij.
type Generator struct {
	starts []int     // len states+1: range of state j in from and rate
	from   []int32   // predecessor
	rate   []float64 // q_ij > 0
	exit   []float64 // total rate out of a state
	group  []int32   // aggregation group of a state, nil if the chain has none
	groups int

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

// Index returns the number of a state.
func (g *Generator) Index(state []int64) int64 { return g.index(state) }

// Explore lists the states of a chain and stores its generator. States of an
// [Indexed] chain keep their rank; others are numbered in breadth-first order
// from the initial state. More than maxStates states (0 = DefaultMaxStates)
// are refused with a [TooLargeError].
func Explore(ctx context.Context, c Chain, maxStates int64) (*Generator, error) {
	if maxStates == 0 {
		maxStates = DefaultMaxStates
	}
	list, err := enumerate(ctx, c, maxStates)
	if err != nil {
		return nil, err
	}
	return list.generator(ctx, c)
}

// listing is an enumeration of the states of a chain.
type listing struct {
	count int64
	state func(i int64, dst []int64)
	index func(state []int64) int64
	width int
}

func enumerate(ctx context.Context, c Chain, maxStates int64) (*listing, error) {
	width := len(c.Initial())
	if indexed, ok := c.(Indexed); ok {
		if n := indexed.States(); n > maxStates {
			return nil, &TooLargeError{What: "states", Value: float64(n), Limit: float64(maxStates),
				Hint: "use fewer servers, a smaller buffer, or simulate"}
		}
		return &listing{indexed.States(), indexed.Unrank, indexed.Rank, width}, nil
	}
	return enumerateByVisiting(ctx, c, maxStates, width)
}

func enumerateByVisiting(ctx context.Context, c Chain, maxStates int64, width int) (*listing, error) {
	number := map[string]int64{}
	var flat []int64
	add := func(state []int64) {
		key := stateKey(state)
		if _, seen := number[key]; !seen {
			number[key] = int64(len(number))
			flat = append(flat, state...)
		}
	}
	add(c.Initial())
	current := make([]int64, width)
	for i := 0; i < len(number); i++ {
		if int64(len(number)) > maxStates {
			return nil, &TooLargeError{What: "states", Value: float64(len(number)), Limit: float64(maxStates)}
		}
		if i%4096 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		copy(current, flat[i*width:])
		c.Visit(current, func(next []int64, _ float64) { add(next) })
	}
	return &listing{
		count: int64(len(number)), width: width,
		state: func(i int64, dst []int64) { copy(dst, flat[int(i)*width:(int(i)+1)*width]) },
		index: func(state []int64) int64 {
			if i, ok := number[stateKey(state)]; ok {
				return i
			}
			return -1
		},
	}, nil
}

func stateKey(state []int64) string {
	key := make([]byte, 0, 3*len(state))
	for _, v := range state {
		key = binary.AppendVarint(key, v)
	}
	return string(key)
}

// generator fills the incoming-transition lists in two passes.
func (l *listing) generator(ctx context.Context, c Chain) (*Generator, error) {
	n := int(l.count)
	g := &Generator{starts: make([]int, n+1), exit: make([]float64, n), index: l.index, state: l.state}
	state := make([]int64, l.width)
	var bad error
	forEachTransition := func(use func(i, j int, rate float64)) error {
		for i := 0; i < n; i++ {
			if i%4096 == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			l.state(int64(i), state)
			c.Visit(state, func(next []int64, rate float64) {
				j := int(l.index(next))
				if !(rate > 0) || math.IsInf(rate, 1) || j < 0 || j >= n {
					bad = fmt.Errorf("chain: transition %v -> %v at rate %v: the rate must be positive and finite and the state known", state, next, rate)
					return
				}
				if i != j {
					use(i, j, rate)
				}
			})
			if bad != nil {
				return bad
			}
		}
		return nil
	}
	if err := forEachTransition(func(_, j int, _ float64) { g.starts[j+1]++ }); err != nil {
		return nil, err
	}
	for j := 0; j < n; j++ {
		g.starts[j+1] += g.starts[j]
	}
	if g.starts[n] > MaxStoredTransitions {
		return nil, &TooLargeError{What: "transitions", Value: float64(g.starts[n]), Limit: MaxStoredTransitions,
			Hint: "use fewer servers, a smaller buffer, or simulate"}
	}
	g.from, g.rate = make([]int32, g.starts[n]), make([]float64, g.starts[n])
	fill := append([]int(nil), g.starts[:n]...)
	err := forEachTransition(func(i, j int, rate float64) {
		g.from[fill[j]], g.rate[fill[j]] = int32(i), rate
		fill[j]++
		g.exit[i] += rate
	})
	if err != nil {
		return nil, err
	}
	g.assignGroups(l, c)
	return g, nil
}

func (g *Generator) assignGroups(l *listing, c Chain) {
	grouped, ok := c.(Grouped)
	if !ok {
		return
	}
	g.group = make([]int32, g.States())
	state := make([]int64, l.width)
	for i := range g.group {
		l.state(int64(i), state)
		g.group[i] = int32(grouped.Group(state))
		g.groups = max(g.groups, int(g.group[i])+1)
	}
}

// Apply writes (Qf)_i = Σ_j q_ij (f_j - f_i), the generator applied to a
// function on the states.
func (g *Generator) Apply(f, dst []float64) {
	for i := range dst {
		dst[i] = 0
	}
	for j := range g.exit {
		for t := g.starts[j]; t < g.starts[j+1]; t++ {
			i := g.from[t]
			dst[i] += g.rate[t] * (f[j] - f[i])
		}
	}
}

// ApplyLeft writes (πQ)_j = Σ_i π_i q_ij - π_j exit_j, the rate of change of
// a law on the states.
func (g *Generator) ApplyLeft(law, dst []float64) {
	for j := range g.exit {
		dst[j] = g.inflow(law, j) - law[j]*g.exit[j]
	}
}

func (g *Generator) inflow(law []float64, j int) float64 {
	sum := 0.0
	for t := g.starts[j]; t < g.starts[j+1]; t++ {
		sum += law[g.from[t]] * g.rate[t]
	}
	return sum
}

// Residual is Σ_j |(πQ)_j| / Σ_j π_j exit_j: the flow imbalance of a law as a
// fraction of the total flow.
func (g *Generator) Residual(law []float64) float64 {
	imbalance, flow := 0.0, 0.0
	for j := range g.exit {
		out := law[j] * g.exit[j]
		imbalance += math.Abs(g.inflow(law, j) - out)
		flow += out
	}
	if flow == 0 {
		return 0
	}
	return imbalance / flow
}
