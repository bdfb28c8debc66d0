package ode

import "math"

const (
	maxNewton = 7 // iterations before an attempt is given up
	// Newton converging at least this fast means a Jacobian worth keeping.
	keepJacobianRate = 1e-3
	// Steps may grow by this factor without a new factorisation.
	keepFactorsRatio = 1.2
)

// radau is the Radau IIA method at work, organised like the code RADAU5 of
// Hairer & Wanner (1996, §IV.8).
//
// With z_i = Y_i − y the stage equations read A⁻¹·z = h·F(y + z); in the modes
// w = T⁻¹·z they are solved by simplified Newton iterations with one real and
// one complex factorisation.
type radau struct {
	*course
	internal tolerance // see internalRelTol
	control  predictive
	newton   newton
	jacobian *jacobian

	errors, trial, filtered []float64
	curvature               []float64 // h⁴y⁗/24 over the attempted step
	firstStepTaken          bool
	retrying                bool
}

// internalRelTol is the relative tolerance for the error estimate, which has
// order 4 in h while the dense output has local order 5 and the solution at the
// ends of steps has local order 6. Measured against tol^(4/5), the estimate
// makes the error of the dense output proportional to tol. (RADAU5, which
// aims at the ends only, takes tol^(2/3).)
func internalRelTol(relTol float64) float64 {
	return 0.1 * math.Pow(relTol, 0.8)
}

func newRadau(c *course) *radau {
	n := c.problem.Dim
	vectors := make([]float64, 4*n)
	r := &radau{
		course:   c,
		internal: c.tolerance.loosened(internalRelTol(c.tolerance.relative)),
		control:  predictive{Controller: c.settings.Controller},
		errors:   vectors[:n:n], trial: vectors[n : 2*n : 2*n], filtered: vectors[2*n : 3*n : 3*n],
		curvature: vectors[3*n:],
	}
	r.jacobian = newJacobian(c)
	r.newton = newNewton(c, r.jacobian.matrix, &r.internal)
	return r
}

func (r *radau) restart() {
	r.control.restart()
	r.newton.restart()
	r.jacobian.age = staleJacobian
	r.firstStepTaken, r.retrying = false, false
	r.dense.degree = 0
	r.proposed = r.firstStep(4, [2][]float64{r.errors, r.trial})
}

func (r *radau) advance() Status {
	for {
		h, status := r.nextStep()
		if status != Running {
			return status
		}
		outcome := r.solveStages(h)
		if outcome == converged && r.judge(h) {
			return Running
		}
		if outcome != converged && r.giveUp(h, outcome) {
			return NotConverged
		}
	}
}

// solveStages brings Jacobian and factors up to date and solves the stage
// equations of a step of size h.
func (r *radau) solveStages(h float64) newtonOutcome {
	if r.jacobian.age == staleJacobian {
		r.jacobian.form(h)
		r.newton.factored = 0
	}
	if !r.newton.factorFor(h) {
		r.newton.retryFactor = 0.5
		if !r.jacobian.finite() {
			return notFinite
		}
		return diverged
	}
	r.predictStages(h)
	return r.newton.iterate(h)
}

// giveUp abandons an attempt whose stages could not be solved and reports
// whether that is the end: with a fixed step a fresh Jacobian is the last
// resort.
func (r *radau) giveUp(h float64, outcome newtonOutcome) bool {
	r.stats.NewtonFailures++
	size := math.Abs(h) * r.newton.retryFactor
	if r.settings.FixedStep > 0 {
		if r.jacobian.age == freshJacobian {
			return true
		}
		size = r.settings.FixedStep
	}
	r.reject(size, outcome == notFinite)
	r.afterFailure()
	return false
}

// afterFailure makes the next attempt use a Jacobian of the present state.
func (r *radau) afterFailure() {
	r.retrying = true
	if r.jacobian.age != freshJacobian {
		r.jacobian.age = staleJacobian
	}
}

// predictStages starts Newton's method from the dense output of the last step,
// continued beyond its end.
func (r *radau) predictStages(h float64) {
	if r.dense.degree == 0 {
		r.newton.startFromZero()
		return
	}
	ratio := h / r.dense.step
	for i, c := range [3]float64{radauNode1, radauNode2, 1} {
		z := r.newton.z[i]
		r.dense.at(1+c*ratio, z)
		for j, y := range r.y {
			z[j] -= y
		}
	}
	r.newton.toModes()
}

// judge estimates the error of the attempted step, accepts or rejects it, and
// reports which.
func (r *radau) judge(h float64) bool {
	e := max(r.estimate(h), 1e-10)
	fixed := r.settings.FixedStep > 0
	if !isFinite(e) && !fixed {
		r.reject(0.2*math.Abs(h), true)
		r.afterFailure()
		return false
	}
	effort := min(1, (1+2*maxNewton)/float64(r.newton.iterations+2*maxNewton))
	if e >= 1 && !fixed {
		factor := r.control.factor(math.Abs(h), e, effort)
		if !r.firstStepTaken {
			factor = min(factor, 0.1)
		}
		r.reject(math.Abs(h)*factor, false)
		r.afterFailure()
		return false
	}
	r.acceptStep(h, r.nextSize(h, e, effort))
	return true
}

// nextSize proposes the size of the next step and decides whether Jacobian and
// factors are good enough to be kept for it.
func (r *radau) nextSize(h, e, effort float64) float64 {
	size := math.Abs(h)
	if r.settings.FixedStep > 0 {
		r.jacobian.age = r.ageAfterStep()
		return r.settings.FixedStep
	}
	factor := r.control.accepted(size, e, effort)
	if r.retrying {
		factor = min(factor, 1)
	}
	r.jacobian.age = r.ageAfterStep()
	if r.jacobian.age == usedJacobian && factor >= 1 && factor <= keepFactorsRatio {
		return size
	}
	return size * factor
}

func (r *radau) ageAfterStep() jacobianAge {
	if r.newton.rate <= keepJacobianRate {
		return usedJacobian
	}
	return staleJacobian
}

func (r *radau) acceptStep(h, proposed float64) {
	for i, z := range r.newton.z[2] {
		r.trial[i] = r.y[i] + z
	}
	r.accept(h, r.trial, proposed)
	r.extend()
	r.firstStepTaken, r.retrying = true, false
	r.evaluate(r.t, r.y, r.slope)
}
