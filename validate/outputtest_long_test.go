//go:build long

package validate

import (
	"context"
	"fmt"
	"testing"

	"qlimit/coxian"
	"qlimit/ctmc"
	"qlimit/validate/sim"
)

// TestFalseAlarms: over 300 correct runs the test at 5% rejects between 2% and
// 8%, for every kind of policy, both kinds of law, short and long runs.
func TestFalseAlarms(t *testing.T) {
	const runs = 300
	for _, c := range []struct {
		system ctmc.System
		rows   int64
		levels int
	}{
		{ctmc.System{Servers: 10, Load: 0.8, Service: exponential, Policy: ctmc.JSQ()}, 20_000, 30},
		{ctmc.System{Servers: 10, Load: 0.8, Service: exponential, Policy: ctmc.PowerOfD(2, false)}, 10_000, 50},
		{ctmc.System{Servers: 10, Load: 0.8, Service: coxian.Dist{Mu1: 2, P: 0.125, Mu2: 0.25}, Policy: ctmc.JIQ()}, 10_000, 80},
		{ctmc.System{Servers: 100, Load: 0.8, Service: exponential, Policy: ctmc.I1F()}, 20_000, 30},
		{ctmc.System{Servers: 4, Load: 0.95, Service: exponential, Policy: ctmc.PowerOfD(2, true)}, 60_000, 120},
		{ctmc.System{Servers: 5, Load: 1.1, Buffer: 4, Service: coxian.Dist{Mu1: 2, P: 1, Mu2: 2}, Policy: ctmc.Random()}, 2_000, 4},
	} {
		t.Run(c.system.String(), func(t *testing.T) {
			t.Parallel()
			rejected, joint, stationary := 0, 0, 0
			for seed := range uint64(runs) {
				samples, err := NewSamples(rightSamples(c.system, equilibriumSettings(c.system, 1000+seed, c.rows), c.levels), c.system)
				if err != nil {
					t.Fatal(err)
				}
				r, err := TestOutput(context.Background(), samples, 0.05, nil)
				if err != nil {
					t.Fatal(err)
				}
				rejected += boolCount(r.Rejected())
				joint += boolCount(r.Joint.P < 0.05)
				stationary += boolCount(r.Stationary.P < 0.05)
				if seed == 0 {
					t.Logf("rank %d, %d batches, %.0f independent rows, left out %v", r.Rank, r.Batches, r.Stationary.Independent, r.LeftOut)
				}
			}
			t.Logf("%d rows: %.1f%% rejected (identities alone %.1f%%, beginning alone %.1f%% at 5%%)", c.rows, 100*float64(rejected)/runs, 100*float64(joint)/runs, 100*float64(stationary)/runs)
			if rejected < runs*2/100 || rejected > runs*8/100 {
				t.Errorf("%d of %d correct runs rejected at 5%%", rejected, runs)
			}
		})
	}
}

// TestWrongSimulatorsAtLength: every fault is found from a million samples, one
// in a mean service time, of 10 and of 100 servers.
func TestWrongSimulatorsAtLength(t *testing.T) {
	for _, w := range wrongSimulators {
		for _, servers := range []int64{10, 100} {
			t.Run(fmt.Sprint(w.name, " N=", servers), func(t *testing.T) {
				w.check(t, servers, 1_000_000)
			})
		}
	}
}

// TestWarmUpAtLength: a run from empty of a million samples, the first at time 0,
// is told from a stationary one; so is a run whose first tenth consists of short
// runs from empty.
func TestWarmUpAtLength(t *testing.T) {
	for _, servers := range []int64{10, 100} {
		s := ctmc.System{Servers: servers, Load: 0.8, Service: exponential, Policy: ctmc.JSQ()}
		checkWarmUp(t, "from empty", testOf(t, rightSamples(s, sim.SnapshotSettings{Seed: 3, Every: 1, Count: 1_000_000}, 30), s))
		checkWarmUp(t, "first tenth from empty", testOf(t, restarted(s, 1_000_000), s))
	}
}
