package meanfield

import (
	"context"
	"fmt"
	"math"

	"qlimit/ctmc"
	"qlimit/meanfield/ode"
)

// Path is the fluid at a number of times. Times are in the unit of the
// service law.
type Path struct {
	Shape
	Times  []float64   // as asked for, as far as reached
	States []State     // States[k] at Times[k]
	Jobs   []float64   // mean number of jobs per server
	Idle   []float64   // fraction of idle servers
	ByJobs [][]float64 // ByJobs[k][i]: fraction of servers with exactly i jobs, i = 0..Levels

	// Begin is the regime at time 0 of a policy with priority levels, and
	// RegimeChanges lists the later ones in the order of time. Both stay zero
	// for a smooth policy. An excursion into a regime and back in which less
	// than 1e-11 of the servers reach its level is rounding and not listed.
	Begin         Regime
	RegimeChanges []RegimeChange

	Lost          float64 // jobs lost per server at a finite buffer up to the last time
	NeglectedMass float64 // jobs per server lost where levels were cut

	// MassError is the largest |Σ q - 1| over all steps, and MostNegative the
	// least component, at most 0. In States negative components (rounding and
	// integration errors) are set to 0 and the largest component makes up for
	// them, so that their sum does not change.
	MassError    float64
	MostNegative float64

	// Reached is the time to which the path goes: the last of the times asked
	// for, or less where Status says that the integration ended early.
	Reached float64

	// AtRest says that the fluid has come to rest, at time Rest: the states
	// after it are the equilibrium of the last regime, nearer than the
	// tolerance, isolated and away from the ends of the regime. Where rest is
	// reached as a power of time, or in a continuum of equilibria (load exactly
	// 1), it is not looked for.
	AtRest bool
	Rest   float64

	Stats    ode.Stats  // the work it took
	Status   ode.Status // how the integration ended
	Method   ode.Method // of the last regime
	Kind     ctmc.Kind  // Limit
	Warnings []string   // sentences for footnotes
}

// truncationLoss is the number of jobs per server that a path with an
// unlimited buffer may lose at the level where it is cut.
const truncationLoss = 1e-12

// maxPathLevels bounds the levels of a path with an unlimited buffer.
const maxPathLevels = 1 << 14

// Default tolerances of a trajectory.
const (
	pathRelTol = 1e-10
	pathAbsTol = 1e-12
)

// DefaultPathWork bounds the work of a path, see [ode.Stats]: about a minute.
const DefaultPathWork = 300_000_000

// stiffWork is the product of the largest rate and the time span beyond which
// an implicit method takes over from the default explicit one.
const stiffWork = 5e3

// Trajectory follows the fluid of any policy from start (in the class order of
// [State], of any number of levels; see [ParseStart]) at time 0 to the given
// times, which must not decrease.
//
// With priority levels it is Filippov's solution: within a regime (see
// [Regime]) the fluid is smooth; the ends of regimes are located as events and
// listed. Load may be below, at or above 1, also with an unlimited buffer,
// where levels are added as they fill: fewer than 1e-12 jobs per server are
// neglected. A fluid at rest (see Path.AtRest) takes no more steps, so that
// later times cost nothing. In overload without a buffer every level is a
// regime or a front of its own: the work grows as the square of the time.
//
// Zero tolerances in settings mean 1e-10 relative and 1e-12 absolute.
// settings.MaxWork bounds the work of the whole path, DefaultPathWork if 0.
// settings.Method = Tsitouras5, the zero value, leaves the choice to the path:
// Radau IIA where a nearly empty level makes the fluid stiff (two phases and
// two priority levels or more) or the time span is long, otherwise explicit.
// DormandPrince5 and RadauIIA5 are taken at their word. The fields that
// concern output and events are not used.
//
// Errors: a field out of its range ([ctmc.FieldError]), more levels than
// 16384 ([ctmc.TooLargeError]; in overload foreseen at once), and that of the context. An integration that does
// not reach the last time returns the path so far, its Status and a warning.
func Trajectory(ctx context.Context, sys ctmc.System, start State, times []float64, settings ode.Settings) (*Path, error) {
	if err := checkPath(start, sys.Phases(), times); err != nil {
		return nil, err
	}
	f, err := newFollower(sys, start, settings)
	if err != nil {
		return nil, err
	}
	return f.to(ctx, times)
}

// to follows the fluid to the given times.
func (f *follower) to(ctx context.Context, times []float64) (*Path, error) {
	f.reserve(times)
	if math.IsInf(f.end, 1) {
		return nil, &ctmc.FieldError{Field: "at", Value: times[len(times)-1], Allowed: fmt.Sprintf("at most %.4g, 1e308 mean service times", 1e308*f.mean)}
	}
	if err := f.tooFar(); err != nil {
		return nil, err
	}
	if err := f.follow(ctx); err != nil {
		return nil, err
	}
	return f.finish(), nil
}

func checkPath(start State, phases int, times []float64) error {
	if len(start) == 0 || (len(start)-1)%phases != 0 {
		return &ctmc.FieldError{Field: "start", Value: fmt.Sprintf("%d classes", len(start)), Allowed: fmt.Sprintf("1 + %d per level", phases)}
	}
	total := 0.0
	for _, q := range start {
		if !(q >= 0 && q <= 1) {
			return &ctmc.FieldError{Field: "start", Value: q, Allowed: "fractions in [0, 1]"}
		}
		total += q
	}
	if math.Abs(total-1) > 1e-9 {
		return &ctmc.FieldError{Field: "start", Value: total, Allowed: "fractions that add up to 1"}
	}
	return checkTimes(times)
}

func topLevel(q State, phases int) int {
	for c := len(q) - 1; c > 0; c-- {
		if q[c] != 0 {
			return (c + phases - 1) / phases
		}
	}
	return 0
}
