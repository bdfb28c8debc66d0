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

// plus adds a multiple of another shape.
func (s Shape) plus(factor float64, x Shape) Shape {
	return Shape{s.First + factor*x.First, s.Second + factor*x.Second, s.Jobs + factor*x.Jobs}
}

// Shape is what the collapse looks at in a state of the occupancy.
func (g *Generator) Shape(state []int64) Shape {
	var sum Shape
	for class, count := range state {
		if count > 0 {
			sum = sum.plus(float64(count), g.serverShape(class))
		}
	}
	return Shape{}.plus(1/float64(g.System.Servers), sum)
}

// serverShape is what one server of a class adds to N times the shape.
func (g *Generator) serverShape(class int) Shape {
	level := g.Level(class)
	switch {
	case class == 0:
		return Shape{}
	case class == g.Class(level, 1):
		return Shape{First: 1, Jobs: float64(level)}
	}
	return Shape{Second: 1, Jobs: float64(level)}
}

// Motion is how V of a step moves in one state: its drift, the total rate of the
// transitions that raise it, and the largest change by a transition.
type Motion struct {
	Value, Drift, UpRate, Largest float64 // V, its drift, the rate of what raises it, its largest change
}

// Motion looks at every transition out of a state.
func (g *Generator) Motion(s *Step, state []int64) Motion {
	here := g.Shape(state)
	m := Motion{Value: s.Value(here)}
	one := 1 / float64(g.System.Servers)
	g.Moves(state, func(from, to int, rate float64) {
		next := here.plus(one, g.serverShape(to)).plus(-one, g.serverShape(from))
		change := s.Value(next) - m.Value
		m.Drift += rate * change
		m.Largest = math.Max(m.Largest, math.Abs(change))
		if change > one*1e-6 { // not a rounding
			m.UpRate += rate
		}
	})
	return m
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
	Focus  Focus   // which function V is
	Origin float64 // λ/μ1, pλ/μ2 or η in V; p/μ2 for the first, where V tends to be less

	Start   float64 // B: the drift is negative where V > Start
	Jump    float64 // ν = 1/N
	Drift   float64 // g
	Outside float64 // d, the drift at most outside the sets that the step builds on; unused in the first
	UpRate  float64 // qν; negative where no state has V > Start - 2 Jump
	Jumps   float64 // J
	Reach   float64 // the set is {V <= Reach}
	LogTail float64 // log of the bound on P(V > Reach)

	Given []int // the steps whose sets make up E; none: (L1)
}

// newStep fits as many double jumps as there is room for.
func newStep(focus Focus, n, origin, start, reach float64) Step {
	return Step{Focus: focus, Origin: origin, Jump: 1 / n, Start: start, Reach: reach,
		Jumps: math.Floor(n * (reach - start) / 2)}
}

// Value is the function V of the step at a state.
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

// Usual is a value that V usually takes or exceeds: the bounds begin well above
// it.
func (s *Step) Usual() float64 {
	if s.Focus == PhaseTwoCrowd {
		return s.Origin / 2
	}
	return -s.Start / 2
}

// Largest is a value that V cannot exceed.
func (s *Step) Largest() float64 {
	switch s.Focus {
	case PhaseTwoCrowd:
		return 1
	case Queue:
		return math.Max(s.Origin, 0) // S_1 = 0
	}
	return s.Origin
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

// Lemma is the bound of the tail lemma on P(V > Start + 2 Jump j), given the
// probability of being outside E.
func (s *Step) Lemma(j, outside float64) float64 {
	if s.UpRate < 0 {
		return 0
	}
	return math.Exp(logTail(s.UpRate, s.Drift, s.Outside, j, math.Log(outside)))
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
