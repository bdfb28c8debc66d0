package diffusion

import "math"

// CDF is P(U_t <= u) at the k-th time, linear within cells.
func (r *Transient) CDF(k int, u float64) float64 {
	if r.Times[k] == 0 {
		if u < r.Start {
			return 0
		}
		return 1
	}
	sum := 0.0
	for i, m := range r.mass[k] {
		if u < r.grid.face[i+1] {
			if u > r.grid.face[i] {
				sum += m * (u - r.grid.face[i]) / (r.grid.face[i+1] - r.grid.face[i])
			}
			break
		}
		sum += m
	}
	return sum
}

// Quantile is the u with P(U_t <= u) = p at the k-th time, 0 < p < 1, linear
// within cells.
func (r *Transient) Quantile(k int, p float64) float64 {
	if !(p > 0 && p < 1) {
		panic("diffusion: quantile of a number outside (0, 1)")
	}
	if r.Times[k] == 0 {
		return r.Start
	}
	sum := 0.0
	for i, m := range r.mass[k] {
		if sum+m >= p {
			return r.grid.face[i] + (p-sum)/m*(r.grid.face[i+1]-r.grid.face[i])
		}
		sum += m
	}
	return r.grid.face[len(r.grid.face)-1]
}

// Density returns the places of the cells and the density there at the k-th
// time.
func (r *Transient) Density(k int) (u, density []float64) {
	u, density = make([]float64, r.Cells), make([]float64, r.Cells)
	for i, m := range r.mass[k] {
		u[i], density[i] = r.grid.centre[i], m/(r.grid.face[i+1]-r.grid.face[i])
	}
	return u, density
}

// Distance is the total variation distance of the law at the k-th time from
// the stationary one, on the cells.
func (r *Transient) Distance(k int) float64 {
	sum, inside := 0.0, 0.0
	for i, m := range r.mass[k] {
		sum += math.Abs(m - r.grid.mass[i])
		inside += r.grid.mass[i]
	}
	return (sum + math.Abs(1-inside)) / 2
}
