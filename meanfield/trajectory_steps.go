package meanfield

import (
	"context"
	"math"

	"qlimit/ctmc"
	"qlimit/meanfield/ode"
)

// none is the way in which a flow ends that reaches the last time.
const none endingKind = -1

// run takes steps of the present flow until its regime or the time ends, and
// leaves the state there in f.q.
func (f *follower) run(ctx context.Context) (endingKind, error) {
	for {
		if err := ctx.Err(); err != nil {
			return none, err
		}
		f.tell()
		copy(f.before, f.in.State())
		status := f.in.Step()
		if !status.OK() && status != ode.Running {
			f.fail(status)
			return none, nil
		}
		if kind, left := f.flow.leftRegime(f.in.State()); left && status != ode.EventReached {
			f.retreat()
			f.close(kind)
			return kind, nil
		}
		again, err := f.retake()
		if err != nil {
			return none, err
		}
		if again {
			continue
		}
		f.passed()
		if kind, ended := f.conclude(status); ended {
			return kind, nil
		}
		if status == ode.Running {
			if atRest, err := f.rest(); err != nil || atRest {
				return none, err
			}
			if err := f.refresh(); err != nil {
				return none, err
			}
		}
	}
}

// tell reports what part of the time or of the work is behind.
func (f *follower) tell() {
	if f.settings.Progress == nil {
		return
	}
	work := f.earlier.Work + f.in.Stats().Work
	f.settings.Progress(math.Max(f.in.Time()/f.end, float64(work)/float64(f.settings.MaxWork)))
}

// fail records that the integrator cannot go on.
func (f *follower) fail(status ode.Status) {
	f.path.Status = status
	f.time = f.in.Time()
	if status == ode.MaxWork {
		f.warn("%v at time %g of %g after %d steps: give earlier times, fewer jobs at the start, or more work than %.3g",
			status, f.in.Time()*f.mean, f.end*f.mean, f.work().Accepted, float64(f.settings.MaxWork))
		f.path.Times = f.path.Times[:len(f.path.States)]
		return
	}
	f.warn("%v at time %g, the last step %.3g", status, f.in.Time()*f.mean, f.in.Stats().LastStep*f.mean)
	f.path.Times = f.path.Times[:len(f.path.States)]
}

// retake prepares to take the last step again if it lost too much at the
// highest level or brought negative mass.
func (f *follower) retake() (again bool, err error) {
	switch {
	case f.losesTooMuch():
		f.retreat()
		return true, f.addLevels()
	case f.undershoots():
		f.retreat()
		return true, f.shorten()
	}
	return false, nil
}

// conclude ends the flow if the status says so.
func (f *follower) conclude(status ode.Status) (kind endingKind, ended bool) {
	switch status {
	case ode.EventReached:
		if kind, ended = f.ended(); ended {
			f.arrive(kind)
		}
		return kind, ended
	case ode.Done, ode.Steady:
		f.arrive(none)
		f.settled = status == ode.Steady
		return none, true
	}
	return none, false
}

// refresh goes on with a new integrator where that is called for.
func (f *follower) refresh() error {
	switch {
	case f.massDrifted():
		return f.rebalance()
	case f.tires(), f.mayStepFurther():
		f.pause()
		return f.install(f.flow)
	}
	return nil
}

// retreat goes back to the start of the last step.
func (f *follower) retreat() {
	f.time = f.in.PreviousTime()
	f.flow.leave(f.before, f.q)
}

// ended names the event that stopped the integrator; one that only touched
// zero ends no regime.
func (f *follower) ended() (endingKind, bool) {
	for _, hit := range f.in.Hits() {
		if !hit.Touch {
			return f.flow.endings()[hit.Event].kind, true
		}
	}
	return none, false
}

// restPatience is the number of explicit steps towards an equilibrium after
// which an implicit method takes over.
const restPatience = 3000

// tires reports whether an explicit method has taken too many steps towards
// an equilibrium.
func (f *follower) tires() bool {
	if f.steady == nil || f.impatient || f.in.Stats().Accepted < restPatience {
		return false
	}
	f.impatient = true
	return true
}

// mayStepFurther reports whether the bound of the step has grown much since the
// integrator was made.
func (f *follower) mayStepFurther() bool {
	return f.flow.conservesMass() && f.in.Time() > 2*math.Max(f.time, shortCap*shortCap) && f.time < shortCap*longCap
}

// pause takes over the present state in the middle of a flow.
func (f *follower) pause() {
	f.earlier = f.work()
	f.time = f.in.Time()
	f.flow.leave(f.in.State(), f.q)
}

// arrive takes over the state at the end of the flow.
func (f *follower) arrive(kind endingKind) {
	f.time = f.in.Time()
	f.flow.leave(f.in.State(), f.q)
	f.close(kind)
}

// close settles the levels at the end of a regime.
func (f *follower) close(kind endingKind) {
	if kind == receiverEmpties {
		f.emptyLevel(f.now.Receiver)
	}
}

// emptyLevel moves what rounding has left at a level, or taken from it too
// much, to the level above, phase by phase.
func (f *follower) emptyLevel(level int) {
	first, above := f.shape.Class(level, 1), f.shape.Class(level+1, 1)
	if level == 0 {
		f.q[above] += f.q[0]
		f.q[0] = 0
		return
	}
	for m := range f.shape.Phases {
		f.q[above+m] += f.q[first+m]
		f.q[first+m] = 0
	}
}

// losesTooMuch reports whether the last step lost more at the level where the
// fluid is cut than its share of truncationLoss.
func (f *follower) losesTooMuch() bool {
	y := f.in.State()
	lost := y[len(y)-1] - f.flowLost
	if !f.flow.cut() {
		return false
	}
	share := (f.in.Time() - f.in.PreviousTime()) / f.end
	return lost > truncationLoss/2*share+1e-17
}

