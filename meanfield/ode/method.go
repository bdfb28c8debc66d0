package ode

// Method selects an integration method.
type Method int

const (
	// Tsitouras5 is the explicit Runge–Kutta pair 5(4) of Tsitouras (2011),
	// for non-stiff problems. Six evaluations of F a step; its continuous
	// extension of order 5 costs two more in the steps that need it.
	Tsitouras5 Method = iota
	// DormandPrince5 is the explicit Runge–Kutta pair 5(4) of Dormand & Prince
	// (1980), of the same cost and order as Tsitouras5.
	DormandPrince5
	// RadauIIA5 is the three-stage Radau IIA collocation method of order 5
	// (Hairer & Wanner 1996, §IV.8), L-stable, for stiff problems.
	RadauIIA5
)

var methodNames = [...]string{
	Tsitouras5:     "Tsitouras 5(4)",
	DormandPrince5: "Dormand-Prince 5(4)",
	RadauIIA5:      "Radau IIA 5",
}

// String returns the name of the method.
func (m Method) String() string {
	if m < 0 || int(m) >= len(methodNames) {
		return "unknown method"
	}
	return methodNames[m]
}

// stepper is a method at work on a course.
type stepper interface {
	// restart forgets all steps taken: the next one starts at the course's
	// time and state, whose slope is up to date.
	restart()
	// advance takes one accepted step and leaves the course at its end.
	advance() Status
	// completeDense finishes the dense output of the last accepted step.
	completeDense()
}

func newStepper(c *course) stepper {
	switch c.settings.Method {
	case DormandPrince5:
		return newExplicitPair(c, &dormandPrince)
	case RadauIIA5:
		return newRadau(c)
	default:
		return newExplicitPair(c, &tsitouras)
	}
}
