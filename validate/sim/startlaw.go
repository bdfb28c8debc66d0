package sim

import (
	"math"
	"math/rand/v2"

	"qlimit/ctmc"
	"qlimit/diffusion"
)

// StartLaw is a law of initial states for systems near their critical load,
// where the number of jobs wanders slowly and far: the stationary law of the
// averaged birth-death chain ([diffusion.Averaged]; for power-of-d that of
// samplingLaw) for the number of jobs, and the fast equilibrium at that number for
// where they are. Replications that start from independent draws differ as much as
// stationary ones, up to the error of that chain (0.4% of the mean for JSQ at N =
// 100 and N (1-λ) = 1, 0.9% for power-of-two); started at one and the same place
// they would be as far off as that place, or at the mean, too much alike.
type StartLaw struct {
	system   ctmc.System
	law      jobsLaw
	balanced *balancedStates // of power-of-d, nil for others
}

// jobsLaw is a law of the number of jobs per server, X/N.
type jobsLaw interface {
	MeanJobs() float64
	Variance() float64
	Density(x float64) float64 // N P(X = N x)
	CDF(x float64) float64
	Survival(x float64) float64
	Quantile(p float64) float64
}

// NewStartLaw returns the law for policies that find idle servers (JSQ, JIQ with
// a uniform fallback, I1F) and power-of-d, an unlimited buffer (for power-of-d also
// one that is hardly ever full) and loads from 0.5 to 1. The error says what does
// not hold.
func NewStartLaw(s ctmc.System) (*StartLaw, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	if s.Policy.Depth == 0 {
		law, err := newSamplingLaw(s)
		if err != nil {
			return nil, err
		}
		return &StartLaw{s, law, law.balanced}, nil
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
	return &StartLaw{s, law, nil}, nil
}

// NearCritical is the law where a start from the mean-field limit would be felt: for
// policies that find idle servers, at which no job waits in that limit, where the
// mean number of jobs is above it by more than a hundredth; for power-of-d, where
// it is above by more than a fiftieth of the standard deviation of the number and
// starts fit in memory. nil elsewhere.
func NearCritical(s ctmc.System) *StartLaw {
	law, err := NewStartLaw(s)
	if err != nil {
		return nil
	}
	limit, least := s.Load, waitingShare*s.Load
	if law.balanced != nil {
		f, err := law.balanced.equilibrium(1 - s.Load)
		if err != nil || law.law.Quantile(1-startShare) > mostDrawnJobs {
			return nil
		}
		limit, least = f.MeanJobs, biasShare*law.Deviation()
	}
	if law.MeanJobs() < limit+least {
		return nil
	}
	return law
}

const (
	waitingShare = 0.01
	biasShare    = 0.02
	// mostDrawnJobs per server is half of what the memory for starts allows with the
	// usual number of replications.
	mostDrawnJobs = mostStartLevels / DefaultReplications / 2
)

// Start lets every replication draw its own state.
func (l *StartLaw) Start() Start { return Start{law: l} }

// MeanJobs is the mean of the law, per server.
func (l *StartLaw) MeanJobs() float64 { return l.law.MeanJobs() }

// Deviation is the standard deviation of the jobs per server.
func (l *StartLaw) Deviation() float64 { return math.Sqrt(l.law.Variance()) }

// at is the state that leaves a share u of the law below it. Phases are drawn.
func (l *StartLaw) at(u float64, random *rand.PCG) Start {
	u = math.Min(math.Max(u, startShare), 1-startShare)
	n := l.system.Servers
	jobs := int64(math.Round(l.law.Quantile(u) * float64(n)))
	if l.balanced != nil {
		return l.profile(float64(jobs)/float64(n), random)
	}
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
	switch {
	case l.balanced != nil:
		return jobs + levelsAboveMean
	case jobs <= depth:
		return jobs + 1
	}
	// The level above which a geometric tail leaves half a server.
	return depth + 1 + (1+jobs-depth)*math.Log(2*float64(l.system.Servers))
}

// levelsAboveMean bounds the levels that the profile of power-of-d has above the mean
// number of jobs: its tail falls doubly exponentially.
const levelsAboveMean = 64

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

// profile is the balanced state with so many jobs per server, rounded up or down at
// random: every count is right on average.
func (l *StartLaw) profile(jobs float64, random *rand.PCG) Start {
	var s Start
	tail, second, err := l.balanced.tails(jobs)
	if err != nil {
		return s // not for any number that the law has
	}
	n := float64(l.system.Servers)
	u, v := unit(random), unit(random)
	for i := range tail {
		count := int64(math.Floor(n*tail[i] + u))
		if count == 0 || i == l.system.Buffer && i > 0 {
			break
		}
		s.Tail = append(s.Tail, count)
		s.TailPhase2 = append(s.TailPhase2, int64(math.Floor(n*second[i]+v)))
	}
	s.makeConsistent()
	return s
}
