package sim

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/integrate/quad"

	"qlimit/coxian"
	"qlimit/ctmc"
)

func allLaws() []Law {
	return []Law{
		Poisson(), CoxianLaw(scv2), CoxianLaw(erlang2), CoxianLaw(slowScv7), CoxianLaw(coxian.Dist{Mu1: 1.2, P: .7, Mu2: 1}),
		must(Deterministic(3)), must(Lognormal(2, 4)), must(BoundedPareto(1.5, 1, 1000)), must(BoundedPareto(1, 2, 50)), must(BoundedPareto(2, 1, 9)),
		must(Erlang(1, 2)), must(Erlang(40, 2)), must(Hyperexponential(2, 1)), must(Hyperexponential(2, 9)),
		must(Empirical([]float64{3, 1, 1, 0, 10})),
	}
}

// TestLawMoments: sample mean and second moment agree with Mean and SCV.
func TestLawMoments(t *testing.T) {
	for _, l := range allLaws() {
		random := rand.NewPCG(5, 6)
		const n = 200_000
		var sums [5]float64
		for range n {
			x := l.Sample(random) / l.Mean()
			if !(x >= 0) || math.IsInf(x, 1) {
				t.Fatalf("%s: sample %g", l, x)
			}
			for k, power := 0, 1.0; k < 5; k++ {
				sums[k] += power / n
				power *= x
			}
		}
		for k, want := range map[int]float64{1: 1, 2: 1 + l.SCV()} {
			// The error of the k-th moment by the moment 2k of the sample.
			if tolerance := 5*math.Sqrt(math.Max(0, sums[2*k]-sums[k]*sums[k])/n) + 1e-9; math.Abs(sums[k]-want) > tolerance {
				t.Errorf("%s: moment %d of the sample %g, want %g ± %g", l, k, sums[k], want, tolerance)
			}
		}
	}
}

// TestPartialMoments: shares of a sample by size, the limits, and monotony.
func TestPartialMoments(t *testing.T) {
	for _, any := range allLaws() {
		l, ok := any.(SizeLaw)
		if !ok {
			continue
		}
		for k, want := range []float64{1, l.Mean(), l.Mean() * l.Mean() * (1 + l.SCV())} {
			if got := l.PartialMoment(k, math.Inf(1)); math.Abs(got-want) > 1e-12*want {
				t.Errorf("%s: moment %d is %.15g, want %.15g", l, k, got, want)
			}
			if got := l.PartialMoment(k, -1); got != 0 {
				t.Errorf("%s: moment %d below 0 is %g", l, k, got)
			}
		}
		random := rand.NewPCG(7, 8)
		const n = 100_000
		x := 1.7 * l.Mean()
		var sums [3]float64
		for range n {
			if s := l.Sample(random); s <= x {
				for k, power := 0, 1.0; k < 3; k++ {
					sums[k] += power / n
					power *= s
				}
			}
		}
		for k, got := range sums {
			// The variance of S^k; S <= x is at most x^2k/4.
			if want := l.PartialMoment(k, x); math.Abs(got-want) > 2.5*math.Pow(x, float64(k))/math.Sqrt(n) {
				t.Errorf("%s: partial moment %d up to %g is %g, the sample has %g", l, k, x, want, got)
			}
		}
	}
}

// TestCoxianPartialMoments: against quadrature of the density.
func TestCoxianPartialMoments(t *testing.T) {
	for _, d := range []coxian.Dist{scv2, erlang2, slowScv7, {Mu1: 1.2, P: .7, Mu2: 1}, {Mu1: 1, P: .7, Mu2: 1.6}, {Mu1: 1, P: 1, Mu2: .66}} {
		for k := range 3 {
			for _, x := range []float64{.1, 1, 4} {
				want := quad.Fixed(func(s float64) float64 { return math.Pow(s, float64(k)) * d.Prob(s) }, 0, x, 60, nil, 0)
				if got := CoxianLaw(d).PartialMoment(k, x); math.Abs(got-want) > 1e-10*want {
					t.Errorf("%s: partial moment %d up to %g is %.15g, want %.15g", d, k, x, got, want)
				}
			}
		}
	}
}

// TestFixedDraws: every sample takes the same number of words.
func TestFixedDraws(t *testing.T) {
	for _, l := range allLaws() {
		counted := func(seed uint64) (words int) {
			used, fresh := rand.NewPCG(seed, 1), rand.NewPCG(seed, 1)
			l.Sample(used)
			next := used.Uint64()
			for fresh.Uint64() != next {
				words++
			}
			return words
		}
		for seed := range uint64(50) {
			if counted(seed) != counted(0) {
				t.Fatalf("%s: %d words, then %d", l, counted(0), counted(seed))
			}
		}
	}
}

