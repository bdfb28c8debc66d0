package validate

import (
	"context"
	"fmt"
	"math"
	"strings"

	"qlimit/coxian"
	"qlimit/ctmc"
	"qlimit/diffusion"
	"qlimit/validate/figure"
	"qlimit/validate/sim"
)

// PriceStudy says what the figure of the price of immediate dispatch shows:
// for exponential service, how many more jobs there are under a policy than in
// one central queue, against α = N(1 - λ).
type PriceStudy struct {
	Discipline diffusion.Discipline // JSQ, I1F or IQF
	Servers    []int64              // a curve of the averaged birth-death chain for each

	// Spares are the α of the simulated points; at each N those up to N/2 are
	// simulated. None: curves only.
	Spares     []float64
	Simulation sim.Settings // of each point; Start is chosen near the mean
}

// PriceFigure draws the ratio in the limit N → ∞, by the averaged birth-death
// chain at finite N over the exact M/M/N, and as simulated, each point with its
// 95% interval.
func PriceFigure(ctx context.Context, s PriceStudy) (*figure.Figure, error) {
	name := strings.ToUpper(s.Discipline.Name)
	f := &figure.Figure{
		Name:  "nds-price",
		Title: fmt.Sprintf("Price of immediate dispatch: %s over one central queue", name),
		X:     figure.Axis{Label: "spare servers α = N(1 − λ)", Scale: figure.Log},
		Y:     figure.Axis{Label: fmt.Sprintf("mean jobs, %s over CQ", name)},
		Size:  figure.DoubleColumn,
	}
	limit := figure.Series{Name: "limit N → ∞", Kind: ctmc.Limit, Group: 1, Dash: figure.Solid}
	for _, alpha := range priceGrid(50) {
		ratio, err := s.limit(alpha)
		if err != nil {
			return nil, err
		}
		limit.X, limit.Y = append(limit.X, alpha), append(limit.Y, ratio)
	}
	f.Series = append(f.Series, limit)
	doubtful := 0
	for i, n := range s.Servers {
		curve, err := s.averaged(n)
		if err != nil {
			return nil, err
		}
		points, warned, err := s.simulated(ctx, n)
		if err != nil {
			return nil, err
		}
		doubtful += warned
		curve.Group, points.Group = i+2, i+2
		f.Series = append(f.Series, curve)
		if len(points.X) > 0 {
			f.Series = append(f.Series, points)
		}
	}
	f.Caption = s.caption(doubtful)
	return f, nil
}

// caption says what is shown and how it was made.
func (s PriceStudy) caption(doubtful int) string {
	text := "Ratio of mean numbers of jobs, exponential service. "
	if s.Discipline.Name != diffusion.IQF.Name {
		text += "The limit N → ∞ has the maximum 1.1355; ratios of finite systems exceed it. "
	}
	text += "Dashed: averaged birth-death chain (conjecture) over the exact M/M/N"
	if s.Discipline.Name == diffusion.IQF.Name {
		text += ", with corner correction"
	}
	if len(s.Spares) == 0 {
		return text + "."
	}
	text += fmt.Sprintf(". Points: simulation over the exact M/M/N with 95%% intervals, at most %.2g events each, seed %d.", float64(s.Simulation.Events), s.Simulation.Seed)
	if doubtful > 0 {
		text += fmt.Sprintf(" The runs of %d points are short for their intervals.", doubtful)
	}
	return text
}

// limit is the ratio as N → ∞.
func (s PriceStudy) limit(alpha float64) (float64, error) {
	p, err := diffusion.Price(alpha, unitExponential)
	if s.Discipline.Name == diffusion.IQF.Name {
		return p.RatioIQF, err
	}
	return p.RatioJSQ, err
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

// averaged is the curve at N servers. It ends where jobs
// hardly wait any more, or at load 1/2.
func (s PriceStudy) averaged(n int64) (figure.Series, error) {
	curve := figure.Series{Name: fmt.Sprintf("N = %d, averaged birth-death", n), Kind: ctmc.Conjecture, Dash: figure.Dashed}
	size := float64(n)
	for _, alpha := range priceGrid(min(50, 2*math.Sqrt(size), size/2)) {
		mean, err := s.averagedMean(n, alpha)
		if err != nil {
			return curve, err
		}
		curve.X = append(curve.X, alpha)
		curve.Y = append(curve.Y, mean/centralMean(n, alpha))
	}
	return curve, nil
}

func (s PriceStudy) averagedMean(n int64, alpha float64) (float64, error) {
	law, err := diffusion.Averaged{
		Discipline: s.Discipline, Servers: n, Load: 1 - alpha/float64(n), Service: unitExponential,
		CornerRepair: true,
	}.Solve()
	if err != nil {
		return 0, err
	}
	return law.MeanJobs(), nil
}

// centralMean is the mean jobs per server of M/M/N.
func centralMean(n int64, alpha float64) float64 {
	return ctmc.Pooled{Servers: n, Offered: float64(n) - alpha}.MeanJobs() / float64(n)
}

// simulated are the simulated ratios at N servers; doubtful counts those whose
// interval comes with a warning.
func (s PriceStudy) simulated(ctx context.Context, n int64) (points figure.Series, doubtful int, err error) {
	points = figure.Series{Name: fmt.Sprintf("N = %d, simulated", n), Kind: ctmc.Estimate, Style: figure.Points}
	for _, alpha := range s.Spares {
		if alpha > float64(n)/2 {
			continue
		}
		mean, err := s.averagedMean(n, alpha)
		if err != nil {
			return points, 0, err
		}
		settings := s.Simulation
		settings.Start = sim.BalancedStart(n, mean)
		system := ctmc.System{Servers: n, Load: 1 - alpha/float64(n), Service: unitExponential, Policy: s.Discipline.Policy()}
		r, err := sim.Run(ctx, system, settings)
		if err != nil {
			return points, 0, err
		}
		if len(r.MeanJobs.Warnings) > 0 {
			doubtful++
		}
		ratio, width := r.MeanJobs.Value/centralMean(n, alpha), r.MeanJobs.HalfWidth/centralMean(n, alpha)
		points.X, points.Y = append(points.X, alpha), append(points.Y, ratio)
		points.Low, points.High = append(points.Low, ratio-width), append(points.High, ratio+width)
	}
	return points, doubtful, nil
}
