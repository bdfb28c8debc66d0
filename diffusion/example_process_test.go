package diffusion_test

import (
	"context"
	"fmt"
	"log"
	"math"
	"math/rand/v2"

	"qlimit/diffusion"
)

// How long does a reflected Brownian motion with drift -1 and variance 2 need to
// climb from 0 to 2, and back? e² - 3, and 2.
func ExampleLaw_MeanFirstPassage() {
	p := diffusion.Process{Noise: 2, Drift: func(float64) float64 { return -1 }}
	law, err := p.Stationary()
	if err != nil {
		log.Fatal(err)
	}
	up, err := law.MeanFirstPassage(0, 2)
	if err != nil {
		log.Fatal(err)
	}
	const nearly = 1e-9 // 0 itself is a boundary
	down, err := law.MeanFirstPassage(2, nearly)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("up %.8f, down %.6f\n", up, down)
	// Output: up 4.38905610, down 2.000000
}

// An entrance boundary: with drift 1/u - 1 and variance 2 the stationary law is
// Gamma(2, 1), of median 1.67834699.
func ExampleLaw_Quantile() {
	p := diffusion.Process{Repulsion: 1, Noise: 2, Drift: func(float64) float64 { return -1 }}
	law, err := p.Stationary()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%v at 0, median %.8f, P(U > 100) = %.4e\n", p.Boundary(), law.Quantile(0.5), law.Survival(100))
	// Output: entrance at 0, median 1.67834699, P(U > 100) = 3.7573e-42
}

// From empty, a reflected Brownian motion with drift -1 and variance 2 is above 1 at
// time 1 with probability Φ(-√2) + e^-1 Φ(0).
func ExampleProcess_Transient() {
	p := diffusion.Process{Noise: 2, Drift: func(float64) float64 { return -1 }}
	t, err := p.Transient(context.Background(), 0, []float64{1, 100}, diffusion.TransientSettings{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("P(U > 1) = %.3f, in the end %.3f\n", 1-t.CDF(0, 1), 1-t.CDF(1, 1)) // in the end e^-1
	// Output: P(U > 1) = 0.263, in the end 0.368
}

// A reflected Ornstein-Uhlenbeck process is the absolute value of a stationary
// Gaussian one of correlation r = e^{-t}, hence the correlation
// (√(1-r²) + r arcsin r - 1)/(π/2 - 1).
func ExampleProcess_Autocorrelation() {
	p := diffusion.Process{Noise: 2, Drift: func(u float64) float64 { return -u }}
	c, err := p.Autocorrelation(context.Background(), []float64{1}, diffusion.TransientSettings{})
	if err != nil {
		log.Fatal(err)
	}
	r := math.Exp(-1)
	fmt.Printf("%.3f %.3f\n", c[0], (math.Sqrt(1-r*r)+r*math.Asin(r)-1)/(math.Pi/2-1))
	// Output: 0.120 0.120
}

// A sample path never leaves the half line; its average tends to that of the law.
func ExampleProcess_Path() {
	p := diffusion.Process{Noise: 2, Drift: func(float64) float64 { return -1 }}
	path, err := p.Path(1, 0.1, 200_000, rand.NewPCG(1, 2))
	if err != nil {
		log.Fatal(err)
	}
	sum, least := 0.0, math.Inf(1)
	for _, u := range path {
		sum, least = sum+u, math.Min(least, u)
	}
	fmt.Println(len(path), least >= 0, math.Abs(sum/float64(len(path))-1) < 0.1)
	// Output: 200001 true true
}
