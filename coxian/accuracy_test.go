package coxian

import (
	"encoding/json"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"testing"
)

// accuracyLaws covers the difficult corners: equal and nearly equal rates, p at
// and near 0 and 1, extreme rates and ratios, exponential laws with p > 0.
func accuracyLaws() []Dist {
	laws := []Dist{
		{Mu1: 2, P: 0.25, Mu2: 0.5}, {Mu1: 2, P: 1, Mu2: 2}, {Mu1: 2, P: 0.5, Mu2: 1},
		{Mu1: 1, P: 0, Mu2: 1}, {Mu1: 1, P: 0, Mu2: 1e-6}, {Mu1: 1, P: 0, Mu2: 1e6},
		{Mu1: 1e6, P: 0.5, Mu2: 1e-6}, {Mu1: 1e-6, P: 0.5, Mu2: 1e6}, {Mu1: 1e6, P: 1, Mu2: 1e-6},
		{Mu1: 1e6, P: 1e-9, Mu2: 1e-6}, {Mu1: 1, P: 1e-300, Mu2: 0.01}, {Mu1: 1, P: 1 - 0x1p-53, Mu2: 3},
	}
	for _, p := range []float64{1e-12, 0.3, 0.75, 1 - 1e-9, 1} {
		for exponent := -16; exponent <= -1; exponent++ {
			step := math.Pow(10, float64(exponent))
			laws = append(laws, Dist{Mu1: 1.3, P: p, Mu2: 1.3 * (1 + step)}, Dist{Mu1: 1.3, P: p, Mu2: 1.3 * (1 - step)})
		}
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		laws = append(laws, Dist{
			Mu1: math.Pow(10, 12*rng.Float64()-6),
			P:   rng.Float64(),
			Mu2: math.Pow(10, 12*rng.Float64()-6),
		})
	}
	return laws
}

// Points from deep below to far beyond the time scales of the law, and 200.
func accuracyPoints(d Dist, rng *rand.Rand) []float64 {
	slow := d.slowRate()
	points := []float64{0, 200, 1e-30, 1e-3 / d.Mu1, 1 / d.Mu1, 1 / d.Mu2, 1 / slow, 30 / slow, 300 / slow, 690 / slow, 706 / slow}
	for range 10 {
		points = append(points, math.Pow(10, 14*rng.Float64()-12)/slow)
	}
	return points
}

func TestAgainstMultiplePrecision(t *testing.T) {
	const tolerance = 2e-15
	rng := rand.New(rand.NewPCG(3, 4))
	worst := map[string]float64{}
	check := func(name string, d Dist, x, got float64, e float64) {
		worst[name] = math.Max(worst[name], e)
		if !(e <= tolerance) {
			t.Errorf("%s of %v at %g: %g has relative error %.2g", name, d, x, got, e)
		}
	}
	for _, d := range accuracyLaws() {
		for _, x := range accuracyPoints(d, rng) {
			want := bigEvaluate(d, x)
			if isZeroOrNormal(want.density) {
				check("density", d, x, d.Prob(x), relativeError(d.Prob(x), want.density))
			}
			if isZeroOrNormal(want.survival) {
				check("survival", d, x, d.Survival(x), relativeError(d.Survival(x), want.survival))
			}
			if isZeroOrNormal(want.cdf) {
				check("CDF", d, x, d.CDF(x), relativeError(d.CDF(x), want.cdf))
			}
			check("hazard", d, x, d.Hazard(x), relativeError(d.Hazard(x), want.hazard))
		}
	}
	t.Logf("largest relative errors: %v", worst)
}

// isZeroOrNormal leaves out values that float64 holds with fewer digits or not at all.
func isZeroOrNormal(v *big.Float) bool { return v.Sign() == 0 || v.MantExp(nil) > -1021 }

// The logarithms, at points where the plain functions underflow: compared with
// the binary exponent and mantissa of the multiple-precision value.
func TestLogarithmsBeyondUnderflow(t *testing.T) {
	for _, d := range accuracyLaws() {
		for _, scaled := range []float64{1e-9, 0.1, 1, 100, 750, 2000, 1e4} {
			x := scaled / d.slowRate()
			want := bigEvaluate(d, x)
			for _, c := range []struct {
				name string
				got  float64
				want float64
			}{
				{"LogProb", d.LogProb(x), bigLog(want.density)},
				{"LogSurvival", d.LogSurvival(x), bigLog(want.survival)},
			} {
				if math.Abs(c.got-c.want) > 4e-15*math.Max(1, math.Abs(c.want)) {
					t.Errorf("%s of %v at %g = %.17g, want %.17g", c.name, d, x, c.got, c.want)
				}
			}
		}
	}
}

func TestEndsOfTheSupport(t *testing.T) {
	inf := math.Inf(1)
	for _, d := range accuracyLaws() {
		for _, c := range []struct {
			name      string
			got, want float64
		}{
			{"Prob(-1)", d.Prob(-1), 0}, {"Prob(0)", d.Prob(0), d.exit() * d.Mu1}, {"Prob(Inf)", d.Prob(inf), 0},
			{"CDF(-1)", d.CDF(-1), 0}, {"CDF(0)", d.CDF(0), 0}, {"CDF(Inf)", d.CDF(inf), 1},
			{"Survival(-1)", d.Survival(-1), 1}, {"Survival(0)", d.Survival(0), 1}, {"Survival(Inf)", d.Survival(inf), 0},
			{"LogProb(-1)", d.LogProb(-1), -inf}, {"LogProb(Inf)", d.LogProb(inf), -inf},
			{"LogSurvival(-1)", d.LogSurvival(-1), 0}, {"LogSurvival(Inf)", d.LogSurvival(inf), -inf},
			{"Hazard(-1)", d.Hazard(-1), 0}, {"Survival(1e308)", d.Survival(1e308), 0}, {"CDF(1e308)", d.CDF(1e308), 1},
		} {
			if c.got != c.want {
				t.Errorf("%v: %s = %g, want %g", d, c.name, c.got, c.want)
			}
		}
		if h := d.Hazard(1e308); !agree(h, d.slowRate(), 1e-15) {
			t.Errorf("%v: Hazard(1e308) = %g", d, h)
		}
	}
}

func TestReferenceFile(t *testing.T) {
	data, err := os.ReadFile("testdata/coxian.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Cases []struct {
			Service                       struct{ Mu1, P, Mu2 float64 }
			Mean, Variance, SCV, Skewness float64
			X, PDF, Survival, Hazard      []float64
		}
	}
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Cases) == 0 {
		t.Fatal("no cases")
	}
	for _, c := range file.Cases {
		d, err := New(c.Service.Mu1, c.Service.P, c.Service.Mu2)
		if err != nil {
			t.Fatal(err)
		}
		near := func(name string, got, want, tolerance float64) {
			if math.Abs(got-want) > tolerance*math.Max(math.Abs(want), 1e-300) {
				t.Errorf("%v: %s = %.17g, want %.17g", d, name, got, want)
			}
		}
		near("mean", d.Mean(), c.Mean, 1e-11)
		near("variance", d.Variance(), c.Variance, 1e-11)
		near("scv", d.SCV(), c.SCV, 1e-11)
		near("skewness", d.Skewness(), c.Skewness, 1e-11)
		for i, x := range c.X {
			near("density", d.Prob(x), c.PDF[i], 1e-10)
			near("survival", d.Survival(x), c.Survival[i], 1e-10)
			near("hazard", d.Hazard(x), c.Hazard[i], 1e-10)
		}
	}
}
