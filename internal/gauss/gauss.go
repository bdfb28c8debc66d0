// Package gauss is the Gauss-Legendre rule with 20 nodes,
//
//	∫ f over [a, b] ≈ (b-a)/2 Σ w_k f((a+b)/2 + (b-a)/2 x_k),
//
// exact for polynomials of degree 39. Callers cut a range into panels on which f
// is analytic well beyond the ends, and halve them until two sizes agree: the
// rule gives no error estimate of its own.
package gauss

import "math"

// Order is the number of nodes.
const Order = 20

// Nodes and Weights are the rule on [-1, 1], nodes increasing.
var Nodes, Weights = rule()

func rule() (nodes, weights [Order]float64) {
	for i := range Order {
		x := math.Cos(math.Pi * (float64(Order-i) - 0.25) / (Order + 0.5))
		for range 10 {
			value, slope := legendre(x)
			x -= value / slope
		}
		_, slope := legendre(x)
		nodes[i], weights[i] = x, 2/((1-x)*(1+x)*slope*slope)
	}
	return nodes, weights
}

// legendre returns P_n(x) and P_n'(x) for n = Order, |x| < 1.
func legendre(x float64) (value, slope float64) {
	before, value := 1.0, x
	for k := 2; k <= Order; k++ {
		before, value = value, (float64(2*k-1)*x*value-float64(k-1)*before)/float64(k)
	}
	return value, Order * (before - x*value) / ((1 - x) * (1 + x))
}

// Integrate is the rule on [a, b].
func Integrate(f func(float64) float64, a, b float64) float64 {
	half, middle, sum := (b-a)/2, (a+b)/2, 0.0
	for i, x := range Nodes {
		sum += Weights[i] * f(middle+half*x)
	}
	return half * sum
}
