package meanfield

import (
	"context"
	"fmt"
	"math"

	"qlimit/ctmc"
	"qlimit/meanfield/ode"
)

// follower follows the fluid from regime to regime. Its time unit is one mean
// service time.
type follower struct {
	sys      ctmc.System
	law      unitLaw
	kernel   limitKernel
	pull     *pullFluid // the memory of the dispatcher, nil for none
	load     float64
	mean     float64 // the mean service time in the unit of the path
	settings ode.Settings

	shape Shape // of q: levels in use
	top   int   // highest level with servers
	q     State
	time  float64
	begun bool
	now   Regime

	flow    flow
	problem ode.Problem // of the flow
	in      *ode.Integrator
	before  []float64 // coordinates at the start of the step
	y, z    []float64 // scratch, coordinates
	trial   State     // scratch, class fractions

	times     []float64 // output times still to come
	end       float64
	path      *Path
	earlier   ode.Stats // work of the regimes before
	stuck     int       // regimes since the time last moved
	flowLost  float64   // jobs lost in the flow up to the start of the step
	steady    *ode.SteadyState
	settled   bool
	impatient bool    // the way to rest is long
	firstStep float64 // as set by the user
	peak      float64 // largest fraction at the receiver in this regime
	least     float64 // least component at the start of the step
	shortened int     // times the present step was shortened
	restSteps int     // steps so far
	restLook  int     // number of them at which a rest is looked for again
}

func newFollower(sys ctmc.System, start State, settings ode.Settings) (*follower, error) {
	d, err := NewDynamics(sys, 1, 0)
	if err != nil {
		return nil, err
	}
	f := &follower{sys: sys, law: d.law, kernel: newLimitKernel(sys.Policy.Fallback), load: sys.Load,
		mean: sys.Service.Mean(), path: &Path{Kind: ctmc.Limit, Status: ode.Done}}
	f.shape.Phases = d.Phases
	f.top = topLevel(start, d.Phases)
	limit := maxPathLevels
	if sys.Buffer != ctmc.Unlimited {
		limit = min(limit, sys.Buffer)
	}
	if f.top > limit {
		return nil, &ctmc.FieldError{Field: "start", Value: fmt.Sprintf("level %d", f.top), Allowed: fmt.Sprintf("levels up to %d", limit)}
	}
	f.resize(max(f.top, 1))
	copy(f.q, start)
	f.normalise()
	f.settings = pathSettings(settings)
	f.firstStep = f.settings.FirstStep
	return f, nil
}

// pathSettings keeps what a path uses of the settings and fills in defaults.
func pathSettings(s ode.Settings) ode.Settings {
	if s.RelTol == 0 {
		s.RelTol = pathRelTol
	}
	if s.AbsTol == 0 {
		s.AbsTol = pathAbsTol
	}
	if s.MaxWork == 0 {
		s.MaxWork = DefaultPathWork
	}
	s.AbsTols, s.Events, s.SteadyState, s.Times = nil, nil, nil, nil
	return s
}

// normalise makes the fractions add up to 1 as exactly as doubles allow.
func (f *follower) normalise() {
	sum := total(f.q)
	for c := range f.q {
		f.q[c] /= sum
	}
}

// resize changes the number of levels, which must hold all servers.
func (f *follower) resize(levels int) {
	f.shape.Levels = levels
	if n := f.shape.Classes(); n <= cap(f.q) {
		old := len(f.q)
		f.q = f.q[:n]
		clear(f.q[min(old, n):])
	} else {
		f.q = append(make(State, 0, 2*n), f.q...)[:n]
	}
}

// reserve arranges the output times.
func (f *follower) reserve(times []float64) {
	f.path.Times = append([]float64(nil), times...)
	f.times = make([]float64, len(times))
	for k, t := range times {
		f.times[k] = t / f.mean
		f.end = f.times[k]
	}
}

