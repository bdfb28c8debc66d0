package validate

import (
	"context"
	"math"
	"testing"

	"qlimit/validate/sim"
)

// The mean field of power-of-d gains one job per factor d of N, as log_d does;
// the simulated systems lie above it and within a job of it; JSQ ends at its
// limit.
func TestGrowthFigure(t *testing.T) {
	f, err := GrowthFigure(context.Background(), GrowthStudy{
		Choices: 3, Spare: 4, Servers: []int64{16, 64}, Simulation: sim.Settings{Seed: 1, Events: 1e6, Replications: 4},
	})
	renders(t, f, err)
	field, sampled, logarithm, shortest := f.Series[0], f.Series[1], f.Series[2], f.Series[3]
	last := len(field.X) - 1
	for i := last / 2; i < last; i++ {
		steps := math.Log(field.X[last]/field.X[i]) / math.Log(3)
		if growth := field.Y[last] - field.Y[i]; math.Abs(growth-steps) > 0.1 {
			t.Errorf("from N = %g: %.3f jobs more, want about %.3f", field.X[i], growth, steps)
		}
		if logs := logarithm.Y[last] - logarithm.Y[i]; math.Abs(logs-steps) > 1e-9 {
			t.Errorf("from N = %g: logarithm grows by %g, want %g", field.X[i], logs, steps)
		}
	}
	for k, n := range sampled.X {
		at := interpolated(field.X, field.Y, n)
		if sampled.High[k] < at || sampled.Low[k] > at+1 {
			t.Errorf("N = %g: simulated %.3f, mean field %.3f", n, sampled.Y[k], at)
		}
	}
	if distance := shortest.Y[last] - f.Marks[0].At; math.Abs(distance) > 1e-3 {
		t.Errorf("JSQ at N = 1e6 is %g from its limit", distance)
	}
}

// interpolated is a piecewise linear function of increasing x.
func interpolated(x, y []float64, at float64) float64 {
	i := 1
	for x[i] < at {
		i++
	}
	return y[i-1] + (y[i]-y[i-1])*(at-x[i-1])/(x[i]-x[i-1])
}
