package estimate_test

import (
	"fmt"
	"log"
	"math"
	"math/rand/v2"

	"qlimit/validate/estimate"
)

// A mean with its interval. The standard error of 3200 uniform numbers is
// 1/√(12·3200) = 0.0051.
func ExampleSeries_Mean() {
	series := estimate.NewSeries(16, 1, 0) // 16 replications
	for r := range 16 {
		stream := rand.New(rand.NewPCG(7, uint64(r)))
		for range 200 {
			if err := series.Append(r, []float64{stream.Float64()}); err != nil {
				log.Fatal(err)
			}
		}
	}
	e := series.Mean(0, estimate.NoWarmUp(), 0.95)
	fmt.Println(e.Status, "covers 1/2:", math.Abs(e.Value-0.5) < 2*e.HalfWidth)
	fmt.Println("error as expected:", math.Abs(e.StandardError*math.Sqrt(12*3200)-1) < 0.5)
	fmt.Println("wider at 99%:", e.HalfWidthAt(0.99) > e.HalfWidth)
	// Output:
	// usable covers 1/2: true
	// error as expected: true
	// wider at 99%: true
}

// A ratio of means, E(U+V)/E(2U) = 1, and any smooth function of means.
func ExampleSeries_Ratio() {
	series := estimate.NewSeries(16, 3, 0) // 16 replications, columns U, V and U + V
	for r := range 16 {
		stream := rand.New(rand.NewPCG(7, uint64(r)))
		for range 200 {
			u, v := stream.Float64(), stream.Float64()
			if err := series.Append(r, []float64{u, v, u + v}); err != nil {
				log.Fatal(err)
			}
		}
	}
	ratio := series.Ratio(estimate.ColumnMean(2), estimate.ColumnMean(0).Times(2), estimate.NoWarmUp(), 0)
	square := series.Function([]int{2}, func(m []float64) (float64, []float64) {
		return m[0] * m[0], []float64{2 * m[0]}
	}, estimate.NoWarmUp(), 0)
	fmt.Println(math.Abs(ratio.Value-1) < 2*ratio.HalfWidth, math.Abs(square.Value-1) < 2*square.HalfWidth)
	// Output: true true
}

// A control variate: V - 1/2 has mean 0 and explains half of the variance of U + V.
func ExampleSeries_Controls() {
	series := estimate.NewSeries(16, 3, 0) // 16 replications, columns U, V and U + V
	for r := range 16 {
		stream := rand.New(rand.NewPCG(7, uint64(r)))
		for range 200 {
			u, v := stream.Float64(), stream.Float64()
			if err := series.Append(r, []float64{u, v, u + v}); err != nil {
				log.Fatal(err)
			}
		}
	}
	known := estimate.Linear{Constant: -0.5, Columns: []int{1}, Coefficients: []float64{1}}
	plain := series.Mean(2, estimate.NoWarmUp(), 0)
	controls := series.Controls([]estimate.Linear{known}, estimate.NoWarmUp())
	improved := controls.Mean(2, 0)
	gain := math.Pow(plain.StandardError/improved.StandardError, 2)
	fmt.Println("controls used:", controls.Rank(), "narrower:", improved.HalfWidth < plain.HalfWidth)
	fmt.Println("variance about halved:", gain > 1.2 && gain < 3.3)
	// Output:
	// controls used: 1 narrower: true
	// variance about halved: true
}

// Run on until the half width is 1% of the value: by the square-root law a run
// with half widths of 2% has to become about four times as long, but never more than
// doubles at once.
func ExampleTarget() {
	target := estimate.Target{RelativePrecision: 0.01}
	soFar := estimate.Estimate{
		Status: estimate.Usable, Value: 1, HalfWidth: 0.02, StandardError: 0.01, Level: 0.95,
		DegreesOfFreedom: 31, EffectiveSample: 1600, CorrelationTimes: 100, Batches: 32, Cells: 1600,
	}
	fmt.Println(target.Satisfied(soFar), target.NextCells(100, soFar))
	// Output: false 100
}

// Theory against an estimate: four standard errors, and what the theory owns up to.
func ExampleCompare() {
	e := estimate.Estimate{
		Status: estimate.Usable, Value: 2.352, HalfWidth: 0.002, StandardError: 0.001, Level: 0.95,
		DegreesOfFreedom: 1000, Batches: 1001,
	}
	for _, theory := range []float64{2.3527, 2.4} {
		c := estimate.Compare(theory, 0.001, e, 4)
		fmt.Printf("%.4f: %v, off by %.4f\n", theory, c.Verdict, c.Difference)
	}
	// Output:
	// 2.3527: agree, off by 0.0007
	// 2.4000: disagree, off by 0.0480
}

// Is a mean 0? Student's t is 1.5/0.2887 = 3√3 with three degrees of freedom.
func ExampleTestBatchMean() {
	b := estimate.TestBatchMean([]float64{1, 1, 2, 2})
	fmt.Printf("mean %.2f, standard error %.4f, p = %.4f\n", b.Mean, b.StandardError, b.P)
	// Output: mean 1.50, standard error 0.2887, p = 0.0138
}

// Are several means 0 at once? Hotelling's T² of 16 batch means; of one quantity it
// is Student's t², here 0.25·16/(4/15).
func ExampleTestZeroMean() {
	column := make([]float64, 16)
	for i := range column {
		column[i] = float64(i % 2)
	}
	z := estimate.TestZeroMean([][]float64{column})
	fmt.Printf("T² = %.4f, rank %d, p = %.4f\n", z.Statistic, z.Rank, z.P)
	// Output: T² = 15.0000, rank 1, p = 0.0015
}

// One long record in at most four cells: neighbours are averaged as it grows.
func ExamplePath() {
	p := estimate.NewPath(1, 4)
	for k := range 8 {
		if err := p.Append([]float64{float64(k)}); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println(p.Cells(), "cells of", p.Span(), p.Column(0))
	// Output: 4 cells of 2 [0.5 2.5 4.5 6.5]
}
