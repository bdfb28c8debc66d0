package meanfield

import (
	"fmt"

	"qlimit/ctmc"
	"qlimit/meanfield/ode"
)

// Regime says which rule of a policy with priority levels is at work: the
// levels 0..Sliding-1 are empty and slide (each absorbs exactly its inflow),
// and Receiver takes the arrivals they leave, a priority level or
// ctmc.FallbackReceiver.
type Regime struct {
	Sliding  int `json:"sliding"`  // number of empty levels that absorb their inflow
	Receiver int `json:"receiver"` // level that takes the rest, or ctmc.FallbackReceiver
}

// String puts the regime in words.
func (r Regime) String() string {
	taker := fmt.Sprintf("level %d takes the arrivals", r.Receiver)
	if r.Receiver == ctmc.FallbackReceiver {
		taker = "the fallback takes the arrivals"
	}
	switch r.Sliding {
	case 0:
		return taker
	case 1:
		return "level 0 slides, " + taker
	}
	return fmt.Sprintf("levels 0-%d slide, %s", r.Sliding-1, taker)
}

// RegimeChange is a time at which the fluid passes from one regime to another.
type RegimeChange struct {
	Time float64 `json:"time"` // in the unit of the service law
	From Regime  `json:"from"` // the regime before
	To   Regime  `json:"to"`   // the regime after
}

// regimeAt is the regime in which the fluid goes on from q, and whether its
// receiver is an empty level about to fill. It takes the largest k such that
// the levels 0..k-1 are empty and none of them receives more than the
// arrivals that reach it. An empty level below another empty one receives
// nothing, so the arrivals that reach each of them are all of λ.
//
// filling, if not negative, is an empty level known to fill: at the end of its
// sliding its inflow equals the arrivals, up to rounding.
func (f *follower) regimeAt(q State, filling int) (regime Regime, nascent bool) {
	for level := 0; level < f.sys.Policy.Depth && level <= f.shape.Levels; level++ {
		if f.shape.Mass(q, level) != 0 {
			return Regime{level, level}, false
		}
		if level == filling || f.departures(q, level+1) > f.load+f.slack() {
			return Regime{level, level}, true
		}
	}
	return Regime{f.sys.Policy.Depth, ctmc.FallbackReceiver}, false
}

// slack is the size of rounding and integration errors in the difference of
// the arrivals and the inflow of a sliding level. A level that slides against
// a smaller excess is found out by its flow (see flow.leftRegime).
func (f *follower) slack() float64 {
	return regimeSlack * (f.load + max(f.law.leave, f.law.mu2))
}

// departures is the rate (1-p)μ1 q_{i,1} + μ2 q_{i,2} of completions at level
// i.
func (f *follower) departures(q State, level int) float64 {
	if level == 0 || level > f.shape.Levels {
		return 0
	}
	first := f.shape.Class(level, 1)
	rate := f.law.leave * q[first]
	if f.shape.Phases == 2 {
		rate += f.law.mu2 * q[first+1]
	}
	return rate
}

// flow is the fluid within one regime, in coordinates in which its right-hand
// side is smooth. The last coordinate is the number of jobs lost per server
// (at the buffer, or where an unlimited buffer is cut).
type flow interface {
	problem() ode.Problem
	// enter writes the coordinates of the class fractions q.
	enter(q State, y []float64)
	// leave writes the class fractions of the coordinates; classes of empty
	// levels are set to 0.
	leave(y []float64, q State)
	// endings are the events that end the regime.
	endings() []ending
	// leftRegime names the ending whose condition is violated at y beyond
	// rounding, if any: a condition that was zero, up to rounding, where the
	// flow began has no sign whose change would be an event.
	leftRegime(y []float64) (endingKind, bool)
	// cut reports whether the flow loses jobs at a level below the buffer.
	cut() bool
	// conservesMass reports whether Σ q is a conserved quantity of the
	// coordinates, rather than 1 by construction.
	conservesMass() bool
}

// ending is a way in which a regime ends.
type ending struct {
	kind endingKind
	g    func(t float64, y []float64) float64 // falls to 0 at the end
}

type endingKind int

const (
	receiverEmpties endingKind = iota // the receiving level has run empty
	slidingEnds                       // the highest sliding level gets more than arrives, and fills
	receiverGrows                     // a small level has grown so that its phase mix must be followed
	receiverFades                     // the receiving level is so small that its mix no longer matters
)

// Scales of the regimes.
const (
	// regimeSlack is relative to the rates.
	regimeSlack = 1e-13
	// grownMass is the mass up to which the phase mix of a filling level is
	// taken as quasi-steady; the error of the fractions is its square.
	grownMass = 1e-6
	// fadedMass is the mass at which the phase mix of an emptying level is
	// frozen.
	fadedMass = 1e-12
	// vanishingMass bounds the relaxation rate of the mix of still smaller levels.
	vanishingMass = 1e-14
)
