package stein

import (
	"fmt"
	"math"

	"qlimit/ctmc"
)

// ServiceTail is what the lower bound for limited resources needs to know of
// the law of a service time W >= 0: its mean, in any unit, and
//
//	Survival(x)   P(W >= x)
//	MeanExcess(x) E(W - x)⁺
//
// for x >= 0. A [coxian.Dist] is one, [Deterministic] another.
type ServiceTail interface {
	Mean() float64                // E W
	Survival(x float64) float64   // P(W >= x)
	MeanExcess(x float64) float64 // E(W - x)⁺
}

// Deterministic is the law of service times that all take the value.
type Deterministic float64

// Mean returns the value.
func (v Deterministic) Mean() float64 { return float64(v) }

// Survival returns 1 up to the value and 0 above.
func (v Deterministic) Survival(x float64) float64 {
	if x <= float64(v) {
		return 1
	}
	return 0
}

// MeanExcess returns (value - x)⁺.
func (v Deterministic) MeanExcess(x float64) float64 { return math.Max(0, float64(v)-x) }

// Resources are what a symmetric dispatching policy may use in a system of n
// servers with Poisson arrivals, as n grows: a memory of Memory·log2 n bits,
// and messages. Messages are limited in one of two ways: at most Queries
// servers are asked about each arriving job, or, if Averaged, there are at most
// MessageRate·n messages of all kinds per unit of time on average.
//
// Servers send messages of their own accord, if at all, at moments of a Poisson
// process of rate MessageClock·n (a server need not use a moment that it is
// given). A policy of servers that never speak unasked has MessageClock 0.
//
// Rates are per unit of the time of the service law.
type Resources struct {
	Load         float64     // λ, arrival rate × mean service / servers, in (0, 1)
	Service      ServiceTail // law of the service time
	Memory       float64     // c >= 0
	Queries      float64     // d >= 0
	Averaged     bool        // messages are limited on average, by MessageRate
	MessageRate  float64     // α >= 0
	MessageClock float64     // μ >= 0
}

// Bounds of the parameters of Resources.
const (
	maxMemory  = 1e6
	maxQueries = 1e15
	maxRate    = 1e15
)

// Validate names the first field out of its range in a [ctmc.FieldError].
func (r Resources) Validate() error {
	within := func(field string, x, most float64) error {
		if x >= 0 && x <= most {
			return nil
		}
		return &ctmc.FieldError{Field: field, Value: x, Allowed: fmt.Sprintf("between 0 and %g", most)}
	}
	switch {
	case !(r.Load >= ctmc.MinLoad && r.Load < 1):
		return &ctmc.FieldError{Field: "load", Value: r.Load, Allowed: "> 0 and < 1 for the bound by limited resources"}
	case r.Service == nil:
		return &ctmc.FieldError{Field: "service", Value: nil, Allowed: "a law"}
	}
	for _, err := range []error{
		within("memory", r.Memory, maxMemory), within("queries", r.Queries, maxQueries),
		within("message-rate", r.MessageRate, maxRate), within("message-clock", r.MessageClock, maxRate),
	} {
		if err != nil {
			return err
		}
	}
	return nil
}

// jobs is K = floor(c) + 1, the number of jobs in a row that the memory cannot
// provide for.
func (r Resources) jobs() float64 { return math.Floor(r.Memory) + 1 }

// ResourceBound is a lower bound on lim inf E[waiting time] as the number of
// servers grows, for every symmetric policy within the resources. It speaks of
// the limit; no finite system is promised to obey it.
//
// It is built on what may go wrong within γ/n after an arbitrary time (γ in
// mean service times): the next K jobs are all of size 2γ or more; they arrive,
// and no server speaks, before γ/n; a fraction θ of the servers has a job with
// 2γ or more of its service left; and no job leaves. Then every server that a
// job can go to without being distinguished by the memory or asked is busy with
// probability θ at least.
type ResourceBound struct {
	Kind         ctmc.Kind   // LowerBound
	Delay        IteratedLog // the bound 2 p_K/λ, in the unit of the service law
	Gamma, Theta float64     // γ in mean service times, θ

	Jobs        int           // K
	Work        float64       // P(K jobs of size >= 2γ) = P(W >= 2γ)^K
	Arrivals    float64       // P(no message, K arrivals before γ/n) = e^{-μγ} P(Poisson(λγ) >= K)
	Busy        float64       // lower bound (λ m(2γ) - θ)/(1 - θ) of P(θn servers with >= 2γ of work), m(x) = E(W-x)⁺
	NoDeparture float64       // lower bound 1 - λγ of P(no departure before γ/n)
	Start       IteratedLog   // p_0 = Work · Arrivals · (Busy + NoDeparture - 1)
	Steps       []IteratedLog // Averaged: the last of p_1 .. p_K, at most mostSteps of them; else p_K alone
}

// mostSteps is the most of the p_k that a ResourceBound keeps.
const mostSteps = 16

