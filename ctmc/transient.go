package ctmc

import (
	"context"
	"errors"
	"fmt"
	"math"
)

// TransientSettings are the settings of [SolveTransient]; the zero value is the
// documented default.
type TransientSettings struct {
	Tolerance float64  // error of every probability and, relative to the largest number of jobs, of the means; default 1e-10, between 1e-14 and 0.5
	Within    float64  // total variation distance from the stationary law whose time is wanted; 0 = none
	MaxStates int64    // default DefaultMaxStates; DefaultTruncatedStates with Within and an unlimited buffer
	Threads   int      // 0 = all cores; never changes a result
	Memory    int64    // bytes, default DefaultMemory
	Progress  Progress // nil = nobody listens
}

// Transient holds the law of a system over time. Rows belong to Times; means
// are per server.
type Transient struct {
	System   System    // with the buffer that was used
	Times    []float64 // as asked for, in the unit of the service law
	MeanJobs []float64 // per server
	Idle     []float64 // expected fraction of idle servers
	Wait     []float64 // P(an arrival would be sent to a busy server)
	Block    []float64 // P(an arrival would be lost)
	Average  []float64 // of MeanJobs over [0, t]
	// Distance bounds from above the total variation distance between the law
	// at t and the stationary law; nil with Stationary.
	Distance []float64

	Occupancy [][]float64 // by time: expected fraction of servers with 0, 1, .. jobs
	Total     [][]float64 // by time: P(k jobs in the system), k = 0, 1, ..

	// Stationary is the law that late times approach. It is nil where the buffer
	// that serves the times in place of an unlimited one changes that law.
	Stationary *Stationary
	// TimeWithin is a time from which on the law is within the wanted total
	// variation distance of the stationary law; 0 when none was wanted.
	TimeWithin float64

	States      int // of the chain that was followed
	Transitions int // between them

	Events  int     // of the uniformized chain that were followed
	Rate    float64 // of these events
	Settled bool    // the stationary law was reached within the tolerance
	Error   float64 // bound on the error of every probability at Times
	Lost    float64 // an unlimited buffer was cut: expected number of jobs lost to that up to the last time
}

// SolveTransient returns the law of a system at the given times, increasing and
// not negative, after a start: the number of servers in each class, in the
// order of [Space], as far as the highest class that is occupied.
//
// The method is uniformization: the law at t is the average of the laws after k
// events over a Poisson number k. All terms are positive; the weights left out
// and the error of stopping where the law is close to the stationary one, to
// which it never ceases to come closer, are bounded, and the bound is the Error
// of the result. An unlimited buffer is replaced by one so large that less than
// 1e-9 jobs are expected to be lost up to the last time; the Error takes them
// in, as the law changes by no more than the probability of a loss. The
// stationary law may need a larger buffer, which is used where Within asks for
// it or where it costs little.
func SolveTransient(ctx context.Context, s System, start []int64, times []float64, settings TransientSettings) (*Transient, error) {
	if s.Buffer == Unlimited && settings.Within > 0 && settings.MaxStates == 0 {
		settings.MaxStates = DefaultTruncatedStates
	}
	if err := settings.fill(); err != nil {
		return nil, err
	}
	if err := s.Validate(); err != nil {
		return nil, err
	}
	if err := checkTimes(times); err != nil {
		return nil, err
	}
	highest := 0
	for class, n := range start {
		if n > 0 {
			highest = levelOf(class, s.Phases())
		}
	}
	if s.Buffer != Unlimited {
		p, err := newTransientProblem(ctx, s, start, times[len(times)-1], settings)
		if err != nil {
			return nil, err
		}
		return p.solve(ctx, times, settings)
	}
	return solveUnlimited(ctx, s, max(highest+2, 4), start, times, settings)
}

