package meanfield

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"qlimit/coxian"
	"qlimit/ctmc"
)

var (
	exponential = coxian.Dist{Mu1: 1, P: 0, Mu2: 1}
	erlang2     = coxian.Dist{Mu1: 2, P: 1, Mu2: 2}
	scv2        = coxian.Dist{Mu1: 2, P: .25, Mu2: .5}
	scv10       = coxian.Dist{Mu1: 2, P: .05, Mu2: .1}
	fast        = coxian.Dist{Mu1: 1.25, P: 1, Mu2: 5}
)

func solve(t *testing.T, sys ctmc.System) *Fixpoint {
	t.Helper()
	f, err := Equilibrium(sys)
	if err != nil {
		t.Fatalf("%v: %v", sys, err)
	}
	checkInvariants(t, sys, f)
	return f
}

// TestExponentialUnlimited: s_i = λ^((d^i - 1)/(d - 1)) down to 1e-300, also
// for Coxian triples that are the exponential law in disguise,
// (1-p)μ1 = μ2.
func TestExponentialUnlimited(t *testing.T) {
	laws := []coxian.Dist{exponential, {Mu1: 1, P: 0, Mu2: 1e-9}, {Mu1: 1, P: 0, Mu2: 1e9},
		{Mu1: 2, P: .5, Mu2: 1}, {Mu1: 8, P: .875, Mu2: 1}, {Mu1: 1.0625, P: 1 / 17.0, Mu2: 1}}
	for _, law := range laws {
		for _, d := range []int64{1, 2, 3, 5, 17, 50} {
			for _, load := range []float64{1e-6, .3, .5, .9, .99, .9999} {
				if d == 1 && load > .99 {
					continue
				}
				f := solve(t, ctmc.System{Load: load, Service: law, Policy: ctmc.PowerOfD(d, false)})
				power, exponent := 1.0, 1.0
				for i, s := range f.Tail {
					want := exponent * math.Log(load)
					// The exponent amplifies the rounding of λ and of its logarithm.
					if tolerance := 4e-16 * (exponent - want + 20); !closeTo(s, math.Exp(want), tolerance) {
						t.Errorf("%v d=%d λ=%g: s_%d = %g, want %g (relative %g)", law, d, load, i+1, s, math.Exp(want), s/math.Exp(want)-1)
						break
					}
					power *= float64(d)
					exponent += power
				}
				if next := exponent * math.Log(load); next > math.Log(1e-300)+1e-6 {
					t.Errorf("%v d=%d λ=%g: the tail ends at s_%d, the next is e^%g", law, d, load, f.Levels, next)
				}
			}
		}
	}
}

// TestLargeD: with d = 10^6 sampled servers s_2 = λ λ^d.
func TestLargeD(t *testing.T) {
	f := solve(t, ctmc.System{Load: .9, Service: scv2, Policy: ctmc.PowerOfD(1_000_000, true)})
	if f.Levels != 1 || f.Tail[0] != .9 || f.WaitProb != 0 {
		t.Errorf("load .9: %+v", f)
	}
	load := 1 - 1e-6
	f = solve(t, ctmc.System{Load: load, Service: exponential, Policy: ctmc.PowerOfD(1_000_000, true)})
	if want := math.Exp(1000001 * math.Log1p(-1e-6)); !closeTo(f.Tail[1], want, 1e-10) {
		t.Errorf("s_2 = %.15g, want %.15g", f.Tail[1], want)
	}
}

// TestPollaczekKhinchine: under random routing every server is an M/G/1 queue
// with mean ρ + ρ²(1+c²)/(2(1-ρ)) and P(wait) = ρ.
func TestPollaczekKhinchine(t *testing.T) {
	for _, law := range []coxian.Dist{exponential, erlang2, scv2, scv10, fast} {
		for _, load := range []float64{.01, .5, .9, .99, .9999} {
			f := solve(t, ctmc.System{Load: load, Service: law, Policy: ctmc.Random()})
			if want := load + load*load*(1+law.SCV())/(2*(1-load)); !closeTo(f.MeanJobs, want, 1e-10) || f.WaitProb != load {
				t.Errorf("%v load %g: %.15g, want %.15g (%s)", law, load, f.MeanJobs, want, f.Method)
			}
		}
	}
	for law, want := range map[coxian.Dist]float64{scv2: 13.05, scv10: 45.45} {
		if f := solve(t, ctmc.System{Load: .9, Service: law, Policy: ctmc.Random()}); !closeTo(f.MeanJobs, want, 1e-12) {
			t.Errorf("%v: %.15g, want %g", law, f.MeanJobs, want)
		}
	}
}

