package estimate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// experiment is one kind of run whose true mean is known.
type experiment struct {
	name         string
	replications int
	columns      int
	truth        float64
	warmUp       bool
	run          func(t testing.TB, s *Series, rng *rand.Rand)
}

func ar1Experiment(replications, cells int, rho, start float64) experiment {
	e := experiment{
		name:         fmt.Sprintf("AR(1) ρ=%-4g R=%-2d %4d cells", rho, replications, cells),
		replications: replications,
		columns:      1,
		truth:        10,
		run: func(t testing.TB, s *Series, rng *rand.Rand) {
			appendAR1(t, s, rho, cells, start, rng)
		},
	}
	if !math.IsNaN(start) {
		e.warmUp = true
		e.name += fmt.Sprintf(" from %+g sd", start)
	}
	return e
}

func mm1Experiment(replications, cells int, load, duration float64, stationary bool) experiment {
	e := experiment{
		name:         fmt.Sprintf("M/M/1 ρ=%-4g R=%-2d %4d cells of %g", load, replications, cells, duration),
		replications: replications,
		columns:      2,
		truth:        load / (1 - load),
		warmUp:       !stationary,
		run: func(t testing.TB, s *Series, rng *rand.Rand) {
			appendMM1(t, s, load, cells, duration, stationary, rng)
		},
	}
	if !stationary {
		e.name += " from empty"
	}
	return e
}

// coverage is what happened over many seeds.
type coverage struct {
	seeds, covered int
	trusted        int // estimates without warning
	coveredTrusted int
	relativeWidth  float64 // mean half-width over the true mean
}

func (e experiment) coverage(t testing.TB, seeds int) coverage {
	t.Helper()
	c := coverage{seeds: seeds}
	for seed := range seeds {
		s := NewSeries(e.replications, e.columns, 0)
		e.run(t, s, seeded(seed))
		w := NoWarmUp()
		if e.warmUp {
			w = s.WarmUp(0)
		}
		estimate := s.Mean(0, w, 0.95)
		hit := math.Abs(estimate.Value-e.truth) <= estimate.HalfWidth
		c.add(estimate, hit)
		c.relativeWidth += estimate.HalfWidth / e.truth / float64(seeds)
	}
	return c
}

func (c *coverage) add(e Estimate, hit bool) {
	if hit {
		c.covered++
	}
	if len(e.Warnings) == 0 {
		c.trusted++
		if hit {
			c.coveredTrusted++
		}
	}
}

func (c coverage) String() string {
	trusted := "   -"
	if c.trusted > 0 {
		trusted = fmt.Sprintf("%4.1f", 100*float64(c.coveredTrusted)/float64(c.trusted))
	}
	n := float64(c.seeds)
	return fmt.Sprintf("%5.1f  %5.1f  %3.0f%%  %s", 100*float64(c.covered)/n, 100*c.relativeWidth, 100*float64(c.trusted)/n, trusted)
}

// 95% intervals must cover in 92 to 98% of 400 runs. Runs are stationary or,
// from empty, long enough for the transient; seeds are fixed.
func TestCoverage(t *testing.T) {
	stationary := math.NaN()
	for _, e := range []experiment{
		ar1Experiment(16, 200, 0, stationary),
		ar1Experiment(16, 200, 0.5, stationary),
		ar1Experiment(16, 200, 0.9, stationary),
		ar1Experiment(16, 200, 0.99, stationary),
		ar1Experiment(4, 200, 0, stationary),
		ar1Experiment(4, 200, 0.9, stationary),
		ar1Experiment(16, 200, 0.9, -5),
		mm1Experiment(16, 60, 0.5, 5, true),
		mm1Experiment(16, 100, 0.5, 5, false),
	} {
		t.Run(e.name, func(t *testing.T) {
			const seeds = 400
			c := e.coverage(t, seeds)
			if c.covered < seeds*92/100 || c.covered > seeds*98/100 {
				t.Errorf("%d of %d intervals cover", c.covered, seeds)
			}
		})
	}
}