// solveUnlimited tries buffers in place of an unlimited one.
func solveUnlimited(ctx context.Context, s System, buffer int, start []int64, times []float64, settings TransientSettings) (*Transient, error) {
	for s.Buffer = buffer; ; s.Buffer = grown(s.Buffer) {
		p, err := newTransientProblem(ctx, s, start, times[len(times)-1], settings)
		var large *TooLargeError
		if errors.As(err, &large) {
			large.Hint = fmt.Sprintf("in place of an unlimited buffer one of at least %d is needed; give a finite buffer, or simulate", s.Buffer)
		}
		if err != nil {
			return nil, err
		}
		uncut := p.losesNothing()
		if !uncut && (settings.Within > 0 || CountStates(s.Servers, grown(s.Buffer), s.Phases()) <= float64(min(settings.MaxStates, cheapStates))) {
			continue
		}
		r, err := p.solve(ctx, times, settings)
		if err != nil {
			return nil, err
		}
		if r.Lost > lostAllowed || r.System.ArrivalRate()*r.Stationary.BlockProb*r.TimeWithin > lostAllowed {
			continue
		}
		r.Error += r.Lost
		if !uncut {
			r.Distance, r.Stationary = nil, nil
		}
		return r, nil
	}
}

// grown is the next buffer to try in place of an unlimited one.
func grown(buffer int) int { return buffer + (buffer+1)/2 }

// cheapStates is the largest chain that is solved for its stationary law alone
// where nobody asked for it.
const cheapStates = 20_000

// lostAllowed is the expected number of jobs that a buffer in place of an
// unlimited one may lose.
const lostAllowed = 1e-9

func (s *TransientSettings) fill() error {
	if s.Tolerance == 0 {
		s.Tolerance = 1e-10
	}
	if s.MaxStates == 0 {
		s.MaxStates = DefaultMaxStates
	}
	if !(s.Tolerance >= 1e-14 && s.Tolerance <= 0.5) {
		return &FieldError{Field: "tolerance", Value: s.Tolerance, Allowed: "between 1e-14 and 0.5"}
	}
	if s.Within != 0 && !(s.Within >= 10*s.Tolerance && s.Within < 1) {
		return &FieldError{Field: "within", Value: s.Within, Allowed: "< 1 and at least 10 times the tolerance"}
	}
	return nil
}

// solver returns the settings for a stationary law that serves as the limit.
func (s *TransientSettings) solver() SolverSettings {
	settings := SolverSettings{Threads: s.Threads, Memory: s.Memory, Tolerance: math.Max(1e-13, s.Tolerance/100)}
	if s.Progress != nil {
		settings.Progress = func(_ int, residual float64) {
			s.Progress(math.Min(100*math.Log(residual)/math.Log(settings.Tolerance), 100), 100, "% of the stationary law")
		}
	}
	return settings
}

func checkTimes(times []float64) error {
	if len(times) == 0 {
		return &FieldError{Field: "times", Value: "none", Allowed: ">= 0 and increasing"}
	}
	for k, t := range times {
		if !(t >= 0) || math.IsInf(t, 1) || k > 0 && t <= times[k-1] {
			return &FieldError{Field: "times", Value: t, Allowed: ">= 0, finite and increasing"}
		}
	}
	return nil
}

// The functions of the state that are followed.
const (
	jobsFunction = iota
	idleFunction
	waitFunction
	blockFunction
	functionCount
)

// transientProblem is a finite system ready to be followed.
type transientProblem struct {
	chain     *SystemChain
	generator *Generator
	functions [][]float64 // by function and state, in the order of storage
	initial   []float64
	limit     []float64 // the stationary law, in the order of storage
	law       *Law
}