// follow runs through the regimes until the end or until one cannot be
// finished.
func (f *follower) follow(ctx context.Context) error {
	f.output(f.q, f.time)
	filling := -1
	for f.time < f.end {
		regime, nascent := f.regimeAt(f.q, filling)
		f.note(regime)
		if err := f.begin(regime, nascent); err != nil {
			return err
		}
		started := f.time
		ended, err := f.run(ctx)
		f.earlier = f.work()
		if err != nil {
			return err
		}
		if f.path.Status != ode.Done || f.settled {
			return nil
		}
		filling = -1
		if ended == slidingEnds {
			filling = f.now.Sliding - 1
		}
		if f.stuck++; f.time > started {
			f.stuck = 0
		}
		if f.stuck > maxStuck {
			f.path.Status = ode.Stalled
			f.warn("regimes follow one another without end at time %g", f.time*f.mean)
			return nil
		}
	}
	return nil
}

// maxStuck is the number of regimes in a row that may take no time, besides
// those that pass over empty levels.
const maxStuck = 100

func (f *follower) note(regime Regime) {
	if f.sys.Policy.Smooth() {
		return
	}
	changes := f.path.RegimeChanges
	last := len(changes) - 1
	switch {
	case !f.begun:
		f.path.Begin = regime
	case regime == f.now:
	case last >= 0 && regime == changes[last].From && f.peak < noticedMass:
		// Back after an excursion within rounding errors, as at load exactly 1.
		f.path.RegimeChanges = changes[:last]
	default:
		f.path.RegimeChanges = append(changes, RegimeChange{f.time * f.mean, f.now, regime})
	}
	if regime != f.now {
		f.peak = 0
	}
	f.begun, f.now = true, regime
}

// noticedMass is the largest fraction of servers at the receiver below which a
// regime and the return from it are taken for rounding errors.
const noticedMass = 1e-11

func (f *follower) warn(format string, args ...any) {
	f.path.Warnings = append(f.path.Warnings, fmt.Sprintf(format, args...))
}

// begin sets up the flow of a regime at the present state.
func (f *follower) begin(regime Regime, nascent bool) error {
	f.top = max(topLevel(f.q, f.shape.Phases), 1)
	receives := regime.Receiver != ctmc.FallbackReceiver
	switch {
	case receives:
		f.resize(f.within(max(f.top, regime.Receiver+1)))
	default:
		f.resize(f.within(max(f.top, regime.Sliding) + spareLevels))
	}
	return f.install(f.flowOf(regime, nascent))
}

// spareLevels is the number of levels above the occupied ones that a flow
// with a fallback begins with.
const spareLevels = 8

// within bounds a number of levels by the buffer.
func (f *follower) within(levels int) int {
	if f.sys.Buffer != ctmc.Unlimited {
		return min(levels, f.sys.Buffer)
	}
	return levels
}

func (f *follower) flowOf(regime Regime, nascent bool) flow {
	switch {
	case f.pull != nil:
		return newPullFlow(f)
	case f.sys.Policy.Smooth():
		return newSmoothFlow(f)
	case regime.Receiver == ctmc.FallbackReceiver:
		return newFallbackFlow(f)
	case regime.Receiver == 0 || f.shape.Phases == 1:
	case nascent:
		return newNascentFlow(f, regime.Receiver)
	case f.fades(regime.Receiver):
		return newFadingFlow(f, regime.Receiver)
	}
	return newReceiverFlow(f, regime.Receiver)
}

// install makes an integrator of a flow that starts at the present state.
func (f *follower) install(next flow) error {
	if f.shape.Levels > maxPathLevels {
		return &ctmc.TooLargeError{What: "levels", Value: float64(f.shape.Levels), Limit: maxPathLevels,
			Hint: "give a finite --buffer or shorter times"}
	}
	f.flow = next
	p := next.problem()
	if p.Structure.Full() && p.Dim > maxFullDim && f.settings.Method == ode.RadauIIA5 {
		return &ctmc.TooLargeError{What: "unknowns of the implicit method", Value: float64(p.Dim), Limit: maxFullDim,
			Hint: "use the method auto or dopri5, or a start with fewer jobs"}
	}
	f.problem = p
	f.grow(p.Dim)
	next.enter(f.q, f.y[:p.Dim-1])
	f.y[p.Dim-1] = 0
	f.flowLost, f.least = 0, least(f.q)
	s := f.settings
	s.Method = f.method(p)
	s.MaxWork = max(1, s.MaxWork-f.earlier.Work)
	if s.SteadyState = f.steady; f.steady != nil && !next.cut() {
		p = withoutLosses(p)
	}
	if next.conservesMass() && s.MaxStep == 0 {
		s.MaxStep = math.Min(math.Max(shortCap, f.time/shortCap), longCap)
	}
	for _, e := range next.endings() {
		s.Events = append(s.Events, ode.Event{G: e.g, Direction: ode.Falling, Terminal: true})
	}
	f.path.Method = s.Method
	in, err := ode.NewIntegrator(p, f.time, f.y[:p.Dim], f.end, s)
	f.in = in
	return err
}

