package validate

import (
	"math"
	"testing"
)

// CQ and IQF are 1 + (1+scv)/(2α) and 1 + (1+scv)/α; JSQ lies between and
// passes through Erlang-2, 1.9520, and scv 2, 2.7568, at α = 1.
func TestVariabilityFigure(t *testing.T) {
	f, err := VariabilityFigure(1)
	renders(t, f, err)
	central, shortest, idle := f.Series[0], f.Series[1], f.Series[2]
	for i, scv := range central.X {
		if math.Abs(central.Y[i]/(1+(1+scv)/2)-1) > 1e-12 || math.Abs(idle.Y[i]/(2+scv)-1) > 1e-12 {
			t.Errorf("scv %g: CQ %g, IQF %g", scv, central.Y[i], idle.Y[i])
		}
		if !(central.Y[i] < shortest.Y[i] && shortest.Y[i] < idle.Y[i]) {
			t.Errorf("scv %g: CQ %g, JSQ %g, IQF %g", scv, central.Y[i], shortest.Y[i], idle.Y[i])
		}
	}
	if math.Abs(shortest.Y[0]-1.9520) > 5e-5 {
		t.Errorf("Erlang-2: %g", shortest.Y[0])
	}
	if at := interpolated(shortest.X, shortest.Y, 2); math.Abs(at-2.7568) > 5e-3 {
		t.Errorf("scv 2: about %g", at)
	}
}
