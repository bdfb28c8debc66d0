package ctmc

import (
	"context"
	"fmt"
	"math"
)

// Autocorrelation says how long a stationary chain remembers a function f of
// its state: what a simulation needs to plan its length. With C(t) the
// autocovariance of f at lag t,
//
//	Variance            C(0)
//	Time                ∫_0^∞ C(t) dt / C(0), the integrated autocorrelation time
//	AsymptoticVariance  2 C(0) Time = 2 ∫_0^∞ C(t) dt
//
// The average of f over a run of length T has variance AsymptoticVariance/T for
// large T: the run is worth T/(2 Time) independent observations. Kind: exact up
// to the errors of the linear solves.
type Autocorrelation struct {
	Mean, Variance     float64 // of f in equilibrium
	Time               float64 // integrated autocorrelation time
	AsymptoticVariance float64 // 2 Variance Time
	Residual           float64 // of the solution of Poisson's equation, relative
	Iterations         int     // sweeps
	Status             Status  // of the solution of Poisson's equation
}

// IntegratedAutocorrelation returns the autocorrelation of a function f of the
// states of a chain, given by number, under its stationary law.
//
// With b_i = π_i (f_i - E f) the integral of the signed law b e^{Qt} over all
// times is the solution w of w Q = -b, Σ w = 0, and ∫ C(t) dt = Σ w_i f_i. The
// equation is solved as the stationary law is: Gauss-Seidel sweeps, the exact
// correction of the totals of the groups, and extrapolation.
//
// Errors: a law or f of another length than the chain, or the error of the
// context. An iteration that does not converge is no error but a Status.
func (g *Generator) IntegratedAutocorrelation(ctx context.Context, law *Law, f []float64, s SolverSettings) (*Autocorrelation, error) {
	n := g.States()
	if len(f) != n || len(law.Probability) != n {
		return nil, fmt.Errorf("chain: %d values and %d probabilities for %d states", len(f), len(law.Probability), n)
	}
	if s.Tolerance == 0 {
		s.Tolerance = 1e-10
	}
	if s.MaxIterations == 0 {
		s.MaxIterations = 50_000
	}
	p := newPoissonEquation(g, g.byPosition(law.Probability), g.byPosition(f), s)
	a := &Autocorrelation{Mean: p.mean}
	a.Variance = p.inner(p.source)
	if a.Variance == 0 {
		a.Status = Converged
		return a, nil
	}
	if err := p.solve(ctx, a); err != nil {
		return nil, err
	}
	integral := p.inner(p.w)
	a.Time, a.AsymptoticVariance = integral/a.Variance, 2*integral
	return a, nil
}

// poissonEquation is w Q = -b with Σ w = 0, in the order of storage.
type poissonEquation struct {
	generator *Generator
	settings  SolverSettings
	workers   int
	law, f    []float64
	mean      float64
	source    []float64 // b
	w         []float64
	coarse    *coarseChain // of the stationary law, nil when groups are no birth-death chain
}

func newPoissonEquation(g *Generator, law, f []float64, s SolverSettings) *poissonEquation {
	n := g.States()
	p := &poissonEquation{generator: g, settings: s, workers: workersFor(s.Threads, n), law: law, f: f,
		source: make([]float64, n), w: make([]float64, n)}
	p.mean = reduce(n, p.workers, 1, func(low, high int, sums []float64) {
		for i := low; i < high; i++ {
			sums[0] += law[i] * f[i]
		}
	})[0]
	for i := range p.source {
		p.source[i] = law[i] * (f[i] - p.mean)
	}
	if g.adjacent && g.groupCount() > 1 {
		p.coarse = newCoarseChain(g, p.workers)
		p.coarse.weighFlows(law)
	}
	return p
}

// inner is Σ v_i (f_i - E f).
func (p *poissonEquation) inner(v []float64) float64 {
	return reduce(len(v), p.workers, 1, func(low, high int, sums []float64) {
		for i := low; i < high; i++ {
			sums[0] += v[i] * (p.f[i] - p.mean)
		}
	})[0]
}

