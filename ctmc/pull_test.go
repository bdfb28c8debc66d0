package ctmc

import (
	"context"
	"math"
	"testing"

	"qlimit/coxian"
)

var unitService = coxian.Dist{Mu1: 1, Mu2: 1}

func solvePull(t *testing.T, s PullSystem) *PullStationary {
	t.Helper()
	r, err := SolvePullStationary(context.Background(), s, SolverSettings{}, 0)
	if err != nil {
		t.Fatalf("%v: %v", s, err)
	}
	if r.Law.Status != Converged {
		t.Fatalf("%v: %v", s, r.Law.Status)
	}
	return r
}

// TestPullChainStates: the states are those that store at most Memory IDs,
// numbered without gaps, and what leads out of them is among them.
func TestPullChainStates(t *testing.T) {
	for _, memory := range []int64{1, 2, 3, 4, AnyMemory} {
		chain, err := PullSystem{Servers: 4, Load: .8, Buffer: 3, Service: unitService, Pull: PullRule{memory, 2}}.Chain()
		if err != nil {
			t.Fatal(err)
		}
		state := make([]int64, len(chain.Initial()))
		for i := range chain.States() {
			chain.Unrank(i, state)
			if state[0] > min(memory, 4) || chain.Rank(state) != i {
				t.Fatalf("memory %d: state %d is %v", memory, i, state)
			}
			chain.Visit(state, func(next []int64, rate float64) {
				if r := chain.Rank(next); r < 0 || r >= chain.States() || rate <= 0 {
					t.Fatalf("memory %d: %v -> %v at %g", memory, state, next, rate)
				}
			})
		}
		// Σ over m of C(N-m+b, b): the other servers spread over b+1 classes.
		want := 0.0
		for m := int64(0); m <= min(memory, 4); m++ {
			want += CountStates(4-m, 3, 1)
		}
		if float64(chain.States()) != want {
			t.Errorf("memory %d: %d states, want %g", memory, chain.States(), want)
		}
	}
}

