package estimate_test

import (
	"fmt"
	"log"
	"math"
	"math/rand/v2"

	"qlimit/validate/estimate"
)

// A run that starts far from equilibrium: the transient e^{-k/20} of the first
// hundred cells or so is left out, and the mean comes out right.
func ExampleSeries_WarmUp() {
	series := estimate.NewSeries(8, 1, 0)
	for r := range 8 {
		stream := rand.New(rand.NewPCG(3, uint64(r)))
		for k := range 1000 {
			x := 1 + 5*math.Exp(-float64(k)/20) + 0.1*stream.NormFloat64()
			if err := series.Append(r, []float64{x}); err != nil {
				log.Fatal(err)
			}
		}
	}
	w := series.WarmUp(0)
	e := series.Mean(0, w, 0)
	all := series.Mean(0, estimate.NoWarmUp(), 0)
	fmt.Println(w.Rule, w.Reliable, w.Cells > 60 && w.Cells < 400)
	fmt.Println("right:", math.Abs(e.Value-1) < 4*e.StandardError, "with the start far off:", all.Value > 1.08)
	// Output:
	// twice MSER-5 true true
	// right: true with the start far off: true
}
