package ctmc

import (
	"context"
	"errors"
	"fmt"
	"math"
)

// Stationary holds the exact stationary measures of a finite system. Means
// are per server; times are in the unit of the service law.
type Stationary struct {
	System System // with the buffer that was used

	MeanJobs     float64   // E[jobs at a server]
	MeanResponse float64   // mean jobs / accepted arrival rate (Little), accepted jobs
	WaitProb     float64   // P(the chosen server is not idle), lost jobs counted
	BlockProb    float64   // P(the chosen server is full)
	Occupancy    []float64 // expected fraction of servers with i jobs, i = 0..b

	States      int
	Transitions int
	Law         Law // without its probabilities; see [SystemChain] to get them

	Truncated       bool    // an unlimited buffer was cut at System.Buffer
	TruncationError float64 // estimated effect of the cut on MeanJobs
}

// An unlimited buffer may be cut where its effect is below these: the loss
// N P(block), and the estimated relative change of the mean number of jobs.
const (
	truncationLoss   = 1e-12
	truncationEffect = 1e-11
)

// trialTolerance is the residual of the solves that only choose a buffer.
const trialTolerance = 1e-4

// A trial of more states than trialStates gets trialSweeps sweeps: enough to
// see that a buffer is far from sufficient.
const (
	trialStates = 150_000
	trialSweeps = 48
)

// maxUnlimitedStates is the largest chain tried by default in the search for
// the buffer that stands for an unlimited one.
const maxUnlimitedStates = int64(1_000_000)

// SolveStationary returns the exact stationary measures of a system. An
// unlimited buffer is cut at a level where N P(block) < 1e-12 and the
// estimated effect on the mean is below 1e-11 of it; the result says so in
// Truncated and TruncationError. maxStates bounds the size of the chain (0 =
// DefaultMaxStates, or a million while searching for a buffer); a larger one
// is refused with a [TooLargeError].
//
// The kind of the result is [Exact]: its error is that of the linear solve,
// shown by Law.Residual and Law.Error, and of the truncation.
func SolveStationary(ctx context.Context, s System, settings SolverSettings, maxStates int64) (*Stationary, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	if s.Buffer != Unlimited {
		if maxStates == 0 {
			maxStates = DefaultMaxStates
		}
		return solveFinite(ctx, s, settings, maxStates)
	}
	if maxStates == 0 {
		maxStates = maxUnlimitedStates
	}
	return solveUnlimited(ctx, s, settings, maxStates)
}

// solveUnlimited raises the buffer until the cut is harmless, extrapolating
// the decay of the loss from cheap solves.
func solveUnlimited(ctx context.Context, s System, settings SolverSettings, maxStates int64) (*Stationary, error) {
	trialSettings := settings
	trialSettings.Tolerance = trialTolerance
	trial, target := s, 0
	var lastExcess float64
	var lastBuffer int
	least := s.leastBuffer()
	if states := CountStates(s.Servers, least, s.Phases()); states > float64(maxStates) {
		return nil, s.unlimitedTooLarge(least, states, maxStates)
	}
	for trial.Buffer = least; ; {
		use := trialSettings
		if CountStates(s.Servers, trial.Buffer, s.Phases()) > trialStates {
			use.MaxIterations = trialSweeps
		}
		if trial.Buffer == target {
			use = settings
		}
		result, err := solveFinite(ctx, trial, use, maxStates)
		if err != nil {
			var large *TooLargeError
			if errors.As(err, &large) {
				return nil, s.unlimitedTooLarge(trial.Buffer, large.Value, maxStates)
			}
			return nil, err
		}
		excess := result.truncationExcess()
		if excess <= 1 && use.Tolerance == settings.Tolerance {
			result.Truncated = true
			result.TruncationError = result.truncationError()
			return result, nil
		}
		if excess <= 1 {
			target = trial.Buffer // good enough: solve it once more in earnest
			continue
		}
		next := nextBuffer(trial.Buffer, excess, lastBuffer, lastExcess)
		if result.Law.Status != Converged {
			next = trial.Buffer + 1 // nothing to extrapolate from
		}
		if lastBuffer > 0 {
			target = next
		}
		lastExcess, lastBuffer = excess, trial.Buffer
		trial.Buffer = next
	}
}

// leastBuffer is a buffer that an unlimited one needs at the least. Whatever
// the policy, no fewer jobs are lost than by the pooled queue with as many
// places in all, where the number of jobs beyond N falls like load^(jobs); for
// a smooth service law it may fall up to twice as fast.
func (s System) leastBuffer() int {
	decay := -math.Log(s.Load) * math.Max(1, 1/s.Service.SCV())
	beyond := math.Log(1/truncationLoss) / decay / float64(s.Servers)
	return 2 + int(math.Min(beyond/2, 1e9))
}

func (s System) unlimitedTooLarge(buffer int, states float64, maxStates int64) error {
	advice := "simulate"
	if fits := s.LargestBuffer(maxStates); fits > 0 {
		advice = fmt.Sprintf("a buffer of %d fits, or simulate", fits)
	}
	return &TooLargeError{What: "states", Value: states, Limit: float64(maxStates),
		Hint: fmt.Sprintf("in place of an unlimited buffer one of at least %d is needed; %s", buffer, advice)}
}

