package stein

import (
	"context"
	"errors"
	"fmt"
	"math"

	"qlimit/ctmc"
	"qlimit/ctmc/slotted"
)

// SlottedPooling is what resource pooling says about a slotted model: one
// queue that all servers share,
//
//	q(t+1) = (q(t) + A_Σ(t) - S_Σ(t))⁺,
//
// is stochastically below Σ_n Q_n(t) under every dispatching policy, so that
// E q is a lower bound of the mean total queue. Queues are in jobs at slot
// starts, for the whole system.
type SlottedPooling struct {
	Model slotted.Model // that was pooled

	// MeanQueue is E q, exact, by Spitzer's identity; MeanQueueError bounds
	// its error. VarianceQueue is Var q and EmptyProbability P(q = 0).
	MeanQueue, MeanQueueError       float64
	VarianceQueue, EmptyProbability float64
	// MeanResponse is E q/λ_Σ by Little's law: the slot starts that a job sees,
	// none if it is served in the slot it comes in. It does not exist at load 0.
	MeanResponse float64
	HasResponse  bool

	// SecondRoute is E q from the Wiener-Hopf factorisation and its error
	// bound; where it was left out, SecondRouteReason tells why.
	SecondRoute, SecondRouteError float64
	HasSecondRoute                bool
	SecondRouteReason             string

	Slack                            float64 // ε = μ_Σ - λ_Σ
	ArrivalVariance, ServiceVariance float64 // σ_Σ², ν_Σ²
	Zeta                             float64 // ζ = σ_Σ² + ν_Σ² + ε²

	// ExplicitBound is ζ/(2ε) - S/2 with S the most that all servers together
	// serve in a slot; it exists where S does. Otherwise ExplicitBoundReason
	// names what is unbounded.
	ExplicitBound       float64
	HasExplicitBound    bool
	ExplicitBoundReason string

	// Limit is (σ_Σ² + ν_Σ²)/2 at load 1, the limit of ε E q as ε -> 0 with
	// the laws held fixed up to the arrivals' mean. LimitAtLoad is the same
	// with the variance of the arrivals at the model's own load.
	Limit, LimitAtLoad float64
	HasLimit           bool
	LimitReason        string

	Evaluations int // of the generating function
	Block       int // order of the matrices of the second route
	Iterations  int // of the second route
}

// PoolSlotted computes the pooled queue of a model with load in [0, 1).
//
// E q comes from Spitzer's identity summed in closed form (error bound of some
// 1e-14 E q, at load 1 - 1e-9 some 1e-13) and, where the steps of the walk span
// at most 512 jobs, also from the Wiener-Hopf factorisation, which shares nothing
// with the first route but the laws. An error is returned should the two disagree
// by more than ten times their error bounds.
func PoolSlotted(ctx context.Context, m *slotted.Model) (*SlottedPooling, error) {
	w, err := newWalk(m)
	if err != nil {
		return nil, err
	}
	p := &SlottedPooling{
		Model: *m, Slack: w.slack, Zeta: w.zeta(),
		ArrivalVariance: w.arrivalVariance, ServiceVariance: w.serviceVariance,
	}
	p.explicitBound(w)
	p.heavyTrafficLimit(m)
	if w.neverPositive() {
		p.EmptyProbability, p.HasSecondRoute = 1, true
		p.HasResponse = m.Load > 0
		return p, nil
	}
	if m.Load > 0 && m.Load < leastPooledLoad {
		return nil, &ctmc.FieldError{Field: "load", Value: m.Load, Allowed: fmt.Sprintf("at least %g for the pooled queue", leastPooledLoad)}
	}
	s, err := w.spitzerSums(ctx)
	if err != nil {
		return nil, err
	}
	p.MeanQueue, p.MeanQueueError, p.VarianceQueue = s.mean, s.meanError, s.variance
	p.EmptyProbability, p.Evaluations = math.Exp(s.logEmpty), s.evaluations
	if m.Load > 0 {
		p.MeanResponse, p.HasResponse = s.mean/m.ArrivalRate(), true
	}
	return p, p.confirm(ctx, w)
}

// leastPooledLoad is the load below which the transforms of a step cannot be told
// from those of a slot without arrivals.
const leastPooledLoad = 1e-12

// confirm runs the second route and compares.
func (p *SlottedPooling) confirm(ctx context.Context, w *walk) error {
	l, err := w.descend(ctx)
	var tooLarge *ctmc.TooLargeError
	switch {
	case errors.As(err, &tooLarge):
		p.SecondRouteReason = fmt.Sprintf("%s = %.4g, above the %.4g of the Wiener-Hopf solution", tooLarge.What, tooLarge.Value, tooLarge.Limit)
		return nil
	case err != nil:
		return err
	}
	p.SecondRoute, p.SecondRouteError = w.meanQueue(l)
	p.HasSecondRoute, p.Block, p.Iterations = true, l.block, l.iterations
	if gap := math.Abs(p.MeanQueue - p.SecondRoute); gap > 10*(p.MeanQueueError+p.SecondRouteError) {
		return fmt.Errorf("the two routes to the pooled queue disagree: %.17g by Spitzer's identity, %.17g by Wiener-Hopf factorisation", p.MeanQueue, p.SecondRoute)
	}
	return nil
}

// explicitBound: E u = ε and u <= S give E u² <= ε S, and
// E q = (ζ - E u²)/(2ε).
func (p *SlottedPooling) explicitBound(w *walk) {
	most := 0.0
	for _, g := range w.services {
		highest, bounded := g.law.Max()
		if !bounded {
			p.ExplicitBoundReason = fmt.Sprintf("the service of a slot is unbounded (%v): the bound needs a largest service S_max", g.law)
			return
		}
		most += float64(highest) * float64(g.count)
	}
	p.ExplicitBound, p.HasExplicitBound = p.Zeta/(2*p.Slack)-most/2, true
}

// heavyTrafficLimit evaluates the arrivals' variance at load 1.
func (p *SlottedPooling) heavyTrafficLimit(m *slotted.Model) {
	p.LimitAtLoad = (p.ArrivalVariance + p.ServiceVariance) / 2
	critical := *m
	critical.Load = 1
	arrivals, service, err := critical.Variances()
	if err != nil {
		p.LimitReason = fmt.Sprintf("the arrivals cannot reach load 1: %v", err)
		return
	}
	p.Limit, p.HasLimit = (arrivals+service)/2, true
}
