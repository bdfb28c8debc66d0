package diffusion

import (
	"fmt"
	"strings"

	"qlimit/ctmc"
	"qlimit/internal/nearest"
)

// Discipline is a rule of service in the non-degenerate slowdown regime: one
// central queue, or a dispatching policy known by its priority depth and
// fallback.
type Discipline struct {
	Name    string // as ParseDiscipline reads it
	central bool
	policy  ctmc.Policy
}

// The four disciplines with a limit.
var (
	CQ  = Discipline{Name: "cq", central: true} // one queue in front of all servers, M/M/N
	JSQ = Discipline{Name: "jsq", policy: ctmc.JSQ()}
	I1F = Discipline{Name: "i1f", policy: ctmc.I1F()}
	IQF = Discipline{Name: "iqf", policy: ctmc.JIQ()} // join-the-idle-queue
)

// DisciplineNames are the names that ParseDiscipline reads.
var DisciplineNames = []string{"cq", "jsq", "i1f", "iqf"}

// ParseDiscipline reads cq, jsq, i1f, iqf or its other name jiq. Errors: a
// [ctmc.FieldError] that lists the names.
func ParseDiscipline(name string) (Discipline, error) {
	for _, d := range []Discipline{CQ, JSQ, I1F, IQF} {
		if d.Name == name {
			return d, nil
		}
	}
	if name == "jiq" {
		return IQF, nil
	}
	err := &ctmc.FieldError{Field: "process", Value: fmt.Sprintf("%q", name), Allowed: "one of " + strings.Join(DisciplineNames, ", ")}
	if guess := nearest.Of(name, DisciplineNames); guess != "" {
		err.Reason = "did you mean " + guess + "?"
	}
	return Discipline{}, err
}

// Dispatching is the discipline of a policy. In this regime the idle servers
// are few and found by every policy with at least one priority level; with two
// or more the level of one job is found too, and the policy behaves as JSQ.
//
// Refused: policies without priority levels (power-of-d, random), which have
// no such limit because their response time grows like log_d(N/α) or N/α, and
// one priority level with a fallback other than uniform.
func Dispatching(p ctmc.Policy) (Discipline, error) {
	switch {
	case p.Depth == 0:
		return Discipline{}, &ctmc.FieldError{Field: "policy", Value: p.Name, Allowed: "a policy that finds idle servers: jsq, jiq, i1f",
			Reason: "there is no non-degenerate slowdown limit: at arrival rate N - α the response time grows without bound with N"}
	case p.Depth == 1 && p.Fallback != ctmc.Kernel(ctmc.Uniform):
		return Discipline{}, &ctmc.FieldError{Field: "policy", Value: p.Name, Allowed: "jiq with a uniform fallback, or two priority levels",
			Reason: "the fast equilibrium is known for the uniform fallback only"}
	}
	return Discipline{Name: p.Name, policy: p}, nil
}

// rule tells the three kinds of limits apart.
type rule int

const (
	centralQueue   rule = iota // idle servers never coexist with waiting jobs
	findsIdle                  // one priority level: IQF
	findsIdleOrOne             // two or more: JSQ, I1F
)

func (d Discipline) rule() rule {
	switch {
	case d.central:
		return centralQueue
	case d.policy.Depth == 1:
		return findsIdle
	case d.policy.Depth > 1:
		return findsIdleOrOne
	}
	panic("diffusion: a Discipline must be CQ, JSQ, I1F, IQF or made by Dispatching")
}

// Policy is the dispatching policy, the zero Policy for the central queue.
func (d Discipline) Policy() ctmc.Policy { return d.policy }

func (d Discipline) String() string { return d.Name }
