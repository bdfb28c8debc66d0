package coxian_test

import (
	"fmt"
	"log"

	"qlimit/coxian"
)

// Two meanings of p: going on to phase 2, and leaving after phase 1.
func ExampleFromLeaving() {
	here, err := coxian.FromContinuation(2, 0.25, 0.5)
	if err != nil {
		log.Fatal(err)
	}
	elsewhere, err := coxian.FromLeaving(2, 0.75, 0.5)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(here, elsewhere.Equivalent(here, 0))
	// Output: coxian:mu1=2,p=0.25,mu2=0.5 true
}

// The two-moment fit is smooth through scv 1, where it is exponential.
func ExampleFitMeanSCV() {
	for _, scv := range []float64{0.5, 1, 4} {
		d, err := coxian.FitMeanSCV(1, scv)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("scv %g: μ1 = %g, p = %g, μ2 = %g\n", scv, d.Mu1, d.P, d.Mu2)
	}
	// Output:
	// scv 0.5: μ1 = 2, p = 1, μ2 = 2
	// scv 1: μ1 = 2, p = 0.5, μ2 = 1
	// scv 4: μ1 = 2, p = 0.125, μ2 = 0.25
}

// Which skewness can a service of scv 4 have? More than 3.0625, the value that
// the third moment (3/2)(1 + scv)² gives.
func ExampleSkewnessRange() {
	low, high, err := coxian.SkewnessRange(4)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(low, high)
	// Output: 3.0625 +Inf
}

// A mixture of a fast and a slow exponential branch in its Coxian form and back.
func ExampleFromHyperexponential() {
	d, err := coxian.FromHyperexponential(0.75, 3, 1)
	if err != nil {
		log.Fatal(err)
	}
	a, nu1, nu2, ok := d.Hyperexponential()
	fmt.Printf("μ1 = %g, p = %.6f, μ2 = %g\n", d.Mu1, d.P, d.Mu2)
	fmt.Printf("%v: rate %g with probability %.2f, else rate %g\n", ok, nu1, a, nu2)
	// Output:
	// μ1 = 3, p = 0.166667, μ2 = 1
	// true: rate 3 with probability 0.75, else rate 1
}

// Measured service times to a law: by their moments, and by maximum likelihood.
func ExampleFitEM() {
	truth := coxian.Dist{Mu1: 2, P: 0.25, Mu2: 0.5}
	times := make([]float64, 2000) // in place of measurements: evenly spread over the law
	for i := range times {
		times[i] = truth.Quantile((float64(i) + 0.5) / float64(len(times)))
	}
	moments, err := coxian.FitSample(times)
	if err != nil {
		log.Fatal(err)
	}
	likely, err := coxian.FitEM(times, coxian.EMSettings{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%v: mean %.2f, scv %.1f\n", moments.Method, moments.Dist.Mean(), moments.Dist.SCV())
	fmt.Printf("%v: μ1 = %.1f, p = %.2f, μ2 = %.1f\n", likely.Status, likely.Dist.Mu1, likely.Dist.P, likely.Dist.Mu2)
	// Output:
	// three moments: mean 1.00, scv 2.0
	// converged: μ1 = 2.0, p = 0.25, μ2 = 0.5
}

// Whoever arrives at a busy server waits for the rest of a service: (1 + scv)/2
// mean services, longer than a whole one if the scv exceeds 1.
func ExampleDist_Residual() {
	d := coxian.Dist{Mu1: 2, P: 0.25, Mu2: 0.5} // mean 1, scv 2
	rest := d.Residual()
	fmt.Printf("mean %.4f, in phase 2 with probability %.4f\n", rest.Mean(), rest.Phase2)
	// Output: mean 1.5000, in phase 2 with probability 0.5000
}

// Quantiles: of an exponential service the median is log 2, and the time that one
// in 10^300 exceeds is 300 log 10.
func ExampleDist_SurvivalQuantile() {
	d, err := coxian.Exponential(1)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.10f %.8f\n", d.Median(), d.SurvivalQuantile(1e-300))
	// Output: 0.6931471806 690.77552790
}

// Young jobs that have lasted long: with scv above 1 the hazard rate falls.
func ExampleDist_HazardClass() {
	for _, d := range []coxian.Dist{{Mu1: 2, P: 1, Mu2: 2}, {Mu1: 2, P: 0.5, Mu2: 1}, {Mu1: 2, P: 0.25, Mu2: 0.5}} {
		fmt.Printf("scv %g: %v\n", d.SCV(), d.HazardClass())
	}
	// Output:
	// scv 0.5: increasing
	// scv 1: constant
	// scv 2: decreasing
}
