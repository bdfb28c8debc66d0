package slotted

import (
	"math/rand/v2"

	"qlimit/ctmc"
	"qlimit/internal/stream"
)

// View is what the policy of a run sees of the system. The simulator owns it
// and changes it from slot to slot.
type View struct {
	// Lengths of the queues: what each server knows of itself. A dispatcher
	// learns them by messages, see Ask and AskAll.
	Lengths []int64
	// Served are the jobs that each server completed in this slot, Arrived
	// those that came to each dispatcher; set when EndOfSlot is called.
	Served, Arrived []int64
	// Messages counts by kind.
	Messages [ctmc.MessageKinds]int64

	// Routing are the random numbers of decisions, Upkeep those of all else,
	// so that runs with different updates can share the former.
	Routing, Upkeep *rand.PCG
}

// Ask counts a query and its reply.
func (v *View) Ask(server int) int64 {
	v.Messages[Query]++
	v.Messages[Reply]++
	return v.Lengths[server]
}

// AskAll asks every server. The answer is valid until the slot ends and must
// not be changed.
func (v *View) AskAll() []int64 {
	n := int64(len(v.Lengths))
	v.Messages[Query] += n
	v.Messages[Reply] += n
	return v.Lengths
}

// Report counts a message that a server sends of its own accord.
func (v *View) Report(kind ctmc.Message) { v.Messages[kind]++ }

// chooseUniform is a server chosen uniformly from all.
func (v *View) chooseUniform() int { return stream.Below(uint64(len(v.Lengths)), v.Routing) }

// unit is uniform on [0, 1).
func unit(random *rand.PCG) float64 { return float64(random.Uint64()>>11) * 0x1p-53 }

// shortest picks one of the shortest of all, uniformly: one word if there is a
// choice.
func shortest(lengths []int64, random *rand.PCG) int {
	least, first, equals := lengths[0], 0, 1
	for n := 1; n < len(lengths); n++ {
		switch length := lengths[n]; {
		case length < least:
			least, first, equals = length, n, 1
		case length == least:
			equals++
		}
	}
	if equals == 1 {
		return first
	}
	skip := stream.Below(uint64(equals), random)
	n := first
	for ; skip > 0; skip-- {
		for n++; lengths[n] != least; n++ {
		}
	}
	return n
}

// shuffler draws distinct servers.
type shuffler []int32

func newShuffler(servers int) shuffler {
	s := make(shuffler, servers)
	for n := range s {
		s[n] = int32(n)
	}
	return s
}

// draw returns d distinct servers, one word each, valid until the next call:
// the first steps of a Fisher-Yates shuffle, which may start from any order.
func (s shuffler) draw(d int, random *rand.PCG) []int32 {
	for i := range d {
		k := i + stream.Below(uint64(len(s)-i), random)
		s[i], s[k] = s[k], s[i]
	}
	return s[:d]
}

// weighted chooses in proportion to weights.
type weighted []float64 // cumulative

func newWeighted(weights []float64) weighted {
	w := make(weighted, len(weights))
	sum := 0.0
	for n, x := range weights {
		sum += x
		w[n] = sum
	}
	return w
}

// choose is a binary search: one word.
func (w weighted) choose(random *rand.PCG) int {
	x := unit(random) * w[len(w)-1]
	low, high := 0, len(w)-1
	for low < high {
		if mid := (low + high) / 2; w[mid] <= x {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low
}
