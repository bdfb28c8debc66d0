//go:build long

package estimate

import (
	"math"
	"testing"
)

// TestCoverageTable prints the table of the package documentation.
func TestCoverageTable(t *testing.T) {
	stationary := math.NaN()
	var experiments []experiment
	for _, replications := range []int{2, 5, 16} {
		for _, rho := range []float64{0, 0.5, 0.9, 0.99} {
			experiments = append(experiments, ar1Experiment(replications, 200, rho, stationary))
		}
		experiments = append(experiments,
			ar1Experiment(replications, 1000, 0.99, stationary),
			ar1Experiment(replications, 200, 0.9, -5),
			ar1Experiment(replications, 1000, 0.9, -5),
			ar1Experiment(replications, 1000, 0.99, -5),
			mm1Experiment(replications, 100, 0.5, 5, true),
			mm1Experiment(replications, 100, 0.8, 10, true),
			mm1Experiment(replications, 100, 0.8, 10, false),
			mm1Experiment(replications, 300, 0.8, 10, false),
			mm1Experiment(replications, 1000, 0.8, 10, false),
			mm1Experiment(replications, 300, 0.5, 10, false),
		)
	}
	const seeds = 1000
	t.Log("experiment                                     cover  width  clean  cover if clean")
	for _, e := range experiments {
		t.Logf("%-46s %v", e.name, e.coverage(t, seeds))
	}
}

// TestSequentialCoverage runs M/M/1 from empty, load 0.8, until the relative
// half-width is met, looking at the interval as Target says.
func TestSequentialCoverage(t *testing.T) {
	const load, seeds = 0.8, 400
	t.Log("precision  R   cover  looks  cells")
	for _, replications := range []int{4, 16} {
		for _, precision := range []float64{0.2, 0.1, 0.05} {
			covered, looks, total := 0, 0.0, 0.0
			for seed := range seeds {
				e, n, cells := untilPrecise(t, load, replications, Target{RelativePrecision: precision}, seed)
				if math.Abs(e.Value-load/(1-load)) <= e.HalfWidth {
					covered++
				}
				looks += float64(n) / seeds
				total += float64(cells) / seeds
			}
			t.Logf("%9.2f %2d  %5.1f  %5.1f  %5.0f", precision, replications, 100*float64(covered)/seeds, looks, total)
		}
	}
}

func untilPrecise(t *testing.T, load float64, replications int, target Target, seed int) (e Estimate, looks, cells int) {
	queues := make([]*mm1, replications)
	for r := range queues {
		queues[r] = newMM1(load, false, seeded(seed*replications+r))
	}
	s := NewSeries(replications, 1, 0)
	for more := 64; more > 0; looks++ {
		// Span changes only while appending, so it is read once.
		span := s.Span()
		for r, q := range queues {
			for range more * span {
				jobs, _ := q.cell(10)
				mustAppend(t, s, r, jobs)
			}
		}
		w := s.WarmUp(0)
		e = s.Mean(0, w, 0.95)
		more = target.NextCells(s.Cells(), e)
	}
	return e, looks, s.OriginalCells()
}
