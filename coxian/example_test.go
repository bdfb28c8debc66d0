package coxian_test

import (
	"fmt"

	"gonum.org/v1/gonum/stat/distuv"

	"qlimit/coxian"
)

// The method set of gonum's continuous laws.
var _ interface {
	distuv.RandLogProber
	distuv.Quantiler
	Prob(x float64) float64
	CDF(x float64) float64
	Survival(x float64) float64
	Mean() float64
	Median() float64
	Mode() float64
	Variance() float64
	StdDev() float64
	Skewness() float64
	ExKurtosis() float64
	NumParameters() int
} = coxian.Dist{}

func ExampleDist() {
	d, err := coxian.New(2, 0.25, 0.5)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("mean %g, scv %g, skewness %.4f\n", d.Mean(), d.SCV(), d.Skewness())
	fmt.Printf("hazard rate %v from %g to %g\n", d.HazardClass(), d.Hazard(0), d.Hazard(1e6))
	fmt.Printf("P(S > 200) = %.6g\n", d.Survival(200))
	// Output:
	// mean 1, scv 2, skewness 3.3588
	// hazard rate decreasing from 1.5 to 0.5
	// P(S > 200) = 1.24003e-44
}

func ExampleParse() {
	for _, text := range []string{"coxian:mean=1,scv=4", "hyperexp:p=0.25,mu1=4,mu2=1", "erlang2:mean=3", "coxian:mean=1,scv=0.4", "erlang"} {
		d, err := coxian.Parse(text)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(d)
	}
	// Output:
	// coxian:mu1=2,p=0.125,mu2=0.25
	// coxian:mu1=4,p=0.5625,mu2=1
	// erlang2:mean=3
	// service: scv = 0.4 (must be >= 0.5, the scv of Erlang-2, for a law of two phases; nearest attainable value 0.5)
	// service: unknown law "erlang" (did you mean "erlang2"? one of exp, erlang2, coxian, hyperexp)
}

func ExampleFitMoments() {
	d, err := coxian.FitMoments(1, 4, 3.5)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("mu1 %.6f, p %.6f, mu2 %.6f\n", d.Mu1, d.P, d.Mu2)
	fmt.Printf("mean %.6f, scv %.6f, skewness %.6f\n", d.Mean(), d.SCV(), d.Skewness())

	_, err = coxian.FitMoments(1, 4, 2)
	fmt.Println(err)
	// Output:
	// mu1 7.064583, p 0.312466, mu2 0.363989
	// mean 1.000000, scv 4.000000, skewness 3.500000
	// service: skew = 2 (must be > 3.0625 at scv 4; nearest attainable value 3.0625030625)
}