// TestCutTail: a tail longer than MaxLevels keeps its exact mean and says so.
func TestCutTail(t *testing.T) {
	sys := ctmc.System{Load: 1 - 1e-7, Service: scv10, Policy: ctmc.Random()}
	f, err := Equilibrium(sys)
	if err != nil {
		t.Fatal(err)
	}
	if want := pollaczekKhinchine(sys.Load, 10); !closeTo(f.MeanJobs, want, 1e-12) || len(f.Warnings) != 1 || f.Levels != MaxLevels {
		t.Errorf("%g, want %g: %v", f.MeanJobs, want, f.Warnings)
	}
}

// TestKnownValues are values found with other methods and software.
func TestKnownValues(t *testing.T) {
	for _, c := range []struct {
		load float64
		law  coxian.Dist
		d    int64
		want float64
		tol  float64
	}{
		{.9, scv10, 2, 6.3074, 5e-5},
		{.95, scv10, 2, 9.135512694784, 1e-12},
		{.9, exponential, 2, 2.3527, 5e-5},
		{.95, exponential, 2, 3.2139, 5e-5},
		{.9, exponential, 3, 1.8251, 5e-5},
		{.95, exponential, 4, 2.0771, 5e-5},
	} {
		f := solve(t, ctmc.System{Load: c.load, Service: c.law, Policy: ctmc.PowerOfD(c.d, false)})
		if math.Abs(f.MeanJobs-c.want) > c.tol {
			t.Errorf("%v d=%d load %g: %.13g, want %g", c.law, c.d, c.load, f.MeanJobs, c.want)
		}
	}
}

// TestTwoMomentsAreNotEnough: hyperexponential service of scv 10 with balanced
// means, p1/ν1 = p2/ν2, has another mean than the fit of the same two moments.
func TestTwoMomentsAreNotEnough(t *testing.T) {
	a := (1 + math.Sqrt(9.0/11)) / 2
	law, err := coxian.FromHyperexponential(a, 2*a, 2*(1-a))
	if err != nil {
		t.Fatal(err)
	}
	f := solve(t, ctmc.System{Load: .9, Service: law, Policy: ctmc.PowerOfD(2, false)})
	if math.Abs(law.SCV()-10) > 1e-12 || math.Abs(f.MeanJobs-6.0762) > 5e-5 {
		t.Errorf("scv %g, %.6g jobs, want 6.0762", law.SCV(), f.MeanJobs)
	}
}

// TestNearlyExponential: laws with an scv a hair from 1 give the exponential
// answers within 1e-5.
func TestNearlyExponential(t *testing.T) {
	for _, policy := range []ctmc.Policy{ctmc.PowerOfD(1, false), ctmc.PowerOfD(2, false), ctmc.PowerOfD(20, false), ctmc.JIQ()} {
		for _, shape := range []struct {
			load   float64
			buffer int
		}{{.9, 0}, {.99, 50}, {1, 30}, {1.3, 8}, {20, 3}} {
			sys := ctmc.System{Load: shape.load, Buffer: shape.buffer, Policy: policy, Service: exponential}
			want := solve(t, sys)
			for _, hair := range []float64{1e-6, -1e-6, 1e-9, -1e-9, 1e-13, -1e-13, 2.3e-16} {
				law, err := coxian.FitMeanSCV(1, 1+hair)
				if err != nil {
					t.Fatal(err)
				}
				sys.Service = law
				if got := solve(t, sys); !closeTo(got.MeanJobs, want.MeanJobs, 1e-5) || math.Abs(got.BlockProb-want.BlockProb) > 1e-5 {
					t.Errorf("%v: %.12g, exponential %.12g", sys, got.MeanJobs, want.MeanJobs)
				}
			}
		}
	}
}

