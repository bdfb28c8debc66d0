package ode

// estimate returns the error of the attempted step in units of the internal
// tolerance, the larger of two. With p the collocation polynomial extended by the state at the
// start, a cubic, the first is the norm of
//
//	(g/h·I − J)⁻¹ (F(t, y) − p'(0)),
//
// the difference to an embedded formula of order 3, filtered so that it stays
// bounded for stiff components (Hairer & Wanner 1996, §IV.8). The vector is
// left in errors: it also refines the dense output. The second is in
// withCurvature.
func (r *radau) estimate(h float64) float64 {
	z := &r.newton.z
	for i := range r.errors {
		r.filtered[i] = -(slopeWeight1*z[0][i] + slopeWeight2*z[1][i] + slopeWeight3*z[2][i]) / h
		r.errors[i] = r.slope[i] + r.filtered[i]
	}
	r.newton.real.solve(r.errors)
	e := r.internal.norm(r.errors, r.y)
	if e < 1 || r.firstStepTaken && !r.retrying {
		return r.withCurvature(h, e)
	}
	// A second filter, because the estimate does not vanish for infinite
	// stiffness and would shorten first steps off the slow manifold for nothing.
	for i := range r.errors {
		r.trial[i] = r.y[i] + r.errors[i]
	}
	r.evaluate(r.t, r.trial, r.errors)
	for i := range r.errors {
		r.errors[i] += r.filtered[i]
	}
	r.newton.real.solve(r.errors)
	return r.withCurvature(h, r.internal.norm(r.errors, r.y))
}

// curvatureWeight is the weight of D in the error of a step: about that which
// the estimate, −4D/(10g), gives it where nothing is stiff.
const curvatureWeight = 0.1

// withCurvature adds to an estimate e the control of the dense output. In the
// limit of infinite stiffness the estimate vanishes however far apart the
// points on the slow manifold are: without this the ends of the steps would be
// exact and everything between them wrong.
func (r *radau) withCurvature(h, e float64) float64 {
	r.measureCurvature(h)
	if r.dense.degree == 0 {
		return e
	}
	return max(e, curvatureWeight*r.internal.norm(r.curvature, r.y))
}

// measureCurvature stores D = h⁴y⁗/24 in curvature. It is the coefficient
// that makes the dense output (see extend) pass through the state one step
// back; after a fresh start, the estimate itself has to stand in.
func (r *radau) measureCurvature(h float64) {
	if r.dense.degree == 0 {
		for i, e := range r.errors {
			r.curvature[i] = -2.5 * radauReal * e
		}
		return
	}
	z := &r.newton.z
	back := r.dense.step / h // the state one step back is at θ = -back
	q := back * (1 + back) * (0.1 + back*(0.8+back))
	s := back * (1 + back) * (0.075 + 0.15*back)
	for i, y := range r.y {
		a, b := cubicThrough(z[0][i], z[1][i], z[2][i])
		cubic := -back * (z[2][i] + (1+back)*(a-back*b))
		stage := -10 * radauReal * r.errors[i]
		r.curvature[i] = (r.previous[i] - y - cubic - stage*s) / q
	}
}

// cubicThrough returns a and b such that θ(z3 + (1−θ)(a + θ·b)) takes the
// values z1, z2, z3 at the nodes.
func cubicThrough(z1, z2, z3 float64) (a, b float64) {
	c1, c2 := radauNode1, radauNode2
	at1 := (z1 - c1*z3) / (c1 * (1 - c1))
	at2 := (z2 - c2*z3) / (c2 * (1 - c2))
	b = (at2 - at1) / (c2 - c1)
	return at1 - c1*b, b
}

// extend forms the dense output of the accepted step: the cubic through the
// start and the stages and two terms that make its error O(h⁵) at no cost.
//
// The first is the error of interpolating exact values, D·q(θ) with
// q(θ) = θ(θ−c1)(θ−c2)(θ−1). The second accounts for the errors of the stages.
// The collocation polynomial differs from the solution by 4D·M(θ) + O(h⁵), M
// being the integral of (θ−c1)(θ−c2)(θ−1); the stages carry 4D·(M−q/4), a cubic.
// In stiff components, whose stages are exact, this part must fade: it is taken
// from the filtered error estimate, −4D/(10g) + O(h⁵).
func (r *radau) extend() {
	d := &r.dense
	d.degree = 4
	z := &r.newton.z
	for i, start := range r.previous {
		a, b := cubicThrough(z[0][i], z[1][i], z[2][i])
		stage := -10 * radauReal * r.errors[i]
		curvature := r.curvature[i]
		d.coefficients[0][i] = start
		d.coefficients[1][i] = z[2][i]
		d.coefficients[2][i] = a - 0.1*curvature - 0.075*stage
		d.coefficients[3][i] = b - 0.2*curvature + 0.15*stage
		d.coefficients[4][i] = curvature
	}
}

// completeDense has nothing to do: acceptStep formed the dense output.
func (r *radau) completeDense() {}
