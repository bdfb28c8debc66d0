package stein

import (
	"math"
	"testing"
)

// TestEquation: -δ g'(x) = (x - η)^+; g' and g” are the derivatives of g, and
// the differences of g are exact where they cancel.
func TestEquation(t *testing.T) {
	for _, e := range []Equation{{Eta: 0.9, Delta: 0.1}, {Eta: -1, Delta: 3}, {Eta: 1.25, Delta: 1e-3}} {
		for _, x := range []float64{-2, 0, 0.5, 0.89, 0.91, 1, 1.2, 1.3, 4} {
			const h = 1e-5
			slope := (e.Solution(x+h) - e.Solution(x-h)) / (2 * h)
			curvature := (e.Slope(x+h) - e.Slope(x-h)) / (2 * h)
			scale := math.Max(1, 1/e.Delta)
			if math.Abs(slope-e.Slope(x)) > 1e-6*scale || math.Abs(curvature-e.Curvature(x)) > 1e-6*scale {
				t.Errorf("%+v at %g: g' = %g, difference quotient %g; g'' = %g, %g", e, x, e.Slope(x), slope, e.Curvature(x), curvature)
			}
			if got, want := -e.Delta*e.Slope(x), math.Max(x-e.Eta, 0); math.Abs(got-want) > 1e-15*math.Max(1, want) {
				t.Errorf("%+v at %g: -δ g' = %g, want %g", e, x, got, want)
			}
			for _, step := range []float64{0.1, 1e-9} {
				up, down := e.Solution(x+step)-e.Solution(x), e.Solution(x-step)-e.Solution(x)
				if math.Abs(e.Up(x, step)-up) > 1e-14*scale*16 || math.Abs(e.Down(x, step)-down) > 1e-14*scale*16 {
					t.Errorf("%+v at %g, step %g: up %g, want %g; down %g, want %g", e, x, step, e.Up(x, step), up, e.Down(x, step), down)
				}
			}
		}
	}
}
