package coxian

import (
	"math/rand/v2"
	"testing"
)

var benchmarkLaw = Dist{Mu1: 2, P: 0.25, Mu2: 0.5}

func BenchmarkProb(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		benchmarkLaw.Prob(1.3)
	}
}

func BenchmarkCDF(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		benchmarkLaw.CDF(0.3)
	}
}

func BenchmarkQuantile(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		benchmarkLaw.Quantile(0.9)
	}
}

func BenchmarkSample(b *testing.B) {
	src := rand.NewPCG(1, 2)
	b.ReportAllocs()
	for b.Loop() {
		benchmarkLaw.Sample(src)
	}
}

func BenchmarkFitMoments(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := FitMoments(1, 4, 3.5); err != nil {
			b.Fatal(err)
		}
	}
}
