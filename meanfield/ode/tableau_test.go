package ode

import (
	"math"
	"testing"
)

// The numbers of rooted trees with 1 to 6 nodes, OEIS A000081.
func TestNumberOfTrees(t *testing.T) {
	for n, want := range []int{1, 1, 2, 4, 9, 20} {
		if got := len(treesOfOrder(n + 1)); got != want {
			t.Errorf("%d trees of order %d, want %d", got, n+1, want)
		}
	}
}

func eachTableau(t *testing.T, check func(t *testing.T, tab *tableau, a [][]float64, b []float64)) {
	for name, tab := range map[string]*tableau{"Tsitouras": &tsitouras, "Dormand-Prince": &dormandPrince} {
		t.Run(name, func(t *testing.T) {
			a := tab.a[:]
			b := make([]float64, stages)
			copy(b, a[stages-1])
			check(t, tab, a, b)
		})
	}
}

// The tables are printed with 16 digits: the conditions hold up to their
// rounding.
const tableRounding = 2e-14

func TestOrderConditionsOfTheStep(t *testing.T) {
	eachTableau(t, func(t *testing.T, tab *tableau, a [][]float64, b []float64) {
		for order := 1; order <= 5; order++ {
			if r := worstCondition(order, a, b, 1); r > tableRounding {
				t.Errorf("order %d: residual %.2g", order, r)
			}
		}
		if r := worstCondition(6, a, b, 1); r < 1e-5 {
			t.Errorf("order 6: residual %.2g, cannot hold", r)
		}
		for i, row := range a {
			sum := 0.0
			for _, w := range row {
				sum += w
			}
			if math.Abs(sum-tab.nodes[i]) > tableRounding {
				t.Errorf("row %d sums to %v, want the node %v", i, sum, tab.nodes[i])
			}
		}
	})
}

// b − err is a method of order 4 and not of order 5.
func TestOrderConditionsOfTheErrorEstimate(t *testing.T) {
	eachTableau(t, func(t *testing.T, tab *tableau, a [][]float64, b []float64) {
		embedded := make([]float64, stages)
		for i := range b {
			embedded[i] = b[i] - tab.err[i]
		}
		for order := 1; order <= 4; order++ {
			if r := worstCondition(order, a, embedded, 1); r > tableRounding {
				t.Errorf("order %d: residual %.2g", order, r)
			}
		}
		if r := worstCondition(5, a, embedded, 1); r < 1e-4 {
			t.Errorf("order 5: residual %.2g, an estimate of this order sees nothing", r)
		}
	})
}

// The free continuous extension has order 4 at every θ. Its weights are found
// by feeding the interpolant unit slopes.
func TestOrderConditionsOfTheFreeExtension(t *testing.T) {
	eachTableau(t, func(t *testing.T, tab *tableau, a [][]float64, b []float64) {
		c := newCourse(Problem{Dim: stages, F: func(float64, []float64, []float64) {}}, Settings{})
		p := newExplicitPair(c, tab)
		for j := range stages {
			p.k[j][j] = 1
			p.trial[j] = b[j]
		}
		p.dense.step = 1
		p.freeExtension()
		weights := make([]float64, stages)
		for _, theta := range []float64{0.1, 0.25, 0.5, 0.77, 1} {
			p.dense.at(theta, weights)
			for order := 1; order <= 4; order++ {
				if r := worstCondition(order, a, weights, theta); r > tableRounding {
					t.Errorf("θ = %v, order %d: residual %.2g", theta, order, r)
				}
			}
		}
	})
}

// |R(−stability)| = 1, where R(z) = Σ_k z^k·bᵀA^{k−1}1 is the stability
// function, and |R| < 1 just inside.
func TestStabilityInterval(t *testing.T) {
	eachTableau(t, func(t *testing.T, tab *tableau, a [][]float64, b []float64) {
		stability := func(z float64) float64 {
			power := make([]float64, stages)
			for i := range power {
				power[i] = 1
			}
			r, zk := 1.0, 1.0
			for range stages {
				zk *= z
				sum := 0.0
				next := make([]float64, stages)
				for i, row := range a {
					sum += b[i] * power[i]
					for j, w := range row {
						next[i] += w * power[j]
					}
				}
				r += zk * sum
				power = next
			}
			return math.Abs(r)
		}
		if r := stability(-tab.stability); math.Abs(r-1) > 1e-3 {
			t.Errorf("|R(%v)| = %v, want 1", -tab.stability, r)
		}
		if r := stability(-0.99 * tab.stability); r >= 1 {
			t.Errorf("|R| = %v inside the stability interval", r)
		}
	})
}
