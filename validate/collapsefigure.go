package validate

import (
	"fmt"
	"math"

	"qlimit/ctmc"
	"qlimit/validate/estimate"
	"qlimit/validate/figure"
)

// smallestDrawn is the smallest probability that the figure shows.
const smallestDrawn = 1e-15

// CollapseFigure draws the tail bounds of a state-space collapse against the
// distance of V from where its drift sets in, times √N, with the exact or
// simulated tail probabilities as points of the same colour.
func CollapseFigure(s ctmc.System, steps []CollapseStep) (*figure.Figure, error) {
	if len(steps) == 0 {
		return nil, fmt.Errorf("there is no chain of sets to draw")
	}
	low := smallestDrawn
	f := &figure.Figure{
		Name:    "collapse",
		Title:   fmt.Sprintf("State-space collapse: %s, N = %d, load %.6g, buffer %d", s.Policy, s.Servers, s.Load, s.Buffer),
		Caption: "Tail of the function V of each step against the distance from where its drift sets in. Lines: bounds. Points: the probabilities, exact or simulated with 95% intervals.",
		X:       figure.Axis{Label: "√N (V − start)"},
		Y:       figure.Axis{Label: "probability", Scale: figure.Log, Min: &low},
		Size:    figure.DoubleColumn,
	}
	smallest := 1.0
	for k := range steps {
		line, points := collapseSeries(&steps[k], k+1, math.Sqrt(float64(s.Servers)))
		for _, y := range append(append([]float64{}, line.Y...), points.Y...) {
			smallest = math.Min(smallest, y)
		}
		f.Series = append(f.Series, line)
		if len(points.X) > 0 {
			f.Series = append(f.Series, points)
		}
	}
	low = math.Pow(10, math.Floor(math.Log10(smallest)))
	return f, nil
}

// collapseSeries are the bound and the truth of a step; values too small to
// show, and 0, are left out.
func collapseSeries(c *CollapseStep, group int, scale float64) (line, points figure.Series) {
	line = figure.Series{Name: c.Step.Focus.String() + ": bound", Kind: ctmc.UpperBound, Group: group, Dash: figure.Solid}
	points = figure.Series{Group: group, Style: figure.Points}
	beyond := func(k int) float64 { return 2 * c.Step.Jump * c.Levels[k] * scale }
	for k, y := range c.Bound {
		if y >= smallestDrawn {
			line.X, line.Y = append(line.X, beyond(k)), append(line.Y, y)
		}
	}
	below := func(k int) float64 { return (c.Below[k] - c.Step.Start) * scale }
	switch {
	case c.Audit != nil:
		points.Name, points.Kind = c.Step.Focus.String()+": exact", ctmc.Exact
		addExact(&points, below, c.Audit.BelowTail)
		addExact(&points, beyond, c.Audit.Tail)
	case c.Simulated != nil:
		points.Name, points.Kind = c.Step.Focus.String()+": simulated", ctmc.Estimate
		addSimulated(&points, below, c.SimulatedBelow)
		addSimulated(&points, beyond, c.Simulated)
	}
	return line, points
}

func addExact(points *figure.Series, at func(int) float64, tail []float64) {
	for k, y := range tail {
		if y >= smallestDrawn {
			points.X, points.Y = append(points.X, at(k)), append(points.Y, y)
		}
	}
}

// addSimulated leaves out estimates that cannot be told from 0.
func addSimulated(points *figure.Series, at func(int) float64, tail []estimate.Estimate) {
	for k, e := range tail {
		if e.Value > 0 && e.Value > e.HalfWidth {
			points.X, points.Y = append(points.X, at(k)), append(points.Y, e.Value)
			points.Low, points.High = append(points.Low, e.Value-e.HalfWidth), append(points.High, math.Min(1, e.Value+e.HalfWidth))
		}
	}
}
