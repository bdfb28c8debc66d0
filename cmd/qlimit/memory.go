package main

import (
	"os"
	"runtime/debug"

	"qlimit/ctmc"
)

// boundMemory lets the garbage collector take more time where a chain comes near
// the memory it may take, in GiB (0 = the default), rather than let the program
// grow to twice that. GOMEMLIMIT has the last word.
func boundMemory(gib int64) {
	if _, given := os.LookupEnv("GOMEMLIMIT"); given {
		return
	}
	bytes := ctmc.DefaultMemory
	if gib > 0 {
		bytes = gib << 30
	}
	debug.SetMemoryLimit(bytes + bytes/8)
}
