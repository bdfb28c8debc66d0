package ctmc

import (
	"context"
	"fmt"
	"math"
)

// DefaultMaxStates is the largest chain that [Explore] takes by default.
const DefaultMaxStates = int64(50_000_000)

// MaxStoredTransitions bounds the memory of an explored generator: 12 bytes
// for each transition.
const MaxStoredTransitions = 1_000_000_000

// maxNumberedStates is what the numbers of states in storage can count.
const maxNumberedStates = int64(math.MaxInt32 - 1)

// Explore lists the states of a chain and stores its generator. States of an
// [Indexed] chain keep their rank as number; others are numbered in
// breadth-first order from the initial state. More than maxStates states (0 =
// DefaultMaxStates) are refused with a [TooLargeError], those of an Indexed
// chain before any memory is asked for.
func Explore(ctx context.Context, c Chain, maxStates int64) (*Generator, error) {
	if maxStates == 0 {
		maxStates = DefaultMaxStates
	}
	list, err := enumerate(ctx, c, min(maxStates, maxNumberedStates))
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
			return nil, tooManyStates(float64(n), maxStates)
		}
		return &listing{indexed.States(), indexed.Unrank, indexed.Rank, width}, nil
	}
	return enumerateByVisiting(ctx, c, maxStates, width)
}

func tooManyStates(states float64, limit int64) error {
	return &TooLargeError{What: "states", Value: states, Limit: float64(limit),
		Hint: "use fewer servers, a smaller buffer, or simulate"}
}

func enumerateByVisiting(ctx context.Context, c Chain, maxStates int64, width int) (*listing, error) {
	table := newStateTable(width)
	table.addState(c.Initial())
	current := make([]int64, width)
	for i := 0; i < table.len(); i++ {
		if int64(table.len()) > maxStates {
			return nil, tooManyStates(float64(table.len()), maxStates)
		}
		if i%4096 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		table.write(int64(i), current)
		c.Visit(current, func(next []int64, _ float64) { table.addState(next) })
	}
	return &listing{count: int64(table.len()), width: width, state: table.write, index: table.number}, nil
}

// generator fills the incoming-transition lists in two passes.
func (l *listing) generator(ctx context.Context, c Chain) (*Generator, error) {
	n := int(l.count)
	g := &Generator{starts: make([]int, n+1), exit: make([]float64, n), index: l.index, state: l.state}
	if grouped, ok := c.(Grouped); ok {
		g.arrange(l.groupsOf(grouped))
	}
	state := make([]int64, l.width)
	var bad error
	forEachTransition := func(use func(i, j int, rate float64)) error {
		for i := 0; i < n; i++ {
			if i%4096 == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			l.state(int64(i), state)
			from := g.positionOf(int64(i))
			c.Visit(state, func(next []int64, rate float64) {
				j := l.index(next)
				if !(rate > 0) || math.IsInf(rate, 1) || j < 0 || j >= l.count {
					bad = fmt.Errorf("chain: transition %v -> %v at rate %v: the rate must be positive and finite and the state known", state, next, rate)
					return
				}
				if to := g.positionOf(j); to != from {
					use(from, to, rate)
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
	if err := g.reserve(); err != nil {
		return nil, err
	}
	fill := append([]int(nil), g.starts[:n]...)
	err := forEachTransition(func(i, j int, rate float64) {
		g.from[fill[j]], g.rate[fill[j]] = int32(i), rate
		fill[j]++
		g.exit[i] += rate
	})
	if err != nil {
		return nil, err
	}
	g.adjacent = g.movesBetweenNeighbours()
	return g, nil
}

// reserve asks for the memory of the transitions once their number is known.
func (g *Generator) reserve() error {
	transitions := g.starts[len(g.exit)]
	if transitions > MaxStoredTransitions {
		return &TooLargeError{What: "transitions", Value: float64(transitions), Limit: MaxStoredTransitions,
			Hint: "use fewer servers, a smaller buffer, or simulate"}
	}
	g.from, g.rate = make([]int32, transitions), make([]float64, transitions)
	return nil
}

func (l *listing) groupsOf(c Grouped) []int32 {
	group, state := make([]int32, l.count), make([]int64, l.width)
	for i := range group {
		l.state(int64(i), state)
		group[i] = int32(c.Group(state))
	}
	return group
}

// arrange orders the storage by group.
func (g *Generator) arrange(group []int32) {
	last := int32(0)
	for _, h := range group {
		last = max(last, h)
	}
	g.groups = make([]int, last+2)
	for _, h := range group {
		g.groups[h+1]++
	}
	for h := range last + 1 {
		g.groups[h+1] += g.groups[h]
	}
	g.number, g.position = make([]int32, len(group)), make([]int32, len(group))
	next := append([]int(nil), g.groups...)
	for i, h := range group {
		g.position[i] = int32(next[h])
		g.number[next[h]] = int32(i)
		next[h]++
	}
}

// movesBetweenNeighbours reports whether every transition stays in its group
// or leads to a neighbouring one.
func (g *Generator) movesBetweenNeighbours() bool {
	for h := range g.groupCount() {
		low, high := g.groups[max(h-1, 0)], g.groups[min(h+2, g.groupCount())]
		for _, i := range g.from[g.starts[g.groups[h]]:g.starts[g.groups[h+1]]] {
			if int(i) < low || int(i) >= high {
				return false
			}
		}
	}
	return true
}

// groupCount is the number of groups, 0 for a chain without.
func (g *Generator) groupCount() int { return max(len(g.groups)-1, 0) }
