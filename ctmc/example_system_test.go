package ctmc_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"qlimit/coxian"
	"qlimit/ctmc"
)

// Rates and times are in the unit of the service law as written.
func ExampleSystem() {
	system := ctmc.System{Servers: 10, Load: 0.9, Service: coxian.Dist{Mu1: 0.5, Mu2: 0.5}, Policy: ctmc.JSQ()}
	fmt.Println(system.ArrivalRate(), system.Phases())

	system.Policy = ctmc.PowerOfD(11, false)
	err := system.Validate()
	var field *ctmc.FieldError
	if errors.As(err, &field) {
		fmt.Println(err)
	}
	// Output:
	// 4.5 1
	// d = 11 (must be between 1 and the number of servers, 10)
}

// Two queues, unlimited: the textbook case of join-the-shortest-queue, 2.951476184
// jobs in the system at load 0.7. With exponential service the truncation of
// the chain comes with proved bounds.
func ExampleSolveStationary_unlimited() {
	exponential := coxian.Dist{Mu1: 1, Mu2: 1}
	system := ctmc.System{Servers: 2, Load: 0.7, Service: exponential, Policy: ctmc.JSQ()}
	r, err := ctmc.SolveStationary(context.Background(), system, ctmc.SolverSettings{}, 0)
	if err != nil {
		log.Fatal(err)
	}
	const known = 2.95147618358 / 2
	inside := r.Truncation.Lower <= known+1e-9 && known-1e-9 <= r.Truncation.Upper
	fmt.Printf("%.8f, certified: %v, around the known value: %v\n", r.MeanJobs, r.Truncation.Certified, inside)
	// Output: 1.47573809, certified: true, around the known value: true
}

// How long do jobs stay? In M/M/1 at load 0.5 the response time is exponential of
// rate 1 - load.
func ExampleStationary_ResponseLaw() {
	exponential := coxian.Dist{Mu1: 1, Mu2: 1}
	system := ctmc.System{Servers: 1, Load: 0.5, Service: exponential, Policy: ctmc.Random()}
	r, err := ctmc.SolveStationary(context.Background(), system, ctmc.SolverSettings{}, 0)
	if err != nil {
		log.Fatal(err)
	}
	law, err := r.ResponseLaw(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("mean %.6f, P(T > 2) = %.6f, P(W > 0) = %.6f\n", law.MeanResponse, law.ResponseTail(2), law.WaitTail(0))
	// Output: mean 2.000000, P(T > 2) = 0.367879, P(W > 0) = 0.500000
}

// From an idle start: a server without a waiting room is busy at time t with
// probability (1 - e^{-2t})/2 if jobs come as fast as they are served.
func ExampleSolveTransient() {
	exponential := coxian.Dist{Mu1: 1, Mu2: 1}
	system := ctmc.System{Servers: 1, Load: 1, Buffer: 1, Service: exponential, Policy: ctmc.Random()}
	idle := []int64{1} // one server in class 0
	t, err := ctmc.SolveTransient(context.Background(), system, idle, []float64{0, 0.5, 5}, ctmc.TransientSettings{})
	if err != nil {
		log.Fatal(err)
	}
	for k, at := range t.Times {
		fmt.Printf("t = %g: %.6f\n", at, t.MeanJobs[k])
	}
	// Output:
	// t = 0: 0.000000
	// t = 0.5: 0.316060
	// t = 5: 0.499977
}

// How long must a simulation be? The same server forgets its state as e^{-2t},
// so that two time units are worth two independent looks.
func ExampleSolveAutocovariance() {
	exponential := coxian.Dist{Mu1: 1, Mu2: 1}
	system := ctmc.System{Servers: 1, Load: 1, Buffer: 1, Service: exponential, Policy: ctmc.Random()}
	a, err := ctmc.SolveAutocovariance(context.Background(), system, []float64{0, 1}, ctmc.TransientSettings{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("variance %.4f, correlation at lag 1 %.6f, integral %.4f\n", a.Variance, a.Correlation[1], a.Time)
	// Output: variance 0.2500, correlation at lag 1 0.135335, integral 0.5000
}

// On queues of 0, 1 and 5 jobs power-of-two without replacement sends two jobs in
// three to the idle server and one to the next, none to the longest.
func ExamplePolicy_RouteLevels() {
	tail := []int64{3, 2, 1, 1, 1, 1} // servers with at least 0, 1, .. jobs
	var routed [6]float64
	ctmc.PowerOfD(2, false).RouteLevels(tail, routed[:])
	fmt.Printf("%.4f\n", routed)
	// Output: [0.6667 0.3333 0.0000 0.0000 0.0000 0.0000]
}

// With replacement the same server may be drawn twice, and the two are different
// policies: with two servers, one of them idle, it is missed once in four.
func ExampleSampling() {
	without := ctmc.Sampling{Choices: 2}
	with := ctmc.Sampling{Choices: 2, Replacement: true}
	fmt.Println(without.Tail(1, 2), with.Tail(1, 2))
	// Output: 0 0.25
}

// In the fluid limit join-the-shortest-queue keeps the idle level empty as long as
// arrivals are faster than servers become idle: it absorbs its inflow, the rest
// goes to servers with one job.
func ExampleFluidRouter() {
	exponential := coxian.Dist{Mu1: 1, Mu2: 1}
	router := ctmc.FluidRouter{Policy: ctmc.JSQ(), Arrival: 0.9, Service: exponential, Levels: 3}
	q := []float64{0, 0.45, 0.55, 0} // servers with 0, 1, 2, 3 jobs
	fraction := make([]float64, router.Classes())
	regime := router.Route(q, fraction)
	fmt.Printf("%.2f, %d level slides, level %d receives\n", fraction, regime.Sliding, regime.Receiver)
	// Output: [0.50 0.50 0.00 0.00], 1 level slides, level 1 receives
}

// Erlang's loss formula, and his waiting formula per server: M/M/10 at load 0.9.
func ExamplePooledAt() {
	fmt.Printf("%.4f\n", ctmc.ErlangB(2, 1))
	fmt.Printf("%.10f\n", ctmc.PooledAt(10, 0.9).MeanJobs()/10)
	// Output:
	// 0.2000
	// 1.5018583717
}

// How many messages does a memory of two IDs cost? Every idle server speaks at
// rate 5 and half of them are idle.
func ExampleSolvePullStationary() {
	exponential := coxian.Dist{Mu1: 1, Mu2: 1}
	system := ctmc.PullSystem{Servers: 3, Load: 0.5, Service: exponential, Pull: ctmc.PullRule{Memory: 2, Rate: 5}}
	r, err := ctmc.SolvePullStationary(context.Background(), system, ctmc.SolverSettings{}, 0)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.6f messages per server and service, better than random: %v\n", r.MessageRate, r.MeanJobs < 1)
	// Output: 2.500000 messages per server and service, better than random: true
}

// A memory whose servers speak at once is join-the-idle-queue.
func ExampleParsePull() {
	rule, err := ctmc.ParsePull("pull:memory=4,rate=inf")
	if err != nil {
		log.Fatal(err)
	}
	policy, ok := rule.Memoryless()
	fmt.Println(ok, policy.Depth == ctmc.JIQ().Depth, policy.Fallback == ctmc.JIQ().Fallback)
	// Output: true true true
}
