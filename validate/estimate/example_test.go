package estimate_test

import (
	"fmt"
	"math/rand/v2"

	"qlimit/validate/estimate"
)

// Run until the mean of a column is known to 1%, then hold the known value,
// 0.5, against the result.
func Example() {
	series := estimate.NewSeries(16, 1, 0)
	streams := make([]*rand.Rand, 16)
	for r := range streams {
		streams[r] = rand.New(rand.NewPCG(1, uint64(r)))
	}
	target := estimate.Target{RelativePrecision: 0.01}
	var mean estimate.Estimate
	for more := 64; more > 0; more = target.NextCells(series.Cells(), mean) {
		originals := more * series.Span()
		for r, stream := range streams {
			for range originals {
				if err := series.Append(r, []float64{stream.Float64()}); err != nil {
					fmt.Println(err)
					return
				}
			}
		}
		mean = series.Mean(0, series.WarmUp(0), target.Level)
	}
	fmt.Println(mean.Status, mean.HalfWidth <= 0.01*mean.Value)
	fmt.Println(estimate.Compare(0.5, 0, mean, 3).Verdict)
	// Output:
	// usable true
	// agree
}
