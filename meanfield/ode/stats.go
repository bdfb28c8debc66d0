package ode

// Stats counts the work of an integration.
type Stats struct {
	Accepted int // steps that became part of the solution
	Rejected int // attempts given up: too inaccurate, not finite, or Newton failed

	// Work is about in proportion to the time taken: the number of attempted
	// steps times the number of components plus stepWork, and the operations of
	// LU decompositions in units of operationsPerWork.
	Work int64

	Evaluations           int // calls of F, those for Jacobians by differences excluded
	DifferenceEvaluations int // calls of F for Jacobians by differences
	Jacobians             int // Jacobians formed, by the user's function or by differences
	Factorizations        int // LU decompositions; the real and the complex one count 2
	NewtonIterations      int // simplified Newton iterations
	NewtonFailures        int // attempts given up because Newton did not converge

	EventEvaluations int // calls of Event.G
	Restarts         int // fresh starts after the first: jumps, terminal events, Restart

	// StabilityLimited counts the accepted steps of an explicit method whose
	// size was held down by stability rather than accuracy. When it is a large
	// part of Accepted the problem is stiff for this method. The reverse does not
	// hold: at tight tolerances the error of the fast components themselves keeps
	// the steps just below the limit, where they do not count. On y' = -1000(y -
	// cos t) Tsitouras5 counts 565 of 572 steps at tolerance 1e-4, 2 of 1042 at
	// 1e-8. Thousands of steps along a smooth solution are a sign as well.
	StabilityLimited int

	// LastStep and SmallestStep are sizes of accepted steps, except steps cut
	// short to land on the end.
	LastStep, SmallestStep float64
}
