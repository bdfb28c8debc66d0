package ode

import (
	"fmt"
	"math"
)

// Default values of Settings.
const (
	DefaultRelTol       = 1e-6
	DefaultAbsTol       = 1e-9
	DefaultMaxSteps     = 500_000
	DefaultStallWindow  = 5_000
	DefaultEventSamples = 4
)

// Settings controls an integration. The zero value is usable: Tsitouras 5(4),
// the default tolerances, automatic steps, no events.
type Settings struct {
	// Method is the integration method.
	Method Method

	// RelTol and AbsTol bound the local error of every component i of every
	// step by AbsTol + RelTol·|y_i|. Zero means the default. RelTol must be
	// in [1e-14, 0.5]; AbsTol must not be negative.
	RelTol, AbsTol float64

	// AbsTols, if not nil, holds one positive absolute tolerance for every
	// component and replaces AbsTol.
	AbsTols []float64

	// FirstStep is the size of the first step after every start; zero means
	// automatic (Hairer, Nørsett & Wanner 1993, §II.4).
	FirstStep float64

	// MaxStep bounds the step from above; zero means no bound.
	MaxStep float64

	// MinStep bounds the step from below; an integration that needs a smaller
	// one ends with StepTooSmall. Zero means a few units in the last place of
	// the time.
	MinStep float64

	// FixedStep, if positive, switches error control off and takes steps of
	// this size (the last one is shortened to reach the end).
	FixedStep float64

	// MaxSteps bounds the number of attempted steps since the start or the last
	// Restart; zero means the default.
	MaxSteps int

	// MaxWork bounds Stats.Work since the start or the last Restart; zero means
	// no bound.
	MaxWork int64

	// Progress, if not nil, is told by Integrate what part of the interval or of
	// MaxWork is behind, whichever is more.
	Progress func(share float64)

	// Controller tunes the choice of step sizes.
	Controller Controller

	// Events are located within every step on the dense output.
	Events []Event

	// EventSamples is the number of equal parts of a step at whose ends the
	// events are sampled; zero means the default. Roots closer together than
	// one part are found if |G| has one extremum between them (see Event).
	EventSamples int

	// SteadyState, if not nil, ends the integration when the slope is small.
	SteadyState *SteadyState

	// StallWindow is the number of attempts over which progress is watched;
	// zero means the default, a negative number switches the watch off. An
	// integration is Stalled if in four windows in a row the mean step was
	// below a thousandth of the largest step so far while the rest of the
	// interval would take more than 100·MaxSteps such steps; or if, with
	// SteadyState, the slope has not reached a new minimum (by one per cent)
	// in five windows of accepted steps.
	StallWindow int

	// Times are the times at which Integrate reports the state, taken from the
	// dense output; they do not influence the steps. They must lie in the
	// interval and be ordered in the direction of integration.
	Times []float64

	// EveryStep makes Integrate report the state after every accepted step
	// (and at the start) instead of at Times.
	EveryStep bool

	// KeepTrajectory makes Integrate keep the dense output of the whole
	// solution as Solution.Trajectory.
	KeepTrajectory bool
}

// SteadyState is the criterion |F_i(t, y)| <= AbsTol + RelTol·|y_i| for all i,
// tested after every accepted step. A small slope is no error bound: the
// distance to the equilibrium is about the slope divided by the slowest
// relaxation rate. At least one tolerance must be positive.
type SteadyState struct {
	RelTol, AbsTol float64
}

func (s *Settings) check(dim int) error {
	if s.Method < 0 || int(s.Method) >= len(methodNames) {
		return fmt.Errorf("ode: Settings.Method = %d, must be Tsitouras5, DormandPrince5 or RadauIIA5", s.Method)
	}
	if s.RelTol != 0 && !(s.RelTol >= 1e-14 && s.RelTol <= 0.5) {
		return fmt.Errorf("ode: Settings.RelTol = %v, must be in [1e-14, 0.5] (or 0 for the default %g)", s.RelTol, DefaultRelTol)
	}
	if s.AbsTols != nil && len(s.AbsTols) != dim {
		return fmt.Errorf("ode: Settings.AbsTols has length %d, must be Problem.Dim = %d", len(s.AbsTols), dim)
	}
	for i, a := range s.AbsTols {
		if !(a > 0) || math.IsInf(a, 0) {
			return fmt.Errorf("ode: Settings.AbsTols[%d] = %v, must be positive and finite", i, a)
		}
	}
	for _, field := range []struct {
		name  string
		value float64
	}{
		{"AbsTol", s.AbsTol}, {"FirstStep", s.FirstStep}, {"MaxStep", s.MaxStep},
		{"MinStep", s.MinStep}, {"FixedStep", s.FixedStep},
	} {
		if !(field.value >= 0) || math.IsInf(field.value, 0) {
			return fmt.Errorf("ode: Settings.%s = %v, must be finite and not negative", field.name, field.value)
		}
	}
	if s.MaxSteps < 0 {
		return fmt.Errorf("ode: Settings.MaxSteps = %d, must not be negative", s.MaxSteps)
	}
	if s.MaxWork < 0 {
		return fmt.Errorf("ode: Settings.MaxWork = %d, must not be negative", s.MaxWork)
	}
	if s.EventSamples < 0 || s.EventSamples > 1024 {
		return fmt.Errorf("ode: Settings.EventSamples = %d, must be in [0, 1024]", s.EventSamples)
	}
	if c := s.SteadyState; c != nil && !(c.RelTol >= 0 && c.AbsTol >= 0 && c.RelTol+c.AbsTol > 0) {
		return fmt.Errorf("ode: Settings.SteadyState = %+v, tolerances must not be negative nor both 0", *c)
	}
	if err := checkEvents(s.Events); err != nil {
		return err
	}
	return s.Controller.check()
}

// withDefaults returns the settings with zero values replaced.
func (s Settings) withDefaults(dim int) Settings {
	if s.RelTol == 0 {
		s.RelTol = DefaultRelTol
	}
	if s.AbsTol == 0 {
		s.AbsTol = DefaultAbsTol
	}
	absolute := make([]float64, dim)
	for i := range absolute {
		absolute[i] = s.AbsTol
	}
	copy(absolute, s.AbsTols)
	s.AbsTols = absolute
	if s.MaxStep == 0 {
		s.MaxStep = math.Inf(1)
	}
	if s.MaxSteps == 0 {
		s.MaxSteps = DefaultMaxSteps
	}
	if s.StallWindow == 0 {
		s.StallWindow = DefaultStallWindow
	}
	if s.EventSamples == 0 {
		s.EventSamples = DefaultEventSamples
	}
	s.Controller = s.Controller.withDefaults()
	return s
}
