package meanfield

import (
	"math"

	"qlimit/meanfield/ode"
)

// slavedFlow is a receiverFlow whose level k >= 1 is so small that its phase
// mix φ need not be followed: it is a given function of the other coordinates,
// and what is left of the equations is not stiff.
type slavedFlow struct {
	*receiverFlow // with u as the only coordinate of level k
	mix           func(y []float64) float64
	large         float64 // u at which the mix has to be followed again
}

// newNascentFlow is the flow of a level that has just begun to fill. Below
// grownMass the mix is quasi-steady. Its equation
//
//	dφ = pμ1 (1-φ) - μ2 φ - φ r_{k+1}/u
//
// has the slow solution φ = β u + O(u²),
//
//	β = pμ1 / (r_{k+1} + du/dt + (pμ1 + μ2) u),
//
// which every other solution joins at the rate r_{k+1}/u.
func newNascentFlow(f *follower, level int) *slavedFlow {
	r := newReceiverFlow(f, level)
	r.head = 1
	mix := func(y []float64) float64 {
		l, u := r.law, y[0]
		inflow := r.completions(y, r.head)
		rate := inflow + (inflow - r.load + l.leave*u) + (l.proceed+l.mu2)*u
		// At the end of sliding inflow = λ, so that rate = λ; the bound only
		// guards trial points off the path.
		return l.proceed * u / math.Max(rate, r.load/4)
	}
	// The completions at level k stay far below the arrivals.
	return &slavedFlow{r, mix, grownMass * math.Min(1, r.load/math.Max(r.law.leave, r.law.mu2))}
}

// newFadingFlow is the flow of a level that empties and holds less than
// fadedMass, with the mix as it is now: an error of at most that mass in the
// phases of level k+1.
func newFadingFlow(f *follower, level int) *slavedFlow {
	r := newReceiverFlow(f, level)
	r.head = 1
	phi := f.q[r.Class(level, 2)] / r.Mass(f.q, level)
	return &slavedFlow{r, func([]float64) float64 { return phi }, 2 * fadedMassAt(f.time, f.load)}
}

func (s *slavedFlow) problem() ode.Problem {
	width := min(3, s.dim()-1)
	return ode.Problem{Dim: s.dim(), F: s.slope, Structure: ode.Banded(width, width)}
}

func (s *slavedFlow) leave(y []float64, q State) { s.split(y, s.mix(y)*y[0], q) }

func (s *slavedFlow) slope(_ float64, y, slope []float64) {
	phi := s.mix(y)
	second := phi * y[0]
	passing := s.load - s.law.leave*(y[0]-second) - s.law.mu2*second
	slope[len(y)-1] = 0
	slope[0] = s.completions(y, s.head) - passing
	s.above(y, slope, passing*(1-phi), passing*phi)
}

func (s *slavedFlow) endings() []ending {
	return []ending{
		{receiverEmpties, func(_ float64, y []float64) float64 { return y[0] }},
		{receiverGrows, func(_ float64, y []float64) float64 { return s.large - y[0] }},
	}
}

func (s *slavedFlow) leftRegime(y []float64) (endingKind, bool) {
	return receiverEmpties, y[0] < -vanishingMass
}

// fadedMass is the mass below which the mix of a level that empties is frozen.
// The last of it leaves within a few units in the last place of the time, or
// about 1e-12 mean service times if that is longer.
func fadedMassAt(time, load float64) float64 {
	return math.Max(fadedMass, 64*0x1p-52*time*load)
}

// fades reports whether the receiving level is one for newFadingFlow.
func (f *follower) fades(level int) bool {
	mass := f.shape.Mass(f.q, level)
	growth := f.departures(f.q, level+1) + f.departures(f.q, level) - f.load
	return mass > 0 && mass <= fadedMassAt(f.time, f.load) && growth < 0
}
