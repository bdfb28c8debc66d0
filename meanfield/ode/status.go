package ode

// Status says how a step or an integration ended.
type Status int

const (
	// Running: the step was accepted and the end is not reached.
	Running Status = iota
	// Done: the end of the interval was reached.
	Done
	// EventReached: a terminal event stopped the integration at its root.
	EventReached
	// Steady: the slope fell below the tolerances of Settings.SteadyState.
	Steady
	// Cancelled: the context of Integrate was cancelled.
	Cancelled
	// MaxSteps: Settings.MaxSteps attempts were made before the end.
	MaxSteps
	// MaxWork: Settings.MaxWork was spent before the end.
	MaxWork
	// StepTooSmall: the tolerances asked for a step below Settings.MinStep or
	// below the spacing of floating-point numbers at this time. Typical causes
	// are a singularity, a jump of F that no event locates, and tolerances
	// finer than the rounding errors of F.
	StepTooSmall
	// Stalled: the step collapsed and the end is out of reach at the present
	// rate, or the slope stopped falling towards the steady-state tolerance
	// (see Settings.StallWindow).
	Stalled
	// NotFinite: F was not finite at the start, or near the last state no step
	// was short enough to avoid NaN or Inf.
	NotFinite
	// NotConverged: with a fixed step, the nonlinear equations of an implicit
	// method could not be solved.
	NotConverged
)

var statusNames = [...]string{
	Running:      "running",
	Done:         "done",
	EventReached: "terminal event reached",
	Steady:       "steady state reached",
	Cancelled:    "cancelled",
	MaxSteps:     "step limit reached",
	MaxWork:      "work limit reached",
	StepTooSmall: "step too small",
	Stalled:      "stalled",
	NotFinite:    "no finite slope",
	NotConverged: "nonlinear equations not solved",
}

// String returns a short description of the status.
func (s Status) String() string {
	if s < 0 || int(s) >= len(statusNames) {
		return "unknown status"
	}
	return statusNames[s]
}

// OK reports whether the integration ended as intended: at the end of the
// interval, at a terminal event or in a steady state.
func (s Status) OK() bool {
	return s == Done || s == EventReached || s == Steady
}
