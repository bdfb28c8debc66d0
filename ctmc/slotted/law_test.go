package slotted

import (
	"math"
	"math/rand/v2"
	"testing"
)

var families = []struct {
	family Family
	means  []float64
}{
	{Poisson{}, []float64{1e-3, 0.5, 1, 9, 9.9, 1000}},
	{Geometric{}, []float64{1e-3, 1, 10, 500}},
	{Binomial{Trials: 20}, []float64{1e-3, 1, 10, 19.5}},
	{Burst{Size: 10}, []float64{1e-3, 1, 9}},
	{Constant{}, []float64{0, 1, 10}},
	{Poisson{}, []float64{0}},
	{Binomial{Trials: 3}, []float64{0, 3}},
}

func eachLaw(t *testing.T, check func(t *testing.T, l Law)) {
	t.Helper()
	for _, f := range families {
		for _, mean := range f.means {
			l, err := f.family.At(mean)
			if err != nil {
				t.Fatal(err)
			}
			t.Run(l.String(), func(t *testing.T) { check(t, l) })
		}
	}
}

// The moments of the window are those of the closed forms.
func TestMomentsOfWindow(t *testing.T) {
	eachLaw(t, func(t *testing.T, l Law) {
		first, p := l.Window(1e-25)
		mean := 0.0
		for i, x := range p {
			mean += float64(first+int64(i)) * x
		}
		second, third := 0.0, 0.0
		for i, x := range p {
			d := float64(first+int64(i)) - mean
			second += d * d * x
			third += d * d * d * x
		}
		close := func(name string, got, want float64) {
			if math.Abs(got-want) > 1e-11*math.Max(1, math.Abs(want)) {
				t.Errorf("%s %.15g, closed form %.15g", name, got, want)
			}
		}
		close("mean", mean, l.Mean())
		close("variance", second, l.Variance())
		close("third cumulant", third, l.ThirdCumulant())
	})
}

// A window holds single probabilities to rounding: Poisson(9) at 0, 9 and 40.
func TestPoissonProbabilities(t *testing.T) {
	l, _ := Poisson{}.At(9)
	first, p := l.Window(1e-30)
	for _, k := range []int64{0, 9, 40} {
		lg, _ := math.Lgamma(float64(k) + 1)
		want := math.Exp(float64(k)*math.Log(9) - 9 - lg)
		if got := p[k-first]; math.Abs(got/want-1) > 1e-13 {
			t.Errorf("P(%d) = %.16g, want %.16g", k, got, want)
		}
	}
}

// Samples have the mean and the frequencies of the window, and the sampler
// stays within the support; four standard errors.
func TestSamples(t *testing.T) {
	const draws = 200_000
	eachLaw(t, func(t *testing.T, l Law) {
		random := rand.NewPCG(3, 4)
		sum := 0.0
		counts := map[int64]float64{}
		for range draws {
			k := l.Sample(random)
			if most, bounded := l.Max(); k < 0 || bounded && k > most {
				t.Fatalf("sample %d out of the support", k)
			}
			sum += float64(k)
			counts[k]++
		}
		if d := math.Abs(sum/draws - l.Mean()); d > 4*math.Sqrt(l.Variance()/draws) {
			t.Errorf("mean %.6g, want %.6g", sum/draws, l.Mean())
		}
		first, p := l.Window(1e-6)
		for i, x := range p {
			if d := math.Abs(counts[first+int64(i)]/draws - x); x*draws > 50 && d > 4.5*math.Sqrt(x*(1-x)/draws)+1e-12 {
				t.Errorf("P(%d) = %.5g, frequency %.5g", first+int64(i), x, counts[first+int64(i)]/draws)
			}
		}
	})
}

// The ends of a table are the distribution function from below and the
// survival function from above, in units of 2^-64.
func TestTableTails(t *testing.T) {
	l, _ := Poisson{}.At(1)
	ends := l.(*poissonLaw).ends
	for i, want := range map[int]float64{0: math.Exp(-1), 1: 2 * math.Exp(-1)} {
		if got := float64(ends[i]) * 0x1p-64; math.Abs(got-want) > 1e-15 {
			t.Errorf("P(<= %d) = %.17g, want %.17g", i, got, want)
		}
	}
	survival := 0.0
	for k := 40; k > 12; k-- {
		lg, _ := math.Lgamma(float64(k) + 1)
		survival += math.Exp(-1 - lg)
	}
	if got := float64(-ends[12]) * 0x1p-64; math.Abs(got/survival-1) > 1e-6 {
		t.Errorf("P(> 12) = %.10g, want %.10g", got, survival)
	}
}

func TestParseFamily(t *testing.T) {
	for _, text := range []string{"poisson", "geometric", "constant", "burst:k=10", "binomial:n=20"} {
		f, err := ParseFamily("arrivals", text)
		if err != nil || f.String() != text {
			t.Errorf("%s: %v, %v", text, f, err)
		}
	}
	for text, want := range map[string]string{
		"poison":       `arrivals = "poison" (must be one of binomial, burst, constant, geometric, poisson): did you mean poisson?`,
		"burst":        `arrivals = "burst" (must be burst:k=INTEGER)`,
		"burst:k=0":    `k = 0 (must be an integer between 1 and 1e7)`,
		"burst:k=1.5":  `arrivals = "burst:k=1.5" (must be burst:k=INTEGER)`,
		"poisson:k=1":  `arrivals = "poisson:k=1" (must be poisson)`,
		"binomial:k=1": `arrivals = "binomial:k=1" (must be binomial:n=INTEGER)`,
		"":             `arrivals = "" (must be one of binomial, burst, constant, geometric, poisson): did you mean burst?`,
	} {
		if _, err := ParseFamily("arrivals", text); err == nil || text != "" && err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

func TestMeansThatAFamilyRefuses(t *testing.T) {
	for _, c := range []struct {
		family Family
		mean   float64
		want   string
	}{
		{Burst{Size: 10}, 11, "mean per slot = 11 (must be between 0 and the size of a burst, 10)"},
		{Binomial{Trials: 3}, 3.5, "mean per slot = 3.5 (must be between 0 and the number of trials, 3)"},
		{Constant{}, 0.5, "mean per slot = 0.5 (must be a whole number between 0 and 1e7 for a constant count)"},
		{Geometric{}, 1e6, "mean per slot = 1e+06 (must be between 0 and 1e5 for a geometric count)"},
		{Poisson{}, math.NaN(), "mean per slot = NaN (must be between 0 and 1e7)"},
	} {
		if _, err := c.family.At(c.mean); err == nil || err.Error() != c.want {
			t.Errorf("%s at %g: %v, want %s", c.family, c.mean, err, c.want)
		}
	}
}
