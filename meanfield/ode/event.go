package ode

import "fmt"

// Direction says which way G passes through zero in the direction of
// integration (time runs backwards in a backward integration).
type Direction int

const (
	Either  Direction = 0  // both ways
	Rising  Direction = 1  // from negative to positive
	Falling Direction = -1 // from positive to negative
)

// String returns the name of the direction.
func (d Direction) String() string {
	switch d {
	case Rising:
		return "rising"
	case Falling:
		return "falling"
	}
	return "either"
}

// Event is a condition G(t, y) = 0 to be located on the dense output.
//
// Inside every step G is sampled at the ends of Settings.EventSamples equal
// parts and close to both ends of the step. A change of sign between two
// samples brackets a root; where |G| has a minimum among the samples without a
// change of sign, the minimum is searched: if G changes sign there, two roots
// are found, and if it only touches zero (see Tolerance), one that Hit.Touch
// marks. A root is refined to the last place of the time, from the far side:
// the state reported is the first one at or past the root, but for a touch,
// whose time is known to about 1e-8 of the step only. Missed are pairs of
// roots that leave no trace in the samples: raise EventSamples or bound
// MaxStep if G oscillates within a step.
//
// A root at the very start is not an event, nor is the root at which an
// integration stopped found again when it goes on from there: such an event is
// armed only once |G| has grown beyond the rounding errors of its root (or
// beyond Tolerance), and then looks for the next root.
type Event struct {
	// G is the function whose roots are the events. It must not change y.
	G func(t float64, y []float64) float64

	// Direction restricts the roots. A touch from below counts as Rising, from
	// above as Falling.
	Direction Direction

	// Terminal stops the integration with EventReached.
	Terminal bool

	// Jump, if not nil, is called at every root, after it was recorded: it may
	// change y, and the integration starts afresh from there.
	Jump func(t float64, y []float64)

	// Tolerance is the size of G below which it counts as zero: an extremum
	// within is a touch. Zero means rounding errors only (sixteen units of the
	// largest |G| over the step).
	Tolerance float64
}

func (e *Event) stops() bool { return e.Terminal || e.Jump != nil }

func checkEvents(events []Event) error {
	for i, e := range events {
		if e.G == nil {
			return fmt.Errorf("ode: Settings.Events[%d].G is nil", i)
		}
		if e.Direction < Falling || e.Direction > Rising {
			return fmt.Errorf("ode: Settings.Events[%d].Direction = %d, must be Either, Rising or Falling", i, e.Direction)
		}
		if !(e.Tolerance >= 0) || !isFinite(e.Tolerance) {
			return fmt.Errorf("ode: Settings.Events[%d].Tolerance = %v, must be finite and not negative", i, e.Tolerance)
		}
	}
	return nil
}

// Hit is a root of an event.
type Hit struct {
	Event     int       // index in Settings.Events
	Time      float64   // of the root
	State     []float64 // there, before any Jump
	Direction Direction // in which G passed or touched zero
	Touch     bool      // G touched zero without a change of sign
}
