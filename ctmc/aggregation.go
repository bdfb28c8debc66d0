package ctmc

import (
	"fmt"
	"math"
	"slices"
)

// denseGroupsLimit is the largest number of groups solved as a dense chain
// when the aggregated chain is not a birth-death process.
const denseGroupsLimit = 300

// coarseChain is the chain aggregated over groups: with the conditional law
// inside each group fixed, group h moves to group k at the mean rate of its
// states.
type coarseChain struct {
	generator *Generator
	workers   int

	upRate, downRate []float64 // of a state into the next group and the one before, where groups form a birth-death chain
	up, down         []float64 // flows between neighbouring groups
	weight           []float64 // probability of a group
	factor           []float64 // what to multiply a group's probabilities by
	dense            []float64 // rates between groups, where they do not
}

// newCoarseChain returns nil when there is nothing to aggregate over.
func newCoarseChain(g *Generator, workers int) *coarseChain {
	groups := g.groupCount()
	if groups < 2 || !g.adjacent && groups > denseGroupsLimit {
		return nil
	}
	c := &coarseChain{generator: g, workers: workers, weight: make([]float64, groups), factor: make([]float64, groups)}
	if !g.adjacent {
		c.dense = make([]float64, groups*groups)
		return c
	}
	c.up, c.down = make([]float64, groups), make([]float64, groups)
	c.upRate, c.downRate = make([]float64, g.States()), make([]float64, g.States())
	// The states of a group are entered from above and from below by
	// transitions that go down and up: one thread writes each.
	eachPiece(groups, workers, func(h int) { c.ratesInto(h, c.upRate, -1) })
	eachPiece(groups, workers, func(h int) { c.ratesInto(h, c.downRate, 1) })
	return c
}

// ratesInto adds to rate the rates into group h out of the group at the given
// distance.
func (c *coarseChain) ratesInto(h int, rate []float64, distance int) {
	g, source := c.generator, h+distance
	if source < 0 || source >= g.groupCount() {
		return
	}
	low, high := int32(g.groups[source]), int32(g.groups[source+1])
	for t := g.starts[g.groups[h]]; t < g.starts[g.groups[h+1]]; t++ {
		if i := g.from[t]; i >= low && i < high {
			rate[i] += g.rate[t]
		}
	}
}

// rescale makes the group probabilities those of the aggregated chain.
func (c *coarseChain) rescale(law []float64) error {
	g := c.generator
	if c.dense != nil {
		c.weigh(law)
		if err := c.denseFactors(law); err != nil {
			return err
		}
	} else {
		c.weighFlows(law)
		c.birthDeathFactors()
	}
	eachPiece(g.groupCount(), c.workers, func(h int) {
		scale(law[g.groups[h]:g.groups[h+1]], c.factor[h])
	})
	return nil
}

func (c *coarseChain) weigh(law []float64) {
	g := c.generator
	for h := range c.weight {
		c.weight[h] = 0
		for _, p := range law[g.groups[h]:g.groups[h+1]] {
			c.weight[h] += p
		}
	}
}

func (c *coarseChain) weighFlows(law []float64) {
	g := c.generator
	eachPiece(g.groupCount(), c.workers, func(h int) {
		weight, up, down := 0.0, 0.0, 0.0
		for i := g.groups[h]; i < g.groups[h+1]; i++ {
			weight += law[i]
			up += law[i] * c.upRate[i]
			down += law[i] * c.downRate[i]
		}
		c.weight[h], c.up[h], c.down[h] = weight, up, down
	})
}

// birthDeathFactors balances every cut, factor_h up_h = factor_{h+1}
// down_{h+1}, from the group with the largest weight outwards and in
// logarithms, so that chains over hundreds of decades do not overflow.
func (c *coarseChain) birthDeathFactors() {
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
		c.factor[h] = c.factor[h-1] + math.Log(c.up[h-1]/c.down[h])
	}
	for h := mode - 1; h >= 0 && c.flows(h); h-- {
		c.factor[h] = c.factor[h+1] + math.Log(c.down[h+1]/c.up[h])
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

func (c *coarseChain) denseFactors(law []float64) error {
	g, groups := c.generator, len(c.weight)
	clear(c.dense)
	source := 0
	for h := range groups {
		for t := g.starts[g.groups[h]]; t < g.starts[g.groups[h+1]]; t++ {
			i := int(g.from[t])
			for i < g.groups[source] {
				source--
			}
			for i >= g.groups[source+1] {
				source++
			}
			c.dense[source*groups+h] += law[i] * g.rate[t] / c.weight[source]
		}
	}
	coarse, err := Eliminate(groups, c.dense)
	if err != nil {
		return fmt.Errorf("aggregation: %w", err)
	}
	for h := range coarse {
		c.factor[h] = coarse[h] / c.weight[h]
	}
	return nil
}
