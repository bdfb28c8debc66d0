package ode

import "math"

// tree is a rooted tree, the index of a condition for the order of a
// Runge–Kutta method (Butcher; Hairer, Nørsett & Wanner 1993, §II.2).
type tree struct {
	order    int
	children []*tree
}

// treesOfOrder lists all rooted trees with the given number of nodes.
func treesOfOrder(order int) []*tree {
	byOrder := make([][]*tree, order+1)
	byOrder[1] = []*tree{{order: 1}}
	var smaller []*tree
	for n := 2; n <= order; n++ {
		smaller = append(smaller, byOrder[n-1]...)
		var choose func(nodes, from int, children []*tree)
		choose = func(nodes, from int, children []*tree) {
			if nodes == 0 {
				byOrder[n] = append(byOrder[n], &tree{n, append([]*tree(nil), children...)})
				return
			}
			for k := from; k < len(smaller); k++ {
				if smaller[k].order <= nodes {
					choose(nodes-smaller[k].order, k, append(children, smaller[k]))
				}
			}
		}
		choose(n-1, 0, nil)
	}
	return byOrder[order]
}

// density is γ of the tree: the exact elementary weight is 1/γ.
func (t *tree) density() float64 {
	d := float64(t.order)
	for _, c := range t.children {
		d *= c.density()
	}
	return d
}

// stageWeights returns Φ_i of the tree for every stage of the matrix a.
func (t *tree) stageWeights(a [][]float64) []float64 {
	product := make([]float64, len(a))
	for i := range product {
		product[i] = 1
	}
	for _, c := range t.children {
		inner := c.stageWeights(a)
		for i, row := range a {
			sum := 0.0
			for j, w := range row {
				sum += w * inner[j]
			}
			product[i] *= sum
		}
	}
	return product
}

// worstCondition returns the largest residual |Σ b_i Φ_i(t) − θ^order/γ(t)|
// over the trees of an order; θ = 1 belongs to the end of the step.
func worstCondition(order int, a [][]float64, b []float64, theta float64) float64 {
	worst := 0.0
	for _, t := range treesOfOrder(order) {
		sum := 0.0
		for i, w := range t.stageWeights(a) {
			sum += b[i] * w
		}
		worst = max(worst, math.Abs(sum-math.Pow(theta, float64(order))/t.density()))
	}
	return worst
}
