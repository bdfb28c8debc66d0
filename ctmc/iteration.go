package ctmc

import (
	"context"
	"fmt"
	"math"
)

// extrapolationWindow is the number of differences that one extrapolation
// combines.
const extrapolationWindow = 8

// A cycle that does not lower the residual to a factor of progress is a
// failure; after patience of them in a row the iteration does without its next
// accelerator. Without extrapolation progress may be slow.
const (
	fastProgress, fastPatience = 0.9, 6
	slowProgress, slowPatience = 0.9999, 20
)

// misled is the factor by which an extrapolation may raise the residual; beyond
// it the cycle is taken back and repeated without one.
const misled = 100

// iteration finds the stationary law by cycles of Gauss-Seidel sweeps, each
// sweep followed by the exact solution of the chain aggregated over its
// groups, each cycle by an extrapolation.
type iteration struct {
	generator *Generator
	settings  SolverSettings
	workers   int
	law       []float64 // in the order of storage
	before    []float64 // at the end of the cycle before
	sweeper   *sweeper
	coarse    *coarseChain   // nil without aggregation
	faster    *extrapolation // nil without extrapolation
	cautious  bool           // the next cycle does without extrapolation
	result    *Law
}

func (g *Generator) stationaryByIteration(ctx context.Context, s SolverSettings) (*Law, error) {
	it := newIteration(g, s)
	if err := it.run(ctx); err != nil {
		return nil, err
	}
	it.result.Probability = g.byNumber(it.law)
	return it.result, nil
}

func newIteration(g *Generator, s SolverSettings) *iteration {
	n := g.States()
	workers := workersFor(s.Threads, n)
	it := &iteration{
		generator: g, settings: s, workers: workers,
		law: make([]float64, n), before: make([]float64, n),
		sweeper: &sweeper{generator: g, workers: workers},
		result:  &Law{Method: s.Method, Status: NotConverged, Residual: math.Inf(1), Error: math.Inf(1)},
	}
	if s.start != nil {
		copy(it.law, s.start)
		normalise(it.law, workers)
	} else {
		for i := range it.law {
			it.law[i] = 1 / float64(n)
		}
	}
	if s.Method != GaussSeidel {
		it.coarse = newCoarseChain(g, workers)
	}
	if s.Method == Krylov {
		it.faster = newExtrapolation(n, extrapolationWindow, workers)
	}
	return it
}

func (it *iteration) run(ctx context.Context) error {
	if err := it.aggregate(); err != nil {
		return err
	}
	r, s := it.result, it.settings
	lastChange, failures := math.Inf(1), 0
	for r.Iterations < s.MaxIterations {
		copy(it.before, it.law)
		if err := it.cycle(ctx); err != nil {
			return err
		}
		change := it.generator.distance(it.law, it.before, it.workers)
		residual := it.generator.residual(it.law, it.workers)
		if math.IsNaN(residual) {
			return fmt.Errorf("chain: rates span too many orders of magnitude for %s", s.Method)
		}
		if s.Progress != nil {
			s.Progress(r.Iterations, residual)
		}
		if it.faster != nil && !it.cautious && residual > misled*r.Residual {
			copy(it.law, it.before)
			it.cautious = true
			continue
		}
		it.cautious = false
		progress, patience := slowProgress, slowPatience
		if it.faster != nil {
			progress, patience = fastProgress, fastPatience
		}
		if failures++; residual < progress*r.Residual {
			failures = 0
		}
		r.Residual, r.Error = residual, extrapolatedError(change, lastChange)
		lastChange = change
		switch {
		case residual <= s.Tolerance && (r.Error <= 10*s.Tolerance || failures >= patience):
			r.Status = Converged
			return nil
		case failures < patience:
		case it.simplify():
			failures, lastChange = 0, math.Inf(1)
		default:
			r.Status = Stagnated
			return nil
		}
	}
	return nil
}

// cycle makes the sweeps between two looks at the residual.
func (it *iteration) cycle(ctx context.Context) error {
	if it.faster != nil {
		it.faster.begin(it.law)
	}
	for k := 0; k <= extrapolationWindow && it.result.Iterations < it.settings.MaxIterations; k++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		it.sweeper.sweep(it.law)
		if err := it.aggregate(); err != nil {
			return err
		}
		it.result.Iterations++
		if it.faster != nil {
			it.faster.add(it.law)
		}
	}
	if it.faster != nil && !it.cautious && it.faster.extrapolate(it.law) {
		// A sweep settles the components that the extrapolation left alone.
		it.sweeper.sweep(it.law)
		it.result.Iterations++
		return it.aggregate()
	}
	return nil
}

// aggregate solves the aggregated chain, or at least normalises the law.
func (it *iteration) aggregate() error {
	if it.coarse != nil {
		return it.coarse.rescale(it.law)
	}
	normalise(it.law, it.workers)
	return nil
}

// simplify drops an accelerator that may have misled; false when there is
// none left.
func (it *iteration) simplify() bool {
	switch {
	case it.faster != nil:
		it.faster = nil
	case it.coarse != nil:
		it.coarse = nil
	default:
		return false
	}
	return true
}

func normalise(law []float64, workers int) {
	total := reduce(len(law), workers, 1, func(low, high int, sums []float64) {
		for _, p := range law[low:high] {
			sums[0] += p
		}
	})[0]
	forRange(len(law), workers, func(low, high int) { scale(law[low:high], 1/total) })
}

// distance is Σ |a_i - b_i| (1 + group_i/mean group): it bounds the difference
// of probabilities, and that of the mean group relative to itself. The laws are
// in the order of storage.
func (g *Generator) distance(a, b []float64, workers int) float64 {
	if g.groups == nil {
		return reduce(len(a), workers, 1, func(low, high int, sums []float64) {
			sums[0] = distance1(a[low:high], b[low:high])
		})[0]
	}
	groups := g.groupCount()
	change, weight := make([]float64, groups), make([]float64, groups)
	eachPiece(groups, workers, func(h int) {
		low, high := g.groups[h], g.groups[h+1]
		change[h] = distance1(a[low:high], b[low:high])
		inGroup := 0.0
		for _, p := range a[low:high] {
			inGroup += p
		}
		weight[h] = inGroup
	})
	sum, weighted, mean := 0.0, 0.0, 0.0
	for h := range groups {
		sum += change[h]
		weighted += change[h] * float64(h)
		mean += weight[h] * float64(h)
	}
	if mean > 0 {
		sum += weighted / mean
	}
	return sum
}

// extrapolatedError estimates the distance to the limit of a linearly
// converging sequence from its last two changes: δ ρ/(1-ρ), ρ = δ/δ_before,
// and not less than a tenth of the last change.
func extrapolatedError(change, before float64) float64 {
	if change == 0 {
		return 0
	}
	ratio := change / before
	if !(ratio < 1) || math.IsInf(before, 1) {
		return math.Max(change, 1e-300) * 1e3
	}
	return change * math.Max(ratio/(1-ratio), 0.1)
}
