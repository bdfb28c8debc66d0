package stein

import (
	"math"

	"qlimit/ctmc"
)

// Best returns the bound at the γ and θ that make it largest. For every γ on a
// grid of ratio 1.1 the best θ is found (in closed form where queries are
// limited, by search else); the best places of the grid are then refined by
// golden sections. γ and θ are as accurate as a maximum allows, about 1e-7; the
// bound has all digits.
//
// As γ and θ go to 0 the bracket of p_0 tends to λ > 0: a positive bound always
// exists, though it may be as small as a tower of powers.
//
// Errors: those of Validate, and a law of mean 0 or of next to nothing but tiny
// jobs.
func (r Resources) Best() (*ResourceBound, error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	if !(r.Service.MeanExcess(0) > 0) {
		return nil, &ctmc.FieldError{Field: "service", Value: r.Service.Mean(), Allowed: "a law of positive mean"}
	}
	value := func(logGamma float64) tower {
		gamma := math.Exp(logGamma)
		_, p := r.bestTheta(gamma)
		return p
	}
	gamma := math.Exp(bestOnGrid(value, math.Log(leastGamma), 0, gammaGrid))
	theta, p := r.bestTheta(gamma)
	if p == impossible {
		// The law has all but a speck of its work in times below leastGamma.
		return nil, &ctmc.FieldError{Field: "service", Value: r.Service, Allowed: "a law with jobs above 1e-14 of the mean"}
	}
	return r.bound(gamma, theta), nil
}

const (
	leastGamma = 1e-14
	gammaGrid  = 340
	thetaGrid  = 80
)

// end is p_K.
func (r Resources) end(e resourceEvent, gamma, theta float64) tower {
	p := e.start(theta)
	steps := 1
	if r.Averaged {
		steps = int(r.jobs())
	}
	for range steps {
		p = r.next(p, gamma, theta)
		if p == impossible {
			break
		}
	}
	return p
}

// bestTheta maximises p_K over θ.
func (r Resources) bestTheta(gamma float64) (theta float64, p tower) {
	e := r.event(gamma)
	most := e.mostTheta()
	if !(most > 0) || math.IsInf(e.logWork, -1) {
		return 0.5, impossible
	}
	if r.Averaged {
		value := func(t float64) tower { return r.end(e, gamma, most*logistic(t)) }
		theta = most * logistic(bestOnGrid(value, -36, 36, thetaGrid))
	} else {
		theta = e.bestTheta(r.jobs() * (r.Queries + 1))
	}
	return theta, r.end(e, gamma, theta)
}

func logistic(t float64) float64 { return 1 / (1 + math.Exp(-t)) }

// bestTheta maximises [(a - θ)/(1 - θ) - b] θ^m over (0, 1), a = λ m(2γ),
// b = λγ. The logarithm is concave; its derivative vanishes at the smaller
// root of
//
//	m (1-b) θ² - (m (1 + a - 2b) + 1 - a) θ + m (a - b) = 0.
func (e resourceEvent) bestTheta(m float64) float64 {
	a, b := e.busy, e.leaving
	square, linear, constant := m*(1-b), m*(1+a-2*b)+1-a, m*(a-b)
	discriminant := math.Max(0, linear*linear-4*square*constant)
	return 2 * constant / (linear + math.Sqrt(discriminant))
}

// bestOnGrid returns where a function on [low, high] is largest: every grid
// point that is no worse than its neighbours is refined by golden sections
// between them.
func bestOnGrid(f func(x float64) tower, low, high float64, points int) float64 {
	width := (high - low) / float64(points)
	at := func(i int) float64 { return low + width*float64(i) }
	values := make([]tower, points+1)
	for i := range values {
		values[i] = f(at(i))
	}
	best, bestValue := low, values[0]
	for i := range values {
		if values[i] == impossible ||
			i > 0 && values[i].less(values[i-1]) || i < points && values[i].less(values[i+1]) {
			continue
		}
		x := golden(f, math.Max(low, at(i-1)), math.Min(high, at(i+1)))
		for _, candidate := range []float64{at(i), x} {
			if v := f(candidate); bestValue.less(v) || bestValue == impossible {
				best, bestValue = candidate, v
			}
		}
	}
	return best
}

// golden is a golden section search for a maximum.
func golden(f func(x float64) tower, low, high float64) float64 {
	ratio := (math.Sqrt(5) - 1) / 2
	a, b := high-ratio*(high-low), low+ratio*(high-low)
	valueA, valueB := f(a), f(b)
	for range 44 { // to 6e-10 of the interval
		if valueA.less(valueB) {
			low, a, valueA = a, b, valueB
			b = low + ratio*(high-low)
			valueB = f(b)
		} else {
			high, b, valueB = b, a, valueA
			a = high - ratio*(high-low)
			valueA = f(a)
		}
	}
	return (low + high) / 2
}
