package meanfield

import (
	"fmt"
	"math"

	"qlimit/ctmc"
)

// A path at rest needs no more steps. The drift alone does not tell: a drift of
// the size of rounding errors still moves the fluid over a long time, and where
// it dies out as a power of time (JIQ at load exactly 1) it leaves a way to go
// that is far longer. So Newton's method looks for the equilibrium within the
// regime, and the path takes its place there if
//
//   - it is nearer than the integrator can tell (restNear),
//   - it is isolated, and known within restError: the norm of the inverse of the
//     linearised drift times the rounding errors of the drift,
//   - every condition that would end the regime holds with a margin.

// Scales of the rest.
const (
	restChecked  = 8 // steps between looks at the drift
	restMostNear = 1e-10
	restError    = 1e-10
	restMargin   = 1e3  // of the conditions of the regime, in units of the distance and the error
	maxRestDim   = 1024 // unknowns beyond which the equations cost more than steps
)

// restNear is the distance from the equilibrium at which the fluid is at rest.
func (f *follower) restNear() float64 {
	return math.Min(f.settings.AbsTol+f.settings.RelTol/100, restMostNear)
}

// rest ends the path at the equilibrium if the fluid has come to rest there.
// A fluid that would lose jobs at its cut gets more levels instead.
func (f *follower) rest() (atRest bool, err error) {
	if !f.mayRest() {
		return false, nil
	}
	n, err := f.newton()
	if err != nil || !f.restsAt(n) {
		f.restLook = f.restSteps + min(f.restSteps/4, 64+f.problem.Dim)
		return false, err
	}
	if f.cutsOff(n) {
		f.pause()
		return false, f.addLevels()
	}
	f.settle(n)
	return true, nil
}

// mayRest reports whether it is time to look for the equilibrium: the drift is
// small.
func (f *follower) mayRest() bool {
	f.restSteps++
	if f.steady != nil || f.restSteps < f.restLook || f.restSteps%restChecked != 0 || f.problem.Dim < 2 || f.problem.Dim > maxRestDim {
		return false
	}
	slope := f.z[:f.problem.Dim]
	f.problem.F(f.in.Time(), f.in.State(), slope)
	limit := f.restNear() * (f.load + math.Max(f.law.mu1, f.law.mu2))
	for _, s := range slope[:len(slope)-1] {
		if !(math.Abs(s) <= limit) {
			return false
		}
	}
	return true
}

// restsAt holds the root of Newton's method against the conditions of a rest.
func (f *follower) restsAt(n *restNewton) bool {
	if !n.converged || !(n.distance <= f.restNear()) {
		return false
	}
	uncertain := n.errorBound()
	if !(uncertain <= restError) {
		return false
	}
	margin := restMargin * (n.distance + uncertain) * (1 + f.load + math.Max(f.law.mu1, f.law.mu2))
	for _, e := range f.flow.endings() {
		if e.kind != receiverFades && !(e.g(f.in.Time(), n.y) > margin) {
			return false
		}
	}
	return true
}

// settle ends the path at the root. Jobs are lost at a constant rate from here
// on; those lost at the cut displace the equilibrium by their rate over the
// slowest rate of the fluid, which is what is neglected.
func (f *follower) settle(n *restNewton) {
	f.time = f.in.Time()
	f.path.AtRest, f.path.Rest = true, f.time*f.mean
	f.flow.leave(n.y, f.q)
	rate := n.slope[len(n.slope)-1]
	if f.flow.cut() {
		f.path.NeglectedMass += rate * n.inverse()
	} else if lost := f.path.Lost + rate*(f.end-f.time); math.IsInf(lost, 0) {
		f.warn("the jobs lost are counted up to the rest at time %g", f.path.Rest)
	} else {
		f.path.Lost = lost
	}
	f.output(f.q, f.end)
	f.time = f.end
}

// inverse is the norm of the inverse of the Jacobian, estimated.
func (n *restNewton) inverse() float64 {
	if len(n.y) == 1 {
		return 0
	}
	return n.lu.Cond() / n.norm
}

// errorBound bounds the error of a root by its residual, rounding included.
func (n *restNewton) errorBound() float64 {
	return n.inverse() * (n.residual + 0x1p-52*n.norm)
}

// tooFar refuses times at which the levels must exceed maxPathLevels: without a
// buffer that counts, the jobs per server are at least
//
//	jobs(0) + (λ-1) t - (1 + scv),
//
// for a server that is always busy completes at most t + scv jobs by time t
// after a fresh one (Lorden's inequality), and one before that.
func (f *follower) tooFar() error {
	if b := f.sys.Buffer; f.load <= 1 || b != ctmc.Unlimited && b <= maxPathLevels {
		return nil
	}
	begin := f.shape.Jobs(f.q) - 1 - f.sys.Service.SCV()
	if levels := math.Ceil(begin + (f.load-1)*f.end); levels > maxPathLevels {
		largest := math.Max(0, (maxPathLevels-begin)/(f.load-1)*f.mean)
		return &ctmc.TooLargeError{What: "levels", Value: levels, Limit: maxPathLevels,
			Hint: fmt.Sprintf("the queues grow without bound at this load; give times below about %.4g or a finite --buffer", largest)}
	}
	return nil
}
