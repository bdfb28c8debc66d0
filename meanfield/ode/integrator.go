package ode

import (
	"fmt"
	"math"
)

// Integrator advances a problem step by step. It is for callers with a logic
// of their own between the steps, such as changing the right-hand side of a
// piecewise smooth system at an event; Integrate suits everybody else. After
// it was made, steps and restarts allocate no memory.
//
// An Integrator must not be used by several goroutines at a time.
type Integrator struct {
	course *course
	method stepper
	watch  *watch
	status Status
	fresh  bool // the next step is the first from the present state
}

// NewIntegrator returns an integrator of p that stands at time t0 with state
// y0 and goes to t1, which may lie before t0. The settings that concern output
// (Times, EveryStep, KeepTrajectory) are ignored. It calls none of the
// problem's functions and returns an error that names the field if a value is
// outside its range.
func NewIntegrator(p Problem, t0 float64, y0 []float64, t1 float64, s Settings) (*Integrator, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	if err := s.check(p.Dim); err != nil {
		return nil, err
	}
	if !isFinite(t0) || !isFinite(t1) {
		return nil, fmt.Errorf("ode: interval [%v, %v], both ends must be finite", t0, t1)
	}
	if err := checkState(y0, p.Dim); err != nil {
		return nil, err
	}
	c := newCourse(p, s)
	in := &Integrator{course: c, method: newStepper(c), watch: newWatch(c)}
	c.t = t0
	copy(c.y, y0)
	in.setEnd(t1)
	in.standStill()
	c.countFromHere()
	in.fresh = true
	return in, nil
}

// Step takes one step and returns Running if it was accepted and there are
// more to take. The other values say why not; after EventReached further calls
// go on past the event, after all others they do nothing until a Restart.
//
// A step that ends at a terminal event or a jump is cut short there.
func (in *Integrator) Step() Status {
	if in.status != Running && in.status != EventReached {
		return in.status
	}
	in.status = in.step()
	return in.status
}

func (in *Integrator) step() Status {
	c := in.course
	in.watch.roots = in.watch.roots[:0]
	if in.fresh {
		if !in.begin() {
			return NotFinite
		}
	}
	if c.t == c.end {
		in.watch.record()
		return Done
	}
	if status := in.method.advance(); status != Running {
		in.standStill() // failed attempts have overwritten the last step
		return status
	}
	if len(in.watch.events) > 0 {
		in.method.completeDense()
		in.watch.search()
	}
	in.watch.record()
	if r, ok := in.watch.stop(); ok {
		return in.stopAtRoot(r)
	}
	if c.settings.SteadyState != nil {
		if status := c.progress.steady(c); status != Running {
			return status
		}
	}
	if c.t == c.end {
		return Done
	}
	return Running
}

// begin starts the method afresh at the present time and state, and reports
// whether F is finite there.
func (in *Integrator) begin() bool {
	c := in.course
	in.fresh = false
	c.notFinite = false
	c.progress.restart()
	in.watch.start()
	c.evaluate(c.t, c.y, c.slope)
	for _, f := range c.slope {
		if !isFinite(f) {
			return false
		}
	}
	if c.t != c.end {
		in.method.restart()
	}
	return true
}

// stopAtRoot moves the end of the last step back to the root r. All events at
// the root that jump do so, in the order of their index.
func (in *Integrator) stopAtRoot(r root) Status {
	c, w := in.course, in.watch
	if r.theta < 1 {
		c.t = c.dense.start + r.theta*c.dense.step
		c.dense.at(r.theta, c.y)
	}
	w.firedAt = c.t
	in.again()
	status := Running
	for e := range w.events {
		if !w.fired[e] {
			continue
		}
		if w.events[e].Terminal {
			status = EventReached
		}
		if jump := w.events[e].Jump; jump != nil {
			jump(c.t, c.y)
		}
	}
	return status
}

// again arranges a fresh start for the next step.
func (in *Integrator) again() {
	if !in.fresh {
		in.course.stats.Restarts++
	}
	in.fresh = true
}

