package ode

import "math"

// firstStep proposes the size of the first step of a method whose error
// estimate has the given order: such that an explicit Euler step changes the
// solution by one per cent, and such that the estimated next derivative
// contributes one per cent of the tolerance (Hairer, Nørsett & Wanner 1993,
// §II.4). It costs one evaluation of F. scratch are two vectors to overwrite.
func (c *course) firstStep(order int, scratch [2][]float64) float64 {
	if c.settings.FixedStep > 0 {
		return c.settings.FixedStep
	}
	if c.settings.FirstStep > 0 {
		return c.settings.FirstStep
	}
	interval := min(math.Abs(c.end-c.t), c.settings.MaxStep)
	state, slope := c.tolerance.norm(c.y, c.y), c.tolerance.norm(c.slope, c.y)
	h := 1e-6
	if state >= 1e-5 && slope >= 1e-5 {
		h = 0.01 * state / slope
	}
	h = max(min(h, interval), 4*ulp(c.t))
	curvature := c.curvature(h, scratch)
	largest := max(slope, curvature)
	next := max(1e-6, h*1e-3)
	if largest > 1e-15 {
		next = math.Pow(0.01/largest, 1/float64(order))
	}
	return max(min(100*h, next, interval), 4*ulp(c.t))
}

// curvature estimates the weighted norm of the second derivative from an Euler step of size h.
func (c *course) curvature(h float64, scratch [2][]float64) float64 {
	ahead, change := scratch[0], scratch[1]
	for i := range ahead {
		ahead[i] = c.y[i] + c.direction*h*c.slope[i]
	}
	c.evaluate(c.t+c.direction*h, ahead, change)
	for i := range change {
		change[i] -= c.slope[i]
	}
	norm := c.tolerance.norm(change, c.y) / h
	if !isFinite(norm) {
		return 0.01 / math.Pow(h, 5) // F does not exist that far: stay nearer
	}
	return norm
}
