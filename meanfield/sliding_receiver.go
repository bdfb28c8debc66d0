package meanfield

import (
	"math"

	"qlimit/meanfield/ode"
)

// receiverFlow is the fluid while the priority level k takes all arrivals
// that the empty levels below it leave. Of the arrivals λ the level k-1
// absorbs r_k, the completions at level k; these servers return to level k in
// phase 1. With u = q_k, φ = q_{k,2}/u and ν = λ - r_k (λ for k = 0):
//
//	du           = r_{k+1} - ν
//	dq_{k,2}     = pμ1 q_{k,1} - μ2 q_{k,2} - ν φ
//	dq_{k+1,1}   = ν (1-φ) - μ1 q_{k+1,1} + r_{k+2}
//	dq_{k+1,2}   = ν φ + pμ1 q_{k+1,1} - μ2 q_{k+1,2},
//
// and the levels above lose jobs only. The coordinates are u, q_{k,2} (two
// phases and k >= 1 only), the fractions of the levels above, and the jobs
// lost, at rate ν if k is the buffer.
//
// u moves at moderate rates, while φ relaxes at the rate r_{k+1}/u, without
// bound as u -> 0: the flow of a small level is stiff. Below vanishingMass
// the rate is kept at its value there.
type receiverFlow struct {
	Shape   // of the states
	law     *unitLaw
	load    float64
	level   int // k
	last    bool
	head    int // number of coordinates of level k
	classes int // number of coordinates of the levels above
	slack   float64
}

func newReceiverFlow(f *follower, level int) *receiverFlow {
	r := &receiverFlow{Shape: f.shape, law: &f.law, load: f.load, level: level, last: level > 0 && level == f.sys.Buffer, head: 1,
		classes: (f.shape.Levels - level) * f.shape.Phases, slack: f.slack()}
	if level > 0 {
		r.head = f.shape.Phases
	}
	return r
}

func (r *receiverFlow) dim() int { return r.head + r.classes + 1 }

func (r *receiverFlow) problem() ode.Problem {
	width := min(3, r.dim()-1)
	return ode.Problem{Dim: r.dim(), F: r.slope, Jacobian: r.jacobian, Structure: ode.Banded(width, width)}
}

func (r *receiverFlow) enter(q State, y []float64) {
	first := r.Class(r.level, 1)
	y[0] = r.Mass(q, r.level)
	if r.head == 2 {
		y[1] = q[first+1]
	}
	copy(y[r.head:r.head+r.classes], q[r.Class(r.level+1, 1):])
}

func (r *receiverFlow) leave(y []float64, q State) {
	r.split(y, r.second(y), q)
}

// split writes the class fractions given the phase-2 part of level k.
func (r *receiverFlow) split(y []float64, second float64, q State) {
	first := r.Class(r.level, 1)
	clear(q[:first])
	q[first] = y[0] - second
	if r.level > 0 && r.Phases == 2 {
		q[first+1] = second
	}
	copy(q[r.Class(r.level+1, 1):], y[r.head:r.head+r.classes])
}

// second is q_{k,2}.
func (r *receiverFlow) second(y []float64) float64 {
	if r.head == 2 {
		return y[1]
	}
	return 0
}

// absorbed is r_k, the completions at level k.
func (r *receiverFlow) absorbed(y []float64) float64 {
	if r.level == 0 {
		return 0
	}
	second := r.second(y)
	return r.law.leave*(y[0]-second) + r.law.mu2*second
}

// completions is r_i of the level whose coordinates begin at y[at].
func (r *receiverFlow) completions(y []float64, at int) float64 {
	if at >= r.head+r.classes {
		return 0
	}
	rate := r.law.leave * y[at]
	if r.Phases == 2 {
		rate += r.law.mu2 * y[at+1]
	}
	return rate
}

func (r *receiverFlow) slope(_ float64, y, slope []float64) {
	second, passing := r.second(y), r.load-r.absorbed(y)
	phi := second / math.Max(y[0], vanishingMass)
	lost := &slope[len(y)-1]
	*lost = 0
	if r.last {
		*lost, slope[0], passing = passing, 0, 0
	} else {
		slope[0] = r.completions(y, r.head) - passing
	}
	if r.head == 2 {
		slope[1] = r.law.proceed*(y[0]-second) - r.law.mu2*second - passing*phi
	}
	r.above(y, slope, passing*(1-phi), passing*phi)
}

