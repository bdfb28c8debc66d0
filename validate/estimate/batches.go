package estimate

import "math"

const (
	// targetBatches is how many batch means, all replications together, the
	// interval aims at. Student's factor is then within 4% of its limit; more
	// batches buy nothing and stay correlated for longer.
	targetBatches = 32

	// correlationQuantile is the normal quantile of the test for positive
	// lag-one correlation: one-sided size 31%. A false alarm costs a few
	// percent of width, a missed one costs coverage.
	correlationQuantile = 0.5
)

// batching is a division of every replication into the same number of equal
// batches of neighbouring cells, and what their means say.
type batching struct {
	replications int
	perRun       int     // batches per replication
	size         int     // cells per batch
	variance     float64 // of a batch mean, about the overall mean
	lag1         float64 // pooled over the replications, about the overall mean
	skewness     float64 // of the batch means
}

// chooseBatching starts from about targetBatches batches, at least two per
// replication, and halves their number while neighbours within a replication
// are significantly correlated; batches are not shorter than the least length
// asked for. The last resort, one batch per replication,
// is independent by construction.
func (s sample) chooseBatching() batching {
	perRun := max(2, (targetBatches+s.runs-1)/s.runs)
	if s.leastBatch > 0 {
		perRun = min(perRun, s.perRun/s.leastBatch)
	}
	for perRun = min(perRun, s.perRun); perRun >= 2; perRun /= 2 {
		if b := s.batched(perRun); !b.correlated(correlationQuantile) {
			return b
		}
	}
	return s.batched(1)
}

// batched forms the batch means. Cells that fill no batch are left out at the
// beginning, where the bias would be.
func (s sample) batched(perRun int) batching {
	b := batching{replications: s.runs, perRun: perRun, size: s.perRun / perRun}
	means := make([]float64, 0, b.count())
	for r := range s.runs {
		run := s.run(r)
		for first := s.perRun - perRun*b.size; first < s.perRun; first += b.size {
			means = append(means, mean(run[first:first+b.size]))
		}
	}
	b.describe(means)
	return b
}

// describe fills in variance, skewness (adjusted Fisher-Pearson) and the
// correlation of neighbours. Differences between replications count as
// correlation, because the deviations are from the overall mean.
func (b *batching) describe(means []float64) {
	overall := mean(means)
	squares, cubes, products := 0.0, 0.0, 0.0
	for i, y := range means {
		d := y - overall
		squares += d * d
		cubes += d * d * d
		if i%b.perRun > 0 {
			products += d * (means[i-1] - overall)
		}
	}
	if squares == 0 {
		return
	}
	n := float64(b.count())
	b.variance = squares / (n - 1)
	b.lag1 = products / squares
	if n > 2 {
		b.skewness = n / ((n - 1) * (n - 2)) * cubes / math.Pow(b.variance, 1.5)
	}
}

func (b batching) count() int { return b.replications * b.perRun }

// correlated compares the lag-one correlation with what independent batches
// give: mean −pairs/(n(n−1)), standard deviation about √pairs/n. The quantile
// is that of the normal law.
func (b batching) correlated(quantile float64) bool {
	n := float64(b.count())
	pairs := float64(b.replications * (b.perRun - 1))
	return b.lag1 > -pairs/(n*(n-1))+quantile*math.Sqrt(pairs)/n
}

// correlationFactor is the factor by which an autoregression with the
// remaining lag-one correlation inflates the variance of the mean. Negative
// correlation is given no credit.
func (b batching) correlationFactor() float64 {
	if b.perRun == 1 || b.lag1 <= 0 {
		return 1
	}
	return (1 + b.lag1) / (1 - b.lag1)
}
