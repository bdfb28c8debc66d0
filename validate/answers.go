package validate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"qlimit/ctmc"
	"qlimit/diffusion"
	"qlimit/meanfield"
	"qlimit/stein"
	"qlimit/validate/estimate"
	"qlimit/validate/sim"
)

// Methods that [Answers] has beside those of experiment files.
const (
	AveragedChain Method = "averaged-birth-death"
	Slowdown      Method = "nds"
	HalfinWhitt   Method = "halfin-whitt"
	PooledBound   Method = "pooled-lower-bound"
	SteinBound    Method = "stein-upper-bound"
	ResourceBound Method = "resource-lower-bound"
	Simulation    Method = "simulation"
)

// Answer is what one method says of one quantity of a system.
type Answer struct {
	Method   Method    // that answers
	Quantity Quantity  // it speaks of
	Kind     ctmc.Kind // how the value relates to the truth
	Applies  bool      // there is a Value
	Value    float64   // meaningless unless Applies

	// ExpectedError is the size to which the value may be off: of an estimate the
	// half width, of a computation its own indication, of an approximation the
	// measured size of docs/accuracy.md. A bound has none (NaN), nor has what is
	// said of another system than the one asked about.
	ExpectedError float64

	// OfThisSystem is false for values of a system that stands in for the one
	// asked about, such as the central queue.
	OfThisSystem bool

	Note string // when it applies, or why it does not
}

// Answers are all methods' answers about a system, and which to trust.
type Answers struct {
	System  ctmc.System // that was asked about
	Answers []Answer    // method by method

	// Recommended is the index of the answer about the mean jobs with the
	// smallest expected error, -1 if none is expected to be within
	// UsefulError; Reason says why.
	Recommended int
	Reason      string

	// ByTheClock tells that a method was given up because of the time limit, so
	// that a faster machine may have more answers.
	ByTheClock bool
}

// UsefulError is the expected relative error above which no approximation is
// recommended.
const UsefulError = 0.05

// QuestionSettings say how much may be spent on an answer.
type QuestionSettings struct {
	// TimeLimit for the exact chain; 0 = 1 s.
	TimeLimit time.Duration
	// Simulate is nil for no simulation.
	Simulate *sim.Settings
}

// said is what a method says of a system: values of some quantities, or the
// reason why it says nothing.
type said struct {
	kind     ctmc.Kind
	note     string
	other    bool // about another system
	values   []saidValue
	refused  string // "" if it applies
	gaveUp   bool   // refused for the time it takes
	expected func(q Quantity, value float64) float64
}

type saidValue struct {
	quantity Quantity
	value    float64
}

func refusal(kind ctmc.Kind, format string, args ...any) said {
	return said{kind: kind, refused: fmt.Sprintf(format, args...)}
}

// question is one system put to all methods.
type question struct {
	ctmc.System
	gap      float64 // 1 - load with all its digits
	scaling  stein.Scaling
	settings QuestionSettings
}

// Ask puts a system to every method. The scaling says how its load goes on
// when the number of servers changes; at its own number it must be its load.
//
// A method that does not apply gives one answer, for the mean jobs, with the
// reason. The only error is a canceled context or a system that is none.
func Ask(ctx context.Context, s ctmc.System, scaling stein.Scaling, settings QuestionSettings) (*Answers, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	q := question{System: s, scaling: scaling, settings: settings}
	_, q.gap = scaling(s.Servers)
	methods := []struct {
		method Method
		ask    func(context.Context) said
	}{
		{ExactChain, q.exact}, {MeanField, q.meanField}, {Refined1, q.refined(1)}, {Refined2, q.refined(2)},
		{AveragedChain, q.averaged}, {Slowdown, q.slowdown}, {HalfinWhitt, q.halfinWhitt},
		{PooledBound, q.pooled}, {SteinBound, q.stein}, {ResourceBound, q.resources},
	}
	if settings.Simulate != nil {
		methods = append(methods, struct {
			method Method
			ask    func(context.Context) said
		}{Simulation, q.simulation})
	}
	all := &Answers{System: s, Recommended: -1}
	for _, m := range methods {
		answer := m.ask(ctx)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		all.ByTheClock = all.ByTheClock || answer.gaveUp
		all.add(m.method, answer)
	}
	all.recommend()
	return all, nil
}

func (a *Answers) add(method Method, s said) {
	if s.refused != "" {
		a.Answers = append(a.Answers, Answer{Method: method, Quantity: MeanJobs, Kind: s.kind, ExpectedError: math.NaN(), Note: s.refused})
		return
	}
	for _, v := range s.values {
		expected := math.NaN()
		if s.expected != nil {
			expected = s.expected(v.quantity, v.value)
		}
		if v.quantity == WaitProb || v.quantity == BlockProb {
			expected = math.Min(expected, math.Max(v.value, 1-v.value)) // the truth is a probability too
		}
		a.Answers = append(a.Answers, Answer{Method: method, Quantity: v.quantity, Kind: s.kind, Applies: true,
			Value: v.value, ExpectedError: expected, OfThisSystem: !s.other, Note: s.note})
	}
}

