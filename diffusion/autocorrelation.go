package diffusion

import (
	"context"
	"math"
)

// Autocorrelation is the autocorrelation function of the stationary process at
// increasing times >= 0, by the same scheme. Errors: those of Transient.
func (p Process) Autocorrelation(ctx context.Context, times []float64, settings TransientSettings) ([]float64, error) {
	settings, err := settings.withDefaults()
	if err != nil {
		return nil, err
	}
	if err := checkTimes(times); err != nil {
		return nil, err
	}
	law, err := p.Stationary()
	if err != nil {
		return nil, err
	}
	reach := settings.Reach
	if reach == 0 {
		reach = law.SurvivalQuantile(beyondReach)
	}
	g := newGrid(law, stretchedMesh(settings.Cells, law.innerLength(reach), reach))
	mean, total := 0.0, 0.0
	for i, m := range g.mass {
		mean += m * g.centre[i]
		total += m
	}
	mean /= total
	covariance := func(w []float64) float64 {
		sum := 0.0
		for i, x := range w {
			sum += x * (g.centre[i] - mean)
		}
		return sum
	}
	// The signed measure (u - mean) π(du), in units of its total variation.
	w, size := make([]float64, len(g.mass)), 0.0
	for i, m := range g.mass {
		w[i] = m * (g.centre[i] - mean)
		size += math.Abs(w[i])
	}
	variance := covariance(w)
	e := newEvolution(g, w, settings.Tolerance*size, g.firstStep(mean))
	if settings.Step > 0 {
		e.fixed, e.step = true, settings.Step
	}
	values, now := make([]float64, len(times)), 0.0
	for k, t := range times {
		if err := e.advance(ctx, now, t); err != nil {
			return nil, err
		}
		now, values[k] = t, covariance(e.p)/variance
	}
	return values, nil
}

// AutocorrelationTime is the integral of the autocorrelation function of the
// stationary process over t >= 0,
//
//	(1/Var U) ∫ (2/(σ² m)) (∫_u^∞ (z - E U) m dz)² du:
//
// the time average over a long time τ has variance 2 Var U/τ times this.
func (l *Law) AutocorrelationTime() float64 {
	// The inner integral from both ends: each where it is free of cancellation.
	n := len(l.panels)
	left, right := make([]float64, n+1), make([]float64, n+1)
	for i := range l.panels {
		left[i+1] = left[i] + l.panels[i].about(l.mean)
	}
	for i := n - 1; i >= 0; i-- {
		right[i] = right[i+1] + l.panels[i].about(l.mean)
	}
	sum := 0.0
	for i := range l.panels {
		p := &l.panels[i]
		sum += gauss.integrate(func(u float64) float64 {
			var inner float64
			if p.b <= l.mean {
				inner = -(left[i] + l.momentAbout(p, p.a, u))
			} else {
				inner = right[i+1] + l.momentAbout(p, u, p.b)
			}
			return 2 / l.process.variance(u) * inner * (inner / math.Exp(l.logDensityOf(p, u)))
		}, p.a, p.b)
	}
	return sum / l.variance
}

// about is ∫ (z - c) m dz over the panel.
func (p *panel) about(c float64) float64 {
	sum := 0.0
	for k, u := range p.node {
		sum += p.weight[k] * (u - c)
	}
	return sum
}

func (l *Law) momentAbout(p *panel, lo, hi float64) float64 {
	return gauss.integrate(func(u float64) float64 {
		return (u - l.mean) * math.Exp(l.logDensityOf(p, u))
	}, lo, hi)
}