// Restart continues from time t and state y. Tolerances, events, end and
// counters stay; the first step is chosen anew, and MaxSteps counts from here.
// If an event stopped the integration at this very time, no event fires for
// the same root again. It returns an error if y has the wrong length or t or y
// is not finite.
func (in *Integrator) Restart(t float64, y []float64) error {
	if !isFinite(t) {
		return fmt.Errorf("ode: restart at time %v, must be finite", t)
	}
	if err := checkState(y, in.course.problem.Dim); err != nil {
		return err
	}
	in.course.t = t
	copy(in.course.y, y)
	in.setEnd(in.course.end)
	in.standStill()
	in.course.countFromHere()
	in.again()
	in.status = Running
	return nil
}

// RestartWith is Restart with another right-hand side and other events. The
// problem must have the same Dim and Structure, and a Jacobian if and only if
// the first one had one. It allocates only if there are more events than ever
// before.
func (in *Integrator) RestartWith(t float64, y []float64, p Problem, events []Event) error {
	if err := p.check(); err != nil {
		return err
	}
	if err := checkEvents(events); err != nil {
		return err
	}
	old := &in.course.problem
	if p.Dim != old.Dim {
		return fmt.Errorf("ode: restart with Problem.Dim = %d, must stay %d", p.Dim, old.Dim)
	}
	if (p.Jacobian == nil) != (old.Jacobian == nil) {
		return fmt.Errorf("ode: restart with a problem that gains or loses its Jacobian")
	}
	if err := in.Restart(t, y); err != nil {
		return err
	}
	old.F, old.Jacobian = p.F, p.Jacobian
	in.watch.setEvents(events)
	return nil
}

// SetEnd changes the time at which the integration ends, also after it has
// reached the old one. Errors: an end that is not finite.
func (in *Integrator) SetEnd(t1 float64) error {
	if !isFinite(t1) {
		return fmt.Errorf("ode: end of the interval %v, must be finite", t1)
	}
	turned := (t1-in.course.t)*in.course.direction < 0
	in.setEnd(t1)
	if in.status == Done && t1 != in.course.t {
		in.status = Running
	}
	if turned {
		in.again()
	}
	return nil
}

func (in *Integrator) setEnd(t1 float64) {
	in.course.end = t1
	in.course.direction = 1
	if t1 < in.course.t {
		in.course.direction = -1
	}
}

// standStill makes the dense output the constant present state.
func (in *Integrator) standStill() {
	c := in.course
	copy(c.previous, c.y)
	d := &c.dense
	d.start, d.step, d.degree = c.t, 0, 0
	in.watch.hits = in.watch.hits[:0]
}

// Time returns the present time: the end of the last step.
func (in *Integrator) Time() float64 { return in.course.t }

// State returns the state at the present time. The slice is overwritten by the
// next step.
func (in *Integrator) State() []float64 { return in.course.y }

// PreviousTime returns the time at which the last step began.
func (in *Integrator) PreviousTime() float64 { return in.course.dense.start }

// Hits returns the events located in the last step, ordered in time. The slice
// and the states in it are overwritten by the next step.
func (in *Integrator) Hits() []Hit { return in.watch.hits }

// Stats returns the work done so far.
func (in *Integrator) Stats() Stats { return in.course.stats }

// Status returns the value of the last Step.
func (in *Integrator) Status() Status { return in.status }

// Interpolate writes the state at a time within the last step into dst, which
// must have length Dim. The error is of the order of the tolerance. It panics
// for other times; after a step that failed only the present time is left.
func (in *Integrator) Interpolate(t float64, dst []float64) {
	c := in.course
	d := &c.dense
	if len(dst) != c.problem.Dim {
		panic(fmt.Sprintf("ode: Interpolate into length %d, must be %d", len(dst), c.problem.Dim))
	}
	if d.step == 0 {
		if t != c.t {
			panic(fmt.Sprintf("ode: Interpolate at %v before the first step from %v", t, c.t))
		}
		copy(dst, c.y)
		return
	}
	theta := d.position(t)
	if !(theta >= 0 && theta <= 1+4*ulp(t)/math.Abs(d.step)) {
		panic(fmt.Sprintf("ode: Interpolate at %v outside the last step from %v to %v", t, d.start, d.start+d.step))
	}
	in.method.completeDense()
	d.at(min(theta, 1), dst)
}
