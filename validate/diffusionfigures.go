package validate

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"qlimit/coxian"
	"qlimit/ctmc"
	"qlimit/diffusion"
	"qlimit/validate/figure"
)

// DiffusionDensities draws the stationary densities of X = (jobs in the
// system)/N in the non-degenerate slowdown limits CQ, JSQ (I1F) and IQF.
func DiffusionDensities(spare float64, service coxian.Dist) (*figure.Figure, error) {
	const points = 300
	f := &figure.Figure{
		Name:    "diffusion-densities",
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
		law, err := diffusion.NDS{Discipline: d, Spare: spare, Service: service}.Stationary()
		if err != nil {
			return nil, err
		}
		s := figure.Series{Name: fmt.Sprintf("%s, mean %.4f", disciplineTitle(d), 1+law.Mean()), Group: group + 1}
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

// PricePoint is a simulated ratio of the mean number of jobs under JSQ to that
// of M/M/N.
type PricePoint struct {
	Servers          int64
	Spare            float64
	Ratio, HalfWidth float64
}

// PriceFigure draws the price of immediate dispatch against α for exponential
// service: JSQ over the central queue in the limit, and at the given numbers of
// servers by the averaged birth-death chain over the exact M/M/N, with
// simulated points where there are any.
func PriceFigure(servers []int64, simulated []PricePoint) (*figure.Figure, error) {
	f := &figure.Figure{
		Name:    "dispatch-price",
		Title:   "Price of immediate dispatch: JSQ over one central queue",
		Caption: "Ratio of mean numbers of jobs, exponential service. The limit N → ∞ is a curve with maximum 1.1355; ratios at finite N (averaged birth-death chain over exact M/M/N) exceed it.",
		X:       figure.Axis{Label: "spare servers α = N(1 − λ)", Scale: figure.Log},
		Y:       figure.Axis{Label: "mean jobs, JSQ over CQ"},
		Size:    figure.DoubleColumn,
	}
	limit := figure.Series{Name: "limit N → ∞", Group: 1, Dash: figure.Solid}
	for _, alpha := range priceGrid(50) {
		p, err := diffusion.Price(alpha, unitExponential)
		if err != nil {
			return nil, err
		}
		limit.X, limit.Y = append(limit.X, alpha), append(limit.Y, p.RatioJSQ)
	}
	f.Series = append(f.Series, limit)
	for i, n := range servers {
		curve, err := finitePrice(n)
		if err != nil {
			return nil, err
		}
		curve.Group = i + 2
		f.Series = append(f.Series, curve)
		if points := simulatedPrices(n, simulated); len(points.X) > 0 {
			points.Group = i + 2
			f.Series = append(f.Series, points)
		}
	}
	return f, nil
}

var unitExponential = coxian.Dist{Mu1: 1, P: 0, Mu2: 1}

// priceGrid is a geometric sequence from 0.05 up.
func priceGrid(highest float64) []float64 {
	const lowest, ratio = 0.05, 1.06
	var grid []float64
	for alpha := lowest; alpha < highest; alpha *= ratio {
		grid = append(grid, alpha)
	}
	return append(grid, highest)
}

// finitePrice ends where jobs hardly wait any more.
func finitePrice(n int64) (figure.Series, error) {
	s := figure.Series{Name: fmt.Sprintf("N = %d, averaged birth-death", n)}
	for _, alpha := range priceGrid(math.Min(50, 2*math.Sqrt(float64(n)))) {
		load := 1 - alpha/float64(n)
		if load < 0.5 {
			break
		}
		law, err := diffusion.Averaged{Discipline: diffusion.JSQ, Servers: n, Load: load, Service: unitExponential}.Solve()
		if err != nil {
			return s, err
		}
		pooled := ctmc.Pooled{Servers: n, Offered: load * float64(n)}
		s.X = append(s.X, alpha)
		s.Y = append(s.Y, law.MeanJobs()*float64(n)/pooled.MeanJobs())
	}
	return s, nil
}

func simulatedPrices(n int64, all []PricePoint) figure.Series {
	s := figure.Series{Name: fmt.Sprintf("N = %d, simulated", n), Style: figure.Points}
	for _, p := range all {
		if p.Servers == n {
			s.X, s.Y = append(s.X, p.Spare), append(s.Y, p.Ratio)
			s.Low, s.High = append(s.Low, p.Ratio-p.HalfWidth), append(s.High, p.Ratio+p.HalfWidth)
		}
	}
	return s
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
		Name:    "transient-fan",
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
