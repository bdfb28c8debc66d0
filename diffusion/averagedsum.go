package diffusion

import "math"

// bySummation sums state by state up to a place from which on the terms are
// geometric (JSQ: 2N) or smooth on the scale of many states (IQF).
func (a Averaged) bySummation() (*AveragedLaw, error) {
	chain, ascent := a.chain(), a.ascent()
	n := int(a.Servers)
	last := 2 * n
	switch {
	case a.Discipline.rule() == findsIdle:
		last = max(2*n, 256)
	case a.ownOnes():
		last = max(4*n, 256)
	}
	beyond := a.idleBeyondTwo()
	logs, none := make([]float64, last+1), make([]float64, last+1)
	highest, ended := 0.0, false
	for x := 1; x <= last; x++ {
		k := float64(x - n)
		idle, least := chain.mean(k, math.Max(0, -k), false)
		if x > 2*n && a.ownOnes() {
			idle, least = beyond(float64(x))
		}
		logs[x] = logs[x-1] + ascent(idle)
		highest = math.Max(highest, logs[x])
		if k >= 0 {
			none[x] = least
		}
		if ended = logs[x] < highest-80; ended {
			logs, none = logs[:x+1], none[:x+1]
			break
		}
	}
	l := &AveragedLaw{Averaged: a, states: make([]float64, len(logs)), waits: none}
	for x, value := range logs {
		l.states[x] = math.Exp(value - highest)
	}
	end := len(logs) - 1
	l.tailFrom, l.tailRatio = float64(end), 0.5
	if !ended {
		if err := l.addTail(ascent, float64(end), l.states[end]); err != nil {
			return nil, err
		}
	}
	l.normalise()
	return l, nil
}

// idleAbove is E[I | X] and P(no idle server | X) for X > 2N, as smooth functions
// of X.
func (a Averaged) idleAbove() func(x float64) (idle, none float64) {
	switch {
	case a.Discipline.rule() == findsIdle:
		chain, n := a.chain(), a.size()
		return func(x float64) (idle, none float64) { return chain.mean(x-n, 0, true) }
	case a.ownOnes() && a.Servers < exactBelow:
		return a.idleBeyondTwo()
	case a.ownOnes():
		return a.tabulatedBeyondTwo()
	}
	return func(float64) (idle, none float64) { return 0, 1 }
}

// addTail appends the states beyond X = end, whose weight is given.
func (l *AveragedLaw) addTail(ascent func(float64) float64, end, weight float64) error {
	if l.Discipline.rule() == findsIdleOrOne && !l.ownOnes() {
		// Σ_{j>=1} q^j and its first two moments.
		q := math.Exp(ascent(0))
		rest := -math.Expm1(ascent(0))
		l.tailRatio = q
		l.tail = [3]float64{weight * q / rest, weight * q / (rest * rest), weight * q * (1 + q) / (rest * rest * rest)}
		return nil
	}
	above := l.idleAbove()
	law, err := Process{Noise: 2, Scale: l.size(), Drift: func(u float64) float64 {
		return smoothSlope(end+u, func(x float64) float64 {
			idle, _ := above(x)
			return ascent(idle)
		})
	}}.Stationary()
	if err != nil {
		return err
	}
	// Euler and Maclaurin: Σ_{v>=0} f(v) = ∫ f + f(0)/2 - f'(0)/12 + ..., then
	// the state v = 0, already counted, is taken out.
	total, slope := 1/law.Density(0), law.process.Drift(0)
	l.tailLaw = law
	l.tail = [3]float64{
		weight * (total - 0.5 - slope/12),
		weight * (total*law.Mean() - 1.0/12),
		weight * total * law.Moment(2),
	}
	return nil
}

// smoothSlope is the slope of the smooth function Φ with Φ(x) - Φ(x-1) = d(x):
// Φ'(x) = d(x+1/2) - d”/24 + ..., the second derivative by differences.
func smoothSlope(x float64, d func(float64) float64) float64 {
	return d(x+0.5)*(13.0/12) - (d(x+1.5)+d(x-0.5))/24
}

// byIntegration treats π as a smooth density between the places where E[I | X]
// has a kink, X = N and, for JSQ, 2N. The sum over states is the integral plus
// the jump of the slope over 12 at the kinks.
func (a Averaged) byIntegration() (*AveragedLaw, error) {
	n, lowest := a.size(), a.lowest()
	below, above := a.smoothAscents()
	two := a.Discipline.rule() == findsIdleOrOne
	p := Process{Noise: 2, Scale: math.Sqrt(n), Breaks: []float64{n - lowest}}
	if two {
		p.Breaks = append(p.Breaks, 2*n-lowest)
	}
	ascent, idleAbove := a.ascent(), a.idleAbove()
	beyond := func(x float64) float64 {
		idle, _ := idleAbove(x)
		return ascent(idle)
	}
	p.Drift = func(u float64) float64 {
		switch x := lowest + u; {
		case x < n:
			return smoothSlope(x, below)
		case two && x >= 2*n:
			return smoothSlope(x, beyond)
		default:
			return smoothSlope(x, above)
		}
	}
	law, err := p.Stationary()
	if err != nil {
		return nil, err
	}
	l := &AveragedLaw{Averaged: a, law: law, lowest: lowest}
	l.addKink(n-lowest, smoothSlope(n, below), smoothSlope(n, above))
	if two {
		l.addKink(2*n-lowest, smoothSlope(2*n, above), smoothSlope(2*n, beyond))
	}
	l.normalise()
	return l, nil
}

// tabulatedBeyondTwo is idleBeyondTwo from a table near X = 2N, where it is a sum
// of order √N terms.
func (a Averaged) tabulatedBeyondTwo() func(x float64) (idle, none float64) {
	const tolerance, least, overlap = 1e-12, 1, 2
	direct, n := a.idleBeyondTwo(), a.size()
	table := interpolate(func(x float64) float64 {
		idle, _ := direct(x)
		return idle
	}, 2*n-overlap, 3*n, tolerance, least)
	return func(x float64) (idle, none float64) {
		if !table.holds(x) {
			return direct(x)
		}
		idle = table.at(x)
		return idle, 1 - idle
	}
}

// smoothAscents are log π(X) - log π(X-1) below and above X = N, continued a
// little beyond N, from a table where E[I | X] is a long sum.
func (a Averaged) smoothAscents() (below, above func(x float64) float64) {
	chain, ascent, n := a.chain(), a.ascent(), a.size()
	direct := func(x float64) float64 {
		idle, _ := chain.mean(x-n, 0, true)
		return ascent(idle)
	}
	const tolerance, least, overlap = 1e-13, 1, 2
	left := interpolate(func(x float64) float64 {
		idle, _ := chain.mean(x-n, n-x, true)
		return ascent(idle)
	}, a.lowest()-overlap, n+overlap, tolerance, least)
	right := interpolate(direct, n-overlap, 2*n+overlap, tolerance, least)
	above = func(x float64) float64 {
		if right.holds(x) {
			return right.at(x)
		}
		return direct(x)
	}
	return left.at, above
}

// addKink is the Euler-Maclaurin correction where the slope of the density
// jumps: a point mass of (f'(-) - f'(+))/12.
func (l *AveragedLaw) addKink(u, before, after float64) {
	l.kinks = append(l.kinks, [2]float64{u, l.law.Density(u) * (before - after) / 12})
}
