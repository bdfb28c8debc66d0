package diffusion_test

import (
	"fmt"
	"log"

	"qlimit/coxian"
	"qlimit/ctmc"
	"qlimit/diffusion"
)

// Arrival rate N - 1 under the idle-queue-first rule: X - 1 has the law
// Gamma(2, 2α/σ²), σ² = 1 + scv, whatever else the service law is.
func ExampleNDS() {
	n := diffusion.NDS{Discipline: diffusion.IQF, Spare: 1, Service: coxian.Dist{Mu1: 2, P: 0.25, Mu2: 0.5}} // scv 2
	law, err := n.Stationary()
	if err != nil {
		log.Fatal(err)
	}
	// P(X > 4) of the Gamma law: e^-2 (1 + 2)
	fmt.Printf("mean %.6f, P(X > 4) = %.6f (%v)\n", 1+law.Mean(), law.Survival(3), n.Kind())
	// Output: mean 4.000000, P(X > 4) = 0.406006 (conjecture)
}

// The probability of waiting under join-the-shortest-queue, E min(U, 1), is tanh 1
// at α = 1; in one central queue every job waits in this limit.
func ExampleNDS_WaitProbability() {
	exponential := coxian.Dist{Mu1: 1, Mu2: 1}
	for _, d := range []diffusion.Discipline{diffusion.JSQ, diffusion.CQ} {
		p, err := diffusion.NDS{Discipline: d, Spare: 1, Service: exponential}.WaitProbability()
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%v %.10f\n", d, p)
	}
	// Output:
	// jsq 0.7615941560
	// cq 1.0000000000
}

// The law of the waiting time: in one central queue W = U, exponential of mean 1/α.
func ExampleNDS_Delay() {
	exponential := coxian.Dist{Mu1: 1, Mu2: 1}
	delay, err := diffusion.NDS{Discipline: diffusion.CQ, Spare: 0.5, Service: exponential}.Delay()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("mean wait %.6f, P(W > 4) = %.6f\n", delay.MeanWait(), delay.WaitSurvival(4))
	// Output: mean wait 2.000000, P(W > 4) = 0.135335
}

// How fast is a start forgotten? Time is real time divided by N.
func ExampleNDS_Relaxation() {
	exponential := coxian.Dist{Mu1: 1, Mu2: 1}
	for _, d := range []diffusion.Discipline{diffusion.CQ, diffusion.IQF} {
		r, err := diffusion.NDS{Discipline: d, Spare: 1, Service: exponential}.Relaxation()
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%v: gap %.6f, continuous %v\n", d, r.Gap, r.Continuous) // α²/(2σ²), 4α²/(9σ²)
	}
	// Output:
	// cq: gap 0.250000, continuous true
	// iqf: gap 0.222222, continuous false
}

// What does it cost to dispatch at once instead of keeping one queue?
func ExampleLargestPrice() {
	exponential := coxian.Dist{Mu1: 1, Mu2: 1}
	ratio, spare, err := diffusion.LargestPrice(exponential)
	if err != nil {
		log.Fatal(err)
	}
	p, err := diffusion.Price(1, exponential)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("at most %.10f, at α = %.6f\n", ratio, spare)
	fmt.Printf("α = 1: JSQ %.8f, IQF %g (%v)\n", p.MeanJSQ, p.RatioIQF, p.Kind)
	// Output:
	// at most 1.1354662243, at α = 2.090817
	// α = 1: JSQ 2.23840584, IQF 1.5 (limit)
}

// The same question at a hundred servers. Simulation says 3.8329 ± 0.0050.
func ExampleAveraged() {
	a := diffusion.Averaged{Discipline: diffusion.IQF, Servers: 100, Load: 0.99, Service: coxian.Dist{Mu1: 2, P: 0.25, Mu2: 0.5}}
	law, err := a.Solve()
	if err != nil {
		log.Fatal(err)
	}
	a.CornerRepair = true
	repaired, err := a.Solve()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.5f, with the corner correction within 1%% of it: %v\n", law.MeanJobs(), repaired.MeanJobs() < 1.01*3.8329)
	// Output: 3.88164, with the corner correction within 1% of it: true
}

// Power-of-d has no such limit: response grows like log_d(N/α).
func ExampleDispatching() {
	if d, err := diffusion.Dispatching(ctmc.JIQ()); err == nil {
		fmt.Println(d)
	}
	_, err := diffusion.Dispatching(ctmc.PowerOfD(2, false))
	growth, _ := diffusion.PowerOfDGrowth(2, 1024, 1)
	fmt.Printf("refused: %v, levels nearly full at N = 1024: %.0f\n", err != nil, growth)
	// Output:
	// jiq
	// refused: true, levels nearly full at N = 1024: 10
}

// Is one policy better in law, not only in the mean?
func ExampleStochasticOrder() {
	exponential := coxian.Dist{Mu1: 1, Mu2: 1}
	var laws [2]diffusion.Distribution
	for i, d := range []diffusion.Discipline{diffusion.JSQ, diffusion.IQF} {
		law, err := diffusion.NDS{Discipline: d, Spare: 1, Service: exponential}.Stationary()
		if err != nil {
			log.Fatal(err)
		}
		laws[i] = law
	}
	fmt.Println(diffusion.StochasticOrder(laws[0], laws[1]).Holds, diffusion.StochasticOrder(laws[1], laws[0]).Holds)
	// Output: true false
}

// The regime of call centres: load 1 - β/√N.
func ExampleHalfinWhitt() {
	h := diffusion.HalfinWhitt{Beta: 1}
	exact := ctmc.PooledAt(1_000_000, 0.999) // β√N = 1000 idle servers
	fmt.Printf("P(wait) %.10f, at a million servers %.3f\n", h.WaitProbability(), exact.WaitProbability())
	// Output: P(wait) 0.2233612748, at a million servers 0.223
}

// The classical regime, ten servers and the load to 1: join-the-idle-queue has
// 2N/(N+1) times the jobs of a policy that balances.
func ExampleHeavyTraffic_Coefficient() {
	exponential := coxian.Dist{Mu1: 1, Mu2: 1}
	h := diffusion.HeavyTraffic{Servers: 10, Service: exponential}
	for _, p := range []ctmc.Policy{ctmc.JSQ(), ctmc.JIQ(), ctmc.Random()} {
		c, kind, err := h.Coefficient(p)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%v: %.4f (%v)\n", p, c, kind)
	}
	// Output:
	// jsq: 10.0000 (limit)
	// jiq: 18.1818 (conjecture)
	// random: 100.0000 (limit)
}