// recommend picks the answer about the mean jobs with the smallest expected
// error.
func (a *Answers) recommend() {
	best := math.Inf(1)
	for i, answer := range a.Answers {
		if answer.Quantity != MeanJobs || !answer.Applies || !answer.OfThisSystem || math.IsNaN(answer.ExpectedError) {
			continue
		}
		if relative := answer.ExpectedError / math.Max(answer.Value, math.SmallestNonzeroFloat64); relative < best {
			best, a.Recommended = relative, i
		}
	}
	switch {
	case a.Recommended < 0:
		a.Reason = "no method here gives a value of this system; simulate it"
	case best > UsefulError:
		a.Reason = fmt.Sprintf("no method is expected to be within %.0f%% (%s comes closest, to about %.0f%%); simulate it",
			100*UsefulError, a.Answers[a.Recommended].Method, math.Min(100*best, 999))
		a.Recommended = -1
	default:
		a.Reason = recommendationReason(a.Answers[a.Recommended], best)
	}
}

func recommendationReason(answer Answer, relative float64) string {
	switch answer.Method {
	case ExactChain:
		return fmt.Sprintf("the chain was solved; relative error about %.1g", relative)
	case Simulation:
		return fmt.Sprintf("simulated to a relative half width of %.1g (95%%), closer than any theory is expected to come", relative)
	}
	return fmt.Sprintf("its expected error, about %.1g%%, is the smallest of the methods that apply", 100*relative)
}

func (q *question) exact(ctx context.Context) said {
	limit := q.settings.TimeLimit
	if limit == 0 {
		limit = time.Second
	}
	timed, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	p, err := predictExact(timed, q.System, 0) // the clock is the limit, not the number of states
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		s := refusal(ctmc.Exact, "the chain was not solved within %v (--time-limit)", limit)
		s.gaveUp = true
		return s
	case err != nil:
		return refusal(ctmc.Exact, "%v", err)
	}
	if q.Buffer == ctmc.Unlimited {
		p.measures.blockProb = 0 // of the cut is part of the error, not of the answer
	}
	return q.fromPrediction(p, "the finite chain itself")
}

// fromPrediction is what an experiment's method predicts.
func (q *question) fromPrediction(p *prediction, note string) said {
	s := said{kind: p.kind, note: note, expected: func(quantity Quantity, _ float64) float64 {
		if quantity == BlockProb && q.Buffer == ctmc.Unlimited {
			return 0
		}
		size, _ := p.allowance(quantity)
		return size
	}}
	for _, quantity := range []Quantity{MeanJobs, MeanResponse, WaitProb, BlockProb} {
		if !p.meansOnly || quantity == MeanJobs || quantity == MeanResponse {
			s.values = append(s.values, saidValue{quantity, quantity.from(p.measures)})
		}
	}
	return s
}

func (q *question) meanField(context.Context) said {
	p, err := predictMeanField(q.System)
	if err != nil {
		return refusal(ctmc.Limit, "%v", err)
	}
	s := q.fromPrediction(p, "N to infinity at this load; its error is of order 1/(N(1 - load))")
	if q.Policy.Depth == 0 && q.Policy.Fallback == ctmc.Kernel(ctmc.Uniform) {
		s.kind, s.note = ctmc.Exact, "exact for every N: with random routing servers are independent, each with Poisson arrivals"
		s.expected = func(Quantity, float64) float64 { return 0 }
	}
	return s
}

// refined is the expansion up to an order. The size of the 1/N² term is the
// error that the 1/N expansion may have, so both need it.
func (q *question) refined(order int) func(context.Context) said {
	return func(ctx context.Context) said {
		if q.Policy.Depth > 0 {
			return refusal(ctmc.Limit, "%s serves idle servers first: its drift has a kink and no expansion in 1/N", q.Policy)
		}
		second, err := meanfield.Refine(ctx, q.System, 2)
		if err != nil {
			return refusal(ctmc.Limit, "%v", err)
		}
		jobs, response, next := second.MeanJobsOrder2, second.MeanResponseOrder2, second.ErrorIndication
		if order == 1 {
			jobs, response = second.MeanJobsOrder1, second.MeanResponseOrder1
			next = math.Max(next, math.Abs(second.MeanJobsOrder2-second.MeanJobsOrder1))
		}
		if !second.Trusted {
			return refusal(ctmc.Limit, "%s", strings.Join(second.Warnings, "; "))
		}
		return said{
			kind: second.Kind, note: fmt.Sprintf("mean field with corrections up to order N^-%d; fixed load, not too close to 1", order),
			values:   []saidValue{{MeanJobs, jobs}, {MeanResponse, response}},
			expected: func(_ Quantity, value float64) float64 { return next * value / jobs },
		}
	}
}

