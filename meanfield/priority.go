package meanfield

import (
	"fmt"
	"math"

	"qlimit/ctmc"
)

// withoutWaiting is the equilibrium of a policy with priority levels at load
// λ < 1: idle servers remain and take every job, s_1 = λ, s_{1,2} = λp/μ2,
// s_2 = 0.
func (p *equilibriumProblem) withoutWaiting() *Fixpoint {
	f := &Fixpoint{Method: "closed form"}
	f.record(p.load, p.load*p.law.phase2)
	return p.finish(f)
}

// priorityLevels is the number of levels that the policy serves in order, at
// most b: a job that finds the levels below b empty is lost either way.
func (p *equilibriumProblem) priorityLevels() int { return min(p.sys.Policy.Depth, p.buffer) }

// critical is load exactly 1. All servers are busy. With one priority level
// the idle ones are refilled as fast as they appear and nothing is left for
// the fallback: q_1 = 1. With k > 1 levels any two neighbours j, j+1 <= k can
// share the servers: the lower absorbs what leaves the upper.
func (p *equilibriumProblem) critical() (*Fixpoint, error) {
	k := p.priorityLevels()
	if k > 1 {
		return nil, &ctmc.NotUniqueError{
			What: fmt.Sprintf("the mean-field equilibrium of %s at load 1", p.sys.Policy),
			Why: fmt.Sprintf("all servers are busy, jobs leave as fast as they come, and every mean number of jobs "+
				"per server in [1, %d] is at rest", k)}
	}
	f := &Fixpoint{Method: "closed form"}
	f.record(1, p.law.phase2)
	f.WaitProb = 0
	return p.finish(f), nil
}

// overloaded is the equilibrium of a policy with k priority levels at load
// λ > 1 and a buffer b > k. The levels below k are empty. Level k-1 takes one
// job for each that leaves level k, a rate r in all, and the jobs left over,
// at rate λ - r, go to the fallback kernel among servers with k jobs or more.
// These form a climb from
//
//	s_k = 1, s_{k,2} = p/μ2, flow r, pass r, lost = λ - 1
//
// (all servers are busy, so they complete jobs at rate 1), and r is the root
// of (λ - r) h(s_b) = λ - 1, whose left side falls as r grows. With b <= k all
// servers are full.
func (p *equilibriumProblem) overloaded() (*Fixpoint, error) {
	k := p.priorityLevels()
	if k >= p.buffer {
		return p.full(), nil
	}
	r, scale, evaluations := p.rootAboveOne(k, p.overloadStart)
	f := &Fixpoint{Method: "climb over the levels, refill rate by bracketing", Iterations: evaluations}
	for range k - 1 {
		f.record(1, p.law.phase2)
	}
	c := p.overloadStart(r, scale)
	p.recordClimb(f, &c)
	f.BlockProb = (p.load - 1) / p.load
	f.WaitProb = 1
	if k == 1 {
		f.WaitProb = 1 - math.Ldexp(r, -scale)/p.load
	}
	return p.finish(f), nil
}

func (p *equilibriumProblem) overloadStart(r float64, scale int) climb {
	return climb{law: &p.law, kernel: &p.kernel, level: p.priorityLevels(), scale: scale,
		rate: p.load - math.Ldexp(r, -scale), pass: r, lost: p.load - 1, flow: r,
		s: 1, first: p.law.phase1, second: p.law.phase2}
}

// full is the state with b jobs at every server.
func (p *equilibriumProblem) full() *Fixpoint {
	f := &Fixpoint{Method: "closed form", BlockProb: (p.load - 1) / p.load, WaitProb: 1}
	if p.buffer == 1 {
		f.WaitProb = f.BlockProb
	}
	for range p.buffer {
		f.record(1, p.law.phase2)
	}
	return p.finish(f)
}