// At evaluates the bound at given γ > 0 and 0 < θ < 1: with
//
//	p_0 = P(W >= 2γ)^K e^{-μγ} P(Poisson(λγ) >= K) [(λ m(2γ) - θ)/(1 - θ) - λγ]⁺
//
// and K = floor(c) + 1 it is 2 p_K/λ mean service times, where
//
//	p_K = p_0 θ^{K(d+1)}                         at most d queries for each job,
//	p_k = p_{k-1} θ^{1 + γα/(2 p_{k-1})}         αn messages per unit of time.
//
// The second shrinks like a tower of powers; see [IteratedLog]. Where the
// bracket is 0 there is no bound: the delay is 0.
//
// Source: the proof of Gamarnik, Tsitsiklis, Zubeldia, Ann. Appl. Probab. 30
// (2020), with its constants worked out for Poisson arrivals.
//
// Errors: those of Validate, and γ or θ out of range.
func (r Resources) At(gamma, theta float64) (*ResourceBound, error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	if !(gamma > 0 && gamma < 1) {
		return nil, &ctmc.FieldError{Field: "gamma", Value: gamma, Allowed: "> 0 and < 1"}
	}
	if !(theta > 0 && theta < 1) {
		return nil, &ctmc.FieldError{Field: "theta", Value: theta, Allowed: "> 0 and < 1"}
	}
	return r.bound(gamma, theta), nil
}

func (r Resources) bound(gamma, theta float64) *ResourceBound {
	e := r.event(gamma)
	k := r.jobs()
	b := &ResourceBound{
		Kind: ctmc.LowerBound, Gamma: gamma, Theta: theta, Jobs: int(k),
		Work: math.Exp(e.logWork), Arrivals: math.Exp(e.logArrivals),
		Busy: e.busyBound(theta), NoDeparture: e.noDeparture(),
	}
	start := e.start(theta)
	b.Start = start.asLog(0)
	steps := 1
	if r.Averaged {
		steps = int(k)
	}
	for i, p := 0, start; i < steps; i++ {
		p = r.next(p, gamma, theta)
		b.Steps = append(b.Steps, p.asLog(0))
		if len(b.Steps) > mostSteps {
			b.Steps = b.Steps[1:]
		}
		if i == steps-1 {
			b.Delay = p.asLog(math.Log(2 / r.Load * r.Service.Mean()))
		}
	}
	return b
}

// resourceEvent holds what depends on γ alone.
type resourceEvent struct {
	logWork, logArrivals float64
	busy                 float64 // λ m(2γ)
	leaving              float64 // λγ
}

func (r Resources) event(gamma float64) resourceEvent {
	mean, k := r.Service.Mean(), r.jobs()
	return resourceEvent{
		logWork:     k * math.Log(r.Service.Survival(2*gamma*mean)),
		logArrivals: -r.MessageClock*mean*gamma + logPoissonTail(r.Load*gamma, k),
		busy:        r.Load * (r.Service.MeanExcess(2*gamma*mean) / mean),
		leaving:     r.Load * gamma,
	}
}

// busyBound: the busy fraction X in [0, 1] has mean λ m(2γ) at least, hence
// λ m(2γ) <= θ + (1-θ) P(X >= θ).
func (e resourceEvent) busyBound(theta float64) float64 {
	return math.Max(0, (e.busy-theta)/(1-theta))
}

// noDeparture: the number of jobs with less than γ/n of their service left has
// mean λγ at most.
func (e resourceEvent) noDeparture() float64 { return 1 - e.leaving }

// mostTheta is where the bracket of p_0 vanishes, <= 0 if it does everywhere.
func (e resourceEvent) mostTheta() float64 { return (e.busy - e.leaving) / (1 - e.leaving) }

func (e resourceEvent) start(theta float64) tower {
	bracket := (e.busy-theta)/(1-theta) - e.leaving
	if !(bracket > 0) {
		return impossible
	}
	return tower{value: -e.logWork - e.logArrivals - math.Log(bracket)}
}

// next takes p_{k-1} to p_k or, where queries are limited, p_0 to p_K.
func (r Resources) next(p tower, gamma, theta float64) tower {
	shrink := -math.Log(theta)
	if !r.Averaged {
		return p.plus(r.jobs() * (r.Queries + 1) * shrink)
	}
	return p.plus(shrink).raised(gamma*r.MessageRate*r.Service.Mean()*shrink/2, p)
}

// logPoissonTail is log P(Poisson(x) >= k), k >= 1, for x < 1:
//
//	P = e^{-x} x^k/k! (1 + x/(k+1) + x²/((k+1)(k+2)) + ..).
func logPoissonTail(x, k float64) float64 {
	factorial, _ := math.Lgamma(k + 1)
	sum, term := 1.0, 1.0
	for j := k + 1; term > 1e-18; j++ {
		term *= x / j
		sum += term
	}
	return k*math.Log(x) - x - factorial + math.Log(sum)
}
