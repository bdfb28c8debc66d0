package diffusion

import "math"

// exponentialLaw is the law of U under CQ.
type exponentialLaw struct{ rate float64 }

func (l exponentialLaw) Mean() float64     { return 1 / l.rate }
func (l exponentialLaw) Variance() float64 { return 1 / (l.rate * l.rate) }
func (l exponentialLaw) Density(u float64) float64 {
	if u < 0 {
		return 0
	}
	return l.rate * math.Exp(-l.rate*u)
}
func (l exponentialLaw) CDF(u float64) float64      { return -math.Expm1(-l.rate * math.Max(u, 0)) }
func (l exponentialLaw) Survival(u float64) float64 { return math.Exp(-l.rate * math.Max(u, 0)) }
func (l exponentialLaw) Quantile(p float64) float64 { return -math.Log1p(-p) / l.rate }

// gammaLaw is Gamma(2, rate), the law of U under IQF.
type gammaLaw struct{ rate float64 }

func (l gammaLaw) Mean() float64     { return 2 / l.rate }
func (l gammaLaw) Variance() float64 { return 2 / (l.rate * l.rate) }
func (l gammaLaw) Density(u float64) float64 {
	if u < 0 {
		return 0
	}
	return l.rate * l.rate * u * math.Exp(-l.rate*u)
}

// CDF is 1 - (1+z)e^-z, z = rate·u, for small z z² times a positive series.
func (l gammaLaw) CDF(u float64) float64 {
	z := l.rate * math.Max(u, 0)
	return z * z * cappedMoment(1, z)
}

func (l gammaLaw) Survival(u float64) float64 {
	z := l.rate * math.Max(u, 0)
	return (1 + z) * math.Exp(-z)
}

func (l gammaLaw) Quantile(p float64) float64 {
	return invert(p, l, 2/l.rate)
}

// cappedMoment is ∫_0^1 v^k e^{-a v} dv for a >= 0: for small a by the series
// e^-a Σ a^n/((k+1)..(k+1+n)) of positive terms, else by parts.
func cappedMoment(k int, a float64) float64 {
	if a > float64(k)+12 {
		// k!/a^{k+1} (1 - e^-a Σ_{j<=k} a^j/j!)
		term, sum, factorial := 1.0, 1.0, 1.0
		for j := 1; j <= k; j++ {
			term *= a / float64(j)
			sum += term
			factorial *= float64(j)
		}
		return factorial / math.Pow(a, float64(k+1)) * (1 - math.Exp(-a)*sum)
	}
	term := 1 / float64(k+1)
	sum := term
	for n := 1; term > sum*1e-17; n++ {
		term *= a / float64(k+1+n)
		sum += term
	}
	return math.Exp(-a) * sum
}

// shortestQueueLaw is the law of U under JSQ and I1F with exponential service:
// density ∝ u e^{-(1+α)u} on (0,1), e^{-1-αu} on u >= 1.
type shortestQueueLaw struct {
	alpha          float64
	inner          float64 // weight of (0,1), ∫ u e^{-(1+α)u}
	outer          float64 // weight of u >= 1, e^{-(1+α)}/α
	mean, variance float64
}

func newShortestQueueLaw(alpha float64) shortestQueueLaw {
	a := 1 + alpha
	l := shortestQueueLaw{alpha: alpha, inner: cappedMoment(1, a), outer: math.Exp(-a) / alpha}
	total := l.inner + l.outer
	l.mean = (cappedMoment(2, a) + l.outer*(1+1/alpha)) / total
	second := (cappedMoment(3, a) + l.outer*(1+2/alpha+2/(alpha*alpha))) / total
	l.variance = second - l.mean*l.mean
	return l
}

func (l shortestQueueLaw) total() float64 { return l.inner + l.outer }

func (l shortestQueueLaw) Mean() float64     { return l.mean }
func (l shortestQueueLaw) Variance() float64 { return l.variance }

func (l shortestQueueLaw) Density(u float64) float64 {
	switch {
	case u < 0:
		return 0
	case u < 1:
		return u * math.Exp(-(1+l.alpha)*u) / l.total()
	}
	return math.Exp(-1-l.alpha*u) / l.total()
}

func (l shortestQueueLaw) CDF(u float64) float64 {
	switch {
	case u <= 0:
		return 0
	case u < 1:
		return u * u * cappedMoment(1, (1+l.alpha)*u) / l.total()
	}
	return 1 - l.Survival(u)
}

func (l shortestQueueLaw) Survival(u float64) float64 {
	switch {
	case u <= 0:
		return 1
	case u < 1:
		// ∫_u^1 v e^{-av} dv = e^{-au} (1-u) ∫_0^1 (u + (1-u)w) e^{-a(1-u)w} dw
		a, rest := 1+l.alpha, 1-u
		part := math.Exp(-a*u) * rest * (u*cappedMoment(0, a*rest) + rest*cappedMoment(1, a*rest))
		return (part + l.outer) / l.total()
	}
	return l.outer * math.Exp(-l.alpha*(u-1)) / l.total()
}

func (l shortestQueueLaw) Quantile(p float64) float64 {
	if edge := l.outer / l.total(); 1-p < edge {
		return 1 + math.Log(edge/(1-p))/l.alpha
	}
	return invert(p, l, l.mean)
}

// invert solves CDF(u) = p, or Survival(u) = 1-p for p > 1/2, by bisection and
// Newton's method from a guess.
func invert(p float64, l Distribution, guess float64) float64 {
	switch {
	case math.IsNaN(p) || p < 0 || p > 1:
		panic("diffusion: quantile of a number outside [0, 1]")
	case p == 0:
		return 0
	case p == 1:
		return math.Inf(1)
	}
	excess := func(u float64) float64 {
		if p > 0.5 {
			return (1 - p) - l.Survival(u)
		}
		return l.CDF(u) - p
	}
	lo, hi := 0.0, guess
	for excess(hi) < 0 {
		lo, hi = hi, 2*hi
	}
	u := (lo + hi) / 2
	for range 2000 {
		value := excess(u)
		if value == 0 {
			break
		}
		if value > 0 {
			hi = u
		} else {
			lo = u
		}
		next := u - value/l.Density(u)
		if !(next > lo && next < hi) {
			next = (lo + hi) / 2
		}
		if math.Abs(next-u) <= 2e-16*next || next == lo || next == hi {
			return next
		}
		u = next
	}
	return u
}
