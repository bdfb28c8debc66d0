package meanfield

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"qlimit/coxian"
	"qlimit/ctmc"
	"qlimit/meanfield/ode"
)

// StabilityScan says where the fluid of a system goes from many starts. That
// all of them end in the equilibrium is evidence for global stability, not a
// proof: see docs/trajectories.md for what is proved.
type StabilityScan struct {
	System ctmc.System        // whose fluid was followed
	Hazard coxian.HazardClass // of the service law; monotonicity arguments need a decreasing one

	Starts    int     // followed
	Converged int     // starts that ended within Tolerance of the equilibrium
	Tolerance float64 // largest distance that counts as converged
	// MaxDistance is the largest component of the difference of the class
	// fractions between an end and the equilibrium of [Equilibrium].
	MaxDistance float64
	// SlowestTime is the longest time to come near the equilibrium, in the
	// unit of the service law, and SlowestStart where it began.
	SlowestTime  float64
	SlowestStart State
	// Strays are the starts that did not converge.
	Strays []State

	Steps    int       // accepted steps of all integrations
	Kind     ctmc.Kind // Conjecture
	Warnings []string  // sentences for footnotes
}

// Stable reports whether every start converged.
func (s *StabilityScan) Stable() bool { return s.Converged == s.Starts }

// scanTolerance is the distance from the equilibrium within which a start
// counts as converged.
const scanTolerance = 1e-9

// ScanStability follows the fluid from every start until it comes to rest
// (see [EquilibriumByIntegration]) and compares the ends with the equilibrium.
// The kind of the answer is a conjecture. Errors are those of the two.
func ScanStability(ctx context.Context, sys ctmc.System, starts []State) (*StabilityScan, error) {
	fixpoint, err := Equilibrium(sys)
	if err != nil {
		return nil, err
	}
	scan := &StabilityScan{System: sys, Hazard: sys.Service.HazardClass(), Starts: len(starts), Tolerance: scanTolerance, Kind: ctmc.Conjecture}
	for _, start := range starts {
		end, err := EquilibriumByIntegration(ctx, sys, start, ode.Settings{})
		if err != nil {
			return nil, err
		}
		scan.count(start, end, fixpoint)
	}
	if strays := len(scan.Strays); strays > 0 {
		scan.Warnings = append(scan.Warnings, fmt.Sprintf("%d of %d starts did not end in the equilibrium", strays, scan.Starts))
	}
	return scan, nil
}

func (s *StabilityScan) count(start State, end *IntegratedEquilibrium, fixpoint *Fixpoint) {
	s.Steps += end.Stats.Accepted
	if end.Time > s.SlowestTime || s.SlowestStart == nil {
		s.SlowestTime, s.SlowestStart = end.Time, start
	}
	distance := distanceTo(end, fixpoint)
	s.MaxDistance = math.Max(s.MaxDistance, distance)
	if end.Status == ctmc.Converged && distance <= s.Tolerance {
		s.Converged++
	} else {
		s.Strays = append(s.Strays, start)
	}
}

// distanceTo is the largest difference of two equilibria in a class.
func distanceTo(end *IntegratedEquilibrium, fixpoint *Fixpoint) float64 {
	shape := end.Shape
	shape.Levels = max(shape.Levels, len(fixpoint.Tail))
	largest := 0.0
	for c, q := range fixpoint.State(shape) {
		if c < len(end.State) {
			q -= end.State[c]
		}
		largest = math.Max(largest, math.Abs(q))
	}
	return largest
}

// ScanStarts returns starts spread over the states with at most the given
// number of levels (at most the buffer): all servers idle; all in one class,
// for every class; and, up to count, mixtures with random fractions, a third
// of them sparse. The same seed gives the same starts.
func ScanStarts(sys ctmc.System, levels, count int, seed uint64) []State {
	if sys.Buffer != ctmc.Unlimited {
		levels = min(levels, sys.Buffer)
	}
	shape := Shape{Levels: max(levels, 1), Phases: sys.Phases()}
	source := rand.New(rand.NewPCG(seed, 0))
	var starts []State
	for c := range shape.Classes() {
		if len(starts) == count {
			return starts
		}
		q := make(State, shape.Classes())
		q[c] = 1
		starts = append(starts, q)
	}
	for len(starts) < count {
		starts = append(starts, randomMixture(source, shape, len(starts)%3 == 0))
	}
	return starts
}

// randomMixture draws exponential weights, which are uniform on the simplex
// once they are divided by their sum; a sparse mixture leaves out about three
// classes of four.
func randomMixture(source *rand.Rand, shape Shape, sparse bool) State {
	q := make(State, shape.Classes())
	q[source.IntN(len(q))] = source.ExpFloat64()
	for c := range q {
		if !sparse || source.IntN(4) == 0 {
			q[c] = source.ExpFloat64()
		}
	}
	sum := total(q)
	for c := range q {
		q[c] /= sum
	}
	return q
}
