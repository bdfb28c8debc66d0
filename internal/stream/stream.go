// Package stream derives independent random streams from names.
//
// A stream is keyed by (seed, cell, replication, purpose): the same key gives
// the same bits on every machine and for any number of threads, and streams
// with different keys are independent for all practical purposes, since the
// key is hashed by SHA-256 into the 128-bit state of a PCG generator.
// Different purposes separate arrivals, service and routing, so that two
// policies can share the randomness that should be common to them.
package stream

import (
	"crypto/sha256"
	"encoding/binary"
	"math/bits"
	"math/rand/v2"
)

// Purpose names what a stream is used for.
type Purpose string

const (
	// Events drives a jump chain in which one number picks the next event.
	Events Purpose = "events"
	// Arrivals, Service and Routing drive simulations job by job.
	Arrivals Purpose = "arrivals" // times between arrivals
	Service  Purpose = "service"  // sizes of jobs
	Routing  Purpose = "routing"  // decisions of the dispatcher
	// Upkeep drives what dispatchers do besides routing: updates of memories.
	Upkeep Purpose = "upkeep"
	// Clock drives the times of the events of a jump chain.
	Clock Purpose = "clock"
	// Pilot drives a short run whose outcome only tunes the main run.
	Pilot Purpose = "pilot"
)

// Key identifies a stream.
type Key struct {
	Seed        uint64  // of the run
	Cell        string  // which system or which cell of an experiment
	Replication int     // 0, 1, ..
	Purpose     Purpose // what is drawn
}

// New returns the generator of a key.
func New(k Key) *rand.PCG {
	hash := sha256.New()
	var word [8]byte
	put := func(v uint64) {
		binary.LittleEndian.PutUint64(word[:], v)
		hash.Write(word[:])
	}
	put(k.Seed)
	put(uint64(k.Replication))
	put(uint64(len(k.Cell)))
	hash.Write([]byte(k.Cell))
	hash.Write([]byte(k.Purpose))
	sum := hash.Sum(nil)
	return rand.NewPCG(binary.LittleEndian.Uint64(sum), binary.LittleEndian.Uint64(sum[8:]))
}

// Below is uniform on 0 .. n-1, up to a bias of n/2^64: one word.
func Below(n uint64, random *rand.PCG) int {
	high, _ := bits.Mul64(random.Uint64(), n)
	return int(high)
}