// needUnlimited refuses a finite buffer for methods that know none.
func (q *question) needUnlimited(kind ctmc.Kind) (said, bool) {
	switch {
	case q.Buffer != ctmc.Unlimited:
		return refusal(kind, "knows unlimited buffers only (buffer = %d)", q.Buffer), false
	case !(q.gap > 0):
		return refusal(kind, "needs a load below 1 (load = %g)", q.Load), false
	}
	return said{}, true
}

const findsIdle = "needs a policy that finds idle servers: jsq, i1f, jiq with uniform fallback"

func (q *question) averaged(context.Context) said {
	if s, ok := q.needUnlimited(ctmc.Conjecture); !ok {
		return s
	}
	discipline, err := diffusion.Dispatching(q.Policy)
	if err != nil {
		return refusal(ctmc.Conjecture, "%s", findsIdle)
	}
	law, err := diffusion.Averaged{Discipline: discipline, Servers: q.Servers, Load: q.Load, Service: q.Service,
		CornerRepair: true}.Solve()
	if err != nil {
		return refusal(ctmc.Conjecture, "%v", err)
	}
	note := "idle servers averaged at a fixed number of jobs; good for N >= 100 and N(1 - load) up to about 2"
	if q.Policy.Name != "jsq" && q.Servers >= diffusion.CornerRepairBelow {
		note += " (diffusion stationary: --corner-repair=on)"
	}
	return said{
		kind: law.Kind(), note: note,
		values: []saidValue{
			{MeanJobs, law.MeanJobs()}, {MeanResponse, law.MeanResponse()}, {WaitProb, law.WaitProbability()}, {BlockProb, 0},
		},
		expected: func(quantity Quantity, value float64) float64 {
			switch {
			case quantity == BlockProb || value == 0:
				return 0
			case quantity == WaitProb:
				// A small error of the exponent of a small probability.
				return value * q.averagedError() * (1 - math.Log(value))
			}
			return value * q.averagedError()
		},
	}
}

// averagedError is the measured relative size of the error of the averaged
// chain (docs/accuracy.md): of order 1/N near load 1, where it grows with the
// spare servers, and at most of order 1/√N elsewhere.
func (q *question) averagedError() float64 {
	n := float64(q.Servers)
	return (1 + q.Service.SCV()) / 2 * 1.5 * math.Min(1/math.Sqrt(n), math.Pow(n*q.gap, 1.4)/n)
}

func (q *question) slowdown(context.Context) said {
	if s, ok := q.needUnlimited(ctmc.Limit); !ok {
		return s
	}
	discipline, err := diffusion.Dispatching(q.Policy)
	if err != nil {
		return refusal(ctmc.Limit, "%s", findsIdle)
	}
	limit := diffusion.NDS{Discipline: discipline, Spare: float64(q.Servers) * q.gap, Service: q.Service}
	jobs, err := limit.MeanJobs()
	if err != nil {
		return refusal(limit.Kind(), "%v", err)
	}
	s := said{kind: limit.Kind(), note: fmt.Sprintf("N to infinity with N(1 - load) = %.4g fixed", limit.Spare),
		values: []saidValue{{MeanJobs, jobs}, {MeanResponse, jobs * q.Service.Mean()}}}
	if wait, err := limit.WaitProbability(); err == nil {
		s.values = append(s.values, saidValue{WaitProb, wait})
	}
	chain := q.averaged(context.Background())
	s.expected = func(quantity Quantity, value float64) float64 {
		for _, v := range chain.values {
			if v.quantity == quantity {
				return math.Abs(value-v.value) + chain.expected(quantity, v.value)
			}
		}
		return math.NaN()
	}
	return s
}

func (q *question) halfinWhitt(context.Context) said {
	if s, ok := q.needUnlimited(ctmc.Limit); !ok {
		return s
	}
	if !q.Service.IsExponential() {
		return refusal(ctmc.Limit, "knows exponential service only")
	}
	limit := diffusion.HalfinWhitt{Beta: q.gap * math.Sqrt(float64(q.Servers))}
	if err := limit.Validate(); err != nil {
		return refusal(ctmc.Limit, "%v", err)
	}
	jobs := limit.MeanJobs(q.Servers) / float64(q.Servers)
	return said{
		kind: ctmc.Limit, other: true,
		note: fmt.Sprintf("of the central queue M/M/N, which no policy beats, not of %s; N to infinity with √N(1 - load) = %.4g fixed", q.Policy, limit.Beta),
		values: []saidValue{
			{MeanJobs, jobs}, {MeanResponse, jobs / q.Load * q.Service.Mean()}, {WaitProb, limit.WaitProbability()},
		},
	}
}