// TestSlowSecondPhase: jobs that all but never enter a very slow phase 2.
func TestSlowSecondPhase(t *testing.T) {
	for _, mu2 := range []float64{1e-3, 1e-6, 1e-9} {
		law := coxian.Dist{Mu1: 1, P: mu2 * 1e-9, Mu2: mu2}
		f := solve(t, ctmc.System{Load: .9, Buffer: 40, Service: law, Policy: ctmc.PowerOfD(2, false)})
		if want := 2.3526516395914885; !closeTo(f.MeanJobs, want, 1e-6) {
			t.Errorf("μ2 = %g: %.12g, want %.12g", mu2, f.MeanJobs, want)
		}
	}
}

// TestFiniteBufferSingleQueue: random routing with a finite buffer makes each
// server an M/M/1/b or M/Cox2/1/b queue: the exact chain with one server.
func TestFiniteBufferSingleQueue(t *testing.T) {
	for _, load := range []float64{1e-6, .3, .9, 1, 1.2, 5, 50} {
		for _, buffer := range []int{1, 2, 7, 60} {
			f := solve(t, ctmc.System{Load: load, Buffer: buffer, Service: exponential, Policy: ctmc.Random()})
			total, term := 0.0, 1.0
			terms := make([]float64, buffer+1)
			for i := range terms {
				terms[i] = term
				total += term
				term *= load
			}
			tail := 0.0
			for i := buffer; i >= 1; i-- {
				tail += terms[i] / total
				if i > f.Levels && tail < 1e-299 {
					continue
				}
				if !closeTo(f.Tail[i-1], tail, 1e-13) {
					t.Errorf("M/M/1/%d load %g: s_%d = %.16g, want %.16g", buffer, load, i, f.Tail[i-1], tail)
				}
			}
			for _, law := range []coxian.Dist{erlang2, scv2, scv10, fast} {
				sys := ctmc.System{Servers: 1, Load: load, Buffer: buffer, Service: law, Policy: ctmc.Random()}
				exact, err := ctmc.SolveStationary(context.Background(), sys, ctmc.SolverSettings{Method: ctmc.Elimination}, 0)
				if err != nil {
					t.Fatal(err)
				}
				f := solve(t, sys)
				for name, pair := range map[string][2]float64{"jobs": {f.MeanJobs, exact.MeanJobs}, "response": {f.MeanResponse, exact.MeanResponse},
					"block": {f.BlockProb, exact.BlockProb}, "wait": {f.WaitProb, exact.WaitProb}} {
					if !closeTo(pair[0], pair[1], 1e-11) && pair[1] > 1e-300 {
						t.Errorf("%v: %s = %.15g, want %.15g", sys, name, pair[0], pair[1])
					}
				}
				for i := range f.Tail {
					above := 0.0
					for j := buffer; j > i; j-- {
						above += exact.Occupancy[j]
					}
					if !closeTo(f.Tail[i], above, 1e-11) {
						t.Errorf("%v: s_%d = %.15g, want %.15g", sys, i+1, f.Tail[i], above)
					}
				}
			}
		}
	}
}

// TestFewLost: many choices make h(s_b) = s_b^d small at an s_b that is not;
// the fraction of lost jobs keeps its digits. The value solves
// λ h(λ (λ - x)^d - x) = x for the lost rate x, by mpmath with 40 digits.
func TestFewLost(t *testing.T) {
	f := solve(t, ctmc.System{Load: .99, Buffer: 2, Service: exponential, Policy: ctmc.PowerOfD(50, false)})
	if want := 7.4087717539425925e-12; !closeTo(f.BlockProb, want, 1e-13) {
		t.Errorf("P(block) = %.16g, want %.16g", f.BlockProb, want)
	}
	for _, law := range []coxian.Dist{scv2, erlang2, fast} {
		for _, d := range []int64{10, 50} {
			sys := ctmc.System{Load: .99, Buffer: 2, Service: law, Policy: ctmc.PowerOfD(d, false)}
			f := solve(t, sys)
			if want := math.Pow(f.Tail[1], float64(d)); !closeTo(f.BlockProb, want, 1e-13) {
				t.Errorf("%v: P(block) = %.16g, s_b^d = %.16g", sys, f.BlockProb, want)
			}
		}
	}
}

