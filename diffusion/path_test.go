package diffusion

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestPathsStayAboveTheBoundary(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.SampledFrom([]Discipline{CQ, JSQ, IQF}).Draw(t, "discipline")
		alpha := math.Pow(10, rapid.Float64Range(-2, 2).Draw(t, "log alpha"))
		step := math.Pow(10, rapid.Float64Range(-4, 1).Draw(t, "log step"))
		p, err := NDS{d, alpha, exponential}.Process()
		if err != nil {
			t.Fatal(err)
		}
		seed := rapid.Uint64().Draw(t, "seed")
		path, err := p.Path(0, step, 200, rand.NewPCG(seed, 1))
		if err != nil {
			t.Fatal(err)
		}
		if least := slices.Min(path); !(least >= 0) {
			t.Fatalf("the path falls to %g", least)
		}
		again, err := p.Path(0, step, 200, rand.NewPCG(seed, 1))
		if err != nil || !slices.Equal(path, again) {
			t.Fatal("the same source gives another path")
		}
	})
}

// For CQ the values have the exact law at any step: distribution after four
// steps of 1/4 against the closed form, by a chi-square-like bound of five
// standard errors in each of 20 bins.
func TestReflectedPathIsExact(t *testing.T) {
	const runs, start = 40_000, 0.4
	p := mustProcess(t, CQ, 1, exponential)
	source := rand.NewPCG(7, 7)
	counts := make([]float64, 20)
	edge := func(i int) float64 { return 0.25 * float64(i) }
	for range runs {
		path, err := p.Path(start, 0.25, 4, source)
		if err != nil {
			t.Fatal(err)
		}
		counts[min(int(path[4]/0.25), 19)]++
	}
	for i, c := range counts {
		probability := 1 - reflectedBrownian(1, start, edge(i), 1)
		if i < 19 {
			probability = reflectedBrownian(1, start, edge(i+1), 1) - reflectedBrownian(1, start, edge(i), 1)
		}
		if error := math.Sqrt(runs * probability); math.Abs(c-runs*probability) > 5*error+1 {
			t.Errorf("bin %d: %g, expected %g ± %g", i, c, runs*probability, error)
		}
	}
}

// strongError is the mean distance at time 1 between paths of steps 1/coarse
// and of the finest steps along the same Brownian motion.
func strongError(p Process, start float64, coarse, finest, paths int) float64 {
	random := rand.New(rand.NewPCG(3, 5))
	h := 1.0 / float64(finest)
	sum := 0.0
	for range paths {
		fine, rough, increment := start, start, 0.0
		for i := range finest {
			z := math.Sqrt(h) * random.NormFloat64()
			fine = p.implicitStep(fine, h, z)
			increment += z
			if (i+1)%(finest/coarse) == 0 {
				rough = p.implicitStep(rough, 1/float64(coarse), increment)
				increment = 0
			}
		}
		sum += math.Abs(fine - rough)
	}
	return sum / float64(paths)
}

// Strong order of the implicit scheme: 1 well inside the region of the theorems
// (γ = 5), and better than 1/2 at γ = 1, the case of the NDS processes.
func TestStrongOrder(t *testing.T) {
	strong := Process{Repulsion: 5, Noise: 2, Drift: func(u float64) float64 { return -u }}
	iqf := mustProcess(t, IQF, 1, exponential)
	for _, c := range []struct {
		name      string
		p         Process
		least, at float64
	}{{"γ = 5", strong, 0.85, 2}, {"γ = 1", iqf, 0.5, 1}} {
		first := strongError(c.p, c.at, 8, 1024, 300)
		last := strongError(c.p, c.at, 64, 1024, 300)
		if order := math.Log2(first/last) / 3; order < c.least || order > 1.25 {
			t.Errorf("%s: errors %.3g and %.3g, order %.2f", c.name, first, last, order)
		}
	}
}

// A long path has the stationary mean within five standard errors of its time
// average.
func TestPathErgodic(t *testing.T) {
	for _, d := range []Discipline{CQ, JSQ, IQF} {
		p := mustProcess(t, d, 1, exponential)
		law := mustLaw(t, p)
		const step, steps = 0.02, 600_000
		path, err := p.Path(1, step, steps, rand.NewPCG(11, 2))
		if err != nil {
			t.Fatal(err)
		}
		sum := 0.0
		for _, u := range path {
			sum += u
		}
		mean := sum / float64(len(path))
		deviation := math.Sqrt(2 * law.Variance() * law.AutocorrelationTime() / (step * steps))
		if math.Abs(mean-law.Mean()) > 5*deviation+2*step {
			t.Errorf("%s: path mean %.4f, law %.4f ± %.4f", d, mean, law.Mean(), deviation)
		}
	}
}

func TestPathRefuses(t *testing.T) {
	p := mustProcess(t, CQ, 1, exponential)
	for _, c := range []struct {
		start, step float64
		steps       int
	}{{-1, 1, 1}, {math.NaN(), 1, 1}, {1, 0, 1}, {1, math.Inf(1), 1}, {1, 1, -1}} {
		if _, err := p.Path(c.start, c.step, c.steps, rand.NewPCG(1, 1)); err == nil {
			t.Errorf("%+v was accepted", c)
		}
	}
}
