package ctmc

import (
	"context"
	"fmt"
	"math"
	"slices"
)

// checkEvery is the number of sweeps between convergence checks.
const checkEvery = 8

// stationaryByAggregation iterates: (1) aggregate the chain over its groups
// with the current conditional laws, solve the small chain exactly and
// rescale the groups; (2) Gauss-Seidel sweeps π_j := Σ_i π_i q_ij / exit_j,
// alternating direction.
func (g *Generator) stationaryByAggregation(ctx context.Context, s SolverSettings) (*Law, error) {
	n := g.States()
	law := make([]float64, n)
	for i := range law {
		law[i] = 1 / float64(n)
	}
	order := g.sweepOrder()
	coarse := newCoarseChain(g)
	previous := append([]float64(nil), law...)
	result := &Law{Probability: law, Method: Aggregation, Status: NotConverged, Residual: math.Inf(1)}
	lastChange := math.Inf(1)
	stuck := 0
	for result.Iterations < s.MaxIterations {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		sweeps := min(checkEvery, s.MaxIterations-result.Iterations)
		for k := 0; k < sweeps; k++ {
			if err := coarse.rescale(g, law); err != nil {
				return nil, err
			}
			g.sweep(law, order, k%2 == 1)
			result.Iterations++
		}
		normalise(law)
		change := g.distance(law, previous)
		copy(previous, law)
		residual := g.Residual(law)
		if residual < result.Residual*0.999 {
			stuck = 0
		} else {
			stuck++
		}
		result.Residual = math.Min(residual, result.Residual)
		result.Error = extrapolatedError(change, lastChange)
		lastChange = change
		if math.IsNaN(residual) {
			return nil, fmt.Errorf("chain: rates span too many orders of magnitude for %s", Aggregation)
		}
		if s.Progress != nil {
			s.Progress(result.Iterations, residual)
		}
		if residual <= s.Tolerance && result.Error <= 10*s.Tolerance {
			result.Residual, result.Status = residual, Converged
			return result, nil
		}
		if stuck >= 20 && coarse.active {
			coarse.active, stuck = false, 0 // these groups mislead; go on without them
			continue
		}
		if stuck >= 20 {
			result.Residual, result.Status = residual, Stagnated
			if residual <= s.Tolerance {
				result.Status = Converged
			}
			return result, nil
		}
	}
	return result, nil
}

// extrapolatedError estimates the distance to the limit of a linearly
// converging sequence from its last two changes: δ ρ/(1-ρ), ρ = δ/δ_before.
func extrapolatedError(change, before float64) float64 {
	if change == 0 {
		return 0
	}
	ratio := change / before
	if !(ratio < 1) || math.IsInf(before, 1) {
		return math.Max(change, 1e-300) * 1e3
	}
	return change * math.Max(ratio/(1-ratio), 1)
}

// sweepOrder lists the states by group, which is the direction in which
// probability flows.
func (g *Generator) sweepOrder() []int32 {
	order := make([]int32, g.States())
	if g.group == nil {
		for i := range order {
			order[i] = int32(i)
		}
		return order
	}
	start := make([]int, g.groups+1)
	for _, h := range g.group {
		start[h+1]++
	}
	for h := 0; h < g.groups; h++ {
		start[h+1] += start[h]
	}
	for i, h := range g.group {
		order[start[h]] = int32(i)
		start[h]++
	}
	return order
}

func (g *Generator) sweep(law []float64, order []int32, backward bool) {
	n := len(order)
	for k := range order {
		j := int(order[k])
		if backward {
			j = int(order[n-1-k])
		}
		law[j] = g.inflow(law, j) / g.exit[j]
	}
}

func normalise(law []float64) {
	total := 0.0
	for _, p := range law {
		total += p
	}
	scale(law, 1/total)
}

// distance is Σ |a_i - b_i| (1 + group_i/mean group): it bounds the difference
// of probabilities, and that of the mean group relative to itself.
func (g *Generator) distance(a, b []float64) float64 {
	sum, weighted, mean := 0.0, 0.0, 0.0
	for i := range a {
		difference := math.Abs(a[i] - b[i])
		sum += difference
		if g.group != nil {
			weighted += difference * float64(g.group[i])
			mean += a[i] * float64(g.group[i])
		}
	}
	if mean > 0 {
		sum += weighted / mean
	}
	return sum
}

// denseGroupsLimit is the largest number of groups solved as a dense chain
// when the aggregated chain is not a birth-death process.
const denseGroupsLimit = 300

