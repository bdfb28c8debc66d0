package diffusion

import (
	"math"
	"sort"

	"qlimit/ctmc"
)

// AveragedLaw is the stationary law of the number of jobs X under [Averaged],
// either state by state with a tail or as a smooth density.
type AveragedLaw struct {
	Averaged
	mean, variance float64 // of X

	// State by state: P(X = x) for x < len(states), P(no idle server | X = x),
	// and the moments of what lies beyond tailFrom: Σ p, Σ (X-tailFrom)^k p.
	states, waits, cumulative []float64
	tailFrom, tailRatio       float64
	tail                      [3]float64
	tailLaw                   *Law

	// Smooth: X = lowest + u, and the corrections at kinks (place, weight).
	law    *Law
	lowest float64
	kinks  [][2]float64
}

func (a Averaged) size() float64 { return float64(a.Servers) }

// normalise scales the weights to total 1 and computes the moments.
func (l *AveragedLaw) normalise() {
	if l.law != nil {
		l.normaliseSmooth()
		return
	}
	total := l.tail[0]
	for _, p := range l.states {
		total += p
	}
	for k := range l.tail {
		l.tail[k] /= total
	}
	l.cumulative = make([]float64, len(l.states))
	sum := 0.0
	for x := range l.states {
		l.states[x] /= total
		sum += l.states[x]
		l.cumulative[x] = sum
		l.mean += float64(x) * l.states[x]
	}
	l.mean += l.tailFrom*l.tail[0] + l.tail[1]
	for x, p := range l.states {
		l.variance += p * (float64(x) - l.mean) * (float64(x) - l.mean)
	}
	d := l.tailFrom - l.mean
	l.variance += d*d*l.tail[0] + 2*d*l.tail[1] + l.tail[2]
}

func (l *AveragedLaw) normaliseSmooth() {
	total, first := 1.0, l.law.Mean()
	for _, k := range l.kinks {
		total += k[1]
		first += k[0] * k[1]
	}
	u := first / total
	second := l.law.Variance() + (l.law.Mean()-u)*(l.law.Mean()-u)
	for i, k := range l.kinks {
		second += k[1] * (k[0] - u) * (k[0] - u)
		l.kinks[i][1] /= total
	}
	l.mean, l.variance = l.lowest+u, second/total
}

// Kind is always Conjecture.
func (l *AveragedLaw) Kind() ctmc.Kind { return ctmc.Conjecture }

// MeanJobs is E X/N, jobs per server.
func (l *AveragedLaw) MeanJobs() float64 { return l.mean / l.size() }

// Mean is the same, as a [Distribution] of X/N.
func (l *AveragedLaw) Mean() float64 { return l.MeanJobs() }

// MeanResponse is by Little's law, in the time unit of the service law.
func (l *AveragedLaw) MeanResponse() float64 {
	return l.MeanJobs() / l.Load * l.Service.Mean()
}

// Variance of X/N.
func (l *AveragedLaw) Variance() float64 { return l.variance / (l.size() * l.size()) }

// Density is N P(X = N x), x rounded to whole jobs.
func (l *AveragedLaw) Density(x float64) float64 {
	jobs := math.Round(x * l.size())
	switch {
	case jobs < 0:
		return 0
	case l.law != nil:
		return l.size() * l.law.Density(jobs-l.lowest)
	case jobs < float64(len(l.states)):
		return l.size() * l.states[int(jobs)]
	case l.tailLaw != nil:
		return l.size() * l.beyond() * l.tailLaw.Density(jobs-l.tailFrom)
	}
	return l.size() * l.tail[0] * (1 - l.tailRatio) * math.Pow(l.tailRatio, jobs-l.tailFrom-1)
}

// Survival is P(X/N > x).
func (l *AveragedLaw) Survival(x float64) float64 {
	jobs := math.Floor(x*l.size() + 1e-9)
	switch {
	case jobs < 0:
		return 1
	case l.law != nil:
		return l.law.Survival(jobs + 0.5 - l.lowest)
	case jobs > l.tailFrom:
		if l.tailLaw != nil {
			return l.beyond() * l.tailLaw.Survival(jobs+0.5-l.tailFrom)
		}
		return l.tail[0] * math.Pow(l.tailRatio, jobs-l.tailFrom)
	}
	sum := l.tail[0]
	for i := len(l.states) - 1; i > int(jobs); i-- {
		sum += l.states[i]
	}
	return sum
}

