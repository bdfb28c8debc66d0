package slotted

import (
	"math"
	"math/bits"
	"math/rand/v2"
)

// table samples by inversion of a 64-bit uniform number. A guide gives the
// first candidate, so that the mean number of comparisons is below 2 whatever
// the law. What has probability below 2^-64 is never drawn.
type table struct {
	first int64
	ends  []uint64 // 2^64 P(count <= first+i), the last one left out
	guide []int32  // by the leading bits of the uniform number
	shift uint
}

// tableOf adds the probabilities up from both ends, so that both tails keep
// their relative accuracy.
func tableOf(l Law) table {
	const cut = 0x1p-70
	first, p := l.Window(cut)
	last := len(p) - 1
	t := table{first: first, ends: make([]uint64, last)}
	above := 0.0
	for i := last; i > 0 && above <= 0.5; i-- {
		above += p[i]
		t.ends[i-1] = -uint64(math.Round(above * 0x1p64))
		if above*0x1p64 < 0.5 {
			t.ends[i-1] = math.MaxUint64
		}
	}
	below := 0.0
	for i := range last {
		if below += p[i]; below >= 0.5 {
			break
		}
		t.ends[i] = uint64(math.Round(below * 0x1p64))
	}
	size := uint(bits.Len(uint(len(p)))) + 1
	t.shift = 64 - size
	t.guide = make([]int32, 1<<size)
	i := 0
	for g := range t.guide {
		for i < last && t.ends[i] <= uint64(g)<<t.shift {
			i++
		}
		t.guide[g] = int32(i)
	}
	return t
}

// Sample returns first + the number of ends that the uniform number has
// reached: one word.
func (t *table) Sample(random *rand.PCG) int64 {
	u := random.Uint64()
	i := int(t.guide[u>>t.shift])
	for i < len(t.ends) && u >= t.ends[i] {
		i++
	}
	return t.first + int64(i)
}
