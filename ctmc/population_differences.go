package ctmc

import "math"

// Differences makes a population [Differentiable] by central differences with
// Richardson extrapolation. Derivatives of degree 1 to 4 of a smooth rate
// typically keep 12, 10, 8 and 7 digits, those of a polynomial more;
// RateDerivatives.Error says how many it seems.
type Differences struct{ Population }

// Support is all coordinates.
func (p Differences) Support(int) []int {
	all := make([]int, p.Dim())
	for i := range all {
		all[i] = i
	}
	return all
}

// Differentiate differentiates numerically.
func (p Differences) Differentiate(jump, order int, x []float64, degree int, d *RateDerivatives) {
	support := p.Support(jump)
	d.Resize(len(support), degree)
	differentiateNumerically(func(x []float64) float64 { return p.Rate(jump, order, x) }, support, x, degree, d)
}

func differentiateNumerically(f func(x []float64) float64, support []int, x []float64, degree int, d *RateDerivatives) {
	at := append([]float64(nil), x...)
	d.Of[0][0] = f(at)
	for n := 1; n <= degree; n++ {
		largest, worst := 0.0, 0.0
		d.FillSymmetric(len(support), n, func(places []int) float64 {
			value, err := partialDerivative(f, at, support, places)
			largest, worst = math.Max(largest, math.Abs(value)), math.Max(worst, err)
			return value
		})
		if worst > 0 {
			d.Error = math.Max(d.Error, worst/math.Max(largest, math.SmallestNonzeroFloat64*0x1p60))
		}
	}
}

// stencils[m] are the central differences of degree m: Σ weight f(x + h shift)
// / h^m = f^(m) + O(h²), with an error in even powers of h.
var stencils = [MaxDegree + 1][]struct{ shift, weight float64 }{
	1: {{-1, -0.5}, {1, 0.5}},
	2: {{-1, 1}, {0, -2}, {1, 1}},
	3: {{-2, -0.5}, {-1, 1}, {1, -1}, {2, 0.5}},
	4: {{-2, 1}, {-1, -4}, {0, 6}, {1, -4}, {2, 1}},
}

// partialDerivative extrapolates the product of the stencils to h = 0 (Ridders,
// Adv. Eng. Software 4, 1982) and keeps the entry of the tableau that agrees
// best with its parents, the disagreement being the estimate of the error.
func partialDerivative(f func(x []float64) float64, at []float64, support, places []int) (value, err float64) {
	const (
		rows   = 10
		first  = 0.125
		shrink = 1.6
	)
	var tableau [rows]float64
	err = math.Inf(1)
	h := first
	for row := range rows {
		estimate := differenceQuotient(f, at, support, places, h)
		if math.IsNaN(estimate) || math.IsInf(estimate, 0) {
			h /= shrink
			continue
		}
		power := 1.0
		for column := range row + 1 {
			previous := tableau[column]
			tableau[column] = estimate
			if column == row || previous == 0 && estimate == 0 {
				if previous == 0 && estimate == 0 && row > 1 {
					return 0, 0
				}
				break
			}
			power *= shrink * shrink
			better := (estimate*power - previous) / (power - 1)
			if e := math.Max(math.Abs(better-estimate), math.Abs(better-previous)); e <= err {
				value, err = better, e
			}
			estimate = better
		}
		h /= shrink
	}
	if math.IsInf(err, 1) {
		return math.NaN(), 0
	}
	return value, err
}

func differenceQuotient(f func(x []float64) float64, at []float64, support, places []int, h float64) float64 {
	if len(places) == 0 {
		return f(at)
	}
	same := 1
	for same < len(places) && places[same] == places[0] {
		same++
	}
	i := support[places[0]]
	center, sum := at[i], 0.0
	for _, s := range stencils[same] {
		at[i] = center + s.shift*h
		sum += s.weight * differenceQuotient(f, at, support, places[same:], h)
	}
	at[i] = center
	return sum / math.Pow(h, float64(same))
}
