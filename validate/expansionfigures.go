package validate

import (
	"context"
	"fmt"
	"math"
	"slices"

	"qlimit/ctmc"
	"qlimit/meanfield"
	"qlimit/meanfield/ode"
	"qlimit/validate/figure"
)

// ExpansionStudy says what the figures of the size expansion show: exponential
// service, power-of-d with replacement.
type ExpansionStudy struct {
	Choices int64   // d
	Load    float64 // below 1
	Servers []int64 // of the exact points
}

func (s ExpansionStudy) system(servers int64) ctmc.System {
	return ctmc.System{Servers: servers, Load: s.Load, Service: unitExponential, Policy: ctmc.PowerOfD(s.Choices, true)}
}

func (s ExpansionStudy) name() string {
	return fmt.Sprintf("power-of-%d, load %g", s.Choices, s.Load)
}

// ErrorFigure draws by how much the mean field and its expansions to 1/N and
// 1/N² miss the mean number of jobs of the exact chain, against N: lines of
// slope -1, -2 and -3 (Gast, Van Houdt 2017). Errors below what the chain is
// known to are left out.
func (s ExpansionStudy) ErrorFigure(ctx context.Context) (*figure.Figure, error) {
	f := &figure.Figure{
		Name:    "expansion-error",
		Title:   "Error of the mean field and its expansions: " + s.name(),
		Caption: "Relative error of the mean jobs against the exact chain, exponential service, sampling with replacement. Faint lines: slopes −1, −2, −3 through the last point.",
		X:       figure.Axis{Label: "servers N", Scale: figure.Log},
		Y:       figure.Axis{Label: "relative error of mean jobs", Scale: figure.Log},
		Size:    figure.DoubleColumn,
	}
	for _, n := range s.Servers {
		f.X.Ticks = append(f.X.Ticks, figure.Tick{At: float64(n), Label: fmt.Sprint(n)})
	}
	curves := []figure.Series{
		{Name: "mean field", Kind: ctmc.Exact, Group: 1, Style: figure.LinePoints},
		{Name: "to order 1/N", Kind: ctmc.Exact, Group: 2, Style: figure.LinePoints},
		{Name: "to order 1/N²", Kind: ctmc.Exact, Group: 3, Style: figure.LinePoints},
	}
	for _, n := range s.Servers {
		exact, err := ctmc.SolveStationary(ctx, s.system(n), ctmc.SolverSettings{}, 0)
		if err != nil {
			return nil, err
		}
		expansion, err := meanfield.Refine(ctx, s.system(n), 2)
		if err != nil {
			return nil, err
		}
		known := 10 * (exact.TruncationError + exact.Law.Error*exact.MeanJobs)
		for k, value := range []float64{expansion.MeanJobsLimit, expansion.MeanJobsOrder1, expansion.MeanJobsOrder2} {
			if off := math.Abs(value - exact.MeanJobs); off > known {
				addPoint(&curves[k], n, off/exact.MeanJobs)
			}
		}
	}
	for k, curve := range curves {
		if len(curve.X) == 0 {
			return nil, &ctmc.FieldError{Field: "load", Value: s.Load, Allowed: "so large that the approximations have errors", Reason: curve.Name + " has none that the exact chain resolves"}
		}
		last := len(curve.X) - 1
		slope := figure.Series{Kind: ctmc.Conjecture, Group: k + 1, Faint: true}
		for _, x := range curve.X {
			slope.X, slope.Y = append(slope.X, x), append(slope.Y, curve.Y[last]*math.Pow(curve.X[last]/x, float64(k+1)))
		}
		f.Series = append(f.Series, curve, slope)
	}
	return f, nil
}

