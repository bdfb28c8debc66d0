package validate

import (
	"bytes"
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"qlimit/diffusion"
	"qlimit/validate/figure"
)

func renders(t *testing.T, f *figure.Figure, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := f.Render(&b, figure.SVG); err != nil {
		t.Fatal(err)
	}
	for _, w := range f.Warnings {
		t.Errorf("%s: %s", f.Name, w)
	}
}

// The densities integrate to what lies below the 99% quantile of IQF.
func TestDiffusionDensities(t *testing.T) {
	f, err := DiffusionDensities(1, unitExponential)
	renders(t, f, err)
	for i, s := range f.Series {
		sum := 0.0
		for k := 1; k < len(s.X); k++ {
			sum += (s.X[k] - s.X[k-1]) * (s.Y[k] + s.Y[k-1]) / 2
		}
		if want := []float64{0.9987, 0.9983, 0.99}[i]; math.Abs(sum-want) > 1e-3 {
			t.Errorf("%s: mass %.5f, want about %.4f", s.Name, sum, want)
		}
	}
}

// The bands are nested, hold the median, and end near the stationary quantiles.
func TestTransientFan(t *testing.T) {
	n := diffusion.NDS{Discipline: diffusion.JSQ, Spare: 1, Service: unitExponential}
	f, err := TransientFan(context.Background(), n, 4, 20, 2, rand.NewPCG(1, 2))
	renders(t, f, err)
	outer, inner, median := f.Series[0], f.Series[1], f.Series[2]
	for k := range outer.X {
		if !(outer.Low[k] <= inner.Low[k] && inner.Low[k] <= median.Y[k] && median.Y[k] <= inner.High[k] && inner.High[k] <= outer.High[k]) {
			t.Fatalf("bands cross at time %g", outer.X[k])
		}
	}
	law, err := n.Stationary()
	if err != nil {
		t.Fatal(err)
	}
	last := len(outer.X) - 1
	for _, c := range [][2]float64{{outer.Low[last], 0.05}, {outer.High[last], 0.95}, {median.Y[last], 0.5}} {
		if want := 1 + law.Quantile(c[1]); math.Abs(c[0]-want) > 0.02 {
			t.Errorf("quantile %g at the end: %.4f, want %.4f", c[1], c[0], want)
		}
	}
}
