package stein

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// examples are the six distributions over four queues with equal rates by which
// the definitions are usually explained: what they are when the queues differ,
// and whether they are equivalent to a tilted and to a δ-tilted one when all
// queues are equal.
var examples = []struct {
	name                  string
	p                     []float64
	tilted, delta         bool
	equalTilt, differTilt float64
}{
	{"a", []float64{1. / 4, 1. / 4, 1. / 4, 1. / 4}, true, false, .25, 0},
	{"b", []float64{1. / 4, 1. / 2, 1. / 4, 0}, true, false, .25, 0},
	{"c", []float64{0, 1. / 2, 1. / 2, 0}, false, false, .25, 0},
	{"d", []float64{1. / 2, 1. / 4, 1. / 4, 0}, true, true, .25, .25},
	{"e", []float64{1, 0, 0, 0}, true, true, .25, .25},
	{"f", []float64{1. / 2, 1. / 3, 1. / 6, 0}, true, true, .25, .25},
}

func TestSixExamples(t *testing.T) {
	quarter := []float64{.25, .25, .25, .25}
	for _, c := range examples {
		different := Ranked{Lengths: []int64{1, 2, 3, 4}, P: c.p, Fair: quarter}
		if err := different.Validate(); err != nil {
			t.Fatal(err)
		}
		if different.Tilted() != c.tilted || (different.Tilt() > 0) != c.delta || math.Abs(different.Tilt()-c.differTilt) > 1e-15 {
			t.Errorf("(%s): tilted %v, δ %g", c.name, different.Tilted(), different.Tilt())
		}
		if best := different.Best(); best.Tilt() != different.Tilt() || best.Tilted() != c.tilted {
			t.Errorf("(%s): without ties nothing can be moved, yet %v", c.name, best.P)
		}
		equal := Ranked{Lengths: []int64{1, 1, 1, 1}, P: c.p, Fair: quarter}
		if best := equal.Best(); math.Abs(best.Tilt()-c.equalTilt) > 1e-15 || math.Abs(best.InnerProduct()) > 1e-15 {
			t.Errorf("(%s), all equal: best %v with δ %g", c.name, best.P, best.Tilt())
		}
	}
}

// TestSampleRanks: sampling d of N without replacement gives rank n the
// probability C(N-n, d-1)/C(N, d).
func TestSampleRanks(t *testing.T) {
	d := rule(t, "sq:d=3", unitRates(6)...)
	p := d.At([]int64{5, 4, 3, 2, 1, 0}, 0)
	for n, want := range []float64{10, 6, 3, 1, 0, 0} {
		if got := p[5-n]; math.Abs(got-want/20) > 1e-15 {
			t.Errorf("rank %d: %g, want %g", n+1, got, want/20)
		}
	}
}

var rankedGenerator = rapid.Custom(func(t *rapid.T) Ranked {
	n := rapid.IntRange(1, 6).Draw(t, "servers")
	lengths := rapid.SliceOfN(rapid.Int64Range(0, 3), n, n).Draw(t, "lengths")
	weights := rapid.SliceOfN(rapid.Float64Range(0, 1), n, n).Draw(t, "weights")
	rates := rapid.SliceOfN(rapid.Float64Range(.1, 3), n, n).Draw(t, "rates")
	if rapid.Bool().Draw(t, "sparse") {
		for i := range weights {
			if weights[i] < .5 {
				weights[i] = 0
			}
		}
	}
	weights[rapid.IntRange(0, n-1).Draw(t, "positive")]++
	total := sumOf(weights)
	for i := range weights {
		weights[i] /= total
	}
	r, _ := Rank(lengths, weights, rates)
	return r
})

// TestBestIsEquivalent: the same inner product with the lengths, the same mass
// on every set of tied queues, never a smaller tilt, and a tilt δ makes the
// inner product at most -(δ/√N)‖Q_⊥‖.
func TestBestIsEquivalent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rankedGenerator.Draw(t, "ranked")
		best := r.Best()
		if err := best.Validate(); err != nil {
			t.Fatal(err)
		}
		if math.Abs(best.InnerProduct()-r.InnerProduct()) > 1e-11 {
			t.Fatalf("inner product %g became %g", r.InnerProduct(), best.InnerProduct())
		}
		for from, to := range ties(r.Lengths) {
			if math.Abs(sumOf(best.P[from:to])-sumOf(r.P[from:to])) > 1e-12 {
				t.Fatalf("mass moved between lengths: %v to %v", r.P, best.P)
			}
		}
		if best.Tilt() < r.Tilt() || r.Tilted() && !best.Tilted() {
			t.Fatalf("worse: %v to %v", r.P, best.P)
		}
		if best.Tilted() && best.InnerProduct() > -best.Tilt()/math.Sqrt(float64(len(r.P)))*perpendicular(r.Lengths)+1e-11 {
			t.Fatalf("⟨Q, Δ⟩ = %g above the bound with δ = %g", best.InnerProduct(), best.Tilt())
		}
	})
}

// TestBestIsBest compares with random moves within ties.
func TestBestIsBest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rankedGenerator.Draw(t, "ranked")
		best := r.Best()
		other := Ranked{Lengths: r.Lengths, P: append([]float64(nil), r.P...), Fair: r.Fair}
		for from, to := range ties(r.Lengths) {
			mass := sumOf(r.P[from:to])
			weights := rapid.SliceOfN(rapid.Float64Range(0, 1), to-from, to-from).Draw(t, "move")
			// Moves to the front and away from the back matter most.
			weights[0] += rapid.SampledFrom([]float64{0, 1, 1e9}).Draw(t, "front")
			if total := sumOf(weights); total > 0 {
				for i, w := range weights {
					other.P[from+i] = mass * w / total
				}
			}
		}
		if other.Tilted() && !best.Tilted() || other.Tilt() > best.Tilt()+1e-9 {
			t.Fatalf("%v on %v: best %v has δ %g, %v has %g", r.P, r.Lengths, best.P, best.Tilt(), other.P, other.Tilt())
		}
	})
}

func perpendicular(lengths []int64) float64 {
	mean, sum := 0.0, 0.0
	for _, q := range lengths {
		mean += float64(q) / float64(len(lengths))
	}
	for _, q := range lengths {
		sum += (float64(q) - mean) * (float64(q) - mean)
	}
	return math.Sqrt(sum)
}