// coarseChain is the chain aggregated over groups: with the conditional law
// inside each group fixed, group h moves to group k at the mean rate of its
// states.
type coarseChain struct {
	active   bool
	upRate   []float64 // rate of a state into the next group, when groups form a birth-death chain
	downRate []float64
	up, down []float64 // flows between neighbouring groups
	weight   []float64 // probability of a group
	factor   []float64 // what to multiply a group's probabilities by
	dense    []float64 // rates between groups, when they do not
}

func newCoarseChain(g *Generator) *coarseChain {
	c := &coarseChain{}
	if g.group == nil || g.groups < 2 {
		return c
	}
	c.weight, c.factor = make([]float64, g.groups), make([]float64, g.groups)
	if c.active = c.neighbourRates(g); c.active {
		c.up, c.down = make([]float64, g.groups), make([]float64, g.groups)
		return c
	}
	if c.active = g.groups <= denseGroupsLimit; c.active {
		c.dense = make([]float64, g.groups*g.groups)
	}
	return c
}

// neighbourRates fills upRate and downRate; false when some transition skips
// a group.
func (c *coarseChain) neighbourRates(g *Generator) bool {
	up, down := make([]float64, g.States()), make([]float64, g.States())
	for j := range g.exit {
		for t := g.starts[j]; t < g.starts[j+1]; t++ {
			i := g.from[t]
			switch g.group[j] - g.group[i] {
			case 0:
			case 1:
				up[i] += g.rate[t]
			case -1:
				down[i] += g.rate[t]
			default:
				return false
			}
		}
	}
	c.upRate, c.downRate = up, down
	return true
}

// rescale makes the group probabilities those of the aggregated chain.
func (c *coarseChain) rescale(g *Generator, law []float64) error {
	if !c.active {
		return nil
	}
	for h := range c.weight {
		c.weight[h] = 0
	}
	for i, p := range law {
		c.weight[g.group[i]] += p
	}
	if c.dense != nil {
		if err := c.denseFactors(g, law); err != nil {
			return err
		}
	} else {
		c.birthDeathFactors(g, law)
	}
	for i := range law {
		law[i] *= c.factor[g.group[i]]
	}
	return nil
}

// birthDeathFactors balances every cut, factor_h up_h = factor_{h+1}
// down_{h+1}, from the group with the largest weight outwards and in
// logarithms, so that chains over hundreds of decades do not overflow.
func (c *coarseChain) birthDeathFactors(g *Generator, law []float64) {
	for h := range c.up {
		c.up[h], c.down[h] = 0, 0
	}
	for i, p := range law {
		h := g.group[i]
		c.up[h] += p * c.upRate[i]
		c.down[h] += p * c.downRate[i]
	}
	mode := 0
	for h, w := range c.weight {
		if w > c.weight[mode] {
			mode = h
		}
	}
	for h := range c.factor {
		c.factor[h] = math.Inf(-1)
	}
	c.factor[mode] = 0
	for h := mode + 1; h < len(c.factor) && c.flows(h-1); h++ {
		c.factor[h] = c.factor[h-1] + math.Log(c.up[h-1]) - math.Log(c.down[h])
	}
	for h := mode - 1; h >= 0 && c.flows(h); h-- {
		c.factor[h] = c.factor[h+1] + math.Log(c.down[h+1]) - math.Log(c.up[h])
	}
	largest := slices.Max(c.factor)
	total := 0.0
	for h := range c.factor {
		c.factor[h] = math.Exp(c.factor[h] - largest)
		total += c.factor[h] * c.weight[h]
	}
	scale(c.factor, 1/total)
}

// leastFlow is the flow between groups below which the groups beyond are left
// without probability: they would carry some 280 decades less than the mode.
const leastFlow = 1e-280

// flows reports whether there is flow both ways between groups h and h+1.
func (c *coarseChain) flows(h int) bool { return c.up[h] > leastFlow && c.down[h+1] > leastFlow }

func (c *coarseChain) denseFactors(g *Generator, law []float64) error {
	groups := len(c.weight)
	for k := range c.dense {
		c.dense[k] = 0
	}
	for j := range g.exit {
		for t := g.starts[j]; t < g.starts[j+1]; t++ {
			i := g.from[t]
			c.dense[int(g.group[i])*groups+int(g.group[j])] += law[i] * g.rate[t] / c.weight[g.group[i]]
		}
	}
	coarse, err := Eliminate(groups, c.dense)
	if err != nil {
		return err
	}
	for h := range coarse {
		c.factor[h] = coarse[h] / c.weight[h]
	}
	return nil
}