// TestOptimalCutoffs: for two servers and exponential sizes, against a scan of
// the closed form; for any law, no cut-off moved by itself does better.
func TestOptimalCutoffs(t *testing.T) {
	const rate = 2 * .8
	best := math.Inf(1)
	for x := .01; x < 10; x += .0005 {
		e := math.Exp(-x)
		p, m1, m2 := 1-e, 1-(1+x)*e, 2-(2+2*x+x*x)*e
		if a, b := rate*m1, rate*(1-m1); a < 1 && b < 1 {
			best = math.Min(best, p*rate*m2/(2*(1-a))+(1-p)*rate*(2-m2)/(2*(1-b)))
		}
	}
	_, wait, err := SizeIntervals(Poisson().(SizeLaw), 2, rate)
	if err != nil || math.Abs(wait/best-1) > 1e-6 || wait > best {
		t.Errorf("mean wait %.10g, the scan finds %.10g (%v)", wait, best, err)
	}
	for _, law := range []SizeLaw{must(BoundedPareto(1.1, 1, 1e4)), must(Lognormal(1, 20)), CoxianLaw(scv2), must(Hyperexponential(1, 30))} {
		for _, n := range []int{1, 3, 8} {
			rate := .9 * float64(n) / law.Mean()
			cutoffs, wait, err := SizeIntervals(law, n, rate)
			if err != nil {
				t.Fatal(err)
			}
			d := newSizeDivision(law, rate)
			for i := range cutoffs {
				for _, factor := range []float64{.5, .9, .999, 1.001, 1.1, 2} {
					moved := append([]float64(nil), cutoffs...)
					moved[i] *= factor
					if i > 0 && moved[i] < moved[i-1] || i < len(moved)-1 && moved[i] > moved[i+1] {
						continue
					}
					if other, ok := d.meanWait(moved); ok && other < wait*(1-1e-9) {
						t.Errorf("%s, %d servers: %g beats %g with cut-off %d times %g", law, n, other, wait, i, factor)
					}
				}
			}
			equal, _ := d.meanWait(d.equalLoads(n))
			if wait > equal*(1+1e-12) {
				t.Errorf("%s, %d servers: equal loads give %g, less than %g", law, n, equal, wait)
			}
		}
	}
}

// TestLawRefusals: bad laws and texts are refused by name.
func TestLawRefusals(t *testing.T) {
	for _, text := range []string{
		"lognormal", "lognormal:scv=0", "lognormal:scv=NaN", "lognormal:scv=1,scv=2", "lognormal:sxv=1", "deterministic:mean=0",
		"pareto:alpha=1.5,low=2,high=1", "pareto:alpha=0,low=1,high=2", "pareto:alpha=1", "csv:", "csv:none", "erlang:k=1.5", "erlang:k=0", "weibull", "coxian:mean=1,scv=0.1", "deterministic:mean=0x10",
	} {
		if l, err := ParseServiceLaw(text, noFile); err == nil {
			t.Errorf("%s is %v", text, l)
		}
	}
	for _, text := range []string{"hyperexp:scv=0.5", "erlang", "exp:mean=2", "csv:none", "poison"} {
		if l, err := ParseArrivals(text, noFile); err == nil {
			t.Errorf("%s is %v", text, l)
		}
	}
	var field *ctmc.FieldError
	if _, err := ParseServiceLaw("csv:sizes.csv", nil); !errors.As(err, &field) {
		t.Errorf("a file without a reader: %v", err)
	}
	for _, text := range []string{"rr:d=2", "ll:d=x", "ll:d=2,d=3", "sq:m=3", "sq:d=2,m=", "lll", "jsq:d=2", "pod"} {
		if p, err := ParseJobPolicy(text); err == nil {
			t.Errorf("%s is %v", text, p)
		}
	}
	for _, values := range [][]float64{nil, {-1, 2}, {math.NaN()}, {0, 0}, {math.Inf(1)}} {
		if _, err := Empirical(values); err == nil {
			t.Errorf("%v accepted", values)
		}
	}
}

func noFile(string) ([]float64, error) { return nil, errors.New("no such file") }

// TestParseRoundTrip: a law's text reads back as the same law, a policy's as
// the same policy.
func TestParseRoundTrip(t *testing.T) {
	for _, text := range []string{"exp", "deterministic", "deterministic:mean=2", "lognormal:mean=1,scv=4", "pareto:alpha=1.5,low=1,high=1000", "erlang:k=4,mean=1"} {
		l, err := ParseServiceLaw(text, noFile)
		if err != nil || l.String() != text {
			t.Errorf("%s reads as %v, %v", text, l, err)
		}
	}
	for text, want := range map[string]string{
		"exp": "exp", "erlang:k=4": "erlang:k=4,mean=1", "hyperexp:scv=4": "hyperexp:mean=1,scv=4", "deterministic": "deterministic",
	} {
		if l, err := ParseArrivals(text, noFile); err != nil || l.String() != want {
			t.Errorf("%s reads as %v, %v", text, l, err)
		}
	}
	for _, text := range []string{"rr", "ll", "ll:d=2", "sq:d=2,m=3", "sita", "jsq", "jiq", "i1f", "random", "pod:d=2"} {
		if p, err := ParseJobPolicy(text); err != nil || p.Name != text {
			t.Errorf("%s reads as %v, %v", text, p, err)
		}
	}
	if p, err := ParseJobPolicy("sq:d=2"); err != nil || p.Name != ctmc.PowerOfD(2, false).Name {
		t.Errorf("sq:d=2 reads as %v, %v", p, err)
	}
}
