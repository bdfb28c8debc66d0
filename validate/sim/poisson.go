package sim

import (
	"math"

	"qlimit/ctmc"
)

// poissonWeights are the weights of W and the splines of the work whose sum is
// close to the solution f of Poisson's equation Gf = jobs - E[jobs]: that of the
// averaged birth-death chain. With π its law, m its mean and V = N (1 + scv) the
// variance rate of the work,
//
//	f(x+1) - f(x) = -(2/(V π(x))) Σ_{y>x} (y - m) π(y) / N
//
// (for exponential service V/2 is the rate λN of jumps up, then this is exact).
// One control with known coefficient 1 does then what the regression would have
// to learn with many, which short runs cannot.
func (l *StartLaw) poissonWeights(knots []float64) []float64 {
	s := l.slopes()
	weights := make([]float64, 2+len(knots))
	left, slope := 0.0, s.at(0)
	weights[0] = slope
	for k, knot := range knots {
		next := s.at(knot)
		weights[1+k] = (next - slope) / (knot - left)
		left, slope = knot, next
	}
	weights[1+len(knots)] = s.tail
	return weights
}

// slopes is f' on a grid of the work, constant below and straight above.
type slopes struct {
	first, step float64
	value       []float64
	tail        float64
}

func (s slopes) at(work float64) float64 {
	place := (work - s.first) / s.step
	last := len(s.value) - 1
	switch {
	case place <= 0:
		return s.value[0]
	case place >= float64(last):
		return s.value[last] + s.tail*(work-s.first-float64(last)*s.step)
	}
	k := int(place)
	return s.value[k] + (place-float64(k))*(s.value[k+1]-s.value[k])
}

// slopeGrid is the number of points of the grid, at most; slopeShare what lies
// beyond it on either side.
const (
	slopeGrid  = 4096
	slopeShare = 1e-10
)

func (l *StartLaw) slopes() slopes {
	n := float64(l.system.Servers)
	service := l.system.Service.Normalized()
	noise := 1 + service.SCV()
	spare := n * (1 - l.system.Load)
	mean := l.law.MeanJobs() * n
	low, high := math.Floor(l.law.Quantile(slopeShare)*n), math.Ceil(l.law.Quantile(1-slopeShare)*n)
	step := math.Max(1, math.Ceil((high-low)/slopeGrid))
	points := int((high-low)/step) + 1
	below, above := make([]float64, points), make([]float64, points) // P(X <= x), P(X > x)
	for k := range points {
		x := (low + float64(k)*step) / n
		below[k], above[k] = l.law.CDF(x), l.law.Survival(x)
	}
	// Σ_{y>x} (y-m) π(y) from the side on which nothing cancels.
	excess := make([]float64, points)
	sum := 0.0
	for k := range points {
		if k > 0 {
			sum += step * (below[k-1] + below[k]) / 2
		}
		x := low + float64(k)*step
		excess[k] = (mean-x)*below[k] + sum - below[k]/2
	}
	sum = above[points-1] * n * noise / (2 * spare)
	for k := points - 1; k >= 0; k-- {
		if k < points-1 {
			sum += step * (above[k] + above[k+1]) / 2
		}
		if x := low + float64(k)*step; x >= mean {
			excess[k] = (x-mean)*above[k] + sum + above[k]/2
		}
	}
	// Work counts 1/μ2 for a job in phase 2.
	shift := (1/service.Mu2 - 1) * n * service.P / service.Mu2
	if l.system.Phases() == 1 {
		shift = 0
	}
	out := slopes{first: low + 0.5 + shift, step: step, tail: -1 / (spare * n), value: make([]float64, points)}
	for k := range points {
		x := low + float64(k)*step
		flow := l.flow(x, noise)
		switch {
		case flow > 0 && excess[k] > 0:
			out.value[k] = -excess[k] / (flow * n)
		case k > 0:
			out.value[k] = out.value[k-1]
		}
	}
	return out
}

// flow is V π/2 between x and x + 1: for exponential service the rate of jumps
// up, λN π(x), else with the geometric mean of π, whose logarithm the chain
// changes linearly.
func (l *StartLaw) flow(x, noise float64) float64 {
	n := float64(l.system.Servers)
	here := l.law.Density(x/n) / n
	if l.system.Phases() == 1 {
		return l.system.Load * n * here
	}
	return n * noise / 2 * math.Sqrt(here*l.law.Density((x+1)/n)/n)
}

// poissonOf finds the weights where the averaged chain is there, else nil.
func poissonOf(s ctmc.System, knots []float64) []float64 {
	law, err := NewStartLaw(s)
	if err != nil {
		return nil
	}
	return law.poissonWeights(knots)
}
