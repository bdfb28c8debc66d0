package sim

import (
	"math"
	"math/rand/v2"

	"qlimit/ctmc"
	"qlimit/diffusion"
)

// StartLaw is a law of initial states for systems near their critical load,
// where the number of jobs wanders slowly and far: the stationary law of the
// averaged birth-death chain ([diffusion.Averaged]) for the number of jobs, and
// the fast equilibrium at that number for where they are. Replications that
// start from independent draws differ as much as stationary ones, up to the error
// of that chain (0.4% of the mean for JSQ at N = 100 and N (1-λ) = 1); started at
// one and the same place they would be as far off as that place, or at the mean,
// too much alike.
type StartLaw struct {
	system ctmc.System
	law    *diffusion.AveragedLaw
}

// NewStartLaw returns the law for policies that find idle servers (JSQ, JIQ with
// a uniform fallback, I1F), an unlimited buffer and loads from 0.5 to 1. The
// error says what does not hold.
func NewStartLaw(s ctmc.System) (*StartLaw, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	if s.Buffer != ctmc.Unlimited {
		return nil, &ctmc.FieldError{Field: "buffer", Value: s.Buffer, Allowed: "unlimited for a start from the diffusion"}
	}
	discipline, err := diffusion.Dispatching(s.Policy)
	if err != nil {
		return nil, err
	}
	law, err := diffusion.Averaged{Discipline: discipline, Servers: s.Servers, Load: s.Load, Service: s.Service,
		CornerRepair: s.Policy.Depth == 1 && s.Servers > 1}.Solve()
	if err != nil {
		return nil, err
	}
	return &StartLaw{s, law}, nil
}

// NearCritical is the law where it says more than the mean-field limit, in which
// no job waits at such policies: where the mean number of jobs is above that
// limit by more than a hundredth. nil elsewhere.
func NearCritical(s ctmc.System) *StartLaw {
	law, err := NewStartLaw(s)
	if err != nil || law.MeanJobs() < waitingShare*s.Load {
		return nil
	}
	return law
}

const waitingShare = 1.01

// Start lets every replication draw its own state.
func (l *StartLaw) Start() Start { return Start{law: l} }

// MeanJobs is the mean of the law, per server.
func (l *StartLaw) MeanJobs() float64 { return l.law.MeanJobs() }

// Deviation is the standard deviation of the jobs per server.
func (l *StartLaw) Deviation() float64 { return math.Sqrt(l.law.Variance()) }

// at is the state that leaves a share u of the law below it. Phases are drawn.
func (l *StartLaw) at(u float64, random *rand.PCG) Start {
	u = math.Min(math.Max(u, 1e-9), 1-1e-9)
	n := l.system.Servers
	jobs := int64(math.Round(l.law.Quantile(u) * float64(n)))
	s := Start{Tail: l.levels(jobs)}
	s.TailPhase2 = make([]int64, len(s.Tail))
	law := l.system.Service.Normalized()
	share := law.P / law.Mu2 // of busy time spent in phase 2
	second := int64(0)
	for i := len(s.Tail) - 1; i >= 0; i-- {
		exactly := s.Tail[i]
		if i+1 < len(s.Tail) {
			exactly -= s.Tail[i+1]
		}
		second += int64(math.Floor(share*float64(exactly) + unit(random)))
		s.TailPhase2[i] = second
	}
	s.makeConsistent()
	return s
}

// longest is the longest queue of the state that leaves a share u of the law
// below it.
func (l *StartLaw) longest(u float64) float64 {
	jobs, depth := l.law.Quantile(u), float64(l.system.Policy.Depth)
	if jobs <= depth {
		return jobs + 1
	}
	// The level above which a geometric tail leaves half a server.
	return depth + 1 + (1+jobs-depth)*math.Log(2*float64(l.system.Servers))
}

// levels spreads jobs over servers: one each as far as they go; from there on
// JSQ keeps all servers within one job of each other, JIQ has queues of
// geometric length, and so has I1F from two jobs each on.
func (l *StartLaw) levels(jobs int64) []int64 {
	n := l.system.Servers
	if jobs <= n {
		return []int64{jobs}
	}
	var tail []int64
	level := int64(l.system.Policy.Depth)
	for int64(len(tail)) < level && jobs >= n {
		tail = append(tail, n)
		jobs -= n
	}
	if int64(len(tail)) < level {
		return append(tail, jobs)
	}
	// Geometric with the mean that is left.
	mean := float64(jobs) / float64(n)
	for m := float64(n); ; {
		m *= mean / (1 + mean)
		count := int64(math.Round(m))
		if count == 0 {
			return tail
		}
		tail = append(tail, count)
	}
}
