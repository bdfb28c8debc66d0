package ctmc

import (
	"context"
	"fmt"
	"math"
)

// PopulationChain is the exact finite chain of a population of a given size
// over all vectors of counts that can be reached from the start. The rates
// must vanish where a jump would leave the state space. It is not safe for
// concurrent use.
type PopulationChain struct {
	Population Population // whose rates at Size are the rates
	Size       int64      // N

	start []int64
	next  []int64
	x     []float64
}

// NewPopulationChain returns the chain of size N that starts in the state of
// counts n = N x. Errors: a size or a start out of range ([FieldError]).
func NewPopulationChain(p Population, size int64, start []int64) (*PopulationChain, error) {
	if size < 1 || size > MaxServers {
		return nil, &FieldError{Field: "size", Value: size, Allowed: "between 1 and 1e15"}
	}
	if len(start) != p.Dim() {
		return nil, &FieldError{Field: "start", Value: start, Allowed: fmt.Sprintf("%d counts", p.Dim())}
	}
	for _, n := range start {
		if n < 0 {
			return nil, &FieldError{Field: "start", Value: start, Allowed: "counts >= 0"}
		}
	}
	return &PopulationChain{Population: p, Size: size, start: append([]int64(nil), start...),
		next: make([]int64, len(start)), x: make([]float64, len(start))}, nil
}

// Initial is the start.
func (c *PopulationChain) Initial() []int64 { return append([]int64(nil), c.start...) }

// negligibleRate is the size, relative to N, of a negative rate that can only
// be a rounding error.
const negligibleRate = 1e-12

// Visit lists the jumps with a positive rate. A rate that is negative or not
// a number, or a jump to a negative count, is passed on with the rate NaN,
// which [Explore] reports.
func (c *PopulationChain) Visit(state []int64, emit func(next []int64, rate float64)) {
	for k, jump := range c.Population.Jumps() {
		rate := TotalRate(c.Population, k, state, c.Size, c.x)
		if rate <= 0 && rate >= -negligibleRate*float64(c.Size) || len(jump) == 0 {
			continue
		}
		copy(c.next, state)
		for _, change := range jump {
			c.next[change.Coordinate] += change.By
			if c.next[change.Coordinate] < 0 {
				rate = math.NaN()
			}
		}
		if rate < 0 {
			rate = math.NaN()
		}
		if math.IsNaN(rate) {
			copy(c.next, state) // a known state, so that exploring ends
		}
		emit(c.next, rate)
	}
}

// Mean returns the stationary expectation of each of a list of functions of
// the state x = n/N; with no function, of the coordinates themselves. The law
// comes without its probabilities; unless its Status is [Converged] the means
// are those of the best iterate. More than maxStates states (0 =
// DefaultMaxStates) are refused.
func (c *PopulationChain) Mean(ctx context.Context, settings SolverSettings, maxStates int64, functions ...func(x []float64) float64) ([]float64, *Law, error) {
	if maxStates == 0 {
		maxStates = DefaultMaxStates
	}
	list, err := enumerate(ctx, c, maxStates)
	if err != nil {
		return nil, nil, err
	}
	generator, err := list.generator(ctx, c)
	if err != nil {
		return nil, nil, err
	}
	law, err := generator.Stationary(ctx, settings)
	if err != nil {
		return nil, nil, err
	}
	if len(functions) == 0 {
		for i := range c.start {
			functions = append(functions, func(x []float64) float64 { return x[i] })
		}
	}
	means := make([]float64, len(functions))
	state, x := make([]int64, len(c.start)), make([]float64, len(c.start))
	for s, p := range law.Probability {
		list.state(int64(s), state)
		for i, n := range state {
			x[i] = float64(n) / float64(c.Size)
		}
		for k, f := range functions {
			means[k] += p * f(x)
		}
	}
	law.Probability = nil
	return means, law, nil
}
