package sim

import (
	"math"
	"slices"
)

// Bins of a jobHistogram: the octaves from 2^leastExponent to 2^mostExponent
// mean service times, each cut into binsPerOctave equal parts. One more bin
// holds what is below (0 excepted) and one what is above.
const (
	binBits       = 9
	binsPerOctave = 1 << binBits
	leastExponent = -20
	mostExponent  = 28
	timeBins      = (mostExponent-leastExponent)*binsPerOctave + 2
)

// firstBits is what the high bits of 2^leastExponent look like.
const firstBits = (1023 + leastExponent) << binBits

// jobHistogram counts times in bins whose width is at most 1/512 of their
// lower edge. A block's counts stay below 2^32.
type jobHistogram struct {
	scale float64 // 1/mean service time
	zeros int64
	bins  []uint32
}

func newJobHistogram(meanService float64) jobHistogram {
	return jobHistogram{scale: 1 / meanService, bins: make([]uint32, timeBins)}
}

// add reads the bin off the bits of the number: exponent and leading digits.
func (h *jobHistogram) add(time float64) {
	if time == 0 {
		h.zeros++
		return
	}
	bin := int(math.Float64bits(time*h.scale)>>(52-binBits)) - firstBits + 1
	h.bins[max(0, min(bin, timeBins-1))]++
}

// clear empties the histogram and returns what it held.
func (h *jobHistogram) clear() histogramBlock {
	first, end := 0, len(h.bins)
	for first < end && h.bins[first] == 0 {
		first++
	}
	for end > first && h.bins[end-1] == 0 {
		end--
	}
	b := histogramBlock{zeros: h.zeros, first: first, counts: slices.Clone(h.bins[first:end])}
	clear(h.bins[first:end])
	h.zeros = 0
	return b
}

// histogramBlock is the used part of a histogram.
type histogramBlock struct {
	zeros  int64
	first  int
	counts []uint32
}

// timesBelow counts the times at or below x of a bin, a fraction of the bin
// taken for x within it.
func (b *histogramBlock) timesBelow(bin int, fraction float64) float64 {
	sum := float64(b.zeros)
	for i, n := range b.counts {
		if b.first+i >= bin {
			break
		}
		sum += float64(n)
	}
	if i := bin - b.first; i >= 0 && i < len(b.counts) {
		sum += fraction * float64(b.counts[i])
	}
	return sum
}

func (b *histogramBlock) total() int64 {
	sum := b.zeros
	for _, n := range b.counts {
		sum += int64(n)
	}
	return sum
}

// binEdge is the lower edge of a bin in mean service times.
func binEdge(bin int) float64 {
	if bin == 0 {
		return 0
	}
	k := bin - 1
	return math.Ldexp(1+float64(k%binsPerOctave)/binsPerOctave, leastExponent+k/binsPerOctave)
}

// pooledTimes is a histogram over many blocks as a distribution.
type pooledTimes struct {
	zeros  int64
	counts []int64
	total  int64
}

func newPooledTimes() *pooledTimes { return &pooledTimes{counts: make([]int64, timeBins)} }

func (p *pooledTimes) add(b *histogramBlock) {
	p.zeros += b.zeros
	for i, n := range b.counts {
		p.counts[b.first+i] += int64(n)
	}
	p.total += b.total()
}

// binPoint is a point of the time axis: a fraction of a bin, or the time 0 in
// front of all bins.
type binPoint struct {
	bin      int
	fraction float64
	zero     bool
}

// quantile returns where the distribution function reaches p. Within a bin the
// logarithm of the survival function is taken as linear, which is exact for an
// exponential tail.
func (p *pooledTimes) quantile(probability float64) (point binPoint, time float64) {
	wanted := probability * float64(p.total)
	if wanted <= float64(p.zeros) {
		return binPoint{zero: true}, 0
	}
	below, last := float64(p.zeros), 0
	for bin, n := range p.counts {
		if n == 0 {
			continue
		}
		last = bin
		if below+float64(n) >= wanted {
			fraction := (wanted - below) / float64(n)
			return binPoint{bin: bin, fraction: fraction}, p.within(bin, below, wanted)
		}
		below += float64(n)
	}
	return binPoint{bin: last, fraction: 1}, binEdge(last + 1)
}

// within places a count between those at the edges of a bin.
func (p *pooledTimes) within(bin int, below, wanted float64) float64 {
	total, count := float64(p.total), float64(p.counts[bin])
	share := (wanted - below) / count
	if above := total - below - count; above > 0 {
		share = math.Log((total-below)/(total-wanted)) / math.Log((total-below)/above)
	}
	low := binEdge(bin)
	return low + share*(binEdge(bin+1)-low)
}

// overflowing tells whether a point lies in the last bin, which has no end.
func (p binPoint) overflowing() bool { return p.bin == timeBins-1 }
