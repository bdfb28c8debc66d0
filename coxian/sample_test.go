package coxian

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// kolmogorov is sup |F_n - F| √n of a sample.
func kolmogorov(x []float64, cdf func(float64) float64) float64 {
	slices.Sort(x)
	n, largest := float64(len(x)), 0.0
	for i, value := range x {
		f := cdf(value)
		largest = math.Max(largest, math.Max(f-float64(i)/n, float64(i+1)/n-f))
	}
	return largest * math.Sqrt(n)
}

// The seeds are fixed; P(√n D > 1.95) = 0.001.
func TestSamplesFollowTheLaw(t *testing.T) {
	const n = 100_000
	for i, d := range smallLaws() {
		src := rand.NewPCG(uint64(i), 21)
		x, sum := make([]float64, n), 0.0
		for j := range x {
			x[j] = d.Sample(src)
			sum += x[j]
		}
		if z := (sum/n - d.Mean()) / d.StdDev() * math.Sqrt(n); math.Abs(z) > 3.3 {
			t.Errorf("%v: sample mean off by %.2f standard errors", d, z)
		}
		if k := kolmogorov(x, d.CDF); k > 1.95 {
			t.Errorf("%v: Kolmogorov statistic %.2f", d, k)
		}
		r := d.Residual()
		for j := range x {
			x[j] = r.Sample(src)
		}
		if k := kolmogorov(x, r.CDF); k > 1.95 {
			t.Errorf("residual of %v: Kolmogorov statistic %.2f", d, k)
		}
	}
}

// countingSource counts the words taken from it.
type countingSource struct {
	rand.Source
	words int
}

func (c *countingSource) Uint64() uint64 { c.words++; return c.Source.Uint64() }

func TestSampleTakesThreeWords(t *testing.T) {
	src := &countingSource{Source: rand.NewPCG(1, 1)}
	for i, d := range []Dist{{Mu1: 1, P: 0, Mu2: 1}, {Mu1: 1, P: 0.5, Mu2: 1}, {Mu1: 1, P: 1, Mu2: 1}} {
		d.Sample(src)
		if src.words != 3*(i+1) {
			t.Errorf("%v: %d words after %d draws", d, src.words, i+1)
		}
	}
}

func TestSamplePhases(t *testing.T) {
	d := Dist{Mu1: 2, P: 0.25, Mu2: 0.5}
	src := rand.NewPCG(2, 2)
	const n = 100_000
	first, second, entered := 0.0, 0.0, 0.0
	for range n {
		a, b := d.SamplePhases(src)
		first += a
		second += b
		if b > 0 {
			entered++
		}
	}
	// Standard errors: 0.5/√n, √Var(second)/√n with Var = p(2-p)/μ2², √(p(1-p)/n).
	root := math.Sqrt(n)
	for name, z := range map[string]float64{
		"first phase":  (first/n - 0.5) / 0.5 * root,
		"second phase": (second/n - 0.5) / math.Sqrt(0.25*1.75/0.25) * root,
		"going on":     (entered/n - 0.25) / math.Sqrt(0.25*0.75) * root,
	} {
		if math.Abs(z) > 3.5 {
			t.Errorf("%s off by %.2f standard errors", name, z)
		}
	}
}

func TestRandUsesItsSource(t *testing.T) {
	a := Dist{Mu1: 2, P: 0.25, Mu2: 0.5, Src: rand.NewPCG(3, 3)}
	b := Dist{Mu1: 2, P: 0.25, Mu2: 0.5}
	src := rand.NewPCG(3, 3)
	for range 10 {
		if a.Rand() != b.Sample(src) {
			t.Fatal("Rand does not draw from Src")
		}
	}
	if b.Rand() == b.Rand() {
		t.Error("two draws from the global source agree")
	}
}

// The law of the first draws is part of the contract: a change would silently
// change every recorded simulation. The constants are -log1p(-u)/μ of PCG words.
func TestFirstDraws(t *testing.T) {
	src := rand.NewPCG(1, 2)
	words := [3]float64{}
	for i := range words {
		words[i] = float64(src.Uint64()>>11) / (1 << 53)
	}
	want := -math.Log1p(-words[0]) / 2
	if words[1] < 0.25 {
		want += -math.Log1p(-words[2]) / 0.5
	}
	if got := (Dist{Mu1: 2, P: 0.25, Mu2: 0.5}).Sample(rand.NewPCG(1, 2)); got != want {
		t.Errorf("first draw %.17g, want %.17g", got, want)
	}
}
