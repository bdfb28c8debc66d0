package sim_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"qlimit/coxian"
	"qlimit/ctmc"
	"qlimit/ctmc/slotted"
	"qlimit/validate/sim"
)

// Is one policy better? Common random numbers, and the difference with its own
// interval.
func ExampleCompare() {
	exponential := coxian.Dist{Mu1: 1, Mu2: 1}
	jsq := ctmc.System{Servers: 20, Load: 0.9, Service: exponential, Policy: ctmc.JSQ()}
	two := jsq
	two.Policy = ctmc.PowerOfD(2, false)
	c, err := sim.Compare(context.Background(), []ctmc.System{jsq, two}, nil, sim.Settings{Seed: 1, Events: 2e5})
	if err != nil {
		log.Fatal(err)
	}
	difference := c.Pairs[0].MeanJobs
	fmt.Printf("%v is better: %v, confidence above 0.999: %v\n", c.Systems[0].Policy, difference.Better == 0, difference.Confidence > 0.999)
	// Output: jsq is better: true, confidence above 0.999: true
}

// How long has a run to be? A random dispatcher leaves ten M/M/1 queues, in which a
// start is felt for 2λσ²/(1-λ)² services, σ² = 2.
func ExampleNewPlan() {
	exponential := coxian.Dist{Mu1: 1, Mu2: 1}
	system := ctmc.System{Servers: 10, Load: 0.9, Service: exponential, Policy: ctmc.Random()}
	plan := sim.NewPlan(system, 16)
	fmt.Printf("%s: relaxation time %.0f\n", plan.Source, plan.RelaxationTime)
	// Output: diffusion: relaxation time 360
}

// A memory of two IDs at 1000 servers. In the limit of many a job waits 0.2
// services, and idle servers send half a message per server and service.
func ExampleRunPull() {
	exponential := coxian.Dist{Mu1: 1, Mu2: 1}
	system := ctmc.PullSystem{Servers: 1000, Load: 0.5, Service: exponential, Pull: ctmc.PullRule{Memory: 2, Rate: 1}}
	r, err := sim.RunPull(context.Background(), system, sim.Settings{Seed: 1, Events: 5e5})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("half a message:", math.Abs(r.MessageRate.Value-0.5) < 4*r.MessageRate.StandardError)
	fmt.Println("a wait of 0.2:", math.Abs(r.MeanResponse.Value-1.2) < 0.02)
	// Output:
	// half a message: true
	// a wait of 0.2: true
}

// A population of one's own: N lamps, lit at rate 1 and failing at rate 3.
func ExampleRunPopulation() {
	lamps, err := ctmc.NewModel(1,
		ctmc.Transition{Change: []int64{1}, Rate: ctmc.RateFunc(func(x []float64) float64 { return 1 - x[0] })},
		ctmc.Transition{Change: []int64{-1}, Rate: ctmc.RateFunc(func(x []float64) float64 { return 3 * x[0] })},
	)
	if err != nil {
		log.Fatal(err)
	}
	r, err := sim.RunPopulation(context.Background(), lamps, 100, []int64{0}, sim.PopulationSettings{Name: "lamps", Seed: 1, Duration: 200})
	if err != nil {
		log.Fatal(err)
	}
	lit := r.Mean[0]
	fmt.Println("a quarter is lit:", math.Abs(lit.Value-0.25) < 4*lit.StandardError, "to 5%:", lit.HalfWidth < 0.05*0.25)
	// Output: a quarter is lit: true to 5%: true
}

// States along a path, for other programs or for the test of simulation output.
func ExampleSnapshots() {
	exponential := coxian.Dist{Mu1: 1, Mu2: 1}
	system := ctmc.System{Servers: 10, Load: 0.9, Service: exponential, Policy: ctmc.JSQ()}
	rows, complete := 0, true
	err := sim.Snapshots(context.Background(), system, sim.SnapshotSettings{Seed: 1, WarmUp: 100, Every: 2, Count: 50},
		func(time float64, counts []int64) error {
			servers := int64(0)
			for _, n := range counts {
				servers += n
			}
			rows++
			complete = complete && servers == 10
			return nil
		})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(rows, complete)
	// Output: 50 true
}

// In which state to begin: the mean-field limit in whole servers, or level.
func ExampleRoundedStart() {
	fmt.Println(sim.RoundedStart(100, []float64{0.9, 0.729}, nil).Tail, sim.BalancedStart(10, 1.7).Tail)
	// Output: [90 73] [10 7]
}

// Near load 1 replications start from independent draws of a law close to the
// stationary one, here with 2.15 jobs per server.
func ExampleNewStartLaw() {
	exponential := coxian.Dist{Mu1: 1, Mu2: 1}
	law, err := sim.NewStartLaw(ctmc.System{Servers: 100, Load: 0.99, Service: exponential, Policy: ctmc.JSQ()})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.2f\n", law.MeanJobs())
	// Output: 2.15
}

// Ten servers in slots at load 0.9: join-the-shortest-queue, 5.60 slots with 20
// messages a decision, beside join-the-idle-queue, 6.78 slots with 0.76.
func ExampleRunSlotted() {
	rates, err := slotted.ParseRates("1x10")
	if err != nil {
		log.Fatal(err)
	}
	m := &slotted.Model{Rates: rates, Load: 0.9}
	for _, policy := range []slotted.Policy{slotted.JSQ(), slotted.JIQ()} {
		r, err := sim.RunSlotted(context.Background(), m, policy, sim.SlottedSettings{Seed: 1, Slots: 2e5})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%v: stable %v, %.0f slots, %.1f messages\n", policy, r.Stability.Stable, r.MeanResponse.Value, r.MessagesPerArrivalSlot.Value)
	}
	// Output:
	// jsq: stable true, 6 slots, 20.0 messages
	// jiq: stable true, 7 slots, 0.8 messages
}