// newTransientProblem builds the chain of a system with a finite buffer and
// solves it for its stationary law; last is the latest time of interest.
func newTransientProblem(ctx context.Context, s System, start []int64, last float64, settings TransientSettings) (*transientProblem, error) {
	states := CountStates(s.Servers, s.Buffer, s.Phases())
	if limit := min(settings.MaxStates, maxNumberedStates); states > float64(limit) {
		return nil, tooManyStates(states, limit)
	}
	if err := s.checkMemory(states, settings.Memory); err != nil {
		return nil, err
	}
	if err := s.checkSeries(states, last); err != nil {
		return nil, err
	}
	chain, err := s.Chain()
	if err != nil {
		return nil, err
	}
	first := make([]int64, chain.Classes())
	servers := int64(0)
	for class, n := range start {
		servers += n
		if n < 0 || n > 0 && class >= len(first) {
			return nil, &FieldError{Field: "start", Value: start, Allowed: fmt.Sprintf("counts >= 0 up to the buffer, %d", s.Buffer)}
		}
	}
	if servers != s.Servers {
		return nil, &FieldError{Field: "start", Value: fmt.Sprintf("%d servers", servers), Allowed: fmt.Sprintf("all %d servers", s.Servers)}
	}
	copy(first, start)
	generator, err := exploreSystem(ctx, chain, settings.Threads)
	if err != nil {
		return nil, err
	}
	law, err := generator.Stationary(ctx, settings.solver())
	if err != nil {
		return nil, err
	}
	p := &transientProblem{chain: chain, generator: generator, law: law, limit: generator.byPosition(law.Probability),
		functions: chain.followed(generator, settings.Threads), initial: make([]float64, generator.States())}
	p.initial[generator.positionOf(generator.Index(first))] = 1
	return p, nil
}

// limitOf is the stationary mean of a function.
func (p *transientProblem) limitOf(function int) float64 {
	sum := 0.0
	for j, f := range p.functions[function] {
		sum += f * p.limit[j]
	}
	return sum
}

// losesNothing tells whether the system hardly loses a job in the long run.
func (p *transientProblem) losesNothing() bool {
	return p.limitOf(blockFunction)*float64(p.chain.Servers) <= truncationLoss
}

// solve follows the system to the last of the times.
func (p *transientProblem) solve(ctx context.Context, times []float64, settings TransientSettings) (*Transient, error) {
	r := &Transient{System: p.chain.System, Times: times, Rate: p.generator.largestRate(),
		States: p.generator.States(), Transitions: p.generator.Transitions()}
	last := r.Rate * times[len(times)-1]
	steps := maxEvents
	if last < maxEvents {
		weights := newPoissonWeights(last, settings.Tolerance/4)
		steps = weights.last()
	}
	until := math.Inf(1)
	if settings.Within > 0 {
		until = settings.Within
	}
	laws := newLawSums(p.chain, p.generator, r.Rate, times, settings)
	watched, err := newSeries(ctx, p.generator, p.initial, p.limit, p.functions, steps, until, settings.Tolerance/2, settings.Threads, laws.watch, settings.Progress)
	if err != nil {
		return nil, err
	}
	if !watched.settled && last >= maxEvents {
		return nil, checkEvents(last)
	}
	r.take(watched, laws.weights, settings)
	r.Occupancy, r.Total = laws.finish(len(watched.distance), p.limit)
	r.Stationary = &Stationary{System: r.System, MeanJobs: watched.limits[jobsFunction], WaitProb: watched.limits[waitFunction],
		BlockProb: watched.limits[blockFunction], States: r.States, Transitions: r.Transitions, Law: *p.law}
	r.Stationary.Law.Probability = nil
	return r, nil
}

const (
	mostSeriesWork = 1e14 // events times states: about a day
	mostCounts     = 1e11 // states times classes: some minutes
)

// checkSeries refuses what takes too long before the chain is made: the law does
// not come to rest within a few mean service times, and every state is written
// out as its counts by class.
func (s System) checkSeries(states, last float64) error {
	if counts := states * float64(s.Buffer*s.Phases()); counts > mostCounts {
		return &TooLargeError{What: "states times classes", Value: counts, Limit: mostCounts,
			Hint: "use a smaller buffer, fewer servers, or simulate"}
	}
	restless := math.Min(last, 3*s.Service.Mean())
	rate := s.ArrivalRate() + float64(s.Servers)*s.Service.Mu1
	if work := rate * restless * states; work > mostSeriesWork {
		return &TooLargeError{What: "events times states", Value: work, Limit: mostSeriesWork,
			Hint: "use fewer servers or a smaller buffer, give earlier times, or simulate"}
	}
	return nil
}

