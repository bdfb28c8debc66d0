package stein

import (
	"math"

	"qlimit/ctmc"
)

// ProductForm returns the logarithm of an unnormalised stationary weight of the
// states of a system whose law has a closed form, or nil if none is known here:
//
//   - uniform routing, exponential service: independent servers with a truncated
//     geometric law, so that the occupancy is multinomial, N!/Π n_i! Π λ^(i n_i);
//   - a buffer of 1 and idle servers served first: the loss system of Erlang,
//     insensitive to the law, (λN/μ1)^n1/n1! (λN p/μ2)^n2/n2!;
//   - a buffer of 1 and uniform routing: multinomial with weights λ/μ1, λp/μ2 of
//     the busy classes.
//
// Service has mean 1.
func ProductForm(s ctmc.System) func(state []int64) float64 {
	law := s.Service.Normalized()
	uniform := s.Policy.Depth == 0 && s.Policy.Fallback == ctmc.Kernel(ctmc.Uniform)
	n := float64(s.Servers)
	phases := []float64{s.Load / law.Mu1, s.Load * law.P / law.Mu2}
	switch {
	case (uniform || s.Servers == 1) && s.Phases() == 1:
		return func(state []int64) float64 {
			sum := 0.0
			for level, count := range state {
				sum += float64(count*int64(level))*math.Log(s.Load) - logFactorial(count)
			}
			return sum
		}
	case s.Buffer == 1 && s.Policy.Depth > 0:
		return func(state []int64) float64 {
			sum := 0.0
			for k, count := range state[1:] {
				sum += float64(count)*math.Log(n*phases[k]) - logFactorial(count)
			}
			return sum
		}
	case s.Buffer == 1 && uniform:
		return func(state []int64) float64 {
			sum := -logFactorial(state[0])
			for k, count := range state[1:] {
				sum += float64(count)*math.Log(phases[k]) - logFactorial(count)
			}
			return sum
		}
	}
	return nil
}

func logFactorial(n int64) float64 {
	x, _ := math.Lgamma(float64(n) + 1)
	return x
}
