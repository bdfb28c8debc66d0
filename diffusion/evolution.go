package diffusion

import (
	"context"
	"math"
)

// evolution carries cell probabilities through time by TR-BDF2 (Bank and
// others 1985; Hosea and Shampine, Appl. Numer. Math. 20, 1996): a trapezoidal
// step to t + γh and a BDF2 step to t + h, γ = 2 - √2. It is L-stable, of
// second order, and both stages have the same matrix. In terms of flows, with
// θ = γh/2,
//
//	stage = p + θ div(J + J_stage)
//	end   = p + θ div((J + J_stage) w + J_end),  w = 1/(γ(2-γ)).
type evolution struct {
	grid      *grid
	solver    *flowSolver
	p         []float64 // at the current time
	flow      []float64 // its flows
	stage     []float64
	flowStage []float64
	flowEnd   []float64
	combined  []float64
	step      float64 // to try next
	tolerance float64
	fixed     bool
	stats     TransientStats
}

// TransientStats counts the work of a transient law.
type TransientStats struct {
	Steps, Rejected int     // accepted steps, and attempts too inaccurate
	Smallest        float64 // step
}

func newEvolution(g *grid, p []float64, tolerance, first float64) *evolution {
	n := len(p)
	e := &evolution{
		grid: g, solver: newFlowSolver(g), p: p, step: first, tolerance: tolerance,
		stage: make([]float64, n), flow: make([]float64, n-1),
		flowStage: make([]float64, n-1), flowEnd: make([]float64, n-1), combined: make([]float64, n-1),
		stats: TransientStats{Smallest: math.Inf(1)},
	}
	g.flows(p, e.flow)
	return e
}

const (
	trGamma  = 2 - math.Sqrt2
	bdfStage = 1 / (trGamma * (2 - trGamma))
	// errorFactor is that of the third derivative in the local error.
	errorFactor = (-3*trGamma*trGamma + 4*trGamma - 2) / (12 * (2 - trGamma))
)

// advance moves to a later time in steps of equal length, as long as the error
// allows.
func (e *evolution) advance(ctx context.Context, from, to float64) error {
	for t := from; t < to; {
		if err := ctx.Err(); err != nil {
			return err
		}
		rest := to - t
		pieces := math.Max(1, math.Ceil(rest/e.step*(1-1e-9)))
		h := rest / pieces
		failed := e.try(h)
		if failed > 1 {
			e.stats.Rejected++
			e.step = h * math.Max(0.2, 0.9/math.Cbrt(failed))
			continue
		}
		e.accept(h)
		e.adapt(h, failed)
		if t += h; pieces == 1 {
			t = to
		}
	}
	return nil
}

// adapt chooses the next step. A small change is not worth a factorisation,
// and a step cut short by an output time says little.
func (e *evolution) adapt(h, failed float64) {
	if e.fixed {
		return
	}
	proposal := h * math.Min(4, 0.9/math.Cbrt(math.Max(failed, 1e-3)))
	if proposal > 1.2*e.step || proposal < 0.8*h {
		e.step = proposal
	}
}

// try computes the flows of a step h and returns the estimated error, the sum
// over cells of what the method does not damp itself, in units of the
// tolerance.
func (e *evolution) try(h float64) float64 {
	theta := trGamma * h / 2
	e.solver.factor(theta)
	spread(e.flow, theta, e.p, e.stage)
	e.grid.flows(e.stage, e.flowStage)
	e.solver.solve(e.flowStage)
	for i, j := range e.flowStage {
		e.combined[i] = bdfStage * (e.flow[i] + j)
	}
	spread(e.combined, theta, e.p, e.stage)
	e.grid.flows(e.stage, e.flowEnd)
	e.solver.solve(e.flowEnd)
	if e.fixed {
		return 0
	}
	const a, b, c = 1 / trGamma, 1 / (trGamma * (1 - trGamma)), 1 / (1 - trGamma)
	for i, j := range e.flowStage {
		e.flowStage[i] = a*e.flow[i] - b*j + c*e.flowEnd[i]
	}
	e.solver.solve(e.flowStage)
	return math.Abs(2*errorFactor*h) * variation(e.flowStage) / e.tolerance
}

// accept makes the step tried last.
func (e *evolution) accept(h float64) {
	for i, j := range e.flowEnd {
		e.combined[i] += j
	}
	spread(e.combined, trGamma*h/2, e.p, e.p)
	e.flow, e.flowEnd = e.flowEnd, e.flow
	e.stats.Steps++
	e.stats.Smallest = math.Min(e.stats.Smallest, h)
}

// spread writes p + factor·div J.
func spread(flow []float64, factor float64, p, dst []float64) {
	last := len(p) - 1
	inflow := 0.0
	for i := range last {
		dst[i] = p[i] + factor*(inflow-flow[i])
		inflow = flow[i]
	}
	dst[last] = p[last] + factor*inflow
}

// variation is Σ |div J|.
func variation(flow []float64) float64 {
	sum, before := 0.0, 0.0
	for _, j := range flow {
		sum += math.Abs(before - j)
		before = j
	}
	return sum + math.Abs(before)
}
