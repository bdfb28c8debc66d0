package validate

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"qlimit/coxian"
	"qlimit/diffusion"
	"qlimit/validate/figure"
)

// DiffusionDensities draws the stationary densities of X = (jobs in the
// system)/N in the non-degenerate slowdown limits CQ, JSQ (I1F) and IQF.
func DiffusionDensities(spare float64, service coxian.Dist) (*figure.Figure, error) {
	const points = 300
	f := &figure.Figure{
		Name:    "nds-densities",
		Title:   fmt.Sprintf("Non-degenerate slowdown, arrival rate N − %g", spare),
		Caption: "Stationary densities of the jobs per server in the limit N → ∞ with N(1 − λ) fixed.",
		X:       figure.Axis{Label: "jobs per server x"},
		Y:       figure.Axis{Label: "density"},
		Size:    figure.DoubleColumn,
	}
	widest, err := diffusion.NDS{Discipline: diffusion.IQF, Spare: spare, Service: service}.Stationary()
	if err != nil {
		return nil, err
	}
	reach := widest.Quantile(0.99)
	for group, d := range []diffusion.Discipline{diffusion.CQ, diffusion.JSQ, diffusion.IQF} {
		limit := diffusion.NDS{Discipline: d, Spare: spare, Service: service}
		law, err := limit.Stationary()
		if err != nil {
			return nil, err
		}
		s := figure.Series{Name: fmt.Sprintf("%s, mean %.4f", disciplineTitle(d), 1+law.Mean()), Kind: limit.Kind(), Group: group + 1}
		for i := range points + 1 {
			u := reach * float64(i) / points
			s.X, s.Y = append(s.X, 1+u), append(s.Y, law.Density(u))
		}
		f.Series = append(f.Series, s)
	}
	return f, nil
}

func disciplineTitle(d diffusion.Discipline) string {
	switch d.Name {
	case "cq":
		return "CQ"
	case "jsq":
		return "JSQ, I1F"
	case "iqf":
		return "IQF"
	}
	return d.Name
}

// TransientFan draws the law of X over time from a start: the ranges that hold
// 90% and 50% of the probability, median, mean, the stationary mean as a mark,
// and a few sample paths.
func TransientFan(ctx context.Context, n diffusion.NDS, start, until float64, paths int, source rand.Source) (*figure.Figure, error) {
	const points = 160
	process, err := n.Process()
	if err != nil {
		return nil, err
	}
	law, err := n.Stationary()
	if err != nil {
		return nil, err
	}
	times := make([]float64, points+1)
	for i := range times {
		// Denser at first, where the law changes fastest.
		s := float64(i) / points
		times[i] = until * s * s
	}
	r, err := process.Transient(ctx, start-1, times, diffusion.TransientSettings{})
	if err != nil {
		return nil, err
	}
	f := &figure.Figure{
		Name:    "nds-transient",
		Title:   fmt.Sprintf("%s from x = %g, arrival rate N − %g", disciplineTitle(n.Discipline), start, n.Spare),
		Caption: "Law of the jobs per server over time in the non-degenerate slowdown limit, time in units of N mean service times.",
		X:       figure.Axis{Label: "time / N"},
		Y:       figure.Axis{Label: "jobs per server x"},
		Size:    figure.DoubleColumn,
		Marks:   []figure.Mark{{Direction: figure.Horizontal, At: 1 + law.Mean(), Label: "stationary mean"}},
	}
	f.Series = append(f.Series, fanBand(r, 0.05, 0.95), fanBand(r, 0.25, 0.75))
	median := figure.Series{Name: "median", Group: 1, X: times, Dash: figure.Dashed}
	mean := figure.Series{Name: "mean", Group: 2, X: times, Dash: figure.Solid}
	for k := range times {
		median.Y = append(median.Y, 1+r.Quantile(k, 0.5))
		mean.Y = append(mean.Y, 1+r.Mean[k])
	}
	f.Series = append(f.Series, median, mean)
	for range paths {
		s, err := samplePath(process, start, until, source)
		if err != nil {
			return nil, err
		}
		f.Series = append(f.Series, s)
	}
	for i := range f.Series {
		f.Series[i].Kind = n.Kind()
	}
	return f, nil
}

func fanBand(r *diffusion.Transient, low, high float64) figure.Series {
	s := figure.Series{Name: fmt.Sprintf("%g%% of the probability", math.Round(100*(high-low))), Style: figure.Band, Group: 1, X: r.Times}
	for k := range r.Times {
		s.Low = append(s.Low, 1+r.Quantile(k, low))
		s.High = append(s.High, 1+r.Quantile(k, high))
	}
	return s
}

// samplePath is a faint line, sampled finely and drawn at every tenth step.
func samplePath(p diffusion.Process, start, until float64, source rand.Source) (figure.Series, error) {
	const steps, every = 6000, 10
	s := figure.Series{Group: 3, Faint: true}
	path, err := p.Path(start-1, until/steps, steps, source)
	if err != nil {
		return s, err
	}
	for i := 0; i <= steps; i += every {
		s.X, s.Y = append(s.X, until*float64(i)/steps), append(s.Y, 1+path[i])
	}
	return s, nil
}
