package stein

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"qlimit/ctmc"
	"qlimit/ctmc/slotted"
)

func parsed(t interface {
	Helper()
	Fatal(...any)
}, policy string) slotted.Policy {
	t.Helper()
	p, err := slotted.ParsePolicy(policy)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func rule(t interface {
	Helper()
	Fatal(...any)
}, policy string, rates ...float64) *DispatchRule {
	t.Helper()
	d, err := NewDispatchRule(&slotted.Model{Rates: rates, Load: .9}, parsed(t, policy))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestSampledThreshold: JBT-1 on three queues 0, 1, 2 just after its threshold
// was sampled: (11/18, 5/18, 2/18). Given the threshold 2 it is uniform.
func TestSampledThreshold(t *testing.T) {
	d := rule(t, "jbt:d=1,T=10", 1, 1, 1)
	q := []int64{0, 1, 2}
	for n, want := range []float64{11. / 18, 5. / 18, 2. / 18} {
		if got := d.Sampled(q)[n]; math.Abs(got-want) > 1e-15 {
			t.Errorf("server %d: %.15g, want %.15g", n, got, want)
		}
	}
	r := d.rank(q, d.Sampled(q))
	if want := 4. / 18; math.Abs(r.Tilt()-want) > 1e-15 { // -Δ_3 = 1/3 - 2/18
		t.Errorf("δ = %g, want %g", r.Tilt(), want)
	}
	if got := d.At(q, 2); got[0] != got[2] {
		t.Errorf("with threshold 2: %v", got)
	}
}

// TestSampledThresholdBySampling repeats the sampling of the threshold.
func TestSampledThresholdBySampling(t *testing.T) {
	d := rule(t, "jbtg:d=2,T=10", 1, 3, 2, 1)
	q := []int64{2, 0, 2, 1}
	random := rand.New(rand.NewPCG(1, 2))
	const runs = 20_000
	mean := make([]float64, 4)
	for range runs {
		sample := random.Perm(4)[:2]
		addScaled(mean, 1./runs, d.At(q, min(q[sample[0]], q[sample[1]])))
	}
	for n, got := range d.Sampled(q) {
		if math.Abs(got-mean[n]) > .012 { // four standard errors of at most .003
			t.Errorf("server %d: %g, sampled %g", n, got, mean[n])
		}
	}
}

// TestDistributionOfDispatchers: what the dispatchers of the policies choose,
// given the lengths, against the declared distributions; for those with a
// threshold just after it was set, at the end of the slot.
func TestDistributionOfDispatchers(t *testing.T) {
	q := []int64{2, 0, 1, 1}
	for _, policy := range []string{"jsq", "sed", "sq:d=2", "sq:d=3,replacement=true", "random", "weighted", "jiq", "jbt:d=1,T=1", "jbt:d=2,T=1", "jbt:average,T=1", "jbtg:d=2,T=1"} {
		d := rule(t, policy, 1, 3, 2, 1)
		view := &slotted.View{
			Lengths: slices.Clone(q), Served: make([]int64, 4), Arrived: make([]int64, 1),
			Routing: rand.NewPCG(1, 1), Upkeep: rand.NewPCG(2, 2),
		}
		dispatcher := d.Policy.Dispatcher(&d.Model, view)
		const runs = 20_000
		chosen := make([]float64, 4)
		for range runs {
			dispatcher.EndOfSlot(view)
			chosen[dispatcher.Choose(view, 0, 1)]++
		}
		for n, p := range d.Sampled(q) {
			if got := chosen[n] / runs; math.Abs(got-p) > 4.5*math.Sqrt(p*(1-p)/runs) {
				t.Errorf("%s: server %d chosen with frequency %.4f, want %.4f", policy, n, got, p)
			}
		}
	}
}

// TestMembershipOfClassPi: which policies are in class Π, with the servers given.
func TestMembershipOfClassPi(t *testing.T) {
	equal, pools := unitRates(4), []float64{1, 1, 10, 10}
	for _, c := range []struct {
		policy         string
		rates          []float64
		tilted, member bool
	}{
		{"jsq", equal, true, true}, {"jsq", pools, true, true},
		{"sq:d=2", equal, true, true}, {"sq:d=2", pools, false, false},
		{"sq:d=2,replacement=true", equal, true, true}, {"sq:d=1", equal, true, false},
		{"sq:d=4", pools, true, true}, // all servers: JSQ
		{"jiq", equal, true, false}, {"jiq", pools, false, false},
		{"jbt:d=1,T=10", equal, true, true}, {"jbt:d=2,T=10", equal, true, true}, {"jbt:d=2,T=10", pools, false, false},
		{"jbt:average,T=10", equal, true, true}, {"jbtg:average,T=10", pools, true, true},
		{"jbtg:d=1,T=10", pools, true, true}, {"jbtg:d=2,T=1000", pools, true, true}, {"jbtg:d=2,T=inf", pools, true, false},
		{"random", equal, true, false}, {"random", pools, false, false},
		{"weighted", equal, true, false}, {"weighted", pools, true, false},
		{"lsq:push=1", pools, true, true}, {"local-sq:d=2,push=1", equal, true, true}, {"local-sq:d=2,push=1", pools, false, false},
		{"local-jba:push=1", pools, true, true},
	} {
		d := rule(t, c.policy, c.rates...)
		m, err := d.Member(context.Background(), 4)
		if err != nil {
			t.Fatal(err)
		}
		if m.Tilted != c.tilted || m.Member != c.member || !m.Persistent {
			t.Errorf("%s, rates %v: %+v", c.policy, c.rates, m)
		}
		for _, w := range []*Witness{m.NotTilted, m.NotDelta} {
			if w != nil {
				confirmWitness(t, d, m, w)
			}
		}
		if (m.NotTilted == nil) != m.Tilted || (m.NotDelta == nil) != (m.Tilt > 0) {
			t.Errorf("%s: witnesses %v, %v", c.policy, m.NotTilted, m.NotDelta)
		}
	}
}

func confirmWitness(t *testing.T, d *DispatchRule, m *PiMembership, w *Witness) {
	t.Helper()
	best := d.rank(w.Lengths, w.P).Best()
	if w == m.NotTilted && best.Tilted() || w == m.NotDelta && best.Tilt() > slip {
		t.Errorf("%v: %v is no witness: best %v, δ %g", d.Policy, w, best.P, best.Tilt())
	}
}

// TestEquivalentToTilted: the quick test of the thresholds against the search for
// the best equivalent.
func TestEquivalentToTilted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rates := rapid.SliceOfN(rapid.Float64Range(.1, 3), 4, 4).Draw(t, "rates")
		d := rule(t, "jsq", rates...)
		q := rapid.SliceOfN(rapid.Int64Range(0, 3), 4, 4).Draw(t, "lengths")
		p := rapid.SliceOfN(rapid.Float64Range(.01, 1), 4, 4).Draw(t, "weights")
		total := sumOf(p)
		for n := range p {
			p[n] /= total
		}
		if got, want := d.equivalentToTilted(q, p), d.rank(q, p).Best().Tilted(); got != want {
			t.Fatalf("%v on %v at rates %v: %v, by the best equivalent %v", p, q, rates, got, want)
		}
	})
}

