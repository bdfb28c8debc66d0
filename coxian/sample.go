package coxian

import (
	"math"
	"math/rand/v2"
)

// Rand returns a random service time drawn with d.Src, or with the global
// source if that is nil.
func (d Dist) Rand() float64 {
	if d.Src == nil {
		return d.Sample(globalSource{})
	}
	return d.Sample(d.Src)
}

// Sample returns a random service time drawn with src. It always consumes
// three words of the source, whatever comes of them: the first phase, the
// choice to go on, the second phase. Simulations that share a source sequence
// therefore stay aligned (common random numbers), and the service time rises
// with each phase's own uniform number.
func (d Dist) Sample(src rand.Source) float64 {
	first, second := d.SamplePhases(src)
	return first + second
}

// SamplePhases is [Dist.Sample] with the time spent in each phase; second is 0
// for a job that leaves after phase 1.
func (d Dist) SamplePhases(src rand.Source) (first, second float64) {
	first = unitExponential(src) / d.Mu1
	goesOn := uniform(src) < d.P
	second = unitExponential(src) / d.Mu2
	if !goesOn {
		second = 0
	}
	return first, second
}

// Sample returns a random remaining time. It always consumes four words of
// the source: the phase found, then as [Dist.Sample].
func (r Remaining) Sample(src rand.Source) float64 {
	startsInSecond := uniform(src) < r.Phase2
	first := unitExponential(src) / r.Law.Mu1
	goesOn := uniform(src) < r.Law.P
	second := unitExponential(src) / r.Law.Mu2
	switch {
	case startsInSecond:
		return second
	case goesOn:
		return first + second
	}
	return first
}

// uniform returns a number in [0, 1), a multiple of 2^-53.
func uniform(src rand.Source) float64 { return float64(src.Uint64()>>11) * 0x1p-53 }

// unitExponential inverts the exponential distribution function of mean 1: one
// word per draw, at most 53 log 2 = 36.7.
func unitExponential(src rand.Source) float64 { return -math.Log1p(-uniform(src)) }

// globalSource is the global generator of math/rand/v2 as a Source.
type globalSource struct{}

func (globalSource) Uint64() uint64 { return rand.Uint64() }
