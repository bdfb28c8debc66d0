package meanfield

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"qlimit/coxian"
	"qlimit/ctmc"
	"qlimit/meanfield/ode"
)

// pathEnd follows a path to one time.
func pathEnd(t *testing.T, sys ctmc.System, start State, time float64) *Path {
	t.Helper()
	p, err := Trajectory(context.Background(), sys, start, []float64{time}, ode.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	if p.Status != ode.Done {
		t.Fatalf("%v: %v, %v", sys, p.Status, p.Warnings)
	}
	return p
}

type slidingCase struct {
	trajectoryCase
	Changes []float64 `json:"regime_changes"`
}

// slidingCases are all the cases of the reference file.
func slidingCases(t testing.TB) []slidingCase {
	t.Helper()
	var file struct{ Cases []slidingCase }
	readJSON(t, "testdata/meanfield_trajectory.json", &file)
	if len(file.Cases) != 16 {
		t.Fatalf("%d cases", len(file.Cases))
	}
	return file.Cases
}

func (c slidingCase) system() ctmc.System {
	sys := c.trajectoryCase.system()
	switch c.Policy {
	case "jsq":
		sys.Policy = ctmc.JSQ()
	case "jiq":
		sys.Policy = ctmc.JIQ()
	case "i1f":
		sys.Policy = ctmc.I1F()
	}
	return sys
}

// TestReferencePaths holds all paths of the reference file, accurate to 1e-9,
// and their regime changes, for three methods and two tolerances.
func TestReferencePaths(t *testing.T) {
	for _, c := range slidingCases(t) {
		for _, settings := range []ode.Settings{
			{}, {Method: ode.DormandPrince5}, {Method: ode.RadauIIA5},
			{Method: ode.DormandPrince5, RelTol: 1e-12, AbsTol: 1e-14}, {Method: ode.RadauIIA5, RelTol: 1e-12, AbsTol: 1e-14},
		} {
			sys := c.system()
			p, err := Trajectory(context.Background(), sys, c.start(Shape{Levels: sys.Buffer, Phases: sys.Phases()}), c.T, settings)
			if err != nil {
				t.Fatal(err)
			}
			if p.Status != ode.Done || len(p.States) != len(c.T) || p.Levels != sys.Buffer || p.MassError > 1e-14 || p.MostNegative < -1e-13 {
				t.Fatalf("%v: %v, mass error %g, negative %g", sys, p.Status, p.MassError, p.MostNegative)
			}
			for k, q := range p.States {
				c.compare(t, k, p.Shape, q, 1e-9)
				if p.Idle[k] != q[0] || p.ByJobs[k][2] != p.Mass(q, 2) || p.Jobs[k] != p.Shape.Jobs(q) {
					t.Errorf("%v: summaries %v %v", sys, p.Idle[k], p.ByJobs[k])
				}
			}
			if len(p.RegimeChanges) != len(c.Changes) {
				t.Errorf("%v from %s: changes %v, want at %v", sys, c.Start, p.RegimeChanges, c.Changes)
				continue
			}
			for k, change := range p.RegimeChanges {
				if math.Abs(change.Time-c.Changes[k]) > 1e-9 {
					t.Errorf("%v from %s: change at %.12g, want %.12g", sys, c.Start, change.Time, c.Changes[k])
				}
			}
		}
	}
}

// TestJSQPathByHand: exponential, load .9, all servers with two jobs. Level 1
// fills at once, q_1 = (1-λ)t, until q_1 = λ at t = 9; then q_2 decays and
// dq_0 = q_1 - λ, so that with τ = t-9, δ = .1 e^-τ: q_2 = δ, q_1 + q_0 = 1-δ,
// q_0 = .1 - .1 (1+τ) e^-τ.
func TestJSQPathByHand(t *testing.T) {
	sys := ctmc.System{Load: .9, Service: exponential, Policy: ctmc.JSQ()}
	times := []float64{.5, 4, 9, 9.5, 12, 30}
	for _, method := range []ode.Method{ode.Tsitouras5, ode.RadauIIA5} {
		p, err := Trajectory(context.Background(), sys, State{0, 0, 1}, times, ode.Settings{Method: method})
		if err != nil {
			t.Fatal(err)
		}
		for k, time := range times {
			tau := math.Max(0, time-9)
			idle := .1 - .1*(1+tau)*math.Exp(-tau)
			two := 1 - .1*time
			if tau > 0 {
				two = .1 * math.Exp(-tau)
			}
			if math.Abs(p.Idle[k]-idle) > 1e-11 || math.Abs(p.ByJobs[k][2]-two) > 1e-11 {
				t.Errorf("at %g: idle %.14g, want %.14g; two %.14g, want %.14g", time, p.Idle[k], idle, p.ByJobs[k][2], two)
			}
		}
		want := RegimeChange{9, Regime{1, 1}, Regime{0, 0}}
		if p.Begin != want.From || len(p.RegimeChanges) != 1 || p.RegimeChanges[0].From != want.From || p.RegimeChanges[0].To != want.To {
			t.Fatalf("begins as %v, changes %v", p.Begin, p.RegimeChanges)
		}
		if math.Abs(p.RegimeChanges[0].Time-9) > 1e-11 {
			t.Errorf("change at %.14g", p.RegimeChanges[0].Time)
		}
	}
}

// TestOverloadByHand: exponential, load 2, from empty, unlimited buffer. Idle
// servers are gone at log 2 (dq_0 = -1 - q_0); from then on all servers
// complete jobs at rate 1. JSQ fills level after level: level k is gone at
// log 2 + k, since levels k and k+1 share the servers.
func TestOverloadByHand(t *testing.T) {
	for _, policy := range []ctmc.Policy{ctmc.JSQ(), ctmc.JIQ(), ctmc.I1F(), ctmc.JIQ().WithFallback(ctmc.Sampling{Choices: 2})} {
		p := pathEnd(t, ctmc.System{Load: 2, Service: exponential, Policy: policy}, State{1}, 12.25)
		if want := 1 + 12.25 - math.Ln2; math.Abs(p.Jobs[0]-want) > 1e-9 || p.NeglectedMass > truncationLoss || p.Lost != 0 {
			t.Errorf("%v: %.12g jobs, want %.12g, neglected %g", policy, p.Jobs[0], want, p.NeglectedMass)
		}
		for k, change := range p.RegimeChanges {
			if math.Abs(change.Time-math.Ln2-float64(k)) > 1e-10 || change.To.Sliding != k+1 {
				t.Errorf("%v: change %d: %+v", policy, k, change)
			}
		}
		if want := min(policy.Depth, 12); len(p.RegimeChanges) != want {
			t.Errorf("%v: %d changes, want %d", policy, len(p.RegimeChanges), want)
		}
	}
}

// TestBalancedLoad: at load 1 JSQ keeps the jobs per server, wherever between
// two levels; a tie of the inflow with the arrivals is no reason to stall.
func TestBalancedLoad(t *testing.T) {
	for _, law := range []coxian.Dist{exponential, erlang2, scv2} {
		phase2 := newUnitLaw(law).phase2
		if law.Phases() == 1 {
			phase2 = 0
		}
		for _, upper := range []float64{0, 1e-9, .3, 1} {
			d := &Dynamics{Shape: Shape{Levels: 4, Phases: law.Phases()}}
			q := make(State, d.Classes())
			for level, share := range map[int]float64{2: 1 - upper, 3: upper} {
				q[d.Class(level, 1)] += share * (1 - phase2)
				if law.Phases() == 2 {
					q[d.Class(level, 2)] += share * phase2
				}
			}
			p := pathEnd(t, ctmc.System{Load: 1, Buffer: 4, Service: law, Policy: ctmc.JSQ()}, q, 500)
			if want := 2 + upper; math.Abs(p.Jobs[0]-want) > 1e-8 {
				t.Errorf("%v: %.12g jobs, want %.12g; changes %v", law, p.Jobs[0], want, p.RegimeChanges)
			}
		}
	}
}

// TestCriticalJIQ: JIQ at load 1, exponential. With ρ = s_2 the levels are
// geometric with ratio ρ, q_i = (1-ρ) ρ^(i-1), up to the loss ρ q_b of the
// jobs at the buffer: dρ/dt = -ρ^b to leading order, so that
// ρ ~ ((b-1) t)^(-1/(b-1)).
func TestCriticalJIQ(t *testing.T) {
	sys := ctmc.System{Load: 1, Buffer: 4, Service: exponential, Policy: ctmc.JIQ()}
	p := pathEnd(t, sys, State{0, 0, 1}, 1e6)
	if got, want := 1-p.ByJobs[0][1], math.Pow(3e6, -1./3); !closeTo(got, want, .02) {
		t.Errorf("s_2 = %g, want about %g", got, want)
	}
}

// TestLongPath: a path to time 10,000 ends in the equilibrium, at a bounded
// cost.
func TestLongPath(t *testing.T) {
	for _, sys := range restSystems() {
		if sys.Load == 1 {
			continue
		}
		p := pathEnd(t, sys, ScanStarts(sys, 4, 12, 5)[11], 1e4)
		f := solve(t, sys)
		if math.Abs(p.Jobs[0]-f.MeanJobs) > 1e-8*f.MeanJobs || math.Abs(p.Idle[0]-(1-f.Tail[0])) > 1e-9 {
			t.Errorf("%v: %.14g jobs, equilibrium %.14g", sys, p.Jobs[0], f.MeanJobs)
		}
		if p.Stats.Accepted+p.Stats.Rejected > 20000 || p.MassError > 1e-13 {
			t.Errorf("%v: %+v, mass error %g", sys, p.Stats, p.MassError)
		}
		if rate := p.Lost / 1e4; math.Abs(rate-sys.Load*f.BlockProb) > 1e-2 {
			t.Errorf("%v: %g jobs lost per time, want %g", sys, rate, sys.Load*f.BlockProb)
		}
	}
}

// TestRest: a path at rest is the equilibrium by algebra at any later time, at
// the cost of the way there; jobs go on being lost at the rate of the algebra.
func TestRest(t *testing.T) {
	for _, sys := range restSystems() {
		if sys.Load == 1 || sys.Policy.Name == "random" {
			continue
		}
		p, err := Trajectory(context.Background(), sys, State{1}, []float64{1, 1e6, 1e250}, ode.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		f := solve(t, sys)
		if !p.AtRest || !(p.Rest < 1e250) || p.Reached != 1e250 || p.Status != ode.Done || p.Stats.Accepted > 5000 {
			t.Errorf("%v: rest %v at %g, reached %g, %v, %d steps", sys, p.AtRest, p.Rest, p.Reached, p.Status, p.Stats.Accepted)
			continue
		}
		shape := p.Shape
		shape.Levels = max(shape.Levels, len(f.Tail))
		for k, q := range f.State(shape)[:p.Classes()] {
			if math.Abs(p.States[2][k]-q) > 1e-11 || math.Abs(p.States[1][k]-q) > 1e-9 {
				t.Errorf("%v: class %d: %g and %g, equilibrium %g", sys, k, p.States[1][k], p.States[2][k], q)
			}
		}
		if lost := p.Lost * sys.Service.Mean() / 1e250; sys.Load > 1 && !closeTo(lost, sys.Load*f.BlockProb, 1e-9) {
			t.Errorf("%v: lost %g per time, want %g", sys, lost, sys.Load*f.BlockProb)
		}
	}
}

// TestNoFalseRest: where the equilibrium is reached as a power of time, or is
// one of a continuum, the path goes on.
func TestNoFalseRest(t *testing.T) {
	for _, policy := range []ctmc.Policy{ctmc.JIQ(), ctmc.JSQ()} {
		p := pathEnd(t, ctmc.System{Load: 1, Buffer: 4, Service: exponential, Policy: policy}, State{0, 0, 1}, 1e6)
		if p.AtRest {
			t.Errorf("%v rests at %g", policy, p.Rest)
		}
	}
}

// TestForeseenOverload: queues that must outgrow the levels are refused at
// once, and the time named is the one at which they would.
func TestForeseenOverload(t *testing.T) {
	var large *ctmc.TooLargeError
	sys := ctmc.System{Load: 2, Service: exponential, Policy: ctmc.PowerOfD(2, false)}
	_, err := Trajectory(context.Background(), sys, State{1}, []float64{1e6}, ode.Settings{})
	if !errors.As(err, &large) || large.Limit != maxPathLevels || !strings.Contains(err.Error(), "1.639e+04") {
		t.Errorf("%v", err)
	}
}

// TestDust: fractions far below rounding at levels that are about to empty
// change nothing.
func TestDust(t *testing.T) {
	sys := ctmc.System{Load: .9, Service: erlang2, Policy: ctmc.JSQ()}
	clean := pathEnd(t, sys, State{0, 0, 0, 1, 0}, 5)
	for _, dust := range []float64{1e-14, 1e-17, 1e-200, 5e-324} {
		for _, q := range []State{{dust, 0, 0, 1, 0}, {0, 0, dust, 1, 0}, {dust, dust, dust, 1, dust}} {
			p := pathEnd(t, sys, q, 5)
			if math.Abs(p.Jobs[0]-clean.Jobs[0]) > 1e-11 || p.MostNegative < -1e-13 {
				t.Errorf("from %v: %.14g jobs, want %.14g", q, p.Jobs[0], clean.Jobs[0])
			}
			last := p.RegimeChanges[len(p.RegimeChanges)-1]
			if math.Abs(last.Time-clean.RegimeChanges[0].Time) > 1e-9 {
				t.Errorf("from %v: changes %v, want %v", q, p.RegimeChanges, clean.RegimeChanges)
			}
		}
	}
}

// TestHugeBuffer: what is not used costs nothing.
func TestHugeBuffer(t *testing.T) {
	sys := ctmc.System{Load: .9, Buffer: 1 << 40, Service: erlang2, Policy: ctmc.JSQ()}
	unlimited := sys
	unlimited.Buffer = ctmc.Unlimited
	if a, b := pathEnd(t, sys, State{0, 0, 0, 1, 0}, 5), pathEnd(t, unlimited, State{0, 0, 0, 1, 0}, 5); a.Jobs[0] != b.Jobs[0] || a.Levels > 5 {
		t.Errorf("%g jobs, %g without a limit, %d levels", a.Jobs[0], b.Jobs[0], a.Levels)
	}
	if _, err := ParseStart("jobs=1000000000", sys); err == nil {
		t.Error("a start at level 1e9 was accepted")
	}
}

// TestTimesOfAPath: time 0, repeated times and no times.
func TestTimesOfAPath(t *testing.T) {
	sys := ctmc.System{Load: .9, Service: scv2, Policy: ctmc.JSQ()}
	p, err := Trajectory(context.Background(), sys, State{0, 0, 0, 1, 0}, []float64{0, 0, 1, 1}, ode.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Jobs) != 4 || p.Jobs[0] != 2 || p.Jobs[1] != 2 || p.Jobs[2] != p.Jobs[3] {
		t.Errorf("jobs %v", p.Jobs)
	}
	for _, times := range [][]float64{nil, {0}} {
		if p, err = Trajectory(context.Background(), sys, State{1}, times, ode.Settings{}); err != nil || len(p.Jobs) != len(times) || p.Status != ode.Done {
			t.Errorf("times %v: %+v, %v", times, p, err)
		}
	}
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Trajectory(cancelled, sys, State{1}, []float64{1}, ode.Settings{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if p, err = Trajectory(context.Background(), sys, State{0, 1, 0}, []float64{1, 100}, ode.Settings{MaxSteps: 20}); err != nil || p.Status != ode.MaxSteps || len(p.Warnings) == 0 || len(p.Times) != len(p.States) {
		t.Errorf("few steps: %+v, %v", p, err)
	}
}

// TestTimeUnitOfAPath: a law five times slower stretches times and nothing
// else.
func TestTimeUnitOfAPath(t *testing.T) {
	slow, err := erlang2.Scale(5)
	if err != nil {
		t.Fatal(err)
	}
	start := State{0, 0, 0, 1, 0}
	fast := pathEnd(t, ctmc.System{Load: .9, Service: erlang2, Policy: ctmc.JSQ()}, start, 13)
	slowed := pathEnd(t, ctmc.System{Load: .9, Service: slow, Policy: ctmc.JSQ()}, start, 65)
	if math.Abs(fast.Jobs[0]-slowed.Jobs[0]) > 1e-12 || len(slowed.RegimeChanges) != 2 ||
		math.Abs(slowed.RegimeChanges[1].Time-5*fast.RegimeChanges[1].Time) > 1e-9 {
		t.Errorf("%v at %v, %v at %v", fast.Jobs, fast.RegimeChanges, slowed.Jobs, slowed.RegimeChanges)
	}
}

// TestRandomJourneys is the randomised search.
func TestRandomJourneys(t *testing.T) { search(t, 0, 300) }

// BenchmarkTrajectory is the path of the reference file with two regime
// changes, to 1e-8, and others.
func BenchmarkTrajectory(b *testing.B) {
	for _, c := range slidingCases(b) {
		if c.Start == "mixed" {
			continue
		}
		sys := c.system()
		start := c.start(Shape{Levels: sys.Buffer, Phases: sys.Phases()})
		b.Run(c.Policy+" "+sys.Service.String()+" "+c.Start, func(b *testing.B) {
			var p *Path
			for b.Loop() {
				p, _ = Trajectory(context.Background(), sys, start, c.T, ode.Settings{})
			}
			b.ReportMetric(float64(p.Stats.Accepted), "steps")
		})
	}
}
