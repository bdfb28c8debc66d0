package ctmc

import (
	"context"
	"errors"
	"fmt"
	"math"
)

// PullStationary holds the exact stationary measures of a finite [PullSystem].
type PullStationary struct {
	Stationary            // System has the name of the rule and the buffer that was used
	Stored      []float64 // law of the number of stored IDs, 0, 1, ..
	EmptyProb   float64   // P(no ID is stored), the chance that a job is sent at random
	MessageRate float64   // messages per server and unit of time, those that change nothing included: Rate × fraction idle
}

// SolvePullStationary returns the exact stationary measures of a system whose
// dispatcher needs its memory; see [SolveStationary], also for the truncation
// of an unlimited buffer. Errors: an invalid system, one whose dispatcher needs
// no memory, or those of SolveStationary.
func SolvePullStationary(ctx context.Context, s PullSystem, settings SolverSettings, maxStates int64) (*PullStationary, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	if s.Buffer != Unlimited {
		if maxStates == 0 {
			maxStates = DefaultMaxStates
		}
		return s.solve(ctx, settings, maxStates)
	}
	if maxStates == 0 {
		maxStates = maxUnlimitedStates
	}
	return s.solveUnlimited(ctx, settings, maxStates)
}

// solveUnlimited raises the buffer until the cut is harmless. Long queues come
// from jobs sent at random: their tail falls like (λ P(nothing stored))^i at
// least, at most like λ^i.
func (s PullSystem) solveUnlimited(ctx context.Context, settings SolverSettings, maxStates int64) (*PullStationary, error) {
	trial := settings
	trial.Tolerance = trialTolerance
	cut, last, lastExcess := s, 0, 0.0
	for cut.Buffer = 4; ; {
		result, err := cut.solve(ctx, trial, maxStates)
		if err != nil {
			var large *TooLargeError
			if errors.As(err, &large) {
				large.Hint = fmt.Sprintf("in place of an unlimited buffer one of at least %d is needed; give a finite buffer, or simulate", cut.Buffer)
			}
			return nil, err
		}
		excess := result.truncationExcess()
		if excess <= 1 && trial.Tolerance == settings.Tolerance {
			result.Truncated = true
			result.TruncationError = result.truncationError()
			return result, nil
		}
		if excess <= 1 {
			trial = settings // good enough: once more in earnest
			continue
		}
		next := pullBuffer(cut.Buffer, excess, last, lastExcess)
		last, lastExcess, cut.Buffer = cut.Buffer, excess, next
	}
}

// pullBuffer extrapolates the geometric decay of the excess, at most doubling.
func pullBuffer(buffer int, excess float64, last int, lastExcess float64) int {
	if last == 0 || !(excess < lastExcess) {
		return 2 * buffer
	}
	slope := math.Log(lastExcess/excess) / float64(buffer-last)
	return buffer + min(max(int(math.Ceil(math.Log(excess)/slope))+1, 1), buffer)
}

func (s PullSystem) solve(ctx context.Context, settings SolverSettings, maxStates int64) (*PullStationary, error) {
	if states := CountStates(s.Servers, s.Buffer+1, 1); states > 1e3*float64(maxStates) {
		return nil, &TooLargeError{What: "states", Value: states, Limit: float64(maxStates), Hint: "use fewer servers, a smaller buffer, or simulate"}
	}
	chain, err := s.Chain()
	if err != nil {
		return nil, err
	}
	if chain.States() <= maxStates {
		if err := chain.checkMemory(settings.Memory); err != nil {
			return nil, err
		}
	}
	generator, err := Explore(ctx, chain, maxStates)
	if err != nil {
		return nil, err
	}
	law, err := generator.Stationary(ctx, settings)
	if err != nil {
		return nil, err
	}
	result := chain.measure(law.Probability)
	result.States, result.Transitions = generator.States(), generator.Transitions()
	result.Law = *law
	result.Law.Probability = nil
	return result, nil
}

// measure averages the reported quantities over a law on the states.
func (c *PullChain) measure(law []float64) *PullStationary {
	s := c.system
	n := float64(s.Servers)
	r := &PullStationary{Stored: make([]float64, c.memory+1)}
	r.System = s.Described()
	r.Occupancy = make([]float64, s.Buffer+1)
	state := make([]int64, len(c.next))
	for i, p := range law {
		c.Unrank(int64(i), state)
		r.Stored[state[0]] += p
		r.Occupancy[0] += p * float64(state[0]+state[1]) / n
		for level := 1; level <= s.Buffer; level++ {
			r.Occupancy[level] += p * float64(state[1+level]) / n
		}
		if state[0] == 0 {
			r.WaitProb += p * float64(s.Servers-state[1]) / n
			r.BlockProb += p * float64(state[1+s.Buffer]) / n
		}
	}
	r.EmptyProb = r.Stored[0]
	r.MessageRate = s.Pull.Rate * r.Occupancy[0]
	r.finish()
	return r
}
