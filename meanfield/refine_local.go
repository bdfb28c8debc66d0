package meanfield

import (
	"fmt"
	"math"

	"qlimit/ctmc"
)

// localModel is a population process near one point: the jumps with the
// derivatives of their rates there, order by order in 1/N.
type localModel struct {
	population ctmc.Differentiable
	n          int
	jumps      []localJump
}

type localJump struct {
	change  ctmc.Jump
	support []int
	rate    [3]ctmc.RateDerivatives // of N^0, N^-1, N^-2
	bent    bool                    // has a second derivative at the point
}

// asDifferentiable adds numerical derivatives where a population has none.
func asDifferentiable(p ctmc.Population) ctmc.Differentiable {
	if d, ok := p.(ctmc.Differentiable); ok {
		return d
	}
	return ctmc.Differences{Population: p}
}

func newLocalModel(p ctmc.Population) *localModel {
	d := asDifferentiable(p)
	l := &localModel{population: d, n: d.Dim()}
	for k, jump := range d.Jumps() {
		l.jumps = append(l.jumps, localJump{change: jump, support: d.Support(k)})
	}
	return l
}

// at evaluates what an expansion to the given order needs at x: derivatives
// of the limit rates to degree 2 or 4, of the 1/N term to degree 0 or 2, and
// for order 2 the 1/N² term.
func (l *localModel) at(x []float64, order int) error {
	for k := range l.jumps {
		j := &l.jumps[k]
		l.population.Differentiate(k, 0, x, 2*order, &j.rate[0])
		l.population.Differentiate(k, 1, x, 2*order-2, &j.rate[1])
		if order > 1 {
			l.population.Differentiate(k, 2, x, 0, &j.rate[2])
		}
		for _, rate := range j.rate[:order+1] {
			for _, of := range rate.Of {
				if !finiteEntries(of) {
					return fmt.Errorf("population: the rate of jump %d or a derivative of it is not finite at %v", k, x)
				}
			}
		}
		j.bent = false
		for _, v := range j.rate[0].Of[2] {
			j.bent = j.bent || v != 0
		}
	}
	return nil
}

// derivativeError is the largest estimated relative error of a derivative.
func (l *localModel) derivativeError() float64 {
	largest := 0.0
	for _, j := range l.jumps {
		for _, rate := range j.rate {
			largest = math.Max(largest, rate.Error)
		}
	}
	return largest
}

// addDrift adds Σ ℓ β of the coefficient of N^-order.
func (l *localModel) addDrift(order int, drift []float64) {
	for k := range l.jumps {
		j := &l.jumps[k]
		addJump(drift, j.change, j.rate[order].Of[0][0])
	}
}

func addJump(to []float64, jump ctmc.Jump, factor float64) {
	if factor == 0 {
		return
	}
	for _, c := range jump {
		to[c.Coordinate] += float64(c.By) * factor
	}
}

// addJacobian adds Σ ℓ ∇β, by rows, of the coefficient of N^-order.
func (l *localModel) addJacobian(order int, a []float64) {
	for k := range l.jumps {
		j := &l.jumps[k]
		for place, slope := range j.rate[order].Of[1] {
			if slope == 0 {
				continue
			}
			column := j.support[place]
			for _, c := range j.change {
				a[c.Coordinate*l.n+column] += float64(c.By) * slope
			}
		}
	}
}

// addNoise adds Σ weight_k ℓ ℓ^T.
func (l *localModel) addNoise(weight func(j *localJump) float64, q []float64) {
	for k := range l.jumps {
		j := &l.jumps[k]
		w := weight(j)
		if w == 0 {
			continue
		}
		for _, c := range j.change {
			row := q[c.Coordinate*l.n:]
			for _, d := range j.change {
				row[d.Coordinate] += w * float64(c.By*d.By)
			}
		}
	}
}

func limitRate(j *localJump) float64 { return j.rate[0].Of[0][0] }

// firstForcing adds ½ B:W + f¹, what drives the 1/N term of the mean.
func (l *localModel) firstForcing(w, forcing []float64) {
	for k := range l.jumps {
		j := &l.jumps[k]
		sum := j.rate[1].Of[0][0]
		if j.bent {
			sum += 0.5 * j.quadratic(j.rate[0].Of[2], w, l.n)
		}
		addJump(forcing, j.change, sum)
	}
}

// quadratic is Σ H_ab W_ab over the support.
func (j *localJump) quadratic(hessian, w []float64, n int) float64 {
	sum, s := 0.0, len(j.support)
	for a, i := range j.support {
		for b, k := range j.support {
			sum += hessian[a*s+b] * w[i*n+k]
		}
	}
	return sum
}

// slopeAlong is ∇β · v.
func (j *localJump) slopeAlong(order int, v []float64) float64 {
	sum := 0.0
	for a, slope := range j.rate[order].Of[1] {
		sum += slope * v[j.support[a]]
	}
	return sum
}
