package ctmc

import (
	"context"
	"math"
)

// Stationary holds the exact stationary measures of a finite system. Means
// are per server; times are in the unit of the service law.
type Stationary struct {
	System System // with the longest queue that was kept as buffer

	MeanJobs     float64   // E[jobs at a server]
	MeanResponse float64   // mean jobs / accepted arrival rate (Little), accepted jobs
	WaitProb     float64   // P(the chosen server is not idle), lost jobs counted
	BlockProb    float64   // P(the chosen server is full)
	Occupancy    []float64 // expected fraction of servers with i jobs, i = 0..b
	Classes      []float64 // expected fraction of servers in each class, in the order of [Space]
	Joined       []float64 // P(a job is sent to a server of the class), lost jobs (level b) counted
	Total        []float64 // P(k jobs in the system)

	States      int // of the chain that was solved
	Transitions int // between them
	Law         Law // without its probabilities; see [System.Chain] and [Explore] to get them

	Truncated bool // the buffer is unlimited: states that carry next to no probability are left out
	// TruncationError is the estimated effect of that on MeanJobs.
	TruncationError float64
	Truncation      Truncation // more about it
}

// SolveStationary returns the exact stationary measures of a system. maxStates
// bounds the size of the chain (0 = DefaultMaxStates); a larger one is refused
// with a [TooLargeError] before memory is asked for. Where the buffer is
// unlimited, or too large for the chain on all states, the chain is kept to
// the states that carry probability; the result says so in Truncated and
// [Truncation] (0 = DefaultTruncatedStates).
//
// The kind of the result is [Exact]: its error is that of the linear solve,
// shown by Law.Residual and Law.Error, and of the truncation.
func SolveStationary(ctx context.Context, s System, settings SolverSettings, maxStates int64) (*Stationary, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	if s.Buffer == Unlimited {
		return solveTruncated(ctx, s, settings, maxStates)
	}
	found, err := solveFinite(ctx, s, settings, maxStates)
	if err != nil {
		return nil, err
	}
	return found.measures, nil
}

// solution is a solved chain: what SolveStationary reports, and what it was
// made from. Groups of the generator are the numbers of jobs in the system.
type solution struct {
	measures  *Stationary
	generator *Generator
	law       *Law // with its probabilities
}

// solveChain solves a valid system on a chain that is kept.
func solveChain(ctx context.Context, s System, settings SolverSettings, maxStates int64) (*solution, error) {
	if s.Buffer != Unlimited {
		return solveFinite(ctx, s, settings, maxStates)
	}
	t := newTruncated(s, settings, maxStates)
	return t.solution(ctx)
}

// solveFinite solves a system with a buffer limit.
func solveFinite(ctx context.Context, s System, settings SolverSettings, maxStates int64) (*solution, error) {
	if maxStates == 0 {
		maxStates = DefaultMaxStates
	}
	maxStates = min(maxStates, maxNumberedStates)
	states := CountStates(s.Servers, s.Buffer, s.Phases())
	if states > float64(maxStates) {
		return nil, tooManyStates(states, maxStates)
	}
	if err := s.checkMemory(states, settings.Memory); err != nil {
		return nil, err
	}
	if s.isTall() {
		return solveAllReachable(ctx, s, settings)
	}
	return solveAllStates(ctx, s, settings)
}

// isTall says that few of the classes are occupied at any time, so that states
// are better found by following transitions than by ranks.
func (s System) isTall() bool { return int64(s.Buffer*s.Phases()) > 4*s.Servers }

func solveAllStates(ctx context.Context, s System, settings SolverSettings) (*solution, error) {
	chain, err := s.Chain()
	if err != nil {
		return nil, err
	}
	generator, err := exploreSystem(ctx, chain, settings.Threads)
	if err != nil {
		return nil, err
	}
	law, err := generator.Stationary(ctx, settings)
	if err != nil {
		return nil, err
	}
	c := takeCensus(s, s.Buffer, len(law.Probability), workersFor(settings.Threads, generator.States()), func(low, high int, visit func(p float64, state []run)) {
		counts, state := make([]int64, chain.Classes()), []run{}
		chain.Unrank(int64(low), counts)
		for i := low; i < high; i++ {
			visit(law.Probability[i], appendOccupied(state[:0], counts))
			chain.Next(counts)
		}
	})
	return &solution{c.result(generator, law), generator, law}, nil
}