// MeansFigure draws the published table of the size expansion: mean jobs against
// N by the mean field and its expansions, with the published simulations.
func (s ExpansionStudy) MeansFigure(ctx context.Context) (*figure.Figure, error) {
	rows, err := PublishedPowerOfD()
	if err != nil {
		return nil, err
	}
	rows = slices.DeleteFunc(rows, func(r PublishedRow) bool {
		return r.D != s.Choices || math.Abs(r.Load-s.Load) > 1e-9 || !(r.MeanJobs > 0)
	})
	if len(rows) == 0 {
		return nil, &ctmc.FieldError{Field: "load", Value: s.Load, Allowed: "one with published simulations of this d, such as 0.7, 0.9 or 0.95"}
	}
	f := &figure.Figure{
		Name:    "expansion-means",
		Title:   "Mean jobs by the size expansion: " + s.name(),
		Caption: "Exponential service, sampling with replacement. Lines: limit and expansions. Points: published simulations (estimates) with 95% intervals. " + PublishedReference + ".",
		X:       figure.Axis{Label: "servers N", Scale: figure.Log},
		Y:       figure.Axis{Label: "mean jobs per server"},
		Size:    figure.DoubleColumn,
	}
	points := figure.Series{Name: "published simulations", Kind: ctmc.Estimate, Group: 4, Style: figure.Points}
	lowest, highest := int64(math.MaxInt64), int64(1)
	for _, r := range rows {
		lowest, highest = min(lowest, r.Servers), max(highest, r.Servers)
		addPoint(&points, r.Servers, r.MeanJobs)
		points.Low = append(points.Low, r.MeanJobs-1.96*r.StandardError)
		points.High = append(points.High, r.MeanJobs+1.96*r.StandardError)
	}
	expansion, err := meanfield.Refine(ctx, s.system(lowest), 2)
	if err != nil {
		return nil, err
	}
	curves := []figure.Series{
		{Name: "mean field", Kind: ctmc.Limit, Group: 1, Dash: figure.Dotted},
		{Name: "to order 1/N", Kind: ctmc.Limit, Group: 2, Dash: figure.Dashed},
		{Name: "to order 1/N²", Kind: ctmc.Limit, Group: 3, Dash: figure.Solid},
	}
	const grid = 40
	for k := range grid + 1 {
		n := float64(lowest) * math.Pow(float64(highest)/float64(lowest), float64(k)/grid)
		first := expansion.MeanJobsLimit + expansion.Correction1/n
		for i, y := range []float64{expansion.MeanJobsLimit, first, first + expansion.Correction2/(n*n)} {
			curves[i].X, curves[i].Y = append(curves[i].X, n), append(curves[i].Y, y)
		}
	}
	f.Series = append(curves, points)
	return f, nil
}

// PathFigure draws the mean jobs over time from the empty system: fluid, with
// the 1/N correction, and by the exact chain, for each of the numbers of servers
// (Gast, Bortolussi, Tribastone 2019). The buffer is finite.
func (s ExpansionStudy) PathFigure(ctx context.Context, buffer int, until float64) (*figure.Figure, error) {
	f := &figure.Figure{
		Name:    "expansion-transient",
		Title:   fmt.Sprintf("Filling from empty: %s, buffer %d", s.name(), buffer),
		Caption: "Mean jobs over time, exponential service, sampling with replacement. Lines: fluid limit and its expansion to order 1/N. Points: exact chain.",
		X:       figure.Axis{Label: "time, mean service times"},
		Y:       figure.Axis{Label: "mean jobs per server"},
		Size:    figure.DoubleColumn,
	}
	const points, every = 60, 4
	times := make([]float64, points+1)
	var sparse []float64
	for k := range times {
		times[k] = until * float64(k) / points
		if k%every == 0 && k > 0 {
			sparse = append(sparse, times[k])
		}
	}
	for i, n := range s.Servers {
		system := s.system(n)
		system.Buffer = buffer
		empty := make(meanfield.State, buffer+1)
		empty[0] = 1
		path, err := meanfield.RefineTrajectory(ctx, system, empty, times, ode.Settings{})
		if err != nil {
			return nil, err
		}
		counts := make([]int64, buffer+1)
		counts[0] = n
		exact, err := ctmc.SolveTransient(ctx, system, counts, sparse, ctmc.TransientSettings{})
		if err != nil {
			return nil, err
		}
		if i == 0 {
			f.Series = append(f.Series, figure.Series{Name: "fluid limit", Kind: ctmc.Limit, Group: 1, X: times, Y: path.JobsLimit})
		}
		f.Series = append(f.Series,
			figure.Series{Name: fmt.Sprintf("N = %d, to order 1/N", n), Kind: ctmc.Limit, Group: i + 2, X: times, Y: path.JobsOrder1},
			figure.Series{Name: fmt.Sprintf("N = %d, exact", n), Kind: ctmc.Exact, Group: i + 2, Style: figure.Points, X: sparse, Y: exact.MeanJobs})
	}
	return f, nil
}
