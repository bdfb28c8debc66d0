package ctmc

import (
	"context"
	"math"
)

// Autocovariance says how long the number of jobs X in a whole system in
// equilibrium is remembered.
type Autocovariance struct {
	Stationary *Stationary // the law in equilibrium
	Autocorrelation
	Lags        []float64 // in the unit of the service law
	Covariance  []float64 // cov(X(0), X(lag))
	Correlation []float64 // Covariance / Variance
	// Error bounds the error of a Correlation that uniformization makes; those
	// of the stationary law and of a truncation are in Stationary.
	Error float64
}

// SolveAutocovariance returns the autocovariance of the number of jobs in a
// system in equilibrium at lags, increasing and not negative, and its integral
// over all lags.
//
// With π the stationary law and f the number of jobs less its mean, the
// covariance at lag t is Σ_i (b e^{Qt})_i f_i, b_i = π_i f_i: the signed law b
// is uniformized as a law is. Its total variation never grows, which bounds
// what is left where the series stops. Of the settings, Tolerance is that of
// the correlations, MaxStates that of [SolveStationary], on whose chain they
// are computed, and Within is not used.
//
// Kind: [Exact] up to the stated errors.
func SolveAutocovariance(ctx context.Context, s System, lags []float64, settings TransientSettings) (*Autocovariance, error) {
	maxStates := settings.MaxStates
	settings.Within = 0
	if err := settings.fill(); err != nil {
		return nil, err
	}
	if err := s.Validate(); err != nil {
		return nil, err
	}
	if len(lags) > 0 {
		if err := checkTimes(lags); err != nil {
			return nil, err
		}
	}
	found, err := solveChain(ctx, s, settings.solver(), maxStates)
	if err != nil {
		return nil, err
	}
	g := found.generator
	jobs := make([]float64, g.States()) // in the order of storage
	for h := range g.groupCount() {
		for j := g.groups[h]; j < g.groups[h+1]; j++ {
			jobs[j] = float64(h)
		}
	}
	whole, err := g.IntegratedAutocorrelation(ctx, found.law, g.byNumber(jobs), SolverSettings{Threads: settings.Threads, Tolerance: settings.Tolerance})
	if err != nil {
		return nil, err
	}
	r := &Autocovariance{Stationary: found.measures, Autocorrelation: *whole, Lags: lags}
	if len(lags) == 0 {
		return r, nil
	}
	return r, r.follow(ctx, g, g.byPosition(found.law.Probability), jobs, settings)
}

// follow computes the covariances; law and jobs are in the order of storage.
func (r *Autocovariance) follow(ctx context.Context, g *Generator, law, jobs []float64, settings TransientSettings) error {
	if r.Variance == 0 {
		r.Covariance, r.Correlation = make([]float64, len(r.Lags)), make([]float64, len(r.Lags))
		return nil
	}
	n := g.States()
	deviation, signed := make([]float64, n), make([]float64, n)
	largest := 0.0
	for j := range deviation {
		deviation[j] = jobs[j] - r.Mean
		signed[j] = law[j] * deviation[j]
		largest = math.Max(largest, math.Abs(deviation[j]))
	}
	rate := g.largestRate()
	last := rate * r.Lags[len(r.Lags)-1]
	steps := maxEvents
	if last < maxEvents {
		weights := newPoissonWeights(last, settings.Tolerance/4)
		steps = weights.last()
	}
	// Beyond the series |covariance| <= Σ|b P^k| max|f|.
	settle := settings.Tolerance / 2 * r.Variance / largest
	s, err := newSeries(ctx, g, signed, make([]float64, n), [][]float64{deviation}, steps, math.Inf(1), settle, settings.Threads, nil, settings.Progress)
	if err != nil {
		return err
	}
	if !s.settled && last >= maxEvents {
		return checkEvents(last)
	}
	rest := s.distance[len(s.distance)-1] * largest / r.Variance
	for _, lag := range r.Lags {
		covariance, e := 0.0, rest
		if q := rate * lag; !s.settled || q <= 1e9 {
			w := newPoissonWeights(q, settings.Tolerance/4)
			covariance = w.mean(s.values[0], 0)
			if e = w.outside; w.last() >= len(s.distance) {
				e += rest
			}
		}
		r.Covariance = append(r.Covariance, covariance)
		r.Correlation = append(r.Correlation, covariance/r.Variance)
		r.Error = math.Max(r.Error, e)
	}
	return nil
}