// TestExponentialFiniteBackward: for exponential service the backward map
// s_{i-1} = (s_i/λ + s_b^d)^(1/d) is stable above load 1; walked down from
// the equilibrium's s_b it must meet s_0 = 1.
func TestExponentialFiniteBackward(t *testing.T) {
	for _, load := range []float64{1.001, 1.2, 5, 50} {
		for _, d := range []float64{1, 2, 3, 20, 50} {
			for _, buffer := range []int{1, 5, 60, 2000} {
				sys := ctmc.System{Load: load, Buffer: buffer, Service: exponential, Policy: ctmc.PowerOfD(int64(d), false)}
				f := solve(t, sys)
				s := f.Tail[buffer-1]
				full := math.Pow(s, d)
				for i := buffer; i >= 1; i-- {
					if math.Abs(s-f.Tail[i-1]) > 1e-12 {
						t.Errorf("%v: s_%d = %.15g, backward %.15g", sys, i, f.Tail[i-1], s)
						return
					}
					s = math.Pow(s/load+full, 1/d)
				}
				if math.Abs(s-1) > 2e-12 {
					t.Errorf("%v: the backward map ends at s_0 = 1 - %g", sys, 1-s)
				}
			}
		}
	}
}

// TestCriticalFront: at load exactly 1 the blocked fraction s_b^d can be far
// below the smallest float64 and still places the front. The reference works
// with logarithms: 1 - s_i starts at s_b^d and grows by s -> s^d - s_b^d.
func TestCriticalFront(t *testing.T) {
	for _, d := range []float64{2, 3, 50} {
		f := solve(t, ctmc.System{Load: 1, Buffer: 2000, Service: exponential, Policy: ctmc.PowerOfD(int64(d), false)})
		// For small deficits 1 - s_i = u (d^i - 1)/(d - 1); find log u.
		low, high := -2000*math.Log(d)-100, 0.0
		mean := 0.0
		for range 200 {
			logU := (low + high) / 2
			var above bool
			above, mean = criticalFront(d, logU, 2000)
			if above {
				low = logU
			} else {
				high = logU
			}
		}
		if !closeTo(f.MeanJobs, mean, 1e-12) {
			t.Errorf("d=%g: %.15g, want %.15g", d, f.MeanJobs, mean)
		}
	}
}

// criticalFront returns whether s_b^d exceeds u = e^logU and Σ s_i.
func criticalFront(d, logU float64, buffer int) (above bool, mean float64) {
	logS := math.Inf(1) // log s_i once the deficit is no longer small
	deficit, s := 0.0, 1.0
	for i := 1; i <= buffer; i++ {
		switch {
		case !math.IsInf(logS, 1):
			logS *= d
			s = math.Exp(logS)
		case s < 1e-20:
			logS = d * math.Log(s)
			s = math.Exp(logS)
		default:
			if small := logU + float64(i)*math.Log(d) - math.Log(d-1); small < -60 {
				deficit = math.Exp(small)
			} else if deficit < 0.5 {
				deficit = -math.Expm1(d*math.Log1p(-deficit)) + math.Exp(logU)
				s = 1 - deficit
			} else {
				s = math.Pow(s, d) - math.Exp(logU)
			}
		}
		mean += s
	}
	if math.IsInf(logS, 1) {
		logS = math.Log(s)
	}
	return d*logS > logU, mean
}