// beyond is the weight of the smooth density that continues the last state.
func (l *AveragedLaw) beyond() float64 {
	return l.states[len(l.states)-1] / l.tailLaw.Density(0)
}

// CDF is P(X/N <= x).
func (l *AveragedLaw) CDF(x float64) float64 {
	jobs := math.Floor(x*l.size() + 1e-9)
	if l.law == nil && jobs >= 0 && jobs < float64(len(l.states)) {
		return l.cumulative[int(jobs)]
	}
	return 1 - l.Survival(x)
}

// Quantile is the smallest x = X/N with P(X/N <= x) >= p, 0 < p < 1.
func (l *AveragedLaw) Quantile(p float64) float64 {
	if !(p > 0 && p < 1) {
		panic("diffusion: quantile of a number outside (0, 1)")
	}
	n := l.size()
	if l.law != nil {
		return math.Max(0, math.Ceil(l.lowest+l.law.Quantile(p)-0.5)) / n
	}
	if i := sort.SearchFloat64s(l.cumulative, p); i < len(l.states) {
		return float64(i) / n
	}
	if l.tail[0] == 0 {
		return l.tailFrom / n
	}
	if l.tailLaw != nil {
		return math.Ceil(l.tailFrom+l.tailLaw.SurvivalQuantile(math.Min((1-p)/l.beyond(), 1))-0.5) / n
	}
	rest := (1 - p) / l.tail[0]
	return (l.tailFrom + math.Ceil(math.Log(rest)/math.Log(l.tailRatio))) / n
}

// jumpAtTwo is the Euler-Maclaurin correction of Σ π(X) P(no idle server | X) at
// X = 2N, up to which that is 1 and beyond which it is given: half the jump and a
// twelfth of the jump of the slope, by one-sided differences of second order.
func (l *AveragedLaw) jumpAtTwo(above func(x float64) (idle, none float64)) float64 {
	two := 2 * l.size()
	f := func(x float64, none bool) float64 {
		p := l.law.Density(x - l.lowest)
		if none {
			_, q := above(x)
			p *= q
		}
		return p
	}
	slope := func(h float64, none bool) float64 {
		return (4*f(two+h, none) - 3*f(two, none) - f(two+2*h, none)) / (2 * h)
	}
	return (f(two, false)-f(two, true))/2 + (slope(-0.5, false)-slope(0.5, true))/12
}

// WaitProbability is P(no server is idle), which an arrival sees (Poisson
// arrivals see time averages).
func (l *AveragedLaw) WaitProbability() float64 {
	chain, above, n := l.chain(), l.idleAbove(), l.size()
	none := func(x float64) float64 {
		if x >= 2*n {
			_, p := above(x)
			return p
		}
		_, p := chain.mean(x-n, 0, true)
		return p
	}
	if l.law != nil {
		sum := l.law.Expect(func(u float64) float64 {
			if l.lowest+u < n {
				return 0
			}
			return none(l.lowest + u)
		})
		// Euler and Maclaurin at X = N, where P(no idle server) begins.
		at := n - l.lowest
		slope := l.law.Density(at+0.5)*none(n+0.5) - l.law.Density(at-0.5)*none(n-0.5)
		sum += l.law.Density(at)*none(n)/2 - slope/12
		if l.ownOnes() {
			sum += l.jumpAtTwo(above)
		}
		total := 1.0
		for _, k := range l.kinks {
			total += k[1]
		}
		return sum / total
	}
	sum := 0.0
	for x, p := range l.states {
		sum += p * l.waits[x]
	}
	if l.tailLaw == nil {
		return sum + l.tail[0]
	}
	// Euler and Maclaurin beyond the last state, as in addTail.
	wait := func(u float64) float64 { return none(l.tailFrom + u) }
	slope := wait(0.5) - wait(-0.5) + wait(0)*l.tailLaw.process.Drift(0)
	last := l.states[len(l.states)-1]
	return sum + l.beyond()*l.tailLaw.Expect(wait) - last*(wait(0)/2+slope/12)
}
