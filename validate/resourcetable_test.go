package validate

import (
	"context"
	"math"
	"testing"

	"qlimit/coxian"
	"qlimit/validate/sim"
)

var unitExponentialLaw = sim.CoxianLaw(coxian.Dist{Mu1: 1, Mu2: 1})

func tableOf(t *testing.T, s ResourceStudy) map[string]PolicyResources {
	t.Helper()
	rows, err := s.Table()
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string]PolicyResources{}
	for _, p := range rows {
		byName[p.Name] = p
	}
	return byName
}

// TestResourceTableDelays: limiting delays by their formulas, exponential
// service, λ = 0.9: M/M/1, M/D/1, Σ λ^{(d^i-d)/(d-1)}, -log(1-λ²)/λ² - 1, and
// 0 where they vanish.
func TestResourceTableDelays(t *testing.T) {
	table := tableOf(t, ResourceStudy{Load: .9, Law: unitExponentialLaw, Choices: 2, Memory: 2, MessageRate: 1})
	shortest := 0.0
	for i := 2.0; i < 12; i++ {
		shortest += math.Pow(.9, math.Pow(2, i)-2)
	}
	for name, want := range map[string]float64{
		"random": 9, "sita": 4.5, "sq:d=2": shortest, "ll:d=2": -math.Log(1-.81)/.81 - 1,
		"pull:memory=2,rate=10": .367996, "jsq": 0, "ll": 0, "jiq": 0, "i1f": 0, "sq:d=log2(n)": 0,
	} {
		p, ok := table[name]
		if !ok || !p.Known || math.Abs(p.Delay-want) > 6e-7 || p.Vanishes != (want == 0) {
			t.Errorf("%s: %+v, want %g", name, p, want)
		}
	}
	if p := table["sq:d=2,m=1"]; p.Known || p.Vanishes {
		t.Errorf("SQ(2,1): %+v", p)
	}
	// D/M/1: σ = e^{-(1-σ)/λ}.
	sigma := .5
	for range 2000 {
		sigma = math.Exp(-(1 - sigma) / .9)
	}
	if p := table["rr"]; math.Abs(p.Delay-sigma/(1-sigma)) > 1e-9 {
		t.Errorf("round robin: %g, want %g", p.Delay, sigma/(1-sigma))
	}
}

// TestResourceTableLaws: what is known for other laws, and in their unit.
func TestResourceTableLaws(t *testing.T) {
	erlang := sim.CoxianLaw(coxian.Dist{Mu1: .2, P: 1, Mu2: .2}) // mean 10, scv 1/2
	table := tableOf(t, ResourceStudy{Load: .8, Law: erlang, Choices: 3})
	if p := table["random"]; math.Abs(p.Delay-10*.8*1.5/.4) > 1e-10 {
		t.Errorf("random: %g", p.Delay)
	}
	if p := table["sita"]; math.Abs(p.Delay-20) > 1e-10 {
		t.Errorf("sita: %g", p.Delay)
	}
	for _, name := range []string{"rr", "sq:d=3", "ll:d=3"} {
		if p := table[name]; !p.Known || !(p.Delay > 0) {
			t.Errorf("%s: %+v", name, p)
		}
	}
	if table["ll:d=3"].Delay >= table["sq:d=3"].Delay {
		t.Error("knowing the work is worse than knowing the lengths")
	}
	if p := table["pull:memory=1,rate=0.4"]; p.Known {
		t.Errorf("the fluid of pull is one of exponential service: %+v", p)
	}
	constant, err := sim.Deterministic(2)
	if err != nil {
		t.Fatal(err)
	}
	table = tableOf(t, ResourceStudy{Load: .8, Law: constant, Choices: 2})
	if p := table["random"]; math.Abs(p.Delay-4) > 1e-12 {
		t.Errorf("random, deterministic: %g", p.Delay)
	}
	if p := table["rr"]; !p.Known || p.Delay != 0 || !p.Vanishes { // D/D/1
		t.Errorf("round robin, deterministic: %+v", p)
	}
	if p := table["sita"]; p.Known {
		t.Errorf("sizes that are all the same cannot be divided: %+v", p)
	}
	for _, s := range []ResourceStudy{{Load: 1, Law: erlang}, {Load: 0, Law: erlang}, {Load: .5}, {Load: .5, Law: erlang, Choices: 65}} {
		if _, err := s.Table(); err == nil {
			t.Errorf("%+v accepted", s)
		}
	}
}

// TestResourceSimulations: simulated delays agree with theory: at finite n where
// it has them, else near the limit; and messages per job with the table.
func TestResourceSimulations(t *testing.T) {
	s := ResourceStudy{Load: .7, Law: unitExponentialLaw, Choices: 2, Memory: 2, MessageRate: 1}
	rows, err := s.Table()
	if err != nil {
		t.Fatal(err)
	}
	points, err := s.Simulate(context.Background(), rows, ResourceSimulation{Servers: []int{1, 200}, Jobs: 1e5, Seed: 4})
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range rows {
		for _, at := range points[i] {
			// The effect of 200 servers is of the order of 1%; sampling log2(200) = 8
			// of them still leaves 0.07.
			want, slack := p.Delay, .02*(1+p.Delay)
			if p.Vanishes {
				slack = .1
			}
			if at.Known {
				want, slack = at.Exact, 1e-4
			}
			if at.Servers == 1 {
				want, slack = .7/.3, 1e-9 // M/M/1 whatever the policy
			}
			if !at.Known && !p.Known && at.Servers > 1 {
				continue
			}
			if math.Abs(at.Delay.Value-want) > 4.5*at.Delay.StandardError+slack {
				t.Errorf("%s, %d servers: %.5f ± %.5f, want %.5f", p.Name, at.Servers, at.Delay.Value, at.Delay.StandardError, want)
			}
			if messages := p.MessagesPerJob(float64(at.Servers)); at.Servers > 1 && math.Abs(at.MessagesPerJob.Value-messages) > .05*messages+4*at.MessagesPerJob.StandardError {
				t.Errorf("%s, %d servers: %g messages per job, table %g", p.Name, at.Servers, at.MessagesPerJob.Value, messages)
			}
		}
	}
}