// withoutLosses is a problem that does not count the lost jobs, which need not
// come to rest.
func withoutLosses(p ode.Problem) ode.Problem {
	slope := p.F
	p.F = func(t float64, y, dy []float64) {
		slope(t, y, dy)
		dy[len(dy)-1] = 0
	}
	return p
}

// Bounds of the step that keep the rounding errors of the mass over one step
// near massDrift, and in long paths below 1e-12.
const (
	shortCap = 100
	longCap  = 1e4
)

func (f *follower) grow(dim int) {
	if cap(f.y) < dim {
		f.y, f.z, f.before = make([]float64, 2*dim), make([]float64, 2*dim), make([]float64, 2*dim)
	}
	f.y, f.z, f.before = f.y[:dim], f.z[:dim], f.before[:dim]
	if cap(f.trial) < len(f.q) {
		f.trial = make(State, 2*len(f.q))
	}
	f.trial = f.trial[:len(f.q)]
}

// method is the integration method of the present regime.
func (f *follower) method(p ode.Problem) ode.Method {
	dim := p.Dim
	if f.settings.Method != ode.Tsitouras5 {
		return f.settings.Method
	}
	if p.Structure.Full() && dim > maxFullDim {
		return ode.Tsitouras5
	}
	work := f.horizon() * math.Max(math.Max(f.law.mu1, f.law.mu2), f.load*f.kernel.slopeAtOne())
	switch r := f.flow.(type) {
	case *pullFlow:
		work = f.horizon() * r.stiffness()
	case *receiverFlow:
		if r.head == 2 {
			return ode.RadauIIA5 // the phase mix of a small level
		}
	case *fallbackFlow:
		// Its Jacobian is full: an implicit step costs as dim³, an explicit one
		// as dim.
		work /= math.Max(1, math.Pow(float64(dim)/fullJacobianSize, 2))
	}
	if work > stiffWork {
		return ode.RadauIIA5
	}
	return ode.Tsitouras5
}

// fullJacobianSize is the number of unknowns above which a full Jacobian makes
// an implicit step much dearer than a banded one.
const fullJacobianSize = 10

// maxFullDim bounds the memory of a full Jacobian and its decompositions, 40
// bytes for each entry.
const maxFullDim = 4096

// horizon is the time ahead for which a method is chosen. On the way to an
// equilibrium it is not known; an explicit method is tried first, unless the
// rates are large.
func (f *follower) horizon() float64 {
	switch {
	case f.steady == nil:
		return f.end - f.time
	case f.impatient:
		return math.Inf(1)
	}
	return restGuess
}

// restGuess is a time in which many systems come to rest.
const restGuess = 100

// work is the work done so far.
func (f *follower) work() ode.Stats {
	s := f.in.Stats()
	e := f.earlier
	s.Accepted += e.Accepted
	s.Rejected += e.Rejected
	s.Work += e.Work
	s.Evaluations += e.Evaluations
	s.DifferenceEvaluations += e.DifferenceEvaluations
	s.Jacobians += e.Jacobians
	s.Factorizations += e.Factorizations
	s.NewtonIterations += e.NewtonIterations
	s.NewtonFailures += e.NewtonFailures
	s.EventEvaluations += e.EventEvaluations
	s.Restarts += e.Restarts
	s.StabilityLimited += e.StabilityLimited
	if e.SmallestStep > 0 {
		s.SmallestStep = math.Min(s.SmallestStep, e.SmallestStep)
	}
	return s
}
