package ode

// The two extra stages of the dense output lie at these positions; of the
// pairs tried they give both tableaux nearly the least order-6 error over the
// step, for Dormand–Prince no larger inside the step than at its end.
const (
	firstExtra  = 0.2
	secondExtra = 0.5
)

// completeDense forms the continuous extension of order 5 by bootstrapping
// (Enright, Jackson, Nørsett & Thomsen 1986): the free extension of order 4
// gives the state at two positions with an error O(h⁵), F turns it into
// slopes, and the polynomial of degree 5 that takes the states and slopes at
// both ends and these two slopes has an error O(h⁶) like the step.
func (p *explicitPair) completeDense() {
	if p.dense.degree == 5 {
		return
	}
	p.freeExtension()
	h := p.dense.step
	for i, theta := range [2]float64{firstExtra, secondExtra} {
		p.dense.at(theta, p.argument)
		p.evaluate(p.dense.start+theta*h, p.argument, p.extra[i])
	}
	p.bootstrap()
}

// freeExtension forms the quartic that costs no evaluation.
func (p *explicitPair) freeExtension() {
	d := &p.dense
	d.degree = 4
	h := d.step
	combine(d.coefficients[4], p.tableau.quartic[:], &p.k)
	for i, start := range p.previous {
		change := p.trial[i] - start
		left := h*p.k[0][i] - change
		d.coefficients[0][i] = start
		d.coefficients[1][i] = change
		d.coefficients[2][i] = left
		d.coefficients[3][i] = change - h*p.k[stages-1][i] - left
		d.coefficients[4][i] *= h
	}
}

// bootstrap replaces the terms of degree 4 and 5, c4·θ²(1−θ)² + c5·θ³(1−θ)²,
// so that the slopes at the extra positions are met.
func (p *explicitPair) bootstrap() {
	slope4 := func(x float64) float64 { return 2 * x * (1 - x) * (1 - 2*x) }
	slope5 := func(x float64) float64 { return x * x * (1 - x) * (3 - 5*x) }
	a4, a5 := slope4(firstExtra), slope5(firstExtra)
	b4, b5 := slope4(secondExtra), slope5(secondExtra)
	determinant := a4*b5 - a5*b4
	d := &p.dense
	d.degree = 5
	h := d.step
	for i := range p.trial {
		c1, c2, c3 := d.coefficients[1][i], d.coefficients[2][i], d.coefficients[3][i]
		cubicSlope := func(x float64) float64 { return c1 + (1-2*x)*c2 + x*(2-3*x)*c3 }
		a := h*p.extra[0][i] - cubicSlope(firstExtra)
		b := h*p.extra[1][i] - cubicSlope(secondExtra)
		d.coefficients[4][i] = (a*b5 - b*a5) / determinant
		d.coefficients[5][i] = (a4*b - b4*a) / determinant
	}
}
