package slotted_test

import (
	"fmt"
	"log"
	"math/rand/v2"

	"qlimit/ctmc/slotted"
)

// Five slow and five fast servers at load 0.8.
func ExampleModel() {
	rates, err := slotted.ParseRates("1x5,10x5")
	if err != nil {
		log.Fatal(err)
	}
	m := &slotted.Model{Rates: rates, Load: 0.8}
	if err := m.Validate(); err != nil {
		log.Fatal(err)
	}
	arrivals, service, err := m.Variances() // Poisson: as large as the means
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("μ_Σ = %g, λ_Σ = %g, ε = %.4g, σ² = %.4g, ν² = %.4g\n", m.TotalRate(), m.ArrivalRate(), m.Slack(), arrivals, service)
	fmt.Printf("at ε = 1 the load is %.4f\n", m.WithSlack(1).Load)
	// Output:
	// μ_Σ = 55, λ_Σ = 44, ε = 11, σ² = 44, ν² = 55
	// at ε = 1 the load is 0.9818
}

// A server that works on ten jobs at once or on none: variance 10 - 1.
func ExampleParseFamily() {
	family, err := slotted.ParseFamily("service-law", "burst:k=10")
	if err != nil {
		log.Fatal(err)
	}
	law, err := family.At(1)
	if err != nil {
		log.Fatal(err)
	}
	most, bounded := law.Max()
	fmt.Printf("%v %.4g %.4g %d %v\n", family, law.Mean(), law.Variance(), most, bounded)
	_, err = family.At(11)
	fmt.Println(err != nil)
	// Output:
	// burst:k=10 1 9 10 true
	// true
}

// The generating function of a Poisson count is e^{mean w}; LogTransform leaves the
// linear term out, so that nothing cancels near w = 0.
func ExampleTransformOf() {
	poisson, err := slotted.Poisson{}.At(3)
	if err != nil {
		log.Fatal(err)
	}
	binomial, err := slotted.Binomial{Trials: 2}.At(1) // ((1 + (1+w))/2)²
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(slotted.TransformOf(poisson).LogTransform(0.1))
	fmt.Printf("%.6f\n", real(slotted.TransformOf(binomial).LogTransform(1))) // 2 log(3/2) - 1
	// Output:
	// (0+0i)
	// -0.189070
}

// What theory knows of a policy: SQ(2) on queues of 2, 0 and 1 jobs never takes
// the longest, and the shortest with probability 2/3.
func ExampleDeclaration() {
	m := &slotted.Model{Rates: []float64{1, 1, 1}, Load: 0.9}
	d := slotted.SQ(2, false).Declaration()
	p := make([]float64, m.Servers())
	d.Probabilities(m, []int64{2, 0, 1}, 0, p)
	fmt.Printf("%s: %.4f\n", d.Memory, p)
	// Output: lengths: [0.0000 0.6667 0.3333]
}

// Every policy by its name on the command line.
func ExampleParsePolicy() {
	for _, text := range []string{"pod:d=2", "jbt:d=2", "lsq:push=2"} {
		p, err := slotted.ParsePolicy(text)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%v decides on %s\n", p, p.Declaration().Memory)
	}
	// Output:
	// sq:d=2 decides on lengths
	// jbt:d=2,T=1000 decides on threshold
	// lsq:push=2 decides on estimates
}

// A dispatcher at work: join-the-shortest-queue asks all three servers and is
// answered, six messages a decision. It sees the system through a View alone.
func ExampleDispatcher() {
	m := &slotted.Model{Rates: []float64{1, 1, 1}, Load: 0.9}
	view := &slotted.View{
		Lengths: []int64{2, 0, 1},
		Routing: rand.NewPCG(1, 1), Upkeep: rand.NewPCG(1, 2),
	}
	d := slotted.JSQ().Dispatcher(m, view)
	server := d.Choose(view, 0, 4)
	fmt.Println("all four jobs to server", server)
	fmt.Println("queries", view.Messages[slotted.Query], "replies", view.Messages[slotted.Reply])
	// Output:
	// all four jobs to server 1
	// queries 3 replies 3
}

// A threshold policy: once the threshold has become 1, servers with at most one
// job have reported, and a job goes to one of them.
func ExampleJBT() {
	m := &slotted.Model{Rates: []float64{1, 1, 1, 1}, Load: 0.9}
	d := slotted.JBT(slotted.ThresholdRule{Period: 1000, Samples: 2}).Declaration()
	p := make([]float64, 4)
	d.Probabilities(m, []int64{3, 1, 0, 5}, 1, p)
	fmt.Println(p)
	d.Probabilities(m, []int64{3, 2, 4, 5}, 1, p) // none reported: uniform
	fmt.Println(p)
	// Output:
	// [0 0.5 0.5 0]
	// [0.25 0.25 0.25 0.25]
}
