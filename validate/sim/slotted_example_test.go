package sim_test

import (
	"context"
	"fmt"

	"qlimit/ctmc/slotted"
	"qlimit/validate/sim"
)

// inTurn is a policy of one's own: dispatchers go through the servers in turn,
// each from a server of its own.
type inTurn struct{}

func (inTurn) String() string                { return "in-turn" }
func (inTurn) Validate(*slotted.Model) error { return nil }
func (inTurn) Declaration() slotted.Declaration {
	return slotted.Declaration{Memory: slotted.Remembered}
}

func (inTurn) Dispatcher(m *slotted.Model, _ *slotted.View) slotted.Dispatcher {
	d := &turns{next: make([]int, m.DispatcherCount())}
	for i := range d.next {
		d.next[i] = i % m.Servers()
	}
	return d
}

type turns struct{ next []int }

func (d *turns) Choose(v *slotted.View, dispatcher int, _ int64) int {
	server := d.next[dispatcher]
	d.next[dispatcher] = (server + 1) % len(v.Lengths)
	return server
}

func (d *turns) EndOfSlot(*slotted.View) {}
func (d *turns) MemoryBits() float64     { return 2 * float64(len(d.next)) } // for four servers

// A policy of one's own in the simulator, beside random dispatching on the same
// arrivals and service.
func Example_slottedPolicy() {
	m := &slotted.Model{Rates: []float64{1, 1, 1, 1}, Load: 0.8}
	r, err := sim.CompareSlotted(context.Background(), m, []slotted.Policy{inTurn{}, slotted.Random()}, sim.SlottedSettings{Slots: 1e5})
	if err != nil {
		fmt.Println(err)
		return
	}
	p := r.Pairs[0]
	fmt.Println("in turn is better:", p.MeanResponse.Better == p.First)
	fmt.Println("messages:", r.Results[p.First].MessagesPerJob.Value)
	// Output:
	// in turn is better: true
	// messages: 0
}
