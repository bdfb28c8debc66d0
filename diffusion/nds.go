package diffusion

import (
	"math"

	"qlimit/coxian"
	"qlimit/ctmc"
)

// NDS is the non-degenerate slowdown limit: N servers, arrival rate N - α in
// units of one over the mean service time, N to infinity with α fixed. With
// X = (jobs in the system)/N and time sped up by N, U = X - 1 is a diffusion
// on u >= 0,
//
//	dU = (E[idle servers | U] - α) dt + σ dB,  σ² = 1 + scv,
//
// where the number of idle servers, on the fast time scale, has mean
// r0/(1 - r0), r0 the rate per server at which servers become idle.
//
//	CQ        b = -α, reflected at 0:      U ~ Exp(2α/σ²)
//	IQF       b = (σ²/2)/u - α:            U ~ Gamma(2, 2α/σ²)
//	JSQ, I1F  exponential: b = (1-u)^+/u - α;  Coxian-2: see docs/diffusion.md
//
// Exponential service: Gupta and Walton, Oper. Res. 67(1), 2019. Coxian-2
// service: conjecture.
type NDS struct {
	Discipline Discipline  // CQ, JSQ, I1F or IQF
	Spare      float64     // α > 0
	Service    coxian.Dist // rescaled to mean 1
}

// MinSpare and MaxSpare bound α.
const (
	MinSpare = 1e-6
	MaxSpare = 1e6
)

// Validate checks the fields. The error is a [ctmc.FieldError] or that of the
// service law.
func (n NDS) Validate() error {
	if err := n.Service.Validate(); err != nil {
		return err
	}
	if !(n.Spare >= MinSpare && n.Spare <= MaxSpare) {
		return &ctmc.FieldError{Field: "spare", Value: n.Spare, Allowed: "between 1e-6 and 1e6"}
	}
	return nil
}

// Kind is Limit for exponential service, where convergence is proved, and
// Conjecture for other laws.
func (n NDS) Kind() ctmc.Kind {
	if n.Service.IsExponential() {
		return ctmc.Limit
	}
	return ctmc.Conjecture
}

// noise is σ² = 1 + scv.
func (n NDS) noise() float64 { return noiseOf(n.Service) }

func noiseOf(service coxian.Dist) float64 {
	if service.IsExponential() {
		return 2
	}
	return 1 + service.SCV()
}

// Process is the diffusion of U = X - 1. Errors: those of Validate.
func (n NDS) Process() (Process, error) {
	if err := n.Validate(); err != nil {
		return Process{}, err
	}
	noise, alpha := n.noise(), n.Spare
	p := Process{Noise: noise, Drift: func(float64) float64 { return -alpha }, Scale: noise / alpha}
	switch n.Discipline.rule() {
	case findsIdle:
		p.Repulsion = noise / 2
	case findsIdleOrOne:
		levels := newFastLevels(n.Service)
		p.Repulsion = noise / 2
		p.Breaks = []float64{1}
		p.Scale = math.Min(1, p.Scale)
		p.Drift = func(u float64) float64 {
			if u < 1 {
				return levels.idleBeyondRepulsion(u) - alpha
			}
			return -alpha - noise/2/u
		}
	}
	return p, nil
}

// IdleCreation is r0(u), the rate per server at which servers become idle.
// Jobs find an idle server with this probability.
func (n NDS) IdleCreation(u float64) float64 {
	switch n.Discipline.rule() {
	case findsIdle:
		return n.noise() / (2*u + n.noise())
	case findsIdleOrOne:
		return newFastLevels(n.Service).idleCreation(u)
	}
	return 0
}

// Distribution is the stationary law of U, in closed form or by the engine.
type Distribution interface {
	Mean() float64              // E U
	Variance() float64          // Var U
	Density(u float64) float64  // at u, 0 for u < 0
	CDF(u float64) float64      // P(U <= u)
	Survival(u float64) float64 // P(U > u)
	Quantile(p float64) float64 // the u with P(U <= u) = p
}

// Stationary is the law of U = X - 1: in closed form where there is one (CQ and
// IQF with any law, JSQ and I1F with exponential service), else by the engine.
// Errors: those of Validate.
func (n NDS) Stationary() (Distribution, error) {
	if err := n.Validate(); err != nil {
		return nil, err
	}
	rate := 2 * n.Spare / n.noise()
	switch rule := n.Discipline.rule(); {
	case rule == centralQueue:
		return exponentialLaw{rate}, nil
	case rule == findsIdle:
		return gammaLaw{rate}, nil
	case n.Service.IsExponential():
		return newShortestQueueLaw(n.Spare), nil
	}
	return n.Engine()
}

// Engine is the law of U = X - 1 by scale and speed, whatever the discipline.
func (n NDS) Engine() (*Law, error) {
	p, err := n.Process()
	if err != nil {
		return nil, err
	}
	return p.Stationary()
}

// MeanJobs is E X = 1 + E U, jobs per server; the mean response time is the
// same number, in mean service times. Errors: those of Validate.
func (n NDS) MeanJobs() (float64, error) {
	law, err := n.Stationary()
	if err != nil {
		return 0, err
	}
	return 1 + law.Mean(), nil
}
