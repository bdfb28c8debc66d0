package diffusion

import (
	"math"

	"qlimit/coxian"
)

// fastLevels is the fast equilibrium of a discipline that finds servers with
// one job before others, JSQ say: no server idle, u jobs per server waiting,
// y = 1 - u servers with one job and u with two (u < 1). On the fast time
// scale the phases of the jobs in service settle, and servers become idle at
// the rate r0 per server, equal to (1-p)μ1 y_{1,1} + μ2 y_{1,2}.
//
// The balance pμ1 y_{1,1} = y_{1,2}(μ2 + (1 - r0)/y) of the second phase at
// level one is a quadratic equation in y_{1,2}. For a law of mean 1 it becomes,
// with T = μ1 + μ2, M = μ1 μ2 and δ = 1 - r0,
//
//	δ² + (T y - 1) δ = M u y,
//
// whose positive root is found without cancellation. Exponential service:
// δ = u.
type fastLevels struct {
	sum, product float64 // T, M
	excess       float64 // (μ1-1)(μ2-1) = M - T + 1
}

func newFastLevels(service coxian.Dist) fastLevels {
	if service.Phases() == 1 {
		return fastLevels{sum: 2, product: 1}
	}
	d := service.Normalized()
	// At mean 1, μ1 - 1 = pμ1/μ2 exactly.
	return fastLevels{sum: d.Mu1 + d.Mu2, product: d.Mu1 * d.Mu2, excess: d.P * d.Mu1 / d.Mu2 * (d.Mu2 - 1)}
}

// root is sqrt((T y - 1)² + 4 M u y).
func (f fastLevels) root(u float64) (linear, root float64) {
	y := 1 - u
	linear = f.sum*y - 1
	return linear, math.Sqrt(linear*linear + 4*f.product*u*y)
}

// busyAfter is δ = 1 - r0, the rate of arrivals per server that meet no idle
// server.
func (f fastLevels) busyAfter(u float64) float64 {
	if u >= 1 {
		return 1
	}
	linear, root := f.root(u)
	if linear > 0 {
		return 2 * f.product * u * (1 - u) / (linear + root)
	}
	return (root - linear) / 2
}

// idleCreation is r0, without cancellation where it is small: the root of
// r0² - (1 + T y) r0 + y (T - M u) = 0.
func (f fastLevels) idleCreation(u float64) float64 {
	if u >= 1 {
		return 0
	}
	y := 1 - u
	_, root := f.root(u)
	// T - M u = (T - M) + M y with T - M = (1-p)μ1 >= 0.
	return 2 * y * (f.sum - f.product*u) / (1 + f.sum*y + root)
}

// idleBeyondRepulsion is r0/(1 - r0) - c/u, c = (T-1)/M = σ²/2, which is
// smooth at 0: with D = 1 + (T-2)y it equals 2(M-T+1)/(M (S + D)) - 1, S the
// root above.
func (f fastLevels) idleBeyondRepulsion(u float64) float64 {
	_, root := f.root(u)
	return 2*f.excess/(f.product*(root+1+(f.sum-2)*(1-u))) - 1
}