// TestWithoutWaiting: below load 1 the policies with priority levels keep
// every job from waiting, for any buffer and fallback.
func TestWithoutWaiting(t *testing.T) {
	for _, text := range []string{"jsq", "jiq", "i1f", "jiq:fallback=pod:d=2", "i1f:fallback=pod:d=5"} {
		policy, err := ctmc.ParsePolicy(text)
		if err != nil {
			t.Fatal(err)
		}
		for _, buffer := range []int{0, 1, 2, 9} {
			for _, law := range []coxian.Dist{exponential, scv2, {Mu1: 4, P: .5, Mu2: 1}} {
				mean := law.Mean()
				f := solve(t, ctmc.System{Load: .8, Buffer: buffer, Service: law, Policy: policy})
				if f.MeanJobs != .8 || f.WaitProb != 0 || f.BlockProb != 0 || f.Levels != 1 ||
					!closeTo(f.MeanResponse, mean, 1e-15) || !closeTo(f.TailPhase2[0]+1, .8*law.P/law.Mu2/mean+1, 1e-15) {
					t.Errorf("%s b=%d %v: %+v", text, buffer, law, f)
				}
			}
		}
	}
}

// TestCriticalLoad: at load 1 JSQ and I1F have a continuum of equilibria
// unless the buffer is 1; JIQ has q_1 = 1; power-of-d has one.
func TestCriticalLoad(t *testing.T) {
	for _, c := range []struct {
		policy ctmc.Policy
		buffer int
		upTo   string // end of the continuum, "" when unique
	}{
		{ctmc.JSQ(), 1, ""}, {ctmc.JSQ(), 2, "[1, 2]"}, {ctmc.JSQ(), 10, "[1, 10]"},
		{ctmc.I1F(), 1, ""}, {ctmc.I1F(), 2, "[1, 2]"}, {ctmc.I1F(), 10, "[1, 2]"},
		{ctmc.JIQ(), 1, ""}, {ctmc.JIQ(), 2, ""}, {ctmc.JIQ(), 10, ""},
	} {
		sys := ctmc.System{Load: 1, Buffer: c.buffer, Service: scv2, Policy: c.policy}
		if c.upTo == "" {
			if f := solve(t, sys); f.MeanJobs != 1 || f.WaitProb != 0 || f.BlockProb != 0 || f.TailPhase2[0] != .5 {
				t.Errorf("%v: %+v", sys, f)
			}
			continue
		}
		_, err := Equilibrium(sys)
		var notUnique *ctmc.NotUniqueError
		if !errors.As(err, &notUnique) || !strings.Contains(err.Error(), c.upTo) {
			t.Errorf("%v: %v", sys, err)
		}
	}
	// Several states of the continuum are at rest.
	for _, upper := range []float64{0, .3, 1} {
		d, err := NewDynamics(ctmc.System{Load: 1, Buffer: 4, Service: scv2, Policy: ctmc.JSQ()}, 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		q := make(State, d.Classes())
		// Level 2 holds `upper`, level 1 the rest; the phase mixes differ:
		// level 1's arrivals come in phase 1 and some move up before phase 2.
		balanceTwoLevels(q, d, upper)
		drift := make([]float64, len(q))
		d.Drift(q, drift)
		for c, v := range drift {
			if math.Abs(v) > 1e-14 {
				t.Errorf("upper %g: drift of class %d is %g", upper, c, v)
			}
		}
	}
}

// balanceTwoLevels fills levels 1 and 2 so that both phases balance when
// level 0 slides and level 1 takes what is left: with y = q_{1,2} and
// r = e q_{1,1} + μ2 q_{1,2} absorbed at level 0, level 1 gets 1 - r, so
// pμ1 q_{1,1} = y (μ2 + (1-r)/q_1).
func balanceTwoLevels(q State, d *Dynamics, upper float64) {
	l, lower := d.law, 1-upper
	low, high := 0.0, lower
	for range 200 {
		y := (low + high) / 2
		r := l.leave*(lower-y) + l.mu2*y
		if lower > 0 && l.proceed*(lower-y) > y*(l.mu2+(1-r)/lower) {
			low = y
		} else {
			high = y
		}
	}
	q[1], q[2] = lower-low, low
	q[4] = l.phase2 - low
	q[3] = upper - q[4]
}

// TestFullBuffer: above load 1 JSQ, and any policy whose priority levels reach
// the buffer, holds b jobs at every server and accepts one job per service.
func TestFullBuffer(t *testing.T) {
	for _, c := range []struct {
		policy ctmc.Policy
		buffer int
		wait   float64
	}{{ctmc.JSQ(), 7, 1}, {ctmc.JSQ(), 1, 1 - 1/1.6}, {ctmc.I1F(), 2, 1}, {ctmc.I1F(), 1, 1 - 1/1.6}, {ctmc.JIQ(), 1, 1 - 1/1.6}} {
		f := solve(t, ctmc.System{Load: 1.6, Buffer: c.buffer, Service: scv10, Policy: c.policy})
		if f.MeanJobs != float64(c.buffer) || !closeTo(f.BlockProb, 1-1/1.6, 1e-15) || !closeTo(f.WaitProb, c.wait, 1e-15) ||
			!closeTo(f.MeanResponse, float64(c.buffer), 1e-14) || f.TailPhase2[c.buffer-1] != .5 {
			t.Errorf("%v b=%d: %+v", c.policy, c.buffer, f)
		}
	}
}

// TestOverloadedExponential: JIQ with exponential service and uniform fallback
// has q_1 = r and q_i = ν^(i-1) r with ν = λ - r.
func TestOverloadedExponential(t *testing.T) {
	for _, load := range []float64{1.0001, 1.2, 3} {
		for _, buffer := range []int{2, 3, 10} {
			f := solve(t, ctmc.System{Load: load, Buffer: buffer, Service: exponential, Policy: ctmc.JIQ()})
			r := f.Tail[0] - f.Tail[1]
			nu, total, q := load-r, 0.0, r
			for i := 1; i <= buffer; i++ {
				total += q
				above := 0.0
				if i < buffer {
					above = f.Tail[i]
				}
				if !closeTo(f.Tail[i-1]-above, q, 1e-10) {
					t.Errorf("load %g b=%d: q_%d = %.15g, want %.15g", load, buffer, i, f.Tail[i-1]-above, q)
				}
				q *= nu
			}
			if math.Abs(total-1) > 1e-11 || !closeTo(1-f.WaitProb, r/load, 1e-10) {
				t.Errorf("load %g b=%d: mass %.15g, no wait %.15g", load, buffer, total, 1-f.WaitProb)
			}
		}
	}
}

// TestOverloadByIntegration follows the sliding fluid of overloaded policies
// from two other states until it rests, by Runge-Kutta on the drift.
func TestOverloadByIntegration(t *testing.T) {
	for _, text := range []string{"jiq", "i1f", "jiq:fallback=pod:d=2", "i1f:fallback=pod:d=3"} {
		policy, err := ctmc.ParsePolicy(text)
		if err != nil {
			t.Fatal(err)
		}
		for _, law := range []coxian.Dist{exponential, erlang2, scv2} {
			sys := ctmc.System{Load: 1.4, Buffer: 4, Service: law, Policy: policy}
			f := solve(t, sys)
			d, err := NewDynamics(sys, 0, 1e-9)
			if err != nil {
				t.Fatal(err)
			}
			for _, level := range []int{2, 4} {
				q := d.Uniform(level, 1)
				rungeKutta(d, q, 120, 1.0/40)
				for c, want := range f.State(d.Shape) {
					if math.Abs(q[c]-want) > 1e-9 {
						t.Errorf("%v from level %d: class %d holds %.12g, equilibrium %.12g", sys, level, c, q[c], want)
					}
				}
			}
		}
	}
}

// TestRefusals: what has no equilibrium is refused by name.
func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		sys  ctmc.System
		part string
	}{
		{ctmc.System{Load: 1, Service: scv2, Policy: ctmc.PowerOfD(2, false)}, "load"},
		{ctmc.System{Load: 1.5, Service: scv2, Policy: ctmc.JSQ()}, "load"},
		{ctmc.System{Load: 0, Service: scv2, Policy: ctmc.JSQ()}, "load"},
		{ctmc.System{Load: math.NaN(), Service: scv2, Policy: ctmc.JSQ()}, "load"},
		{ctmc.System{Load: .5, Buffer: -1, Service: scv2, Policy: ctmc.JSQ()}, "buffer"},
		{ctmc.System{Load: .5, Buffer: MaxLevels + 1, Service: scv2, Policy: ctmc.JSQ()}, "buffer"},
		{ctmc.System{Load: .5, Service: scv2, Policy: ctmc.PowerOfD(0, false)}, "d"},
		{ctmc.System{Load: .5, Policy: ctmc.JSQ()}, "mu1"},
	} {
		if _, err := Equilibrium(c.sys); err == nil || !strings.Contains(err.Error(), c.part) {
			t.Errorf("%v: %v", c.sys, err)
		}
	}
}

