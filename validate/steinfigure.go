package validate

import (
	"context"
	"fmt"
	"math"

	"qlimit/coxian"
	"qlimit/ctmc"
	"qlimit/stein"
	"qlimit/validate/figure"
	"qlimit/validate/sim"
)

// SteinStudy says what the figure of the bounds by Stein's method shows: P(wait)
// at load 1 - N^-α against N.
type SteinStudy struct {
	Alpha      float64      // between 0 and 1/2
	Buffer     int          // b >= 2
	Service    coxian.Dist  // Coxian-2
	Policy     ctmc.Policy  // any that the bounds speak of
	Servers    []int64      // of the simulated points
	Simulation sim.Settings // of each point
}

// widestBound is the largest N of the curves.
const widestBound = 1e14

// SteinFigure draws the upper bounds on P(wait), explicit and with the best
// constants found, where they say something, and simulated points with their
// intervals (Liu, Gong, Ying 2022).
func SteinFigure(ctx context.Context, s SteinStudy) (*figure.Figure, error) {
	most := 1.0
	f := &figure.Figure{
		Name:    "stein-bounds",
		Title:   fmt.Sprintf("Chance to wait: %s, α = %g, buffer %d", s.Policy, s.Alpha, s.Buffer),
		Caption: fmt.Sprintf("Load 1 − N to the power −α, service %s. Upper bounds by Stein's method hold at every N; they are drawn where they are below 1. Points: simulation (estimates) with 95%% intervals, seed %d.", s.Service, s.Simulation.Seed),
		X:       figure.Axis{Label: "servers N", Scale: figure.Log},
		Y:       figure.Axis{Label: "P(wait)", Scale: figure.Log, Max: &most},
		Size:    figure.DoubleColumn,
	}
	explicit := figure.Series{Name: "upper bound, explicit constants", Kind: ctmc.UpperBound, Group: 1, Dash: figure.Dashed}
	best := figure.Series{Name: "upper bound, best constants", Kind: ctmc.UpperBound, Group: 2, Dash: figure.Solid}
	for exponent := 2.0; exponent <= math.Log10(widestBound)+1e-9; exponent += 0.5 {
		n := int64(math.Round(math.Pow(10, exponent)))
		b, err := stein.Solve(stein.Problem{Servers: n, Scaling: stein.LoadExponent(s.Alpha), Buffer: s.Buffer, Service: s.Service, Policy: s.Policy})
		if err != nil {
			return nil, err
		}
		if !b.Explicit.WaitProb.Vacuous() {
			addPoint(&explicit, n, b.Explicit.WaitProb.Value)
		}
		if !b.Best.WaitProb.Vacuous() {
			addPoint(&best, n, b.Best.WaitProb.Value)
		}
	}
	points, err := s.simulated(ctx)
	if err != nil {
		return nil, err
	}
	for _, one := range []figure.Series{explicit, best, points} {
		if len(one.X) > 0 {
			f.Series = append(f.Series, one)
		}
	}
	if len(f.Series) == 0 {
		return nil, fmt.Errorf("no bound says anything up to N = %.0g, and nothing was simulated", widestBound)
	}
	return f, nil
}

func (s SteinStudy) simulated(ctx context.Context) (figure.Series, error) {
	points := figure.Series{Name: "simulated", Kind: ctmc.Estimate, Group: 3, Style: figure.Points}
	for _, n := range s.Servers {
		load, _ := stein.LoadExponent(s.Alpha)(n)
		system, settings := ctmc.System{Servers: n, Load: load, Buffer: s.Buffer, Service: s.Service, Policy: s.Policy}, s.Simulation
		tail, tailPhase2 := fluidTails(system)
		settings.Start = sim.RoundedStart(n, tail, tailPhase2)
		r, err := sim.Run(ctx, system, settings)
		if err != nil {
			return points, err
		}
		if e := r.WaitProb; e.Value > e.HalfWidth && e.HalfWidth > 0 {
			addPoint(&points, n, e.Value)
			points.Low, points.High = append(points.Low, e.Value-e.HalfWidth), append(points.High, e.Value+e.HalfWidth)
		}
	}
	return points, nil
}
