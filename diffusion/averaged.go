package diffusion

import (
	"math"

	"qlimit/coxian"
	"qlimit/ctmc"
)

// Averaged is the averaged birth-death chain at finite N: the number of jobs X
// goes up at the rate λN and down at the rate N - E[I | X], the number I of
// idle servers being averaged over its fast chain at fixed X (see idleChain).
// For exponential service
//
//	log π(X) - log π(X-1) = log(λN/(N - E[I | X])),
//
// for Coxian-2 service, and for IQF with any law, the noise enters as in the
// diffusion limit,
//
//	log π(X) - log π(X-1) = 2 (λN - N + E[I | X])/(N (1 + scv)).
//
// The two forms agree to order 1/N. For JSQ, and for IQF with CornerRepair, one
// passes smoothly into the other close to scv 1, with weight
// exp(-((scv-1)/0.1)²) of the first, times 2/(1 + scv).
//
// As N grows with α = N(1 - λ) fixed it tends to the limit [NDS]. Conjecture;
// the measured errors are in docs/diffusion.md. For JSQ with exponential service
// at α = 1 the mean is 0.4% high at N = 100 and 4.4% at N = 10; less for smaller
// α and more for larger.
type Averaged struct {
	Discipline Discipline  // JSQ, I1F (without CornerRepair the same as JSQ) or IQF
	Servers    int64       // 1 to MaxAveragedServers, 1e7
	Load       float64     // 0.5 <= λ < 1
	Service    coxian.Dist // rescaled to mean 1 inside
	// CornerRepair gives IQF and I1F their heavy-traffic factors over optimal
	// policies at finite N. IQF: the repulsion is multiplied by (B-1)/(B+1), B the
	// number of busy servers, and the factor is 2N/(N+1) instead of 2. I1F: the
	// servers with one job beyond X = 2N are counted (see idleBeyondTwo), and the
	// factor is 1 + (N-1)/(N(N+1)), for exponential service, instead of 1. JSQ is
	// optimal and not changed.
	CornerRepair bool
}

// MaxAveragedServers is the largest N; the work grows like √N, and the limit
// is as good beyond.
const MaxAveragedServers = int64(1e7)

// CornerRepairBelow is the number of servers below which CornerRepair is to be
// preferred without being asked for: there the chain without it is off by 0.8%
// and more at α = 1.
const CornerRepairBelow = int64(100)

// Validate checks the fields. The error is a [ctmc.FieldError], for too many
// servers a [ctmc.TooLargeError].
func (a Averaged) Validate() error {
	if err := a.Service.Validate(); err != nil {
		return err
	}
	switch {
	case a.Discipline.central:
		return &ctmc.FieldError{Field: "process", Value: a.Discipline.Name, Allowed: "jsq, i1f or iqf", Reason: "the central queue with exponential service is M/M/N, known exactly"}
	case a.Servers < 1:
		return &ctmc.FieldError{Field: "servers", Value: a.Servers, Allowed: "between 1 and 1e7"}
	case a.Servers > MaxAveragedServers:
		return &ctmc.TooLargeError{What: "servers", Value: float64(a.Servers), Limit: float64(MaxAveragedServers), Hint: "use the non-degenerate slowdown limit"}
	case !(a.Load >= 0.5 && a.Load < 1):
		return &ctmc.FieldError{Field: "load", Value: a.Load, Allowed: "at least 0.5 and < 1", Reason: "the averaging is for loads near 1"}
	case a.spare() < 1e-9:
		return &ctmc.FieldError{Field: "load", Value: a.Load, Allowed: "such that servers × (1 - load) is at least 1e-9"}
	}
	a.Discipline.rule()
	return nil
}

// spare is α = N - λN.
func (a Averaged) spare() float64 { return float64(a.Servers) * (1 - a.Load) }

// chain is the idle chain of the system.
func (a Averaged) chain() *idleChain {
	n := float64(a.Servers)
	return &idleChain{servers: n, arrivals: a.Load * n, creation: a.idleCreationRate()}
}

// ascent returns log π(X) - log π(X-1) as a function of E[I | X].
func (a Averaged) ascent() func(idle float64) float64 {
	n, noise := float64(a.Servers), noiseOf(a.Service)
	alpha := a.spare()
	linear := func(idle float64) float64 { return 2 * (idle - alpha) / (n * noise) }
	logarithmic := func(idle float64) float64 { return 2 / noise * math.Log1p((idle-alpha)/(n-idle)) }
	distance := (noise - 2) / 0.1
	if a.Discipline.rule() == findsIdle && !a.CornerRepair {
		return linear
	}
	switch weight := math.Exp(-distance * distance); {
	case weight == 1:
		return logarithmic
	case weight < 1e-17:
		return linear
	default:
		return func(idle float64) float64 { return weight*logarithmic(idle) + (1-weight)*linear(idle) }
	}
}

// exactBelow is the number of servers below which the chain is summed state by
// state; from there on sums over X are integrals with Euler-Maclaurin
// corrections, whose relative error is below 1e-8.
const exactBelow = 512

// exactAtMost is the same where the load is so low that jobs hardly ever wait.
const exactAtMost = 20_000

// Solve computes the stationary law of the chain.
//
// Errors: a field out of range, or more than 20,000 servers at a load so low
// that some are always idle (β = N(1-λ)/√N above about 5 sqrt(1 + scv)).
func (a Averaged) Solve() (*AveragedLaw, error) {
	if err := a.Validate(); err != nil {
		return nil, err
	}
	relaxed := a.spare() > 5*math.Sqrt(a.size()*noiseOf(a.Service))
	switch {
	case a.Servers < exactBelow || relaxed && a.Servers <= exactAtMost:
		return a.bySummation()
	case relaxed:
		return nil, &ctmc.FieldError{Field: "load", Value: a.Load, Allowed: "closer to 1 for so many servers",
			Reason: "some server is always idle there and no job waits"}
	}
	return a.byIntegration()
}

// lowest is where π has fallen to e^-50 of its value at N - α: further down
// E[I | X] >= N - X pulls back at least linearly.
func (a Averaged) lowest() float64 {
	n := float64(a.Servers)
	return n - a.spare() - math.Sqrt(50*n*noiseOf(a.Service))
}
