package meanfield

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"qlimit/coxian"
	"qlimit/ctmc"
)

// TestDriftConservesMass: the components of the drift add up to 0 and the
// jobs change by the accepted arrivals less the completions, for every policy
// at any state, with empty levels among them.
func TestDriftConservesMass(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sys := ctmc.System{Load: rapid.Float64Range(.1, 3).Draw(t, "load"), Buffer: rapid.IntRange(1, 6).Draw(t, "buffer"),
			Service: rapid.SampledFrom([]coxian.Dist{exponential, erlang2, scv2, scv10}).Draw(t, "law"), Policy: drawPolicy(t)}
		d, err := NewDynamics(sys, 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		q := drawState(t, d.Shape)
		emptied := 0.0
		for level := range rapid.IntRange(0, sys.Buffer).Draw(t, "empty levels") {
			first := d.Class(level, 1)
			for c := first; c < d.Class(level+1, 1); c++ {
				emptied += q[c]
				q[c] = 0
			}
		}
		q[len(q)-1] += emptied
		drift := make([]float64, len(q))
		d.Drift(q, drift)
		total, jobs, completions := 0.0, 0.0, 0.0
		routed := 0.0
		for c, v := range drift {
			level := (c + d.Phases - 1) / d.Phases
			total += v
			jobs += float64(level) * v
			routed += d.route[c]
			if level == d.Levels {
				routed -= d.route[c]
			}
			if level > 0 {
				if d.Phases == 1 || (c-1)%2 == 0 {
					completions += d.law.leave * q[c]
				} else {
					completions += d.law.mu2 * q[c]
				}
			}
		}
		if math.Abs(total) > 1e-13*(1+sys.Load) {
			t.Errorf("%v: mass changes at %g", sys, total)
		}
		if math.Abs(jobs-(sys.Load*routed-completions)) > 1e-12*(1+sys.Load)*float64(sys.Buffer) {
			t.Errorf("%v: jobs change at %.15g, want %.15g", sys, jobs, sys.Load*routed-completions)
		}
	})
}

// TestDriftIsChainLimit: the drift of the finite chain, N times the generator
// applied to the class counts over N, tends to the fluid drift; without
// replacement its error halves when N doubles.
func TestDriftIsChainLimit(t *testing.T) {
	for _, c := range []struct {
		policy ctmc.Policy
		exact  bool // no error at any N
	}{
		{ctmc.PowerOfD(2, false), false}, {ctmc.PowerOfD(3, false), false}, {ctmc.PowerOfD(3, true), true},
		{ctmc.Random(), true}, {ctmc.JSQ(), true}, {ctmc.JIQ(), true},
	} {
		for _, law := range []coxian.Dist{exponential, scv2} {
			var errors []float64
			for _, servers := range []int64{40, 80, 160} {
				sys := ctmc.System{Servers: servers, Load: .9, Buffer: 2, Service: law, Policy: c.policy}
				errors = append(errors, chainDriftError(t, sys))
			}
			for k := 1; k < len(errors); k++ {
				ratio := errors[k-1] / errors[k]
				if c.exact && errors[k] > 1e-13 || !c.exact && math.Abs(ratio-2) > 0.1 {
					t.Errorf("%v %v: errors %g", c.policy, law, errors)
				}
			}
		}
	}
}

func chainDriftError(t *testing.T, sys ctmc.System) float64 {
	t.Helper()
	chain, err := sys.Chain()
	if err != nil {
		t.Fatal(err)
	}
	d, err := NewDynamics(sys, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	// A state whose fractions are multiples of 1/40.
	counts, q := make([]int64, chain.Classes()), make(State, chain.Classes())
	shares := []int64{4, 6, 8, 12, 10}
	if chain.Phases == 1 {
		shares = []int64{4, 14, 22}
	}
	for i, share := range shares {
		counts[i] = share * sys.Servers / 40
		q[i] = float64(share) / 40
	}
	drift := make([]float64, len(q))
	d.Drift(q, drift)
	largest := 0.0
	for i := range q {
		exact := ctmc.ApplyGenerator(chain, func(state []int64) float64 { return float64(state[i]) / float64(sys.Servers) }, counts)
		largest = math.Max(largest, math.Abs(exact-drift[i]))
	}
	return largest
}

// TestDriftDoesNotAllocate: the drift is evaluated in hot loops.
func TestDriftDoesNotAllocate(t *testing.T) {
	for _, policy := range []ctmc.Policy{ctmc.PowerOfD(2, false), ctmc.PowerOfD(40, false), ctmc.JIQ()} {
		d, err := NewDynamics(ctmc.System{Load: .9, Buffer: 8, Service: scv2, Policy: policy}, 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		q, drift := d.Uniform(2, 1), make([]float64, d.Classes())
		if n := testing.AllocsPerRun(10, func() { d.Drift(q, drift) }); n != 0 {
			t.Errorf("%v: %g allocations", policy, n)
		}
	}
}