// above writes the slopes of the levels above k, the first of which gets the
// given arrivals in the two phases.
func (r *receiverFlow) above(y, slope []float64, first, second float64) {
	for at := r.head; at < r.head+r.classes; at += r.Phases {
		slope[at] = first + r.completions(y, at+r.Phases) - r.law.mu1*y[at]
		if r.Phases == 2 {
			slope[at+1] = second + r.law.proceed*y[at] - r.law.mu2*y[at+1]
		}
		first, second = 0, 0
	}
}

func (r *receiverFlow) jacobian(_ float64, y []float64, jac *ode.Matrix) {
	l, second, passing := r.law, r.second(y), r.load-r.absorbed(y)
	// Derivatives by u and q_{k,2} of ν and φ.
	perMass, perSecond := 0.0, 0.0
	if r.level > 0 {
		perMass, perSecond = -l.leave, l.leave-l.mu2
	}
	phi, phiPerMass, phiPerSecond := second/math.Max(y[0], vanishingMass), 0.0, 1/math.Max(y[0], vanishingMass)
	if y[0] > vanishingMass {
		phiPerMass = -phi / y[0]
	}
	upPerMass := [2]float64{perMass*(1-phi) - passing*phiPerMass, perMass*phi + passing*phiPerMass}
	upPerSecond := [2]float64{perSecond*(1-phi) - passing*phiPerSecond, perSecond*phi + passing*phiPerSecond}
	lost := r.dim() - 1
	if r.last {
		jac.Add(lost, 0, perMass)
		if r.head == 2 {
			jac.Add(lost, 1, perSecond)
			jac.Add(1, 0, l.proceed)
			jac.Add(1, 1, -l.proceed-l.mu2)
		}
		return
	}
	jac.Add(0, 0, -perMass)
	r.addCompletions(jac, 0, r.head)
	if r.head == 2 {
		jac.Add(0, 1, -perSecond)
		jac.Add(1, 0, l.proceed-upPerMass[1])
		jac.Add(1, 1, -l.proceed-l.mu2-upPerSecond[1])
	}
	for m := range r.Phases {
		if r.head == 1 {
			// No mix: all pass as phase 1.
			upPerMass = [2]float64{perMass, 0}
		}
		jac.Add(r.head+m, 0, upPerMass[m])
		if r.head == 2 {
			jac.Add(r.head+m, 1, upPerSecond[m])
		}
	}
	for at := r.head; at < r.head+r.classes; at += r.Phases {
		jac.Add(at, at, -l.mu1)
		r.addCompletions(jac, at, at+r.Phases)
		if r.Phases == 2 {
			jac.Add(at+1, at, l.proceed)
			jac.Add(at+1, at+1, -l.mu2)
		}
	}
}

// addCompletions adds the derivatives of r_i to a row.
func (r *receiverFlow) addCompletions(jac *ode.Matrix, row, at int) {
	if at >= r.head+r.classes {
		return
	}
	jac.Add(row, at, r.law.leave)
	if r.Phases == 2 {
		jac.Add(row, at+1, r.law.mu2)
	}
}

func (r *receiverFlow) endings() []ending {
	var ends []ending
	if !r.last {
		ends = append(ends, ending{receiverEmpties, func(_ float64, y []float64) float64 { return y[0] }})
	}
	if r.head == 2 && !r.last {
		ends = append(ends, ending{receiverFades, func(t float64, y []float64) float64 { return y[0] - fadedMassAt(t, r.load) }})
	}
	if r.level > 0 {
		ends = append(ends, ending{slidingEnds, func(_ float64, y []float64) float64 { return r.load - r.absorbed(y) }})
	}
	return ends
}

func (r *receiverFlow) leftRegime(y []float64) (endingKind, bool) {
	switch {
	case y[0] < -vanishingMass:
		return receiverEmpties, true
	case r.load-r.absorbed(y) < -r.slack:
		return slidingEnds, true
	}
	return 0, false
}

func (r *receiverFlow) cut() bool           { return false }
func (r *receiverFlow) conservesMass() bool { return true }