// TestStatesVisited: every multiset within a pool once.
func TestStatesVisited(t *testing.T) {
	d := rule(t, "jsq", 1, 2, 1, 2, 1)
	seen := map[[5]int64]bool{}
	groups := d.exchangeable()
	lengths := make([]int64, 5)
	if err := visitStates(lengths, groups, 3, func() error { seen[[5]int64(lengths)] = true; return nil }); err != nil {
		t.Fatal(err)
	}
	// C(3+3, 3) C(2+3, 3) = 20·10
	if len(seen) != 200 || stateCount(groups, 3) != 200 {
		t.Errorf("%d states, counted %g", len(seen), stateCount(groups, 3))
	}
	for s := range seen {
		if !slices.IsSorted([]int64{s[0], s[2], s[4]}) || s[1] > s[3] {
			t.Errorf("%v", s)
		}
	}
}

// TestDriftIdentity: λ_Σ⟨Q_σ, Δ⟩ - (ε/μ_Σ)⟨Q, μ⟩ is the mean of ⟨Q, A - S⟩ added
// up server by server.
func TestDriftIdentity(t *testing.T) {
	policies := []string{"jsq", "sq:d=2", "jiq", "random", "weighted", "sed", "jbtg:d=1,T=5"}
	rapid.Check(t, func(t *rapid.T) {
		rates := rapid.SliceOfN(rapid.Float64Range(.1, 3), 3, 3).Draw(t, "rates")
		d := rule(t, rapid.SampledFrom(policies).Draw(t, "policy"), rates...)
		q := rapid.SliceOfN(rapid.Int64Range(0, 5), 3, 3).Draw(t, "lengths")
		p := d.At(q, rapid.Int64Range(0, 5).Draw(t, "threshold"))
		want := 0.0
		for n := range q {
			want += float64(q[n]) * (d.Model.ArrivalRate()*p[n] - rates[n])
		}
		s := d.Inspect(q, p)
		if math.Abs(s.Drift-want) > 1e-11 {
			t.Fatalf("drift %g, want %g", s.Drift, want)
		}
		if s.DriftBound < s.Drift-1e-11 {
			t.Fatalf("bound %g below the drift %g", s.DriftBound, s.Drift)
		}
	})
}

func TestDispatchRuleRefusals(t *testing.T) {
	var field *ctmc.FieldError
	for policy, m := range map[string]slotted.Model{
		"sq:d=2,m=1":   {Rates: unitRates(3), Load: .5},
		"jbt:d=1,T=10": {Rates: unitRates(3), Load: .5, Dispatchers: 2},
		"sq:d=4":       {Rates: unitRates(3), Load: .5},
	} {
		if _, err := NewDispatchRule(&m, parsed(t, policy)); !errors.As(err, &field) {
			t.Errorf("%s: %v", policy, err)
		}
	}
	if _, err := rule(t, "jsq", 1).Member(context.Background(), 0); !errors.As(err, &field) || field.Field != "servers" {
		t.Errorf("one server: %v", err)
	}
	var large *ctmc.TooLargeError
	if _, err := rule(t, "jsq", unitRates(50)...).Member(context.Background(), 40); !errors.As(err, &large) {
		t.Errorf("50 servers, 40 levels: %v", err)
	}
}
