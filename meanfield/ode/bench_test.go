package ode

import "testing"

// diffusion is a chain with a cheap right-hand side, so that the benchmarks
// time the method.
func diffusion(n int, s Structure) Problem {
	return Problem{
		Dim: n, Structure: s,
		F: func(_ float64, y, d []float64) {
			left := 0.0
			for i := range y {
				right := 0.0
				if i+1 < len(y) {
					right = y[i+1]
				}
				d[i] = left - 2*y[i] + right
				left = y[i]
			}
		},
		Jacobian: func(_ float64, _ []float64, jac *Matrix) {
			for i := range n {
				jac.Set(i, i, -2)
				if i > 0 {
					jac.Set(i, i-1, 1)
					jac.Set(i-1, i, 1)
				}
			}
		},
	}
}

func benchmarkSteps(b *testing.B, p Problem, y0 []float64, s Settings) {
	s.FixedStep = 1e-3 // the same step again and again
	in, err := NewIntegrator(p, 0, y0, 1e12, s)
	if err != nil {
		b.Fatal(err)
	}
	in.Step()
	b.ReportAllocs()
	for b.Loop() {
		in.course.stats = Stats{}
		if status := in.Step(); status != Running {
			b.Fatal(status)
		}
	}
}

func BenchmarkTsitourasStep12(b *testing.B) {
	benchmarkSteps(b, diffusion(12, Dense()), chainStart(12), Settings{})
}

func BenchmarkTsitourasStep12WithEvent(b *testing.B) {
	event := Event{G: func(_ float64, y []float64) float64 { return y[0] + 100 }}
	benchmarkSteps(b, diffusion(12, Dense()), chainStart(12), Settings{Events: []Event{event}})
}

func BenchmarkRadauStepDense12(b *testing.B) {
	benchmarkSteps(b, diffusion(12, Dense()), chainStart(12), Settings{Method: RadauIIA5})
}

func BenchmarkRadauStepBanded120(b *testing.B) {
	benchmarkSteps(b, diffusion(120, Banded(1, 1)), chainStart(120), Settings{Method: RadauIIA5})
}

func BenchmarkRadauStepDense120(b *testing.B) {
	benchmarkSteps(b, diffusion(120, Dense()), chainStart(120), Settings{Method: RadauIIA5})
}

// The linear algebra of one step: a real and a complex factorisation.
func benchmarkFactor(b *testing.B, n int, s Structure) {
	m := formJacobian(diffusion(n, s), chainStart(n)).matrix
	re, im := newFactors(m, realSize), newFactors(m, complexSize)
	for b.Loop() {
		if !factorShifted(re, 10, m) || !factorShiftedComplex(im, 10+3i, m) {
			b.Fatal("singular")
		}
	}
}

func BenchmarkFactorDense12(b *testing.B)   { benchmarkFactor(b, 12, Dense()) }
func BenchmarkFactorDense120(b *testing.B)  { benchmarkFactor(b, 120, Dense()) }
func BenchmarkFactorBanded120(b *testing.B) { benchmarkFactor(b, 120, Banded(1, 1)) }
