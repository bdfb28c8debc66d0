package validate

import (
	"fmt"
	"math"

	"qlimit/validate/estimate"
)

// Stationarity holds the beginning of a run against the rest of it, by the
// expected remaining work. In a stationary run the average over the first 1, 4,
// 16, .. rows takes any place among the averages over all blocks of as many
// rows; and the mean over the first tenth differs from that of the rest by no
// more than their errors.
type Stationarity struct {
	P           float64 // smallest of the single ones times their number, at most 1
	Beginning   string  // which beginning that is
	Early, Rest float64 // its mean work, and that of the rest or of the whole run
	Independent float64 // rows that would say as much about the mean work if they were independent
	Short       bool    // too few of them to tell
}

const (
	// leastIndependent is the number of independent rows below which the
	// beginning of a run is no surprise wherever it lies.
	leastIndependent = 200
	// fewestBlocks bounds the length of the first blocks.
	fewestBlocks = 1000
)

// firstRows compares the first blocks of 4^k rows with all later ones.
type firstRows struct {
	scales []firstBlock
	rows   float64
	mean   float64 // of the work, all rows alike
	square float64 // sum of squared deviations
}

// firstBlock counts blocks of the same length by their average.
type firstBlock struct {
	length        int
	sum           float64 // of the block in progress
	filled        int
	first         float64
	blocks        int // complete
	atMost, above int // blocks not above, not below the first, which counts for both
}

var blockLengths = []int{1, 4, 16, 64, 256}

func (f *firstRows) add(x float64) {
	if f.scales == nil {
		for _, n := range blockLengths {
			f.scales = append(f.scales, firstBlock{length: n})
		}
	}
	f.rows++
	d := x - f.mean
	f.mean += d / f.rows
	f.square += d * (x - f.mean)
	for k := range f.scales {
		f.scales[k].add(x)
	}
}

func (b *firstBlock) add(x float64) {
	b.sum += x
	if b.filled++; b.filled < b.length {
		return
	}
	if b.blocks == 0 {
		b.first = b.sum
	}
	b.blocks++
	if b.sum <= b.first {
		b.atMost++
	}
	if b.sum >= b.first {
		b.above++
	}
	b.sum, b.filled = 0, 0
}

// p is the two-sided level at which the first block is out of place.
func (b *firstBlock) p() float64 {
	return min(1, 2*float64(min(b.atMost, b.above))/float64(b.blocks))
}

// stationarity makes the test.
func (r *outputRecord) stationarity() Stationarity {
	work := r.workBatches()
	s := Stationarity{P: 1, Rest: r.first.mean, Early: r.first.mean, Beginning: "none"}
	n := float64(len(work))
	variance := 0.0
	mean := 0.0
	for _, x := range work {
		mean += x / n
	}
	for _, x := range work {
		variance += (x - mean) * (x - mean) / (n - 1)
	}
	s.Independent = r.first.rows
	switch {
	case r.first.square == 0:
		s.Independent = 1
	case variance > 0:
		s.Independent = math.Min(r.first.rows, r.first.square/r.first.rows/(variance/n))
	}
	tests := 1
	s.consider(tenthAgainstRest(work), "the first tenth of the rows", meanOf(work[:len(work)/10]), meanOf(work[len(work)/10:]))
	if s.Independent < leastIndependent {
		s.Short = true
		return s
	}
	for k := range r.first.scales {
		b := &r.first.scales[k]
		if b.blocks < fewestBlocks {
			break
		}
		tests++
		name := "the first row"
		if b.length > 1 {
			name = fmt.Sprintf("the first %d rows", b.length)
		}
		s.consider(math.Max(b.p(), 1/s.Independent), name, b.first/float64(b.length), r.first.mean)
	}
	s.P = math.Min(1, float64(tests)*s.P)
	return s
}

func (s *Stationarity) consider(p float64, beginning string, early, rest float64) {
	if p < s.P {
		s.P, s.Beginning, s.Early, s.Rest = p, beginning, early, rest
	}
}

// workBatches are the means of the work, over batches that are hardly
// correlated or as few as can be.
func (r *outputRecord) workBatches() []float64 {
	work, weight := r.path.Column(len(r.row)-1), r.path.Column(len(r.row)-2)
	for len(work) >= 80 && estimate.Lag1(work)*math.Sqrt(float64(len(work))) > 1 {
		work, weight = estimate.Paired(work), estimate.Paired(weight)
	}
	for i := range work {
		if weight[i] > 0 {
			work[i] /= weight[i]
		}
	}
	return work
}

// tenthAgainstRest is the level of the difference between the first tenth of
// the batches and the others (Student, the variance being that of the others,
// corrected for what correlation is left).
func tenthAgainstRest(work []float64) float64 {
	tenth := len(work) / 10
	if tenth < 1 || len(work)-tenth < 10 {
		return 1
	}
	rest := estimate.TestBatchMean(work[tenth:])
	n := float64(len(work) - tenth)
	single := rest.StandardError * math.Sqrt(n)
	if lag := estimate.Lag1(work[tenth:]); lag > 0 {
		single *= math.Sqrt((1 + lag) / (1 - lag))
	}
	difference := meanOf(work[:tenth]) - rest.Mean
	switch {
	case difference == 0:
		return 1
	case single == 0:
		return 0
	}
	return estimate.StudentTails(difference/(single*math.Sqrt(1/n+1/float64(tenth))), n-1)
}

func meanOf(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(max(1, len(x)))
}
