package validate

import (
	"context"
	"strings"
	"testing"

	"qlimit/coxian"
	"qlimit/ctmc"
)

var (
	exponential = coxian.Dist{Mu1: 1, P: 0, Mu2: 1}
	twoPhase    = coxian.Dist{Mu1: 2, P: 0.125, Mu2: 0.25} // mean 1, scv 4
)

// wrongSimulator is a simulator that claims to simulate a system.
type wrongSimulator struct {
	name     string
	claimed  ctmc.Policy
	law      coxian.Dist
	simulate func(s ctmc.System, seed uint64) *testFarm
	warmUp   float64
	cause    string // that the suggestion must name; "" = the samples are right
}

func rule(choose func(f *testFarm) int) func(s ctmc.System, seed uint64) *testFarm {
	return func(s ctmc.System, seed uint64) *testFarm { return newTestFarm(s, seed, choose) }
}

func otherLoad(factor float64) func(s ctmc.System, seed uint64) *testFarm {
	return func(s ctmc.System, seed uint64) *testFarm {
		s.Load *= factor
		return newTestFarm(s, seed, lowestLevel)
	}
}

var wrongSimulators = []wrongSimulator{
	{"JSQ", ctmc.JSQ(), exponential, rule(lowestLevel), 200, ""},
	{"JSQ with ties to the lowest index", ctmc.JSQ(), exponential, rule(lowestIndex), 200, ""},
	{"power of two", ctmc.PowerOfD(2, false), exponential, rule(sampled(2, false)), 200, ""},
	{"I1F", ctmc.I1F(), exponential, rule(idleOneFirst(anyServer)), 200, ""},
	{"JSQ, two phases", ctmc.JSQ(), twoPhase, rule(lowestLevel), 500, ""},
	{"load 1% too high", ctmc.JSQ(), exponential, otherLoad(1.01), 200, "load"},
	{"load 1% too low", ctmc.JSQ(), twoPhase, otherLoad(0.99), 500, "load"},
	{"with replacement", ctmc.PowerOfD(2, false), exponential, rule(sampled(2, true)), 200, "policy pod:d=2,replacement=true"},
	{"without replacement", ctmc.PowerOfD(2, true), exponential, rule(sampled(2, false)), 200, "policy pod:d=2 "},
	{"I1F, an idle server and one with one job tied", ctmc.I1F(), exponential, rule(idleAndOneTied), 200, "tied"},
	{"phase 2 never entered", ctmc.JSQ(), twoPhase, func(s ctmc.System, seed uint64) *testFarm {
		f := newTestFarm(s, seed, lowestLevel)
		f.change = false
		return f
	}, 500, "service off"},
	{"phases not written down", ctmc.JSQ(), twoPhase, func(s ctmc.System, seed uint64) *testFarm {
		f := newTestFarm(s, seed, lowestLevel)
		f.phasesLost = true
		return f
	}, 500, "service off: no server is in phase 2"},
	{"two phases for one", ctmc.JSQ(), exponential, func(s ctmc.System, seed uint64) *testFarm {
		s.Service = coxian.Dist{Mu1: 2, P: 1, Mu2: 2}
		f := newTestFarm(s, seed, lowestLevel)
		f.phasesLost, f.columnPhases = true, 1
		return f
	}, 200, "service"},
}

func (w wrongSimulator) run(t *testing.T, servers int64, rows int) *OutputTest {
	t.Helper()
	s := ctmc.System{Servers: servers, Load: 0.8, Service: w.law, Policy: w.claimed}
	samples, err := NewSamples(w.simulate(s, 5).samples(rows, w.warmUp), s)
	if err != nil {
		t.Fatal(err)
	}
	r, err := TestOutput(context.Background(), samples, 0.05, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func (w wrongSimulator) check(t *testing.T, servers int64, rows int) {
	r := w.run(t, servers, rows)
	t.Logf("%s, N=%d: p = %.2g (identities %.2g, stationary %.2g), %d batches, rank %d: %s", w.name, servers, r.P, r.Joint.P, r.Stationary.P, r.Batches, r.Rank, r.Suggestion)
	if w.cause == "" {
		if r.P < 1e-3 {
			t.Errorf("%s, N=%d: correct samples rejected, p = %g", w.name, servers, r.P)
		}
		return
	}
	if r.P > 1e-4 {
		t.Errorf("%s, N=%d: not detected, p = %g", w.name, servers, r.P)
	}
	if !strings.Contains(r.Suggestion, w.cause) {
		t.Errorf("%s, N=%d: suggestion %q does not name %q", w.name, servers, r.Suggestion, w.cause)
	}
}

// TestWrongSimulators: faults of simulators are found from 30,000 samples of ten
// servers, a load 1% off from 100,000, and named.
func TestWrongSimulators(t *testing.T) {
	for _, w := range wrongSimulators {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			rows := 30_000
			if strings.HasPrefix(w.name, "load") {
				rows = 100_000
			}
			w.check(t, 10, rows)
		})
	}
}

// TestExplanationFitsBetter: what fits worse than the rejected claim is no
// explanation of it.
func TestExplanationFitsBetter(t *testing.T) {
	for _, c := range []struct {
		p, claimed float64
		want       bool
	}{{0.3, 1e-9, true}, {0.3, 0.04, true}, {0.017, 0.034, false}, {0.009, 1e-9, false}, {0.01, 0.001, true}} {
		if fits(c.p, c.claimed) != c.want {
			t.Errorf("p = %g beside %g: not %v", c.p, c.claimed, c.want)
		}
	}
}
