package sim

import (
	"math"
	"sort"

	"qlimit/ctmc"
	"qlimit/meanfield"
)

// balancedStates are the mean-field equilibria of power-of-d at all loads below 1,
// found by their jobs per server: the states in which a system with so many jobs
// settles within a few service times.
type balancedStates struct {
	system  ctmc.System // of unlimited buffer; its load is set as needed
	jobs    []float64   // per server, increasing
	logIdle []float64   // log of the fraction of idle servers
}

const (
	// Fractions of idle servers between which equilibria are tabulated, and the
	// step of their logarithm. In between log I is a straight line in the number
	// of jobs, which it nearly is: a job more per server divides I by about d.
	mostIdle    = 0.99
	fewestIdle  = 1e-12
	idleSpacing = math.Ln2 / 8
)

func newBalancedStates(s ctmc.System) (*balancedStates, error) {
	b := &balancedStates{system: s}
	b.system.Buffer = ctmc.Unlimited
	// The equilibrium at the load of the system is one of them: near it, where the
	// number of jobs stays when servers are many, nothing is interpolated.
	own := math.Log1p(-s.Load)
	above := math.Floor((math.Log(mostIdle) - own) / idleSpacing)
	for logIdle := own + above*idleSpacing; logIdle > math.Log(fewestIdle); logIdle -= idleSpacing {
		f, err := b.equilibrium(math.Exp(logIdle))
		if err != nil {
			return nil, err
		}
		b.jobs, b.logIdle = append(b.jobs, f.MeanJobs), append(b.logIdle, logIdle)
	}
	return b, nil
}

// equilibrium is that with the given fraction of idle servers.
func (b *balancedStates) equilibrium(idle float64) (*meanfield.Fixpoint, error) {
	s := b.system
	s.Load = 1 - idle
	return meanfield.Equilibrium(s)
}

// idleAt is the fraction of idle servers at so many jobs per server.
func (b *balancedStates) idleAt(jobs float64) float64 {
	if jobs < b.jobs[0] {
		return 1 + jobs*math.Expm1(b.logIdle[0])/b.jobs[0]
	}
	k := min(max(sort.SearchFloat64s(b.jobs, jobs), 1), len(b.jobs)-1)
	slope := (b.logIdle[k] - b.logIdle[k-1]) / (b.jobs[k] - b.jobs[k-1])
	return math.Exp(b.logIdle[k] + slope*(jobs-b.jobs[k]))
}

// tails are the fractions of servers with at least 1, 2, .. jobs, and the part of
// them in phase 2. Above the last equilibrium of the table the profile moves up
// unchanged, by whole levels.
func (b *balancedStates) tails(jobs float64) (tail, second []float64, err error) {
	raised := int(math.Max(0, math.Ceil(jobs-b.jobs[len(b.jobs)-1])))
	f, err := b.equilibrium(b.idleAt(jobs - float64(raised)))
	if err != nil {
		return nil, nil, err
	}
	for range raised {
		tail, second = append(tail, 1), append(second, f.TailPhase2[0])
	}
	return append(tail, f.Tail...), append(second, f.TailPhase2...), nil
}