// SolveCut returns the measures of a system with an unlimited buffer cut at
// the given one, with the estimated effect of the cut in TruncationError.
func SolveCut(ctx context.Context, s System, buffer int, settings SolverSettings, maxStates int64) (*Stationary, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	if s.Buffer != Unlimited {
		return nil, &FieldError{Field: "buffer", Value: s.Buffer, Allowed: "unlimited where it is to be cut"}
	}
	s.Buffer = buffer
	if maxStates == 0 {
		maxStates = DefaultMaxStates
	}
	result, err := solveFinite(ctx, s, settings, maxStates)
	if err != nil {
		return nil, err
	}
	result.Truncated = true
	result.TruncationError = result.truncationError()
	return result, nil
}

// LargestBuffer returns the largest buffer at which the chain of the system
// has at most maxStates states, or 0 if there is none.
func (s System) LargestBuffer(maxStates int64) int {
	buffer := 0
	for CountStates(s.Servers, buffer+1, s.Phases()) <= float64(maxStates) {
		buffer++
	}
	return buffer
}

// truncationError estimates by how much a finite buffer lowers the mean
// number of jobs per server: jobs are lost at rate λ P(block) per server when
// the queues hold about b jobs, which take about b/(1-load) to drain with one
// job fewer all the while.
func (r *Stationary) truncationError() float64 {
	s := r.System
	return s.Load * r.BlockProb * float64(s.Buffer) / (1 - s.Load)
}

// truncationExcess is the larger of the two truncation criteria relative to
// its limit: at most 1 when the cut is harmless.
func (r *Stationary) truncationExcess() float64 {
	return math.Max(float64(r.System.Servers)*r.BlockProb/truncationLoss,
		r.truncationError()/r.MeanJobs/truncationEffect)
}

// nextBuffer extrapolates the geometric decay of the excess, at most tripling.
func nextBuffer(buffer int, excess float64, lastBuffer int, lastExcess float64) int {
	if lastBuffer == 0 || excess >= lastExcess {
		return 2 * buffer
	}
	slope := math.Log(lastExcess/excess) / float64(buffer-lastBuffer)
	need := int(math.Ceil(math.Log(excess)/slope)) + 1
	return buffer + min(max(need, 1), 2*buffer)
}

func solveFinite(ctx context.Context, s System, settings SolverSettings, maxStates int64) (*Stationary, error) {
	if states := CountStates(s.Servers, s.Buffer, s.Phases()); states > float64(maxStates) {
		return nil, &TooLargeError{What: "states", Value: states, Limit: float64(maxStates),
			Hint: "use fewer servers, a smaller buffer, or simulate"}
	}
	if s.isTall() {
		return solveTall(ctx, s, settings, maxStates)
	}
	chain, err := s.Chain()
	if err != nil {
		return nil, err
	}
	return solveChain(ctx, s, chain, settings, maxStates, func(_ *Generator, law []float64) *Stationary { return chain.measure(law) })
}

// isTall says that servers are listed rather than counted by class.
func (s System) isTall() bool { return int64(s.Buffer*s.Phases()) > 4*s.Servers }

func solveTall(ctx context.Context, s System, settings SolverSettings, maxStates int64) (*Stationary, error) {
	chain := s.tallChain()
	return solveChain(ctx, s, chain, settings, maxStates, chain.measure)
}

func solveChain(ctx context.Context, s System, chain Chain, settings SolverSettings, maxStates int64, measure func(*Generator, []float64) *Stationary) (*Stationary, error) {
	generator, err := Explore(ctx, chain, maxStates)
	if err != nil {
		return nil, err
	}
	law, err := generator.Stationary(ctx, settings)
	if err != nil {
		return nil, err
	}
	result := measure(generator, law.Probability)
	result.finish()
	result.States, result.Transitions = generator.States(), generator.Transitions()
	result.Law = *law
	result.Law.Probability = nil
	return result, nil
}

// finish derives the means from the occupancy. The accepted load in Little's
// law is the busy fraction, which keeps its digits where almost every job is
// lost or almost none arrives.
func (r *Stationary) finish() {
	busy := 0.0
	for level, q := range r.Occupancy {
		r.MeanJobs += float64(level) * q
		if level > 0 {
			busy += q
		}
	}
	r.MeanResponse = r.MeanJobs / busy * r.System.Service.Mean()
}

// measure averages the reported quantities over a law on the states.
func (c *SystemChain) measure(law []float64) *Stationary {
	r := &Stationary{System: c.System, Occupancy: make([]float64, c.Levels+1)}
	state := make([]int64, c.Classes())
	wait, block := 0.0, 0.0
	for i, p := range law {
		c.Unrank(int64(i), state)
		c.Tails(state, c.tail)
		wait += p * c.System.Policy.WaitProbability(c.tail)
		block += p * c.System.Policy.BlockProbability(c.tail, c.Levels)
		for level := 0; level < c.Levels; level++ {
			r.Occupancy[level] += p * float64(c.tail[level]-c.tail[level+1])
		}
		r.Occupancy[c.Levels] += p * float64(c.tail[c.Levels])
	}
	for level := range r.Occupancy {
		r.Occupancy[level] /= float64(c.Servers)
	}
	r.WaitProb, r.BlockProb = wait, block
	return r
}
