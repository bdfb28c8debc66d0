package figure

import (
	"fmt"
	"strconv"

	"gonum.org/v1/plot/vg"
)

// appendLength writes a length in points to a hundredth, finer than any
// printer, in as few characters as possible.
func appendLength(out []byte, v float64) []byte {
	start := len(out)
	out = strconv.AppendFloat(out, v, 'f', 2, 64)
	for out[len(out)-1] == '0' {
		out = out[:len(out)-1]
	}
	if out[len(out)-1] == '.' {
		out = out[:len(out)-1]
	}
	if string(out[start:]) == "-0" {
		out = append(out[:start], '0')
	}
	return out
}

// cubic returns the control points of a curve component that starts at from,
// raising a quadratic curve to a cubic one.
func cubic(from vg.Point, c vg.PathComp) (vg.Point, vg.Point) {
	switch len(c.Control) {
	case 2:
		return c.Control[0], c.Control[1]
	case 1:
		toward := func(end vg.Point) vg.Point {
			q := c.Control[0]
			return vg.Point{X: end.X + 2*(q.X-end.X)/3, Y: end.Y + 2*(q.Y-end.Y)/3}
		}
		return toward(from), toward(c.Pos)
	}
	panic(fmt.Sprintf("curve with %d control points", len(c.Control)))
}