// addLevels goes on with more levels from the present state.
func (f *follower) addLevels() error {
	f.earlier = f.work()
	levels := f.shape.Levels + f.shape.Levels/2 + spareLevels
	if f.shape.Levels < maxPathLevels {
		levels = min(levels, maxPathLevels)
	}
	f.resize(f.within(levels))
	return f.install(f.flowOf(f.now, false))
}

// undershoot is how far below 0 a step may take a class. Into classes that
// fill only through several others a long step can bring negative mass of the
// size of the tolerance.
const (
	undershoot     = 1e-13
	maxShortenings = 12   // in a row
	shortEnough    = 1e-9 // relative to the time
)

func (f *follower) undershoots() bool {
	f.flow.leave(f.in.State(), f.trial)
	step := f.in.Time() - f.in.PreviousTime()
	if least(f.occupied(f.trial)) > f.least-undershoot || f.shortened == maxShortenings || step < shortEnough*math.Max(1, f.in.Time()) {
		f.shortened = 0
		return false
	}
	return true
}

// shorten takes the last step again in parts.
func (f *follower) shorten() error {
	f.shortened++
	f.earlier = f.work()
	f.settings.FirstStep = (f.in.Time() - f.in.PreviousTime()) / 4
	err := f.install(f.flow)
	f.settings.FirstStep = f.firstStep
	return err
}

// occupied is the part of a state of the present flow without the empty levels
// that slide, of which there are thousands in a long overload.
func (f *follower) occupied(q State) State {
	if level := min(f.now.Sliding, f.shape.Levels); level > 0 {
		return q[f.shape.Class(level, 1):]
	}
	return q
}

func least(q State) float64 {
	least := 0.0
	for _, v := range q {
		if v < least {
			least = v
		}
	}
	return least
}

// passed records what the last step went through.
func (f *follower) passed() {
	y := f.in.State()
	lost := y[len(y)-1]
	if f.flow.cut() {
		f.path.NeglectedMass += lost - f.flowLost
	} else {
		f.path.Lost += lost - f.flowLost
	}
	f.flowLost = lost
	f.audit(f.occupied(f.trial))
	f.least = least(f.occupied(f.trial))
	if r := f.now.Receiver; r != ctmc.FallbackReceiver {
		f.peak = math.Max(f.peak, f.shape.Mass(f.trial, r))
	} else {
		f.peak = 1
	}
	for len(f.times) > 0 && f.times[0] <= f.in.Time() {
		if f.times[0] < f.in.Time() {
			f.in.Interpolate(f.times[0], f.z)
			f.flow.leave(f.z, f.trial)
		} else {
			f.flow.leave(y, f.trial)
		}
		f.output(f.trial, f.times[0])
		f.flow.leave(y, f.trial)
	}
}

// massDrift is the error of the mass at which it is corrected. The slopes add
// up to 0 but for rounding errors, which near an equilibrium are the same at
// every step.
const massDrift = 2e-14

func (f *follower) massDrifted() bool {
	return f.flow.conservesMass() && math.Abs(total(f.occupied(f.trial))-1) > massDrift
}

// rebalance goes on from the present state with the error of the mass taken
// from the largest class.
func (f *follower) rebalance() error {
	f.pause()
	f.q[largest(f.q)] -= total(f.q) - 1
	return f.install(f.flow)
}

func total(q State) float64 {
	sum := 0.0
	for _, v := range q {
		sum += v
	}
	return sum
}

func largest(q State) int {
	at := 0
	for c, v := range q {
		if v > q[at] {
			at = c
		}
	}
	return at
}

// audit keeps the largest error of the mass and the least component.
func (f *follower) audit(q State) {
	f.path.MassError = math.Max(f.path.MassError, math.Abs(total(q)-1))
	f.path.MostNegative = math.Min(f.path.MostNegative, least(q))
}

// output records the state q for all output times up to t.
func (f *follower) output(q State, t float64) {
	for len(f.times) > 0 && f.times[0] <= t {
		f.audit(q)
		state := append(make(State, 0, len(q)), q...)
		clearNegative(state)
		f.path.States = append(f.path.States, state)
		f.path.Levels = max(f.path.Levels, f.shape.Levels)
		f.times = f.times[1:]
	}
}

// clearNegative sets negative components to 0 and takes their sum from the
// largest one.
func clearNegative(q State) {
	below := 0.0
	for c, v := range q {
		if v < 0 {
			below += v
			q[c] = 0
		}
	}
	q[largest(q)] += below
}

// finish completes the path.
func (f *follower) finish() *Path {
	p := f.path
	if f.in != nil {
		p.Stats = f.earlier
	}
	p.Reached = f.time * f.mean
	if p.Status == ode.Done && len(p.Times) > 0 {
		p.Reached = p.Times[len(p.Times)-1] // without the rounding of the unit
	}
	if b := f.sys.Buffer; b != 0 && b <= maxPathLevels {
		p.Levels = b
	}
	p.Levels, p.Phases = max(p.Levels, 1), f.shape.Phases
	for k, q := range p.States {
		q = append(q, make(State, max(0, p.Classes()-len(q)))...)
		p.States[k] = q
		p.Jobs = append(p.Jobs, p.Shape.Jobs(q))
		p.Idle = append(p.Idle, q[0])
		levels := make([]float64, p.Levels+1)
		for i := range levels {
			levels[i] = p.Mass(q, i)
		}
		p.ByJobs = append(p.ByJobs, levels)
	}
	return p
}
