package validate

import (
	"fmt"

	"qlimit/ctmc"
	"qlimit/stein"
	"qlimit/validate/figure"
)

// spacing is the distance between the first bars of two examples.
const spacing = 5.0

// ClassPiExamples draws the six example distributions of class Π on four queues
// of different lengths, coloured by what they are.
func ClassPiExamples() *figure.Figure {
	left, right := -1.0, spacing*float64(len(stein.PiExamples())-1)+4
	f := &figure.Figure{
		Name:    "class-pi-examples",
		Title:   "Dispatching distributions over four queues of different lengths",
		Caption: "Probability of the shortest, second, third and longest of four queues at servers of equal rate. Stand-ins: the published examples have bars without numbers.",
		X:       figure.Axis{Label: "rank of the queue, shortest first, in each example", Min: &left, Max: &right},
		Y:       figure.Axis{Label: "dispatch probability", Min: new(float64)},
		Size:    figure.DoubleColumn,
		Marks:   []figure.Mark{{Direction: figure.Horizontal, At: 0.25, Label: "share of the service, 1/4"}},
	}
	const half = 0.42 // of the width of a bar
	named := map[string]bool{}
	for i, e := range stein.PiExamples() {
		class, group := classOf(e.Over([4]int64{1, 2, 3, 4}))
		left := spacing * float64(i)
		f.X.Ticks = append(f.X.Ticks, figure.Tick{At: left + 1.5, Label: fmt.Sprintf("(%s)", e.Name)})
		for rank, p := range e.P {
			if p == 0 {
				continue
			}
			x := left + float64(rank)
			bar := figure.Series{Kind: ctmc.Exact, Style: figure.Band, Group: group, X: []float64{x - half, x + half}, Y: []float64{p, p}, Low: []float64{0, 0}, High: []float64{p, p}, Dash: figure.Solid}
			if !named[class] {
				bar.Name, named[class] = class, true
			}
			f.Series = append(f.Series, bar)
		}
	}
	return f
}

func classOf(r stein.Ranked) (name string, group int) {
	switch {
	case r.Tilt() > 0:
		return "tilted and δ-tilted, δ = 1/4", 1
	case r.Tilted():
		return "tilted only", 2
	}
	return "neither", 3
}