// imbalance is b + w Q at a position.
func (p *poissonEquation) imbalance(j int) float64 {
	return p.source[j] + p.generator.inflow(p.w, j) - p.w[j]*p.generator.exit[j]
}

func (p *poissonEquation) solve(ctx context.Context, a *Autocorrelation) error {
	faster := newExtrapolation(len(p.w), extrapolationWindow, p.workers)
	faster.signed = true
	size := reduce(len(p.w), p.workers, 1, func(low, high int, sums []float64) {
		for i := low; i < high; i++ {
			sums[0] += math.Abs(p.source[i])
		}
	})[0]
	a.Residual, a.Status = math.Inf(1), NotConverged
	failures := 0
	for a.Iterations < p.settings.MaxIterations {
		faster.begin(p.w)
		for k := 0; k <= extrapolationWindow; k++ {
			if err := ctx.Err(); err != nil {
				return err
			}
			p.sweep(a.Iterations%2 == 1)
			p.correct()
			a.Iterations++
			faster.add(p.w)
		}
		faster.extrapolate(p.w)
		residual := reduce(len(p.w), p.workers, 1, func(low, high int, sums []float64) {
			for j := low; j < high; j++ {
				sums[0] += math.Abs(p.imbalance(j))
			}
		})[0] / size
		if p.settings.Progress != nil {
			p.settings.Progress(a.Iterations, residual)
		}
		if failures++; residual < slowProgress*a.Residual {
			failures = 0
		}
		a.Residual = residual
		switch {
		case residual <= p.settings.Tolerance:
			a.Status = Converged
			return nil
		case failures >= slowPatience:
			a.Status = Stagnated
			return nil
		}
	}
	return nil
}

// sweep makes w_j := (b_j + Σ_i w_i q_ij)/exit_j in the order of [sweeper].
func (p *poissonEquation) sweep(backward bool) {
	g := p.generator
	settle := func(j int) { p.w[j] = (p.source[j] + g.inflow(p.w, j)) / g.exit[j] }
	each := func(low, high int) {
		if backward {
			for j := high - 1; j >= low; j-- {
				settle(j)
			}
			return
		}
		for j := low; j < high; j++ {
			settle(j)
		}
	}
	groups := g.groupCount()
	if p.coarse == nil {
		each(0, g.States())
		return
	}
	for parity := range 2 {
		eachPiece((groups+1-parity)/2, p.workers, func(k int) {
			h := 2*k + parity
			each(g.groups[h], g.groups[h+1])
		})
	}
}

// correct adds multiples of the stationary law: one for each group, that the
// totals of the groups satisfy the equation summed over groups, and one for
// all, that Σ w = 0. With R_h the imbalance of the groups 0..h in all and
// π_h u_h = π_{h+1} d_{h+1} the stationary flow over the cut, the multiples
// obey d_{h+1} = d_h - R_h/(π_h u_h).
func (p *poissonEquation) correct() {
	g := p.generator
	if c := p.coarse; c != nil {
		groups := g.groupCount()
		imbalance := make([]float64, groups)
		eachPiece(groups, p.workers, func(h int) {
			for j := g.groups[h]; j < g.groups[h+1]; j++ {
				imbalance[h] += p.imbalance(j)
			}
		})
		multiple, sum := 0.0, 0.0
		multiples := make([]float64, groups)
		for h := range groups - 1 {
			multiples[h] = multiple
			sum += imbalance[h]
			if c.up[h] > leastFlow {
				multiple -= sum / c.up[h]
			}
		}
		multiples[groups-1] = multiple
		eachPiece(groups, p.workers, func(h int) {
			for j := g.groups[h]; j < g.groups[h+1]; j++ {
				p.w[j] += multiples[h] * p.law[j]
			}
		})
	}
	total := reduce(len(p.w), p.workers, 1, func(low, high int, sums []float64) {
		for _, x := range p.w[low:high] {
			sums[0] += x
		}
	})[0]
	forRange(len(p.w), p.workers, func(low, high int) {
		for j := low; j < high; j++ {
			p.w[j] -= total * p.law[j]
		}
	})
}
