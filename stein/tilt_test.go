package stein

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// TestSixExamples: what the six example distributions are when the queues
// differ, and when all are equal.
func TestSixExamples(t *testing.T) {
	want := map[string]struct {
		tilted bool
		tilt   float64
	}{"a": {true, 0}, "b": {true, 0}, "c": {false, 0}, "d": {true, .25}, "e": {true, .25}, "f": {true, .25}}
	for _, e := range PiExamples() {
		different := e.Over([4]int64{1, 2, 3, 4})
		if err := different.Validate(); err != nil {
			t.Fatal(err)
		}
		if w := want[e.Name]; different.Tilted() != w.tilted || math.Abs(different.Tilt()-w.tilt) > 1e-15 {
			t.Errorf("(%s): tilted %v, δ %g", e.Name, different.Tilted(), different.Tilt())
		}
		if best := different.Best(); best.Tilt() != different.Tilt() || best.Tilted() != different.Tilted() {
			t.Errorf("(%s): without ties nothing can be moved, yet %v", e.Name, best.P)
		}
		best := e.Over([4]int64{1, 1, 1, 1}).Best()
		if math.Abs(best.Tilt()-.25) > 1e-15 || math.Abs(best.InnerProduct()) > 1e-15 {
			t.Errorf("(%s), all equal: best %v with δ %g", e.Name, best.P, best.Tilt())
		}
		delete(want, e.Name)
	}
	if len(want) > 0 {
		t.Errorf("missing: %v", want)
	}
}

// TestBestAcrossGroups: ties first, then a group with an excess of its own, then
// what is missing: the first queue can have the excess of its own ties only.
func TestBestAcrossGroups(t *testing.T) {
	quarter := []float64{.25, .25, .25, .25}
	front := Ranked{Lengths: []int64{1, 1, 2, 3}, P: []float64{.35, .35, .28, .02}, Fair: quarter}
	if got := front.Best().Tilt(); math.Abs(front.Tilt()-.1) > 1e-15 || math.Abs(got-.2) > 1e-15 {
		t.Errorf("δ = %g, best %g, want 0.1 and 0.2", front.Tilt(), got)
	}
	back := Ranked{Lengths: []int64{1, 2, 3, 3}, P: []float64{.48, .22, .15, .15}, Fair: quarter}
	if got := back.Best().Tilt(); math.Abs(back.Tilt()-.1) > 1e-15 || math.Abs(got-.2) > 1e-15 {
		t.Errorf("δ = %g, best %g, want 0.1 and 0.2", back.Tilt(), got)
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
