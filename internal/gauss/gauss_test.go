package gauss

import (
	"math"
	"testing"
)

// TestMonomials: the rule is exact up to degree 39 and not at degree 40.
func TestMonomials(t *testing.T) {
	for k := range 40 {
		got := Integrate(func(x float64) float64 { return math.Pow(x, float64(k)) }, 0, 1)
		if math.Abs(got*float64(k+1)-1) > 1e-14 {
			t.Errorf("integral of x^%d = %.17g", k, got)
		}
	}
	beyond := Integrate(func(x float64) float64 { return math.Pow(x, 40) }, -1, 1)
	if d := math.Abs(beyond*41/2 - 1); d < 1e-12 {
		t.Errorf("degree 40 exact to %g: not the rule of 20 nodes", d)
	}
}
