package validate

import (
	"context"
	"math"
	"slices"
	"testing"

	"qlimit/diffusion"
	"qlimit/validate/figure"
	"qlimit/validate/sim"
)

// The curve of the limit peaks at the largest price; finite systems lie above
// it near there, the more so the fewer servers; the simulated point at N = 100,
// α = 2 holds what another simulator found, 1.1625 ± 0.0013 (standard error).
func TestPriceFigure(t *testing.T) {
	f, err := PriceFigure(context.Background(), PriceStudy{
		Discipline: diffusion.JSQ, Servers: []int64{10, 100}, Spares: []float64{2, 20},
		Simulation: sim.Settings{Seed: 1, Events: 2e6, Replications: 4},
	})
	renders(t, f, err)
	limit, ten, tenPoints, hundred, hundredPoints := f.Series[0], f.Series[1], f.Series[2], f.Series[3], f.Series[4]
	if largest := slices.Max(limit.Y); math.Abs(largest-1.13546622432510) > 1e-4 {
		t.Errorf("largest price drawn %.6f", largest)
	}
	if !(slices.Max(ten.Y) > slices.Max(hundred.Y) && slices.Max(hundred.Y) > slices.Max(limit.Y)) {
		t.Errorf("N = 10: %.4f, N = 100: %.4f, limit %.4f", slices.Max(ten.Y), slices.Max(hundred.Y), slices.Max(limit.Y))
	}
	if len(tenPoints.X) != 1 || len(hundredPoints.X) != 2 || tenPoints.Style != figure.Points {
		t.Fatalf("points %v and %v: α = 20 is above half of ten servers", tenPoints.X, hundredPoints.X)
	}
	width := hundredPoints.High[0] - hundredPoints.Y[0]
	if math.Abs(hundredPoints.Y[0]-1.1625) > 3*0.0013+width || width > 0.01 {
		t.Errorf("N = 100, α = 2: %.4f ± %.4f", hundredPoints.Y[0], width)
	}
}

// Near load 1 the ratio of I1F at N servers is 1 + (N-1)/(N(N+1)), which the
// limit does not have; simulated at N = 7, α = 0.2 it is 6.276 ± 0.009 jobs per
// server over 5.418 of M/M/7.
func TestPriceFigureOfI1F(t *testing.T) {
	f, err := PriceFigure(context.Background(), PriceStudy{Discipline: diffusion.I1F, Servers: []int64{7}})
	renders(t, f, err)
	seven := f.Series[1]
	if want := 1 + 6.0/(7*8); math.Abs(seven.Y[0]/want-1) > 0.02 {
		t.Errorf("α = %g: %.4f, at load 1 %.4f", seven.X[0], seven.Y[0], want)
	}
	i, _ := slices.BinarySearch(seven.X, 0.2)
	if want := 6.276 / centralMean(7, 0.2); math.Abs(seven.Y[i]/want-1) > 0.02 {
		t.Errorf("α = %g: %.4f, simulated %.4f", seven.X[i], seven.Y[i], want)
	}
}

// IQF's curve of the limit is (α+2)/(α+1); without spares there are no points.
func TestPriceFigureCurvesOnly(t *testing.T) {
	f, err := PriceFigure(context.Background(), PriceStudy{Discipline: diffusion.IQF, Servers: []int64{1, 50}})
	renders(t, f, err)
	if len(f.Series) != 3 {
		t.Fatalf("%d series", len(f.Series))
	}
	for i, alpha := range f.Series[0].X {
		if want := (alpha + 2) / (alpha + 1); math.Abs(f.Series[0].Y[i]/want-1) > 1e-12 {
			t.Fatalf("α = %g: %g, want %g", alpha, f.Series[0].Y[i], want)
		}
	}
	// With one server IQF is the central queue, to what the averaging errs.
	if one := f.Series[1]; math.Abs(one.Y[0]-1) > 0.1 {
		t.Errorf("one server: %g", one.Y[0])
	}
}