func (q *question) pooled(context.Context) said {
	if s, ok := q.needUnlimited(ctmc.LowerBound); !ok {
		return s
	}
	p, err := stein.PoolContinuous(q.Servers, q.gap, q.Service)
	if err != nil {
		return refusal(ctmc.LowerBound, "%v", err)
	}
	return said{kind: ctmc.LowerBound, note: "below every policy: " + p.LowerFrom,
		// At small loads 1 - load has lost digits of the load, which is a bound too.
		values: []saidValue{{MeanJobs, math.Max(p.Lower, q.Load)}, {MeanResponse, math.Max(p.LowerResponse, q.Service.Mean())}}}
}

func (q *question) stein(context.Context) said {
	const kind = ctmc.UpperBound
	if q.Buffer == ctmc.Unlimited {
		return refusal(kind, "needs a finite buffer of at least 2")
	}
	b, err := stein.Solve(stein.Problem{Servers: q.Servers, Scaling: q.scaling, Buffer: q.Buffer, Service: q.Service, Policy: q.Policy})
	if err != nil {
		return refusal(kind, "%v", err)
	}
	s := said{kind: kind, note: "Stein's method with every constant, the best choice found"}
	for _, v := range []struct {
		quantity Quantity
		bound    stein.Bound
	}{{MeanJobs, b.Best.MeanJobs.Bound}, {WaitProb, b.Best.WaitProb.Bound}} {
		if v.bound.Known && !v.bound.Vacuous() {
			s.values = append(s.values, saidValue{v.quantity, v.bound.Value})
		}
	}
	if len(s.values) > 0 {
		return s
	}
	why := "vacuous: not below what is known without it"
	if !b.Best.MeanJobs.Known {
		why = b.Best.MeanJobs.Reason
	}
	if b.Smallest.All > 0 {
		why += fmt.Sprintf("; says something from N = %.2g on", float64(b.Smallest.All))
	}
	return refusal(kind, "%s", why)
}

// resources bounds policies that use a bounded number of messages for each job
// and no memory.
func (q *question) resources(context.Context) said {
	const kind = ctmc.LowerBound
	if s, ok := q.needUnlimited(kind); !ok {
		return s
	}
	queries, ok := q.boundedQueries()
	if !ok {
		return refusal(kind, "%s uses memory or messages without limit as N grows: no such bound", q.Policy)
	}
	r, err := stein.Resources{Load: q.Load, Service: q.Service, Queries: queries}.Best()
	if err != nil {
		return refusal(kind, "%v", err)
	}
	delay, ok := r.Delay.Float()
	if !ok {
		return refusal(kind, "the bound is positive but too small for a number (bound resources has its logarithm)")
	}
	mean := q.Service.Mean()
	return said{kind: kind, note: fmt.Sprintf("of the limit N to infinity: no symmetric policy without memory that asks at most %.0f servers for each job waits less", queries),
		values: []saidValue{{MeanJobs, q.Load * (1 + delay/mean)}, {MeanResponse, mean + delay}}}
}

// boundedQueries is the number of servers that a policy without memory asks
// about each job, if it stays bounded as N grows.
func (q *question) boundedQueries() (float64, bool) {
	sampling, ok := q.Policy.Fallback.(ctmc.Sampling)
	switch {
	case q.Policy.Depth > 0 || !ok:
		return 0, false
	case sampling.Choices <= 1:
		return 0, true
	}
	return float64(sampling.Choices), true
}

func (q *question) simulation(ctx context.Context) said {
	settings := *q.settings.Simulate
	if q.Servers <= sim.MaxServers {
		settings.Start = startOf(q.System)
	}
	r, err := sim.Run(ctx, q.System, settings)
	if err != nil {
		return refusal(ctmc.Estimate, "%v", err)
	}
	s := said{kind: ctmc.Estimate, note: fmt.Sprintf("%.3g events, expected error is the %.0f%% half width", float64(r.Events), 100*r.MeanJobs.Level)}
	widths := map[Quantity]float64{}
	for _, quantity := range []Quantity{MeanJobs, MeanResponse, WaitProb, BlockProb} {
		e := quantity.of(r)
		if e.Status != estimate.Undefined {
			s.values = append(s.values, saidValue{quantity, e.Value})
			widths[quantity] = e.HalfWidth
		}
	}
	s.expected = func(quantity Quantity, _ float64) float64 { return widths[quantity] }
	return s
}
