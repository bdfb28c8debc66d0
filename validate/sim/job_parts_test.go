package sim

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestCalendar: departures come out as from a sorted list.
func TestCalendar(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := newCalendar(rapid.SampledFrom([]float64{.01, 1, 30}).Draw(t, "day"), 4)
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		farthest := rapid.SampledFrom([]float64{.5, 10, 1000}).Draw(t, "farthest")
		var model []departure
		now := 0.0
		for step := range 60 {
			for range random.IntN(30) {
				d := departure{time: now + farthest*random.Float64(), server: int32(random.IntN(1000))}
				if random.IntN(20) == 0 {
					d.time = now + 1e30
				}
				c.add(d.time, d.server)
				model = append(model, d)
			}
			now += farthest * random.Float64() / 10
			if step%10 == 9 {
				now += 2 * farthest
			}
			slices.SortStableFunc(model, func(a, b departure) int { return cmp.Compare(a.time, b.time) })
			for due := c.take(now); len(due) > 0; due = c.take(now) {
				for _, d := range due {
					if model[0].time != d.time || model[0].server != d.server {
						t.Fatalf("took %+v, want %+v", d, model[0])
					}
					model = model[1:]
				}
			}
			if len(model) > 0 && model[0].time <= now || c.pending != len(model) {
				t.Fatalf("%d left, want %d", c.pending, len(model))
			}
		}
	})
}

// TestLevelSets: the sets agree with plain counts, and the choice within a
// level reaches every server.
func TestLevelSets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "servers")
		cap := rapid.SampledFrom([]int{1, 2, math.MaxInt}).Draw(t, "cap")
		s := newLevelSets(n, cap)
		lengths := make([]int, n)
		for range 200 {
			server := rapid.IntRange(0, n-1).Draw(t, "server")
			if up := rapid.Bool().Draw(t, "up"); up || lengths[server] == 0 {
				lengths[server]++
				s.rise(server, lengths[server])
			} else {
				lengths[server]--
				s.fall(server, lengths[server])
			}
			lowest := min(slices.Min(lengths), cap)
			if s.lowest != lowest {
				t.Fatalf("lowest level %d, want %d of %v", s.lowest, lowest, lengths)
			}
			for i, server := range s.ordered {
				level := min(lengths[server], cap)
				if s.place[server] != int32(i) || i < int(s.start[level]) || i >= int(s.start[level+1]) {
					t.Fatalf("server %d of %v stands at %d, starts %v", server, lengths, i, s.start)
				}
			}
		}
	})
}

// TestUniformTies: among equals every server gets the same share, for each
// policy that chooses among equals. Chi-squared with 9 degrees stays below 33.7
// with probability 1 - 1e-4.
func TestUniformTies(t *testing.T) {
	for name, choose := range map[string]func(f *Farm, random *rand.PCG) int{
		"levels": func(f *Farm, random *rand.PCG) int { return newLevelSets(10, 1).choose(random) },
		"two":    func(f *Farm, random *rand.PCG) int { return shorterOfTwo{}.Choose(f, 1, random) },
		"three": func(f *Farm, random *rand.PCG) int {
			return (&shortestSampled{sample: newSample(3, false)}).Choose(f, 1, random)
		},
		"eight": func(f *Farm, random *rand.PCG) int {
			return (&shortestSampled{sample: newSample(8, false)}).Choose(f, 1, random)
		},
		"memory": func(f *Farm, random *rand.PCG) int {
			return (&withMemory{sample: newSample(3, false), remembered: 2}).Choose(f, 1, random)
		},
	} {
		f := &Farm{lengths: make([]int32, 10), freeAt: make([]float64, 10), buffer: 99}
		random := rand.NewPCG(1, 2)
		counts := make([]float64, 10)
		const draws = 20_000
		for range draws {
			counts[choose(f, random)]++
		}
		chi := 0.0
		for _, n := range counts {
			chi += (n - draws/10) * (n - draws/10) / (draws / 10)
		}
		if chi > 33.7 {
			t.Errorf("%s: chi-squared %.1f, counts %v", name, chi, counts)
		}
	}
}

// TestTimeQuantiles: exact for exponential times up to the histogram's own
// rounding, which is checked against the sorted sample.
func TestTimeQuantiles(t *testing.T) {
	h := newJobHistogram(2)
	random := rand.NewPCG(3, 4)
	var sorted []float64
	for i := range 20_000 {
		x := 6 * unitExponential(random)
		if i%4 == 0 {
			x = 0
		}
		sorted = append(sorted, x)
		h.add(x)
	}
	slices.Sort(sorted)
	p, b := newPooledTimes(), h.clear()
	p.add(&b)
	for _, probability := range []float64{.1, .25, .3, .5, .9, .99, .999, 1} {
		point, got := p.quantile(probability)
		want := sorted[int(math.Ceil(probability*20_000))-1]
		if math.Abs(got*2-want) > want/500 {
			t.Errorf("%g-quantile %g, the sample has %g", probability, got*2, want)
		}
		if count := b.timesUpTo(point); math.Abs(count-math.Max(5000, probability*20_000)) > 1e-6 {
			t.Errorf("%g-quantile: %g of 20000 below", probability, count)
		}
	}
	if b := h.clear(); b.total() != 0 {
		t.Error("a cleared histogram is not empty")
	}
	h.add(1e-300)
	h.add(1e300)
	if b := h.clear(); b.first != 0 || len(b.counts) != timeBins || b.total() != 2 {
		t.Errorf("times off the scale: first bin %d of %d", b.first, len(b.counts))
	}
}

// TestBinEdges: a time lies between the edges of its bin.
func TestBinEdges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := math.Exp(rapid.Float64Range(-13, 19).Draw(t, "log"))
		h := newJobHistogram(1)
		h.add(x)
		bin := slices.Index(h.bins, 1)
		if low, high := binEdge(bin), binEdge(bin+1); !(low <= x && x < high) || high > low*(1+1./binsPerOctave)+1e-15 {
			t.Fatalf("%g in bin [%g, %g)", x, low, high)
		}
	})
}

// TestHistogramAddsUp: the shares of the bins add up to one, and the bins touch
// or leave gaps but do not overlap.
func TestHistogramAddsUp(t *testing.T) {
	s := random1(.7, nil, must(Lognormal(3, 2)))
	r := runJobs(t, s, JobSettings{Jobs: 1e5})
	wait, response := 0.0, 0.0
	for i, b := range r.Histogram {
		wait += b.Wait
		response += b.Response
		if i > 0 && (b.From >= b.To || b.From < r.Histogram[i-1].To) {
			t.Errorf("bin %d: %+v after %+v", i, b, r.Histogram[i-1])
		}
	}
	if math.Abs(wait-1) > 1e-9 || math.Abs(response-1) > 1e-9 || r.Histogram[0].Wait == 0 {
		t.Errorf("shares add up to %g and %g, none waits: %+v", wait, response, r.Histogram[0])
	}
}
