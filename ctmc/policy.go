package ctmc

import "math"

// AllLevels is the priority depth of a policy that serves every level in
// order, that is, of join-the-shortest-queue.
const AllLevels = math.MaxInt

// Policy is a dispatching rule declared as priority depth and fallback.
//
// A job goes to a server of the lowest non-empty level among the levels
// 0, 1, .., Depth-1 (a level is the set of servers with that many jobs, the
// one in service included), chosen uniformly within the level. When all those
// levels are empty the Fallback kernel chooses among all servers.
type Policy struct {
	Name     string // canonical text, as [ParsePolicy] reads it
	Depth    int    // number of levels served strictly in order; AllLevels for JSQ
	Fallback Kernel // rule for the jobs that pass every priority level
}

// JSQ is join-the-shortest-queue.
func JSQ() Policy { return Policy{Name: "jsq", Depth: AllLevels, Fallback: Uniform} }

// JIQ is join-the-idle-queue, also called idle-queue-first (IQF): an idle
// server if there is one, else a server chosen uniformly from all.
func JIQ() Policy { return Policy{Name: "jiq", Depth: 1, Fallback: Uniform} }

// I1F is idle-one-first: an idle server, else one with a single job, else a
// server chosen uniformly from all.
func I1F() Policy { return Policy{Name: "i1f", Depth: 2, Fallback: Uniform} }

// PowerOfD samples d servers, with or without replacement, and takes the
// shortest.
func PowerOfD(d int64, replacement bool) Policy {
	k := Sampling{Choices: d, Replacement: replacement && d > 1}
	name := k.String()
	if d == 1 {
		name = "pod:d=1"
	}
	return Policy{Name: name, Fallback: k}
}

// Random sends each job to a server chosen uniformly from all.
func Random() Policy { return Policy{Name: "random", Fallback: Uniform} }

// WithFallback returns the policy with another fallback kernel.
func (p Policy) WithFallback(k Sampling) Policy {
	p.Fallback = k
	if k.Choices > 1 {
		p.Name += ":fallback=" + k.String()
	}
	return p
}

func (p Policy) String() string { return p.Name }

// Smooth reports whether the policy's drift in the many-server limit is a
// smooth function of the state: true when no level has strict priority.
func (p Policy) Smooth() bool { return p.Depth == 0 }

// Validate reports whether the policy is defined for n servers.
func (p Policy) Validate(n int64) error {
	if p.Fallback == nil {
		return &FieldError{Field: "policy", Value: p.Name, Allowed: "a policy with a fallback kernel"}
	}
	if p.Depth < 0 {
		return &FieldError{Field: "policy depth", Value: p.Depth, Allowed: ">= 0"}
	}
	return p.Fallback.Validate(n)
}
