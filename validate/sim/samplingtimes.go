package sim

import "math"

// inverseSteps of the iteration for the slowest mode: the quotient has settled to
// a percent or so, where the modes are dense (small N(1-λ)) too.
const inverseSteps = 24

// times are the integral of the autocorrelation function of X over t >= 0 and the
// relaxation time, of the averaged chain. With u = X - E[X], G its generator and
// Gf = -u, the former is E[u f]/E[u²]; the same quotient tends to the latter when f
// takes the place of u again and again.
func (l *samplingLaw) times() (autocorrelation, relaxation float64) {
	u, f := make([]float64, len(l.state)), make([]float64, len(l.state))
	for k := range u {
		u[k] = l.middle(k) - l.mean
	}
	for step := range inverseSteps {
		l.solvePoisson(u, f)
		product, square := 0.0, 0.0
		for k, p := range l.state {
			product += p * u[k] * f[k]
			square += p * u[k] * u[k]
		}
		relaxation = product / square
		if step == 0 {
			autocorrelation = relaxation
		}
		for k := range u {
			u[k] = f[k] / relaxation
		}
	}
	return autocorrelation, relaxation
}

// solvePoisson writes the f of mean 0 with Gf = -u, for a u of mean 0 that rises:
//
//	π(x) V/2 (f(x+1) - f(x)) = Σ_{y>x} π(y) u(y) = -Σ_{y<=x} π(y) u(y),
//
// from the side on which nothing cancels.
func (l *samplingLaw) solvePoisson(u, f []float64) {
	sum, last := 0.0, len(u)-1
	for k := 0; k < last && u[k] < 0; k++ {
		sum -= l.stride * l.state[k] * u[k]
		f[k+1] = sum
	}
	sum = 0
	for k := last; k > 0 && u[k] >= 0; k-- {
		sum += l.stride * l.state[k] * u[k]
		f[k] = sum
	}
	f[0] = 0
	mean := 0.0
	for k := 1; k <= last; k++ {
		f[k] = f[k-1] + l.stride*f[k]/(l.halfRate*math.Sqrt(l.state[k]*l.state[k-1]))
		mean += l.stride * l.state[k] * f[k]
	}
	for k := range f {
		f[k] -= mean
	}
}
