package coxian

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestSampleMoments(t *testing.T) {
	// 0, 1, 2, 9: mean 3, variance 50/4, third central moment (-27-8-1+216)/4 = 45.
	mean, scv, skewness := sampleMoments([]float64{0, 1, 2, 9})
	if mean != 3 || !agree(scv, 12.5/9, 1e-15) || !agree(skewness, 45/math.Pow(12.5, 1.5), 1e-14) {
		t.Errorf("mean %g scv %g skewness %g", mean, scv, skewness)
	}
}

func TestFitSampleReproducesItsMoments(t *testing.T) {
	for _, d := range []Dist{{Mu1: 2, P: 0.25, Mu2: 0.5}, {Mu1: 1.2, P: 0.9, Mu2: 3}, {Mu1: 40, P: 0.15, Mu2: 0.02}} {
		x := sampleOf(d, 20000, 7)
		fit, err := FitSample(x)
		if err != nil {
			t.Fatal(err)
		}
		if err := fit.Dist.Validate(); err != nil {
			t.Error(err)
		}
		if fit.Method != ThreeMoments || fit.Note != "" {
			t.Errorf("%v: %v, %s", d, fit.Method, fit.Note)
		}
		checkMoments(t, fit.Dist, fit.Mean, fit.SCV, fit.Skewness, 1e-10)
	}
}

func TestFitSampleFallsBackAndSaysSo(t *testing.T) {
	for _, c := range []struct {
		x    []float64
		want SampleMethod
	}{
		{[]float64{1, 1, 1}, NearestSCV},
		{[]float64{1, 2, 3, 4}, NearestSCV},
		{[]float64{0, 0.5, 3, 3.5}, NearestSkewness},
		{[]float64{0, 0, 0, 1, 1}, TwoMoments},
		{[]float64{0, 2}, TwoMoments},
	} {
		fit, err := FitSample(c.x)
		if err != nil {
			t.Fatalf("%v: %v", c.x, err)
		}
		if fit.Method != c.want || fit.Note == "" {
			t.Errorf("%v: method %v, note %q, want %v", c.x, fit.Method, fit.Note, c.want)
		}
		if err := fit.Dist.Validate(); err != nil || !agree(fit.Dist.Mean(), fit.Mean, 1e-14) {
			t.Errorf("%v: %v (mean %g), %v", c.x, fit.Dist, fit.Dist.Mean(), err)
		}
		if c.want != NearestSCV && !agree(fit.Dist.SCV(), fit.SCV, 1e-12) {
			t.Errorf("%v: scv %g, want %g", c.x, fit.Dist.SCV(), fit.SCV)
		}
	}
	for _, x := range [][]float64{nil, {1}, {1, -1}, {1, math.NaN()}, {1, math.Inf(1)}, {0, 0}} {
		if _, err := FitSample(x); err == nil {
			t.Errorf("%v accepted", x)
		}
	}
}

func TestEMRaisesTheLikelihoodEveryStep(t *testing.T) {
	x := sampleOf(Dist{Mu1: 4, P: 0.3, Mu2: 0.6}, 300, 11)
	start := Dist{Mu1: 1, P: 0.7, Mu2: 2}
	last := math.Inf(-1)
	for range 60 {
		step := expectPhases(x, start)
		if step.logLikelihood < last-1e-12*math.Abs(last) {
			t.Fatalf("log-likelihood fell from %.17g to %.17g", last, step.logLikelihood)
		}
		last = step.logLikelihood
		start = step.maximize()
	}
}

// At the maximum the likelihood has zero derivative, here by differences.
func TestEMFindsAStationaryPoint(t *testing.T) {
	for _, d := range []Dist{{Mu1: 10, P: 0.3, Mu2: 0.5}, {Mu1: 2, P: 0.9, Mu2: 1}} {
		x := sampleOf(d, 400, 13)
		fit, err := FitEM(x, EMSettings{})
		if err != nil {
			t.Fatal(err)
		}
		if fit.Status != Converged || fit.Score > 1e-6 {
			t.Fatalf("%v: %v after %d iterations, score %g", d, fit.Status, fit.Iterations, fit.Score)
		}
		logLikelihood := func(e Dist) float64 {
			sum := 0.0
			for _, value := range x {
				sum += e.LogProb(value)
			}
			return sum
		}
		const h = 1e-4
		at := fit.Dist
		for name, pair := range map[string][2]Dist{
			"mu1": {{Mu1: at.Mu1 * (1 + h), P: at.P, Mu2: at.Mu2}, {Mu1: at.Mu1 * (1 - h), P: at.P, Mu2: at.Mu2}},
			"p":   {{Mu1: at.Mu1, P: at.P * (1 + h), Mu2: at.Mu2}, {Mu1: at.Mu1, P: at.P * (1 - h), Mu2: at.Mu2}},
			"mu2": {{Mu1: at.Mu1, P: at.P, Mu2: at.Mu2 * (1 + h)}, {Mu1: at.Mu1, P: at.P, Mu2: at.Mu2 * (1 - h)}},
		} {
			slope := (logLikelihood(pair[0]) - logLikelihood(pair[1])) / (2 * h) / float64(len(x))
			if math.Abs(slope) > 1e-5 {
				t.Errorf("%v: slope in %s is %g at %v", d, name, slope, at)
			}
		}
		if truth := logLikelihood(d); fit.LogLikelihood < truth {
			t.Errorf("%v: likelihood %g below that of the true law, %g", d, fit.LogLikelihood, truth)
		}
	}
}

func TestEMReportsItsLimit(t *testing.T) {
	x := sampleOf(Dist{Mu1: 4, P: 0.3, Mu2: 0.6}, 100, 17)
	fit, err := FitEM(x, EMSettings{MaxIterations: 2, Tolerance: 1e-15})
	if err != nil || fit.Status != IterationLimit || fit.Iterations != 2 {
		t.Errorf("%+v, %v", fit, err)
	}
	if _, err := FitEM([]float64{1, 0}, EMSettings{}); err == nil {
		t.Error("a zero was accepted")
	}
	if _, err := FitEM([]float64{1, 2}, EMSettings{Start: Dist{Mu1: 1, P: 1, Mu2: 1}}); err == nil {
		t.Error("a start at p = 1 was accepted")
	}
}

// The mean of an exponential conditioned to [0, 1], by quadrature.
func TestTruncatedMean(t *testing.T) {
	for _, rate := range []float64{-60, -3, -0.1, -0.09, -1e-9, 0, 1e-6, 0.0999, 0.1001, 2, 39, 60} {
		weight := func(u float64) float64 { return math.Exp(-rate*u + math.Min(rate, 0)) }
		want := integrate(func(u float64) float64 { return u * weight(u) }, 0, 1, 0.02) / integrate(weight, 0, 1, 0.02)
		if got := truncatedMean(rate); !agree(got, want, 1e-13) {
			t.Errorf("rate %g: %.16g, want %.16g", rate, got, want)
		}
	}
}

func sampleOf(d Dist, n int, seed uint64) []float64 {
	src := rand.NewPCG(seed, 1)
	x := make([]float64, n)
	for i := range x {
		x[i] = d.Sample(src)
	}
	return x
}
