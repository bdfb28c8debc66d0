package stein

import (
	"testing"

	"qlimit/coxian"
	"qlimit/ctmc"
)

// BenchmarkSolve finds all bounds of a problem, the search for the best
// constants and for the smallest number of servers included: it must stay below
// 200 milliseconds.
func BenchmarkSolve(b *testing.B) {
	p := Problem{Servers: 1e12, Scaling: LoadExponent(0.25), Buffer: 3, Service: coxian.Dist{Mu1: 2, P: 0.25, Mu2: 0.5}, Policy: ctmc.PowerOfD(50_000, false)}
	for b.Loop() {
		if _, err := Solve(p); err != nil {
			b.Fatal(err)
		}
	}
}
