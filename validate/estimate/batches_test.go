package estimate

import (
	"math"
	"testing"
)

// Correlation of the means of neighbouring batches of m terms of an AR(1)
// sequence, from the double sums of ρ^|i−j| in closed form.
func ar1BatchCorrelation(rho float64, m int) float64 {
	n, power := float64(m), math.Pow(rho, float64(m))
	return rho * (1 - power) * (1 - power) / (n*(1-rho*rho) - 2*rho*(1-power))
}

// Variance of the mean of m terms of a unit-variance AR(1) sequence.
func ar1MeanVariance(rho float64, m int) float64 {
	n, power := float64(m), math.Pow(rho, float64(m))
	return (n*(1-rho*rho) - 2*rho*(1-power)) / (n * n * (1 - rho) * (1 - rho))
}

func ar1Sample(t *testing.T, replications, cells int, rho float64, seed int) sample {
	s := NewSeries(replications, 1, cells)
	appendAR1(t, s, rho, cells, math.NaN(), seeded(seed))
	return s.sampleAfter(NoWarmUp(), 0)
}

func TestBatchMeansOfAR1HaveTheAnalyticCorrelationAndVariance(t *testing.T) {
	for _, rho := range []float64{-0.5, 0, 0.5, 0.9} {
		for _, size := range []int{1, 4, 20} {
			const replications, cells = 4, 40000
			b := ar1Sample(t, replications, cells, rho, 1).batched(cells / size)
			// Standard error of a correlation is at most 1/√n·(1+2Σρ²)^½; six of
			// the independent kind leave room for that.
			slack := 6 / math.Sqrt(float64(b.count()))
			if want := ar1BatchCorrelation(rho, size); math.Abs(b.lag1-want) > slack {
				t.Errorf("ρ=%v, batches of %d: lag-1 correlation %.4f, want %.4f ± %.4f", rho, size, b.lag1, want, slack)
			}
			if want := ar1MeanVariance(rho, size); math.Abs(b.variance/want-1) > 2*slack {
				t.Errorf("ρ=%v, batches of %d: variance %.4f, want %.4f", rho, size, b.variance, want)
			}
		}
	}
}

// Worked by hand: two replications, batch means (1, 3) and (2, 6), mean 3,
// deviations −2, 0, −1, 3.
func TestBatchStatisticsByHand(t *testing.T) {
	// The first cell of each replication fills no batch.
	s := sample{runs: 2, perRun: 5, deviations: []float64{99, 0, 2, 3, 3, 99, 1, 3, 5, 7}}
	b := s.batched(2)
	if b.size != 2 || b.count() != 4 {
		t.Fatalf("batches %+v, want 4 of 2 cells", b)
	}
	variance := 14.0 / 3
	skewness := 4.0 / (3 * 2) * (-8 + 0 - 1 + 27) / (variance * math.Sqrt(variance))
	for name, pair := range map[string][2]float64{
		"variance": {b.variance, variance},
		"lag1":     {b.lag1, (0*-2 + 3*-1) / 14.0},
		"skewness": {b.skewness, skewness},
	} {
		if math.Abs(pair[0]-pair[1]) > 1e-14 {
			t.Errorf("%s %v, want %v", name, pair[0], pair[1])
		}
	}
}

func TestNumberOfBatches(t *testing.T) {
	// Perfectly alternating cells are never positively correlated.
	for _, c := range []struct{ replications, cells, want int }{
		{2, 1000, 32}, {3, 1000, 33}, {16, 1000, 32}, {16, 2, 32}, {16, 1, 16}, {40, 1000, 80},
	} {
		s := sample{runs: c.replications, perRun: c.cells}
		for i := range c.replications * c.cells {
			s.deviations = append(s.deviations, float64(1-2*(i%2)))
		}
		if c.cells > 2 {
			// Give the batches some alternation too.
			perRun := c.want / c.replications
			size := c.cells / perRun
			for i := range s.deviations {
				s.deviations[i] = float64(1 - 2*(i%c.cells/size%2))
			}
		}
		if got := s.chooseBatching().count(); got != c.want {
			t.Errorf("%d replications of %d cells: %d batches, want %d", c.replications, c.cells, got, c.want)
		}
	}
	// Replications that differ and do not vary: only their means count.
	s := sample{runs: 4, perRun: 8}
	for i := range 32 {
		s.deviations = append(s.deviations, float64(i/8)-1.5)
	}
	if got := s.chooseBatching(); got.count() != 4 {
		t.Errorf("%d batches of frozen replications, want 4", got.count())
	}
}

// The test must come out positive about as often as its size says.
func TestCorrelationTestHasItsSize(t *testing.T) {
	const seeds = 2000
	for _, c := range []struct {
		quantile, size float64
	}{{correlationQuantile, 0.3085}, {significantQuantile, 0.01}} {
		alarms := 0
		for seed := range seeds {
			if ar1Sample(t, 16, 2, 0, seed).batched(2).correlated(c.quantile) {
				alarms++
			}
		}
		rate := float64(alarms) / seeds
		// Four binomial deviations, and 0.02 for the normal approximation.
		if slack := 4*math.Sqrt(c.size*(1-c.size)/seeds) + 0.02; math.Abs(rate-c.size) > slack {
			t.Errorf("quantile %v: false alarms %.4f, want %.4f ± %.4f", c.quantile, rate, c.size, slack)
		}
	}
}
