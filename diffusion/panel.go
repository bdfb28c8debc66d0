package diffusion

import "math"

// panel is a piece [a, b] of the half line on which the slope of the potential
// is a polynomial to within rounding.
//
// The unnormalised density is exp(R(u) + γ log u - log σ²(u)), R the regular
// part of the potential.
type panel struct {
	a, b float64
	// potential holds the Legendre coefficients of R on the panel.
	potential [order + 1]float64
	// node and weight integrate a function against the density, see [Law].
	node, weight [order]float64
	mass         float64
	endPotential float64 // R(b)
	top          float64 // largest log density at the nodes
}

// potentialAt is R(u) by Clenshaw's recurrence.
func (p *panel) potentialAt(u float64) float64 {
	x := (2*u - p.a - p.b) / (p.b - p.a)
	b1, b2 := 0.0, 0.0
	for k := order; k >= 1; k-- {
		kk := float64(k)
		b1, b2 = p.potential[k]+(2*kk+1)/(kk+1)*x*b1-(kk+1)/(kk+2)*b2, b1
	}
	return p.potential[0] + x*b1 - b2/2
}

// setPotential stores R from its value at a and the Legendre coefficients of
// its slope: ∫ P_k = (P_{k+1} - P_{k-1})/(2k+1).
func (p *panel) setPotential(start float64, slope *[order]float64) {
	half := (p.b - p.a) / 2
	clear(p.potential[:])
	p.potential[0] = half * slope[0]
	p.potential[1] = half * slope[0]
	for k := 1; k < order; k++ {
		part := half * slope[k] / float64(2*k+1)
		p.potential[k+1] += part
		p.potential[k-1] -= part
	}
	// The antiderivatives of P_1, P_2, .. vanish at both ends.
	p.potential[0] += start
	p.endPotential = start + 2*half*slope[0]
}

// Tolerances of a panel, relative to the largest value on it. The rule
// integrates twice the degree it interpolates, so that coefficients of 1e-9 at
// the end of the interpolant mean an integral right to rounding.
const (
	slopeTolerance   = 1e-13
	densityTolerance = 1e-9
	easilyResolved   = 1e-13
)

// builder grows the panels of a law from 0 to the right.
type builder struct {
	process Process
	gamma   float64
	whole   bool // γ is a small whole number, so that u^γ is a polynomial to the rule
	panels  []panel
	highest float64 // largest log density met
}

// try makes the panel [a, a+h] if that resolves slope and density.
func (m *builder) try(a, h, start float64) (p panel, resolved, easily bool) {
	p.a, p.b = a, a+h
	half, middle := (p.b-p.a)/2, (p.a+p.b)/2
	var slope, density [order]float64
	largest := 0.0
	for i, x := range gauss.node {
		p.node[i] = middle + half*x
		slope[i] = m.process.regularSlope(p.node[i], m.gamma)
		largest = math.Max(largest, math.Abs(slope[i]))
	}
	noise := 0.0
	if m.process.Variance != nil {
		noise = 4e-16 * m.gamma * h / p.node[0] // of the difference that leaves out γ/u
	}
	if last := half * gauss.lastCoefficients(&slope); !(last <= slopeTolerance*math.Max(1, half*largest)+noise) {
		return p, false, false
	}
	coefficients := gauss.coefficients(&slope)
	p.setPotential(start, &coefficients)
	if a == 0 && !m.whole {
		m.weighEndpoint(&p)
		change := half*largest + math.Abs(math.Log(m.process.variance(p.b)/m.process.variance(0)))
		return p, change < endpointPotential, true
	}
	p.top = math.Inf(-1)
	for i := range density {
		sum := 0.0
		for j, s := range slope {
			sum += gauss.antiderivative[i][j] * s
		}
		density[i] = m.logDensity(start+half*sum, p.node[i])
		p.top = math.Max(p.top, density[i])
	}
	for i := range density {
		value := math.Exp(density[i] - p.top)
		p.weight[i] = math.Log(half*gauss.weight[i]) + density[i]
		density[i] = value
	}
	last := gauss.lastCoefficients(&density)
	return p, last <= densityTolerance, last <= easilyResolved
}

// endpointPotential bounds the change of log g over the panel at 0, so that g
// below is a polynomial of degree 3 in u to within rounding.
const endpointPotential = 3e-4

// weighEndpoint integrates u^γ g(u) over [0, b] with u = b v^q: the power
// q(γ+1) - 1 >= 13 of v is high enough for the Gauss rule.
func (m *builder) weighEndpoint(p *panel) {
	q := endpointPower(m.gamma)
	p.top = math.Inf(-1)
	for i, x := range gauss.node {
		v := (1 + x) / 2
		p.node[i] = p.b * math.Pow(v, q)
		density := m.logDensity(p.potentialAt(p.node[i]), p.node[i])
		p.weight[i] = math.Log(gauss.weight[i]/2*q*p.b) + (q-1)*math.Log(v) + density
		p.top = math.Max(p.top, density)
	}
}

func endpointPower(gamma float64) float64 { return math.Ceil(14 / (gamma + 1)) }

func (m *builder) logDensity(potential, u float64) float64 {
	if m.gamma > 0 {
		potential += m.gamma * math.Log(u)
	}
	if m.process.Variance != nil {
		potential -= math.Log(m.process.Variance(u))
	}
	return potential
}