// TestPullLimits: slow messages approach random dispatch, fast ones
// join-the-idle-queue, whatever the memory.
func TestPullLimits(t *testing.T) {
	base := System{Servers: 4, Load: .9, Buffer: 5, Service: unitService}
	for _, c := range []struct {
		rate, error float64
		policy      Policy
	}{{1e-7, 2e-6, Random()}, {1e8, 2e-6, JIQ()}} {
		base.Policy = c.policy
		want, err := SolveStationary(context.Background(), base, SolverSettings{}, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, memory := range []int64{1, 2, AnyMemory} {
			got := solvePull(t, PullSystem{Servers: 4, Load: .9, Buffer: 5, Service: unitService, Pull: PullRule{memory, c.rate}})
			if math.Abs(got.MeanJobs-want.MeanJobs) > c.error || math.Abs(got.WaitProb-want.WaitProb) > c.error || math.Abs(got.BlockProb-want.BlockProb) > c.error {
				t.Errorf("memory %d, rate %g: %.9g, %.9g; %s has %.9g, %.9g", memory, c.rate, got.MeanJobs, got.WaitProb, c.policy, want.MeanJobs, want.WaitProb)
			}
		}
	}
}

// TestPullOneServer: whatever is stored, there is one server: M/M/1/b.
func TestPullOneServer(t *testing.T) {
	for _, load := range []float64{.5, 1, 1.2} {
		got := solvePull(t, PullSystem{Servers: 1, Load: load, Buffer: 6, Service: coxian.Dist{Mu1: .5, Mu2: 1}, Pull: PullRule{1, .3}})
		total, mean := 0.0, 0.0
		for i := 0; i <= 6; i++ {
			total += math.Pow(load, float64(i))
			mean += float64(i) * math.Pow(load, float64(i))
		}
		if mean /= total; math.Abs(got.MeanJobs-mean) > 1e-12 {
			t.Errorf("load %g: %.15g jobs, want %.15g", load, got.MeanJobs, mean)
		}
		if block := math.Pow(load, 6) / total; math.Abs(got.BlockProb-block) > 1e-12 {
			t.Errorf("load %g: P(block) %.15g, want %.15g", load, got.BlockProb, block)
		}
	}
}

// TestPullFlowBalance: accepted arrivals equal throughput, the law of the
// stored IDs adds up to 1, and more memory or more messages wait less.
func TestPullFlowBalance(t *testing.T) {
	last := math.Inf(1)
	for _, rule := range []PullRule{{1, .5}, {1, 2}, {2, 2}, {3, 4}, {AnyMemory, 8}} {
		r := solvePull(t, PullSystem{Servers: 5, Load: .8, Buffer: 6, Service: unitService, Pull: rule})
		if in, out := .8*(1-r.BlockProb), 1-r.Occupancy[0]; math.Abs(in-out) > 1e-11 {
			t.Errorf("%v: accepted %.13g, served %.13g", rule, in, out)
		}
		sum := 0.0
		for _, p := range r.Stored {
			sum += p
		}
		if math.Abs(sum-1) > 1e-12 || r.EmptyProb != r.Stored[0] || r.MessageRate != rule.Rate*r.Occupancy[0] {
			t.Errorf("%v: stored %v, empty %g, messages %g", rule, r.Stored, r.EmptyProb, r.MessageRate)
		}
		if r.WaitProb >= last {
			t.Errorf("%v waits with probability %g, less memory or messages with %g", rule, r.WaitProb, last)
		}
		last = r.WaitProb
	}
}

// TestPullUnlimitedBuffer: cutting an unlimited buffer agrees with a long
// finite one.
func TestPullUnlimitedBuffer(t *testing.T) {
	s := PullSystem{Servers: 3, Load: .5, Service: unitService, Pull: PullRule{2, 3}}
	cut := solvePull(t, s)
	s.Buffer = 40
	long := solvePull(t, s)
	if !cut.Truncated || math.Abs(cut.MeanJobs-long.MeanJobs) > 1e-11 || cut.TruncationError > 1e-10 {
		t.Errorf("cut at %d: %.14g, error %.2g; buffer 40: %.14g", cut.System.Buffer, cut.MeanJobs, cut.TruncationError, long.MeanJobs)
	}
}

func TestParsePull(t *testing.T) {
	for text, want := range map[string]PullRule{
		"pull:memory=2,rate=5": {2, 5}, "pull:rate=0.5,memory=inf": {AnyMemory, .5}, "pull:memory=0,rate=inf": {0, math.Inf(1)}, "PULL:memory=1e6,rate=0": {1e6, 0},
	} {
		got, err := ParsePull(text)
		if err != nil || got != want {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
		if again, err := ParsePull(got.String()); err != nil || again != got {
			t.Errorf("%s: reads back as %+v, %v", got, again, err)
		}
	}
	for _, text := range []string{"pull", "pull:", "pull:memory=2", "pull:rate=1", "pull:memory=-1,rate=1", "pull:memory=1.5,rate=1", "pull:memory=1,rate=-1", "pull:memory=1,rate=nan", "pull:memory=1,rate=1,c=2", "pull:memory=1,memory=1,rate=1", "jsq"} {
		if got, err := ParsePull(text); err == nil {
			t.Errorf("%s accepted as %+v", text, got)
		}
	}
	for text, depth := range map[string]int{"pull:memory=0,rate=5": 0, "pull:memory=3,rate=0": 0, "pull:memory=1,rate=inf": 1, "pull:memory=inf,rate=inf": 1} {
		p, err := ParsePolicy(text)
		if err != nil || p.Depth != depth || p.Name != text {
			t.Errorf("%s as a policy: %+v, %v", text, p, err)
		}
	}
	if p, err := ParsePolicy("pull:memory=1,rate=2"); err == nil {
		t.Errorf("a rule with memory passes for the policy %v", p)
	}
	if err := (PullSystem{Servers: 3, Load: .5, Service: coxian.Dist{Mu1: 2, P: .5, Mu2: 2}, Pull: PullRule{1, 1}}).Validate(); err == nil {
		t.Error("Coxian service accepted")
	}
}
