package sim_test

import (
	"context"
	"fmt"
	"log"

	"qlimit/ctmc/slotted"
	"qlimit/validate/sim"
)

// Where theory is silent: up to which load is join-the-idle-queue stable if half of
// the servers are ten times slower? Full simulations put it between 0.85 and 0.88.
func ExampleCriticalBySaturation() {
	rates, err := slotted.ParseRates("1x5,10x5")
	if err != nil {
		log.Fatal(err)
	}
	m := &slotted.Model{Rates: rates, Load: 0.5}
	s, err := sim.CriticalBySaturation(context.Background(), m, slotted.JIQ(), sim.SlottedSettings{Seed: 1, Slots: 2e5})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%v, the %d slowest fill up, between 0.85 and 0.88: %v\n",
		s.Found, s.Servers, s.Critical.Value > 0.85 && s.Critical.Value < 0.88)
	// Output: true, the 5 slowest fill up, between 0.85 and 0.88: true
}

// Random dispatching is N times as bad as one queue in heavy traffic, and the trend
// of E[Q U] shows it.
func ExampleSweepHeavyTraffic() {
	m := &slotted.Model{Rates: []float64{1, 1}, Load: 0.9}
	h, err := sim.SweepHeavyTraffic(context.Background(), m,
		func(float64) (slotted.Policy, error) { return slotted.Random(), nil },
		[]float64{0.4, 0.2, 0.1}, sim.SlottedSettings{Seed: 1, Slots: 4e5})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(h.Verdict)
	// Output: not heavy-traffic delay optimal
}
