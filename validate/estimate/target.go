package estimate

import (
	"fmt"
	"math"
)

// Growth of the run from one look at the interval to the next. Few looks keep
// the coverage of a sequential rule near nominal; a factor of two at most
// keeps an early, too pessimistic variance from wasting the budget.
const (
	smallestGrowth = 1.5
	largestGrowth  = 2
)

// Target is the precision a run shall reach: the half-width of the interval of
// the given level is at most
//
//	max(AbsolutePrecision, RelativePrecision · |value|),
//
// and the run is not too short to trust its width: every replication spans at
// least 30 correlation times and all of them together 500. (The shorter the
// run, the likelier a narrow interval is luck, and stopping picks the lucky.)
//
// A precision of 0 asks for nothing; if both are 0 the target is always met.
// Level 0 means DefaultLevel.
type Target struct {
	RelativePrecision float64 // half width over |value|; 0 asks for nothing
	AbsolutePrecision float64 // half width; 0 asks for nothing
	Level             float64 // of the interval; 0 means DefaultLevel
}

// Validate reports a precision that is negative or not finite and a level
// outside [0, 1).
func (t Target) Validate() error {
	switch {
	case !(t.RelativePrecision >= 0) || math.IsInf(t.RelativePrecision, 1):
		return fmt.Errorf("relative precision %v, must be finite and not negative", t.RelativePrecision)
	case !(t.AbsolutePrecision >= 0) || math.IsInf(t.AbsolutePrecision, 1):
		return fmt.Errorf("absolute precision %v, must be finite and not negative", t.AbsolutePrecision)
	case !(t.Level >= 0 && t.Level < 1):
		return fmt.Errorf("confidence level %v, must be in [0, 1) (0 for %v)", t.Level, DefaultLevel)
	}
	return nil
}

// Satisfied tells whether the estimate meets the target. An undefined
// estimate meets none but the empty target; one without variation meets an
// absolute precision only, because nothing is known about its relative error.
func (t Target) Satisfied(e Estimate) bool {
	if t.RelativePrecision == 0 && t.AbsolutePrecision == 0 {
		return true
	}
	switch e.Status {
	case Undefined:
		return false
	case Constant:
		return t.AbsolutePrecision > 0
	}
	return e.longEnough() && t.halfWidth(e) <= t.allowed(e)
}

// NextCells is how many more cells of the current duration each replication
// should run after current ones: 0 if the target is met, else the number that
// the square-root law suggests with a tenth to spare, kept between 0.5 and 1
// times current (and at least 1). It depends on its arguments alone.
func (t Target) NextCells(current int, e Estimate) int {
	if t.Satisfied(e) {
		return 0
	}
	growth := float64(largestGrowth)
	if allowed := t.allowed(e); e.Status == Usable && allowed > 0 {
		shortfall := t.halfWidth(e) / allowed
		growth = math.Min(largestGrowth, math.Max(smallestGrowth, 1.1*shortfall*shortfall))
	}
	return max(1, int(math.Ceil(float64(current)*(growth-1))))
}

func (t Target) allowed(e Estimate) float64 {
	return math.Max(t.AbsolutePrecision, t.RelativePrecision*math.Abs(e.Value))
}

func (t Target) halfWidth(e Estimate) float64 {
	level := t.Level
	if level == 0 {
		level = DefaultLevel
	}
	return e.halfWidthAt(level)
}