// TestTimeUnit: a law of mean 3 gives the same means and three times the
// response; the number of servers plays no role.
func TestTimeUnit(t *testing.T) {
	slow, err := scv10.Scale(3)
	if err != nil {
		t.Fatal(err)
	}
	for _, policy := range []ctmc.Policy{ctmc.PowerOfD(2, false), ctmc.JSQ(), ctmc.JIQ()} {
		for _, load := range []float64{.7, 1.3} {
			sys := ctmc.System{Load: load, Buffer: 5, Service: scv10, Policy: policy}
			a := solve(t, sys)
			sys.Service, sys.Servers = slow, 3
			b := solve(t, sys)
			if !closeTo(b.MeanJobs, a.MeanJobs, 1e-13) || !closeTo(b.MeanResponse, 3*a.MeanResponse, 1e-13) || !closeTo(b.BlockProb+1, a.BlockProb+1, 1e-13) {
				t.Errorf("%v: %g %g and %g %g", sys, a.MeanJobs, a.MeanResponse, b.MeanJobs, b.MeanResponse)
			}
		}
	}
}

// wrapped hides a kernel's type, so that only the Kernel interface is left.
type wrapped struct{ ctmc.Kernel }

// TestGeneralKernel: the path for any kernel agrees with that for sampling.
func TestGeneralKernel(t *testing.T) {
	for _, d := range []int64{1, 2, 3, 20} {
		for _, c := range []struct {
			load   float64
			buffer int
			depth  int
		}{{.9, 0, 0}, {.99, 30, 0}, {1, 20, 0}, {1.3, 6, 0}, {1.3, 6, 1}, {3, 9, 2}} {
			for _, law := range []coxian.Dist{exponential, erlang2, scv10} {
				sys := ctmc.System{Load: c.load, Buffer: c.buffer, Service: law,
					Policy: ctmc.Policy{Name: fmt.Sprintf("depth %d", c.depth), Depth: c.depth, Fallback: ctmc.Sampling{Choices: d}}}
				want := solve(t, sys)
				sys.Policy.Fallback = wrapped{sys.Policy.Fallback}
				got := solve(t, sys)
				if !closeTo(got.MeanJobs, want.MeanJobs, 1e-10) || math.Abs(got.WaitProb-want.WaitProb) > 1e-10 {
					t.Errorf("%v d=%d: %.15g, want %.15g", sys, d, got.MeanJobs, want.MeanJobs)
				}
			}
		}
	}
}

// BenchmarkEquilibrium is the equilibrium of a Coxian-2 Po-2 system.
func BenchmarkEquilibrium(b *testing.B) {
	sys := ctmc.System{Load: .9, Service: scv10, Policy: ctmc.PowerOfD(2, false)}
	for b.Loop() {
		if _, err := Equilibrium(sys); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkEquilibriumOverload is a large buffer at load 1.2.
func BenchmarkEquilibriumOverload(b *testing.B) {
	sys := ctmc.System{Load: 1.2, Buffer: 1000, Service: scv10, Policy: ctmc.PowerOfD(3, false)}
	for b.Loop() {
		if _, err := Equilibrium(sys); err != nil {
			b.Fatal(err)
		}
	}
}
