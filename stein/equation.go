package stein

// Equation is Stein's equation of the simple fluid system, whose content drains
// at the constant rate δ: -δ g'(x) = (x - η)^+. All lengths are jobs per
// server, times mean service times.
type Equation struct {
	Eta   float64 // η
	Delta float64 // δ > 0
}

// Excess is the right side, (x - η)^+.
func (e Equation) Excess(x float64) float64 { return max(x-e.Eta, 0) }

// Solution is g(x) = -((x - η)^+)²/(2δ).
func (e Equation) Solution(x float64) float64 {
	excess := e.Excess(x)
	return -excess * excess / (2 * e.Delta)
}

// Slope is g'(x) = -(x - η)^+/δ.
func (e Equation) Slope(x float64) float64 { return -e.Excess(x) / e.Delta }

// Curvature is g”(x): -1/δ above η and 0 below; g' has a kink at η, where the
// value from below is returned.
func (e Equation) Curvature(x float64) float64 {
	if x > e.Eta {
		return -1 / e.Delta
	}
	return 0
}

// Up is g(x + h) - g(x) and Down is g(x - h) - g(x), without cancellation.
func (e Equation) Up(x, h float64) float64 { return e.difference(x, x+h) }

// Down is g(x - h) - g(x).
func (e Equation) Down(x, h float64) float64 { return e.difference(x, x-h) }

func (e Equation) difference(from, to float64) float64 {
	a, b := e.Excess(from), e.Excess(to)
	return (a - b) * (a + b) / (2 * e.Delta)
}
