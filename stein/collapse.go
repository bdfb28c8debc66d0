package stein

import (
	"fmt"
	"math"
)

// Shape is what the collapse looks at in a state, all per server.
type Shape struct {
	First, Second float64 // S_{1,1}, S_{1,2}: busy servers by the phase of the job in service
	Jobs          float64 // X = Σ S_i
}

// Busy is S_1, the fraction of busy servers.
func (s Shape) Busy() float64 { return s.First + s.Second }

// Waiting is Σ_{i>=2} S_i, the number of waiting jobs per server.
func (s Shape) Waiting() float64 { return s.Jobs - s.Busy() }

// Shape reads a state.
func (g *Generator) Shape(state []int64) Shape {
	n := float64(g.System.Servers)
	var first, second, jobs int64
	for class, count := range state {
		level := g.Level(class)
		switch {
		case class == 0:
		case class == g.Class(level, 1):
			first += count
		default:
			second += count
		}
		jobs += int64(level) * count
	}
	return Shape{float64(first) / n, float64(second) / n, float64(jobs) / n}
}

// Focus is what a step of the collapse rules out.
type Focus int

const (
	// PhaseTwoCrowd: V = S_{1,2} is large.
	PhaseTwoCrowd Focus = iota
	// PhaseOneLack: V = λ/μ1 - S_{1,1} is large.
	PhaseOneLack
	// PhaseTwoLack: V = pλ/μ2 - S_{1,2} is large.
	PhaseTwoLack
	// Queue: V = min(η - S_1, Σ_{i>=2} S_i) is large, jobs wait beside idle
	// servers.
	Queue
)

func (f Focus) String() string {
	return [...]string{"phase-2-crowd", "phase-1-lack", "phase-2-lack", "queue"}[f]
}

// Step is one step of the iterative state-space collapse: a function V of the
// state, the hypotheses of a tail lemma, and its conclusion
//
//	P(V > Reach) <= exp(LogTail), Reach >= Start + 2 Jump Jumps.
//
// The set of the step is {V <= Reach}.
type Step struct {
	Focus  Focus
	Origin float64 // λ/μ1, pλ/μ2 or η in V; 0 for the first

	Start   float64 // B: the drift is negative where V > Start
	Jump    float64 // ν = 1/N
	Drift   float64 // g
	Outside float64 // d, the drift at most outside the sets that the step builds on; unused in the first
	UpRate  float64 // qν; negative where no state has V > Start - 2 Jump
	Jumps   float64 // J
	Reach   float64
	LogTail float64

	Given []int // the steps whose sets make up E; none: (L1)
}

// newStep fits as many double jumps as there is room for.
func newStep(focus Focus, n, origin, start, reach float64) Step {
	return Step{Focus: focus, Origin: origin, Jump: 1 / n, Start: start, Reach: reach,
		Jumps: math.Floor(n * (reach - start) / 2)}
}

// Value is V.
func (s *Step) Value(x Shape) float64 {
	switch s.Focus {
	case PhaseTwoCrowd:
		return x.Second
	case PhaseOneLack:
		return s.Origin - x.First
	case PhaseTwoLack:
		return s.Origin - x.Second
	}
	return math.Min(s.Origin-x.Busy(), x.Waiting())
}

// Set is the set {V <= Reach} in the symbols of the theory.
func (s *Step) Set() string {
	switch s.Focus {
	case PhaseTwoCrowd:
		return fmt.Sprintf("S12 <= %.6g", s.Reach)
	case PhaseOneLack:
		return fmt.Sprintf("S11 >= %.6g", s.Origin-s.Reach)
	case PhaseTwoLack:
		return fmt.Sprintf("S12 >= %.6g", s.Origin-s.Reach)
	}
	return fmt.Sprintf("min(%.6g - S1, S2 + S3 + ..) <= %.6g", s.Origin, s.Reach)
}

// conclude fills in the bound from that of the outside of E.
func (s *Step) conclude(logOutside float64) {
	if s.UpRate < 0 {
		s.LogTail = math.Inf(-1) // no state is that far
		return
	}
	s.LogTail = logTail(s.UpRate, s.Drift, s.Outside, s.Jumps, logOutside)
}

// holds says that the lemma has what it needs.
func (s *Step) holds() bool {
	return s.Drift > 0 && !math.IsNaN(s.UpRate) && s.Jumps >= 0 && s.Start >= 0
}
