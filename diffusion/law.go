package diffusion

import (
	"math"
	"sort"
)

// Law is the stationary law of a [Process]: a distribution on u >= 0.
type Law struct {
	process Process
	gamma   float64
	whole   bool
	panels  []panel
	logNorm float64

	below, above []float64 // P(U < panel.a), P(U > panel.b)

	// Beyond the last panel the density falls exponentially.
	end, endLogDensity, tailRate float64

	mean, variance float64
}

// setTail continues the density beyond the last panel by its slope there.
func (l *Law) setTail() {
	last := &l.panels[len(l.panels)-1]
	l.end = last.b
	l.endLogDensity = l.logDensityOf(last, last.b)
	l.tailRate = -(l.process.regularSlope(l.end, l.gamma) + l.gamma/l.end)
	if !(l.tailRate > 0) {
		l.tailRate = (l.logDensityOf(last, last.a) - l.endLogDensity) / (last.b - last.a)
	}
}

func (l *Law) setSums() {
	n := len(l.panels)
	l.below, l.above = make([]float64, n), make([]float64, n)
	sum := 0.0
	for i := range l.panels {
		l.below[i] = sum
		sum += l.panels[i].mass
	}
	sum = math.Exp(l.endLogDensity) / l.tailRate
	for i := n - 1; i >= 0; i-- {
		l.above[i] = sum
		sum += l.panels[i].mass
	}
	l.mean = l.Expect(func(u float64) float64 { return u })
	l.variance = l.Expect(func(u float64) float64 { return (u - l.mean) * (u - l.mean) })
}

// Process is the process the law belongs to.
func (l *Law) Process() Process { return l.process }

// Reach is the distance beyond which the density is extrapolated; the mass
// there is below e^-100 times the length scale.
func (l *Law) Reach() float64 { return l.end }

// Panels is the number of pieces of the law, a measure of the work.
func (l *Law) Panels() int { return len(l.panels) }

// Expect is E f(U) for a function that is smooth between the breaks of the
// process and grows no faster than a power.
func (l *Law) Expect(f func(u float64) float64) float64 {
	sum := 0.0
	for i := range l.panels {
		p := &l.panels[i]
		part := 0.0
		for k, u := range p.node {
			part += p.weight[k] * f(u)
		}
		sum += part
	}
	return sum
}

// Mean is E U.
func (l *Law) Mean() float64 { return l.mean }

// Variance is Var U.
func (l *Law) Variance() float64 { return l.variance }

// Moment is E U^k, k >= 0.
func (l *Law) Moment(k int) float64 {
	return l.Expect(func(u float64) float64 { return math.Pow(u, float64(k)) })
}

// find returns the index of the panel that holds u, their number beyond the last.
func (l *Law) find(u float64) int {
	return sort.Search(len(l.panels), func(i int) bool { return u <= l.panels[i].b })
}

// LogDensity is the logarithm of the density; -Inf for u < 0 and, where the
// density vanishes there, at 0.
func (l *Law) LogDensity(u float64) float64 {
	switch {
	case u < 0 || math.IsNaN(u):
		return math.Inf(-1)
	case u > l.end:
		return l.endLogDensity - l.tailRate*(u-l.end)
	}
	return l.logDensityOf(&l.panels[l.find(u)], u)
}

func (l *Law) logDensityOf(p *panel, u float64) float64 {
	value := p.potentialAt(u) - l.logNorm
	if l.gamma > 0 {
		value += l.gamma * math.Log(u)
	}
	if l.process.Variance != nil {
		value -= math.Log(l.process.Variance(u))
	}
	return value
}

// Density is the density at u.
func (l *Law) Density(u float64) float64 { return math.Exp(l.LogDensity(u)) }

// CDF is P(U <= u), with small relative error also where it is tiny.
func (l *Law) CDF(u float64) float64 {
	if !(u > 0) {
		return 0
	}
	if u >= l.end {
		return 1 - l.Survival(u)
	}
	i := l.find(u)
	return math.Min(l.below[i]+l.massOf(&l.panels[i], l.panels[i].a, u), 1)
}

// Survival is P(U > u), with small relative error also where it is tiny.
func (l *Law) Survival(u float64) float64 {
	switch {
	case !(u > 0):
		return 1
	case u >= l.end:
		return math.Exp(l.endLogDensity-l.tailRate*(u-l.end)) / l.tailRate
	}
	i := l.find(u)
	return math.Min(l.above[i]+l.massOf(&l.panels[i], u, l.panels[i].b), 1)
}

// massOf is the probability of [lo, hi] within one panel.
func (l *Law) massOf(p *panel, lo, hi float64) float64 {
	if p.a == 0 && lo > 0 && !l.whole {
		return p.mass - l.massOf(p, 0, lo)
	}
	if lo > 0 || l.whole {
		return gauss.integrate(func(u float64) float64 { return math.Exp(l.logDensityOf(p, u)) }, lo, hi)
	}
	q := endpointPower(l.gamma)
	return gauss.integrate(func(v float64) float64 {
		u := hi * math.Pow(v, q)
		return q * hi * math.Pow(v, q-1) * math.Exp(l.logDensityOf(p, u))
	}, 0, 1)
}

// Quantile is the u with P(U <= u) = p, for 0 <= p <= 1: 0 at 0, +Inf at 1.
func (l *Law) Quantile(p float64) float64 {
	switch {
	case math.IsNaN(p) || p < 0 || p > 1:
		panic("diffusion: quantile of a number outside [0, 1]")
	case p == 0:
		return 0
	case p > 0.5:
		return l.SurvivalQuantile(1 - p)
	}
	i := sort.Search(len(l.panels), func(i int) bool { return l.above[i] < 1-p && l.below[i]+l.panels[i].mass >= p })
	i = min(i, len(l.panels)-1)
	return l.solve(&l.panels[i], func(u float64) float64 { return l.CDF(u) - p })
}

// SurvivalQuantile is the u with P(U > u) = q, for 0 <= q <= 1.
func (l *Law) SurvivalQuantile(q float64) float64 {
	switch {
	case math.IsNaN(q) || q < 0 || q > 1:
		panic("diffusion: quantile of a number outside [0, 1]")
	case q == 0:
		return math.Inf(1)
	case q == 1:
		return 0
	case q <= l.Survival(l.end):
		return l.end + (l.endLogDensity-math.Log(l.tailRate*q))/l.tailRate
	case q > 0.5:
		return l.Quantile(1 - q)
	}
	i := sort.Search(len(l.panels), func(i int) bool { return l.above[i] <= q })
	i = min(i, len(l.panels)-1)
	return l.solve(&l.panels[i], func(u float64) float64 { return q - l.Survival(u) })
}

// solve finds the root of an increasing function with slope m(u) on a panel by
// Newton's method inside a bracket.
func (l *Law) solve(p *panel, f func(float64) float64) float64 {
	lo, hi := p.a, p.b
	u := (lo + hi) / 2
	for range 200 {
		value := f(u)
		if value == 0 {
			return u
		}
		if value > 0 {
			hi = u
		} else {
			lo = u
		}
		next := u - value/math.Exp(l.logDensityOf(p, u))
		if !(next > lo && next < hi) {
			next = (lo + hi) / 2
		}
		if math.Abs(next-u) <= 4e-16*next || next == lo || next == hi {
			return next
		}
		u = next
	}
	return u
}
