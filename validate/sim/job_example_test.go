package sim_test

import (
	"context"
	"fmt"
	"math/rand/v2"

	"qlimit/coxian"
	"qlimit/validate/sim"
)

// lastOfTwo asks the server that was chosen last and one more, and takes the
// shorter.
type lastOfTwo struct {
	sim.Unnotified
	last int
}

func (d *lastOfTwo) Choose(f *sim.Farm, _ float64, random *rand.PCG) int {
	f.Count(sim.Query, 2)
	f.Count(sim.Reply, 2)
	other := int(random.Uint64() % uint64(f.Servers()))
	if f.Len(other) <= f.Len(d.last) {
		d.last = other
	}
	return d.last
}

// A policy of one's own: a type with a Choose method and a line that makes it.
func ExampleDispatcher() {
	policy := sim.JobPolicy{Name: "last-of-two", Prepare: func(*sim.JobSystem) (func() sim.Dispatcher, error) {
		return func() sim.Dispatcher { return &lastOfTwo{} }, nil
	}}
	r, err := sim.RunJobs(context.Background(), sim.JobSystem{
		Servers: 20, Load: 0.9, Service: sim.CoxianLaw(coxian.Dist{Mu1: 1, Mu2: 1}), Policy: policy,
	}, sim.JobSettings{Jobs: 1e5})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%v: %g messages per job, better than random: %v\n", r.System.Policy, r.MessagesPerJob.Value, r.MeanWait.Value < 9)
	// Output: last-of-two: 4 messages per job, better than random: true
}
