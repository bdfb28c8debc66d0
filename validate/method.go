package validate

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"

	"qlimit/ctmc"
	"qlimit/internal/nearest"
	"qlimit/meanfield"
	"qlimit/validate/sim"
)

// Method names a way to predict stationary measures.
type Method string

// The methods. Published values are not computed but read; Simulated is what
// other simulations are held against where nothing better is known.
const (
	ExactChain Method = "exact"
	MeanField  Method = "mean-field"
	Refined1   Method = "refined-1" // mean-field with its 1/N correction
	Refined2   Method = "refined-2" // and its 1/N² correction
	Published  Method = "published"
	Simulated  Method = "simulation" // ours
)

// computable lists the methods an experiment file may name.
var computable = []string{string(ExactChain), string(MeanField), string(Refined1), string(Refined2)}

// ParseMethod checks a method's name. The error lists the names.
func ParseMethod(text string) (Method, error) {
	for _, name := range computable {
		if text == name {
			return Method(text), nil
		}
	}
	return "", &ctmc.FieldError{Field: "method", Value: strconv.Quote(text),
		Allowed: "one of " + strings.Join(computable, ", "),
		Reason:  fmt.Sprintf("did you mean %s?", nearest.Of(text, computable))}
}

// prediction is what a method says of a system.
type prediction struct {
	kind      ctmc.Kind
	measures  measures
	meansOnly bool // mean jobs and mean response, nothing else
	allowance func(q Quantity) (size float64, reason string)
}

// predict computes the prediction of a method.
func predict(ctx context.Context, m Method, s ctmc.System) (*prediction, error) {
	switch m {
	case ExactChain:
		return predictExact(ctx, s, exactStates)
	case MeanField:
		return predictMeanField(s)
	case Refined1:
		return predictRefined(ctx, s, 1)
	case Refined2:
		return predictRefined(ctx, s, 2)
	}
	return nil, &ctmc.FieldError{Field: "method", Value: string(m), Allowed: "one of " + strings.Join(computable, ", ")}
}

// Limits of the exact chain in an experiment, and the relative effect at which
// an unlimited buffer may be cut there.
const (
	exactStates     = int64(100_000)
	exactCutAllowed = 1e-4
)

// solveExact solves a chain of at most so many states, unless an unlimited
// buffer needs more.
func solveExact(ctx context.Context, s ctmc.System, states int64) (*ctmc.Stationary, error) {
	r, err := ctmc.SolveStationary(ctx, s, ctmc.SolverSettings{}, states)
	if err != nil {
		return nil, err
	}
	if r.TruncationError > exactCutAllowed*r.MeanJobs {
		return nil, fmt.Errorf("%d states leave the mean number of jobs uncertain by %.1g", r.States, r.TruncationError)
	}
	return r, nil
}

func predictExact(ctx context.Context, s ctmc.System, states int64) (*prediction, error) {
	r, err := solveExact(ctx, s, states)
	if err != nil {
		return nil, err
	}
	if r.Law.Status != ctmc.Converged {
		return nil, &ctmc.NotConvergedError{What: "exact chain", Status: r.Law.Status, Steps: r.Law.Iterations, Residual: r.Law.Residual}
	}
	numerical := r.Law.Error*r.MeanJobs + r.Law.Error + r.TruncationError
	why := "solver"
	if r.TruncationError > numerical/2 {
		why = fmt.Sprintf("cut to %d states", r.States)
	}
	tail := make([]float64, len(r.Occupancy)-1)
	above := 0.0
	for i := len(tail); i >= 1; i-- {
		above += r.Occupancy[i]
		tail[i-1] = above
	}
	return &prediction{
		kind:     ctmc.Exact,
		measures: measures{r.MeanJobs, r.MeanResponse, r.WaitProb, r.BlockProb, tail},
		allowance: func(q Quantity) (float64, string) {
			if q == MeanResponse {
				return numerical * r.MeanResponse / r.MeanJobs, why
			}
			return numerical, why
		},
	}, nil
}