// followed returns the functions of the state in the order of storage: jobs per
// server, fraction idle, probabilities that an arrival waits and is lost.
func (c *SystemChain) followed(g *Generator, threads int) [][]float64 {
	n := g.States()
	functions := make([][]float64, functionCount)
	for k := range functions {
		functions[k] = make([]float64, n)
	}
	policy, servers := c.System.Policy, float64(c.Servers)
	forRange(n, workersFor(threads, n), func(low, high int) {
		state, tail := make([]int64, c.Classes()), make([]int64, c.Levels+1)
		for j := low; j < high; j++ {
			c.Unrank(int64(g.numberOf(j)), state)
			c.Tails(state, tail)
			functions[jobsFunction][j] = float64(c.Jobs(state)) / servers
			functions[idleFunction][j] = float64(state[0]) / servers
			functions[waitFunction][j] = policy.WaitProbability(tail)
			functions[blockFunction][j] = policy.BlockProbability(tail, c.Levels)
		}
	})
	return functions
}

// take averages the series over the Poisson numbers of the times.
func (r *Transient) take(s *series, weights []poissonWeights, settings TransientSettings) {
	r.Events, r.Settled = len(s.distance)-1, s.settled
	rest := s.distance[r.Events] // bounds the distance ever after
	for k, t := range r.Times {
		q := s.rate * t
		w := weights[k]
		if s.settled && w.weight == nil {
			// Long after: fewer than 1e-300 of the Poisson numbers are within
			// the series.
			r.append(s.limits[jobsFunction], s.limits[idleFunction], s.limits[waitFunction], s.limits[blockFunction],
				averageOf(s.values[jobsFunction], s.limits[jobsFunction], q), rest/2)
			r.Error = math.Max(r.Error, rest)
			continue
		}
		mean := func(k int) float64 { return w.mean(s.values[k], s.limits[k]) }
		average := mean(jobsFunction)
		if q > 0 {
			average = w.timeAverage(q, s.values[jobsFunction], s.limits[jobsFunction])
		}
		r.append(mean(jobsFunction), mean(idleFunction), mean(waitFunction), mean(blockFunction), average,
			math.Min(1, w.mean(s.distance, rest)/2+w.outside))
		e := w.outside
		if w.last() > r.Events {
			e += rest
		}
		r.Error = math.Max(r.Error, e)
		if r.System.Buffer != Unlimited && q > 0 {
			r.Lost = r.System.ArrivalRate() * t * w.timeAverage(q, s.values[blockFunction], s.limits[blockFunction])
		}
	}
	if settings.Within > 0 {
		r.TimeWithin = s.timeWithin(settings.Within)
	}
}

func (r *Transient) append(jobs, idle, wait, block, average, distance float64) {
	r.MeanJobs, r.Idle = append(r.MeanJobs, jobs), append(r.Idle, idle)
	r.Wait, r.Block = append(r.Wait, wait), append(r.Block, block)
	r.Average, r.Distance = append(r.Average, average), append(r.Distance, distance)
}

// averageOf is the average over q events of values that then stay at rest.
func averageOf(values []float64, rest, q float64) float64 {
	sum := 0.0
	for _, y := range values {
		sum += y - rest
	}
	return rest + sum/q
}

// timeWithin is the least time at which the average of the distances over the
// Poisson numbers, which falls with time, is at most 2 eps; the series must
// reach that.
func (s *series) timeWithin(eps float64) float64 {
	last := len(s.distance) - 1
	rest := s.distance[last]
	at := func(t float64) float64 {
		w := newPoissonWeights(s.rate*t, eps*1e-6)
		return w.mean(s.distance, rest)/2 + w.outside - eps
	}
	if s.distance[0] <= 2*eps {
		return 0
	}
	low, high := 0.0, float64(last+1)/s.rate
	for at(high) > 0 {
		low, high = high, 2*high
	}
	for high-low > 1e-9*high {
		if middle := (low + high) / 2; at(middle) > 0 {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}
