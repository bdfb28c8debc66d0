package stream_test

import (
	"fmt"

	"qlimit/internal/stream"
)

// The same key gives the same stream, another purpose an independent one.
func ExampleNew() {
	key := stream.Key{Seed: 1, Cell: "jsq N=10", Replication: 3, Purpose: stream.Arrivals}
	first, again := stream.New(key), stream.New(key)
	key.Purpose = stream.Routing
	other := stream.New(key)
	x := first.Uint64()
	fmt.Println(x == again.Uint64(), x == other.Uint64())
	// Output: true false
}