func predictMeanField(s ctmc.System) (*prediction, error) {
	f, err := meanfield.Equilibrium(s)
	if err != nil {
		return nil, err
	}
	if f.Status != ctmc.Converged {
		return nil, fmt.Errorf("mean-field equilibrium: %s with residual %.2g", f.Status, f.Residual)
	}
	return &prediction{
		kind:      ctmc.Limit,
		measures:  measures{f.MeanJobs, f.MeanResponse, f.WaitProb, f.BlockProb, f.Tail},
		allowance: func(q Quantity) (float64, string) { return fluidAllowance(s, q) },
	}, nil
}

// predictRefined takes the size of the next term of the expansion as the
// error it may have.
func predictRefined(ctx context.Context, s ctmc.System, order int) (*prediction, error) {
	r, err := meanfield.Refine(ctx, s, order)
	if err != nil {
		return nil, err
	}
	if !r.Trusted {
		return nil, fmt.Errorf("%s", strings.Join(r.Warnings, "; "))
	}
	m := measures{meanJobs: r.MeanJobsOrder1, meanResponse: r.MeanResponseOrder1}
	if order == 2 {
		m = measures{meanJobs: r.MeanJobsOrder2, meanResponse: r.MeanResponseOrder2}
	}
	return &prediction{kind: ctmc.Limit, measures: m, meansOnly: true,
		allowance: func(q Quantity) (float64, string) {
			next := r.ErrorIndication
			if q == MeanResponse {
				next *= m.meanResponse / m.meanJobs
			}
			return next, fmt.Sprintf("next term, order N^-%d", order+1)
		},
	}, nil
}

// fluidAllowance is the size to which the mean-field limit may err at N
// servers: a scale of the known leading order, not a bound.
//
// What the fluid neglects is the randomness of the total load. Its effect on
// the number of jobs in the whole system is of the size of the queue in front
// of one server of speed N, λ²(1+c²)/(2(1-λ)) jobs (Pollaczek-Khinchine), so
// 1/N of that for each server: for power-of-d the coefficient of 1/N of the
// size expansion is close to half of it for loads .7 to .95, d = 2 to 5. A
// policy that serves idle servers first errs by jobs that find none: with the
// probability that all servers of the pooled queue are busy, which the
// allowance for P(wait) takes. In overload λ - 1 takes the place of 1 - λ,
// and at critical load 1/√N.
func fluidAllowance(s ctmc.System, q Quantity) (float64, string) {
	n := float64(s.Servers)
	load, gap := s.Load, 1-s.Load
	if load >= 1 {
		load, gap = 1, math.Max(s.Load-1, 1/math.Sqrt(n))
	}
	jobs := load * load * (1 + s.Service.SCV()) / (2 * gap) / n
	switch q {
	case MeanJobs:
		return jobs, "order 1/N"
	case MeanResponse:
		return jobs * s.Service.Mean() / load, "order 1/N"
	case BlockProb:
		return 1 / math.Sqrt(n), "order 1/√N"
	}
	if s.Policy.Depth > 0 && s.Load < 1 && q == WaitProb {
		wait := ctmc.Pooled{Servers: s.Servers, Offered: s.Load * n}.WaitProbability()
		return (1 + s.Service.SCV()) / 2 * wait, "P(all busy)"
	}
	return jobs, "order 1/N"
}

// startOf is where a simulation is best begun: at draws from the averaged chain near
// the critical load, else at the fluid equilibrium, else empty.
func startOf(s ctmc.System) sim.Start {
	if law := sim.NearCritical(s); law != nil {
		return law.Start()
	}
	tail, tailPhase2 := fluidTails(s)
	return sim.RoundedStart(s.Servers, tail, tailPhase2)
}

// fluidTails returns the fluid equilibrium as the initial state of a simulation,
// or the empty system where there is none.
func fluidTails(s ctmc.System) (tail, tailPhase2 []float64) {
	f, err := meanfield.Equilibrium(s)
	if err != nil {
		return nil, nil
	}
	return f.Tail, f.TailPhase2
}