// appendOccupied writes counts by class as runs.
func appendOccupied(state []run, counts []int64) []run {
	for class, n := range counts {
		if n > 0 {
			state = append(state, run{int32(class), int32(n)})
		}
	}
	return state
}

// solveAllReachable solves the chain on all states that can be reached from
// the empty system.
func solveAllReachable(ctx context.Context, s System, settings SolverSettings) (*solution, error) {
	set := newStateSet(s)
	set.highest, set.most = int(s.Servers)*s.Buffer, settings.Memory
	set.expand(set.know(set.walk.balanced(0)))
	if err := set.grow(ctx, 0, math.MaxInt); err != nil {
		return nil, err
	}
	if err := withinMemory(set.memory(), set.most); err != nil {
		return nil, err
	}
	generator, err := set.generator(ctx, downward)
	if err != nil {
		return nil, err
	}
	law, err := generator.Stationary(ctx, settings)
	if err != nil {
		return nil, err
	}
	return &solution{set.census(s.Buffer, law, settings.Threads).result(generator, law), generator, law}, nil
}

// census averages what is reported over a law on the states.
type census struct {
	system          System
	levels          int
	servers, joined []float64 // by class: expected number of servers; P(a job is sent there)
}

// takeCensus visits the states 0..n-1 in pieces; each must visit its states
// low..high-1.
func takeCensus(s System, levels, n, workers int, piece func(low, high int, visit func(p float64, state []run))) *census {
	classes := 1 + levels*s.Phases()
	c := &census{system: s, levels: levels}
	// Fewer, larger pieces than elsewhere: each holds sums for every class.
	const pieces = 64
	partial := make([][]float64, pieces)
	eachPiece(pieces, workers, func(k int) {
		low, high := n*k/pieces, n*(k+1)/pieces
		if low == high {
			return
		}
		sums, walk := make([]float64, 2*classes), newOccupancy(s)
		piece(low, high, func(p float64, state []run) {
			for i, probability := range walk.joins(state) {
				r := state[i]
				sums[r.class] += p * float64(r.count)
				sums[classes+int(r.class)] += p * probability
			}
		})
		partial[k] = sums
	})
	sums := make([]float64, 2*classes)
	for _, part := range partial {
		for i, x := range part {
			sums[i] += x
		}
	}
	c.servers, c.joined = sums[:classes], sums[classes:]
	return c
}

// result derives the measures.
func (c *census) result(g *Generator, law *Law) *Stationary {
	s := c.system
	s.Buffer = c.levels
	r := &Stationary{System: s, Occupancy: make([]float64, c.levels+1), Classes: c.servers, Joined: c.joined, Total: g.groupWeights(law.Probability)}
	walk := newOccupancy(s)
	scale(r.Classes, 1/float64(s.Servers))
	for class := len(r.Classes) - 1; class >= 0; class-- {
		level := walk.level(int32(class))
		r.Occupancy[level] += r.Classes[class]
		if level > 0 {
			r.WaitProb += r.Joined[class]
		}
		if c.system.Buffer != Unlimited && int(level) == c.system.Buffer {
			r.BlockProb += r.Joined[class]
		}
	}
	r.finish()
	r.States, r.Transitions = g.States(), g.Transitions()
	r.Law = *law
	r.Law.Probability = nil
	return r
}

// groupWeights is the probability of each group.
func (g *Generator) groupWeights(law []float64) []float64 {
	weights := make([]float64, g.groupCount())
	for h := range weights {
		for j := g.groups[h]; j < g.groups[h+1]; j++ {
			weights[h] += law[g.numberOf(j)]
		}
	}
	return weights
}
