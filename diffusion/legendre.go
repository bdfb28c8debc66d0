package diffusion

import (
	"math"

	nodes "qlimit/internal/gauss"
)

// order is the number of Gauss-Legendre nodes of a panel.
const order = nodes.Order

// gauss holds the Gauss-Legendre rule on [-1, 1] and what turns values at its
// nodes into Legendre coefficients and antiderivatives.
var gauss = newGaussRule()

type gaussRule struct {
	node, weight [order]float64
	// transform[k][j]: coefficient of P_k in the interpolant is
	// Σ_j transform[k][j] f(x_j).
	transform [order][order]float64
	// antiderivative[i][j]: the integral of the interpolant from -1 to x_i is
	// Σ_j antiderivative[i][j] f(x_j).
	antiderivative [order][order]float64
}

func newGaussRule() *gaussRule {
	g := new(gaussRule)
	g.node, g.weight = nodes.Nodes, nodes.Weights
	var p [order + 1]float64
	for j := range order {
		legendreAll(g.node[j], p[:])
		for k := range order {
			g.transform[k][j] = float64(2*k+1) / 2 * g.weight[j] * p[k]
		}
	}
	for i := range order {
		legendreAll(g.node[i], p[:])
		for j := range order {
			sum := g.transform[0][j] * (g.node[i] + 1)
			for k := 1; k < order; k++ {
				sum += g.transform[k][j] * (p[k+1] - p[k-1]) / float64(2*k+1)
			}
			g.antiderivative[i][j] = sum
		}
	}
	return g
}

// legendreAll writes P_0(x), P_1(x), ..
func legendreAll(x float64, p []float64) {
	p[0], p[1] = 1, x
	for k := 2; k < len(p); k++ {
		p[k] = (float64(2*k-1)*x*p[k-1] - float64(k-1)*p[k-2]) / float64(k)
	}
}

// integrate is the rule on [a, b].
func (g *gaussRule) integrate(f func(float64) float64, a, b float64) float64 {
	return nodes.Integrate(f, a, b)
}

// coefficients returns the Legendre coefficients of the interpolant.
func (g *gaussRule) coefficients(values *[order]float64) (c [order]float64) {
	for k := range order {
		sum := 0.0
		for j, v := range values {
			sum += g.transform[k][j] * v
		}
		c[k] = sum
	}
	return c
}

// lastCoefficients is the larger modulus of the last two coefficients: a
// measure of what the interpolant leaves out.
func (g *gaussRule) lastCoefficients(values *[order]float64) float64 {
	even, odd := 0.0, 0.0
	for j, v := range values {
		even += g.transform[order-2][j] * v
		odd += g.transform[order-1][j] * v
	}
	return math.Max(math.Abs(even), math.Abs(odd))
}
