package meanfield

import (
	"math"

	"qlimit/ctmc"
)

// Fixpoint is the equilibrium of the mean-field limit. Means are per server;
// MeanResponse is in the time unit of the service law.
type Fixpoint struct {
	MeanJobs     float64 // Σ s_i
	MeanResponse float64 // mean response of the accepted jobs, by Little's law
	WaitProb     float64 // fraction of jobs sent to a server that is not idle, lost jobs counted
	BlockProb    float64 // fraction of jobs sent to a full server, lost

	Tail       []float64 // s_1, s_2, ..: fraction of servers with at least i jobs
	TailPhase2 []float64 // the part of s_i whose job in service is in phase 2

	// Residual is the largest absolute component of the drift of the class
	// fractions at the equilibrium, in units of one over a mean service time,
	// divided by the load where that is above 1.
	Residual   float64
	Levels     int         // number of levels in Tail
	Iterations int         // evaluations of the scalar equation, 0 where none is solved
	Status     ctmc.Status // Converged, or Stagnated where the residual is too large
	Method     string      // in words
	Kind       ctmc.Kind   // Limit
	Warnings   []string    // sentences for footnotes
}

// Equilibrium returns the equilibrium of the mean-field limit of a system.
// The number of servers plays no role.
//
// Errors: a field out of its range ([ctmc.FieldError]; load >= 1 with an
// unlimited buffer among them), an equilibrium that is not unique
// ([ctmc.NotUniqueError]; JSQ and I1F at load exactly 1), or more levels than
// the limit [MaxLevels] ([ctmc.TooLargeError]).
//
// The equations are those of the climb from level to level (see
// docs/meanfield.md); s_i and, near 1, 1 - s_i carry full relative accuracy,
// times the conditioning of the equations themselves. Tail ends where s_i
// falls below 1e-300 or at the buffer.
func Equilibrium(sys ctmc.System) (*Fixpoint, error) {
	if err := sys.ValidateLimit(); err != nil {
		return nil, err
	}
	if sys.Buffer > MaxLevels {
		return nil, &ctmc.TooLargeError{What: "buffer", Value: float64(sys.Buffer), Limit: MaxLevels,
			Hint: "use an unlimited buffer or a smaller one"}
	}
	p := newEquilibriumProblem(sys)
	switch {
	case sys.Policy.Smooth():
		return p.smooth()
	case sys.Load < 1:
		return p.withoutWaiting(), nil
	case sys.Load > 1:
		return p.overloaded()
	}
	return p.critical()
}

// MaxLevels is the largest number of levels an equilibrium may have.
const MaxLevels = 1 << 21

// equilibriumProblem is a system in the units of the equations: mean service
// time 1, so that the load is the arrival rate λ per server.
type equilibriumProblem struct {
	sys    ctmc.System
	load   float64
	buffer int // ctmc.Unlimited or b
	law    unitLaw
	kernel limitKernel
}

func newEquilibriumProblem(sys ctmc.System) *equilibriumProblem {
	return &equilibriumProblem{sys: sys, load: sys.Load, buffer: sys.Buffer,
		law: newUnitLaw(sys.Service), kernel: newLimitKernel(sys.Policy.Fallback)}
}

// record appends s_{i,1} + s_{i,2} and s_{i,2}.
func (f *Fixpoint) record(s, second float64) {
	f.Tail = append(f.Tail, s)
	f.TailPhase2 = append(f.TailPhase2, second)
}

// finish fills the means from the tail and the fraction of lost jobs.
func (p *equilibriumProblem) finish(f *Fixpoint) *Fixpoint {
	f.Kind = ctmc.Limit
	f.Levels = len(f.Tail)
	for i := len(f.Tail) - 1; i >= 0; i-- {
		f.MeanJobs += f.Tail[i]
	}
	f.setResponse(p.sys)
	f.Residual = p.residual(f)
	f.Status = ctmc.Converged
	if !(f.Residual <= residualLimit*p.largestRate()) {
		f.Status = ctmc.Stagnated
	}
	return f
}

// setResponse uses Little's law. The accepted jobs arrive at rate
// λ (1 - P(block)), which at mean service 1 equals the fraction of busy
// servers s_1.
func (f *Fixpoint) setResponse(sys ctmc.System) {
	f.MeanResponse = f.MeanJobs * sys.Service.Mean() / f.Tail[0]
}

// residualLimit is the largest residual, relative to the largest rate of the
// equations, that counts as converged.
const residualLimit = 1e-11

func (p *equilibriumProblem) largestRate() float64 {
	l := &p.law
	return math.Max(math.Max(l.mu1, l.mu2), math.Max(1, p.load*p.kernel.slopeAtOne()))
}
