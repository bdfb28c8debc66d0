package meanfield

import (
	"context"
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"qlimit/coxian"
	"qlimit/ctmc"
	"qlimit/meanfield/ode"
)

// drawPriority draws a system with priority levels and a state in which the
// levels below a drawn one are empty.
func drawPriority(t *rapid.T) (ctmc.System, State) {
	kernel := ctmc.Sampling{Choices: rapid.SampledFrom([]int64{1, 2, 3, 20}).Draw(t, "d")}
	sys := ctmc.System{Load: rapid.Float64Range(.1, 3).Draw(t, "load"), Buffer: rapid.IntRange(1, 6).Draw(t, "buffer"),
		Service: rapid.SampledFrom([]coxian.Dist{exponential, erlang2, scv2, scv10}).Draw(t, "law"),
		Policy:  ctmc.Policy{Name: "drawn", Depth: rapid.SampledFrom([]int{1, 2, 3, ctmc.AllLevels}).Draw(t, "depth"), Fallback: kernel}}
	shape := Shape{Levels: sys.Buffer, Phases: sys.Phases()}
	q := drawState(t, shape)
	emptied := 0.0
	for c := range shape.Class(rapid.IntRange(0, sys.Buffer).Draw(t, "lowest"), 1) {
		emptied += q[c]
		q[c] = 0
	}
	q[len(q)-1] += emptied
	return sys, q
}

// flowAt is the flow in which a path goes on from q.
func flowAt(t failer, sys ctmc.System, q State) (*follower, flow) {
	t.Helper()
	f, err := newFollower(sys, q, ode.Settings{})
	if err != nil {
		t.Errorf("%v", err)
	}
	f.end = 1
	regime, nascent := f.regimeAt(f.q, -1)
	f.note(regime)
	if err := f.begin(regime, nascent); err != nil {
		t.Errorf("%v", err)
	}
	return f, f.flow
}

// TestFlowIsTheDrift: in its own coordinates every flow moves as the drift of
// the class fractions, which package ctmc routes, says; and the regimes are
// those of the router.
func TestFlowIsTheDrift(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sys, q := drawPriority(t)
		d, err := NewDynamics(sys, 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		drift := make(State, d.Classes())
		want := d.Drift(q, drift)
		f, flow := flowAt(t, sys, q)
		if f.now != (Regime{want.Sliding, want.Receiver}) {
			t.Fatalf("%v: regime %+v, want %+v", sys, f.now, want)
		}
		p := flow.problem()
		y, slope := append([]float64(nil), f.in.State()...), make([]float64, p.Dim)
		p.F(0, y, slope)
		// Follow the slope for a short time, in both coordinates.
		const h = 1e-7
		for i := range y {
			y[i] += h * slope[i]
		}
		moved := make(State, f.shape.Classes())
		flow.leave(y, moved)
		for c, v := range drift {
			// A nascent level is nowhere near its own mix's time scale.
			if got := (moved[c] - q[c]) / h; math.Abs(got-v) > 1e-5 {
				t.Errorf("%v at %v, %T: class %d moves at %g, want %g", sys, q, flow, c, got, v)
			}
		}
	})
}

// TestFlowCoordinates: class fractions survive the way into the coordinates
// and back.
func TestFlowCoordinates(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sys, q := drawPriority(t)
		f, flow := flowAt(t, sys, q)
		y, back := make([]float64, flow.problem().Dim), make(State, f.shape.Classes())
		flow.enter(q[:f.shape.Classes()], y)
		flow.leave(y, back)
		for c := range back {
			if math.Abs(back[c]-q[c]) > 1e-15 {
				t.Errorf("%T: class %d is %g, was %g", flow, c, back[c], q[c])
			}
		}
	})
}

// TestFlowJacobians holds the analytic Jacobians against central differences.
func TestFlowJacobians(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sys, q := drawPriority(t)
		_, flow := flowAt(t, sys, q)
		p := flow.problem()
		if p.Jacobian == nil {
			return
		}
		y, up, down := make([]float64, p.Dim), make([]float64, p.Dim), make([]float64, p.Dim)
		flow.enter(q, y)
		jac := ode.NewMatrix(p.Dim, p.Structure)
		p.Jacobian(0, y, jac)
		const h = 1e-6
		for j := range y {
			at := y[j]
			y[j] = at + h
			p.F(0, y, up)
			y[j] = at - h
			p.F(0, y, down)
			y[j] = at
			for i := range y {
				want := (up[i] - down[i]) / (2 * h)
				if math.Abs(jac.At(i, j)-want) > 1e-4*(1+math.Abs(want)) {
					t.Errorf("%v, %T: entry (%d, %d) is %.10g, differences %.10g", sys, flow, i, j, jac.At(i, j), want)
				}
			}
		}
	})
}

// TestStartsInARegime: the regime at the start, with several empty levels, by
// hand. Classes (0), (1,1), (1,2), ..; law with (1-p)μ1 = 1.5 and μ2 = 0.5.
func TestStartsInARegime(t *testing.T) {
	for _, c := range []struct {
		policy ctmc.Policy
		load   float64
		start  string
		want   Regime
	}{
		{ctmc.JSQ(), .9, "empty", Regime{0, 0}},
		{ctmc.JSQ(), .9, "jobs=1", Regime{0, 0}}, // completes 1.5 > .9
		{ctmc.JSQ(), .9, "jobs=1,phase=2", Regime{1, 1}},
		{ctmc.JSQ(), .9, "jobs=3", Regime{2, 2}},
		{ctmc.JSQ(), 1.6, "jobs=3", Regime{3, 3}},
		{ctmc.JSQ(), .9, "2.2:.5,3.1:.5", Regime{2, 2}},
		{ctmc.JIQ(), .9, "jobs=5", Regime{1, ctmc.FallbackReceiver}},
		{ctmc.I1F(), .9, "jobs=2", Regime{1, 1}},
		{ctmc.I1F(), .9, "jobs=3", Regime{2, ctmc.FallbackReceiver}},
		{ctmc.PowerOfD(2, false), .9, "jobs=3", Regime{}},
	} {
		sys := ctmc.System{Load: c.load, Buffer: 6, Service: scv2, Policy: c.policy}
		start, err := ParseStart(c.start, sys)
		if err != nil {
			t.Fatal(err)
		}
		if p := pathEnd(t, sys, start, .001); p.Begin != c.want || len(p.RegimeChanges) != 0 {
			t.Errorf("%v from %s: %+v, want %+v; changes %v", c.policy, c.start, p.Begin, c.want, p.RegimeChanges)
		}
	}
}

// TestRegimeInWords.
func TestRegimeInWords(t *testing.T) {
	for want, r := range map[string]Regime{
		"level 0 takes the arrivals":                        {0, 0},
		"level 0 slides, level 1 takes the arrivals":        {1, 1},
		"levels 0-2 slide, level 3 takes the arrivals":      {3, 3},
		"level 0 slides, the fallback takes the arrivals":   {1, ctmc.FallbackReceiver},
		"levels 0-1 slide, the fallback takes the arrivals": {2, ctmc.FallbackReceiver},
	} {
		if got := fmt.Sprint(r); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestSlidingIsALimit: Filippov's solution is the limit of routing without
// jumps, where a priority level in which the fraction q_i of the servers is
// takes the part q_i/(q_i + ε) of the arrivals that reach it; that path is
// integrated with no notion of a regime. The distance falls about as ε, or as
// its square root where a level fills from a balance of inflow and arrivals.
func TestSlidingIsALimit(t *testing.T) {
	po2 := ctmc.Sampling{Choices: 2}
	for _, c := range []struct {
		sys   ctmc.System
		start string
	}{
		{ctmc.System{Load: .9, Buffer: 5, Service: erlang2, Policy: ctmc.JSQ()}, "jobs=2"},
		{ctmc.System{Load: .95, Buffer: 5, Service: scv2, Policy: ctmc.JSQ()}, "1.2:.3,2.1:.3,4.1:.4"},
		{ctmc.System{Load: 1.4, Buffer: 5, Service: scv2, Policy: ctmc.JSQ()}, "0:.4,1.1:.3,3.2:.3"},
		{ctmc.System{Load: .9, Buffer: 5, Service: erlang2, Policy: ctmc.I1F().WithFallback(po2)}, "jobs=3,phase=2"},
		{ctmc.System{Load: 1.7, Buffer: 5, Service: scv2, Policy: ctmc.Policy{Name: "three", Depth: 3, Fallback: po2}}, "0:.5,2.1:.5"},
		{ctmc.System{Load: .8, Buffer: 5, Service: exponential, Policy: ctmc.Policy{Name: "three", Depth: 3, Fallback: po2}}, "1:.1,4:.9"},
	} {
		start, err := ParseStart(c.start, c.sys)
		if err != nil {
			t.Fatal(err)
		}
		const end = 2.5
		p := pathEnd(t, c.sys, start, end)
		last := math.Inf(1)
		for _, epsilon := range []float64{1e-4, 1e-6, 1e-8} {
			distance := 0.0
			for k, q := range regularised(t, c.sys, start, end, epsilon) {
				distance = math.Max(distance, math.Abs(q-p.States[0][k]))
			}
			if distance > 1.5*math.Sqrt(epsilon) || distance > last/5 {
				t.Errorf("%v from %s: distance %g at ε = %g, before %g", c.sys, c.start, distance, epsilon, last)
			}
			last = distance
		}
	}
}

// regularised follows the fluid with shares q_i/(q_i + ε) of the priority
// levels, by an implicit method with differences.
func regularised(t *testing.T, sys ctmc.System, start State, end, epsilon float64) State {
	t.Helper()
	d, err := NewDynamics(sys, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	fallback, err := NewDynamics(ctmc.System{Load: sys.Load, Buffer: sys.Buffer, Service: sys.Service,
		Policy: ctmc.Policy{Name: "fallback alone", Fallback: sys.Policy.Fallback}}, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	route := make([]float64, d.Classes())
	slope := func(_ float64, y, dy []float64) {
		left := 1.0
		clear(route)
		for level := 0; level < sys.Policy.Depth && level <= d.Levels; level++ {
			mass := d.Mass(y, level)
			share := left / (mass + epsilon)
			for c := d.Class(level, 1); c < d.Class(level+1, 1); c++ {
				route[c] = share * y[c]
			}
			left -= share * mass
		}
		for c, v := range routeBy(fallback, y) {
			route[c] += left * v
		}
		moveBy(d, y, route, dy)
	}
	y := make([]float64, d.Classes())
	copy(y, start)
	s, err := ode.Integrate(context.Background(), ode.Problem{Dim: len(y), F: slope}, 0, y, end,
		ode.Settings{Method: ode.RadauIIA5, RelTol: 1e-7, AbsTol: 1e-11})
	if err != nil || s.Err() != nil {
		t.Fatal(err, s.Err())
	}
	return s.State
}

// routeBy is the fraction of arrivals that smooth dynamics send to each class.
func routeBy(d *Dynamics, q State) []float64 {
	d.router.Route(q, d.route)
	return d.route
}

// moveBy writes the drift under a given routing, class by class.
func moveBy(d *Dynamics, q State, route, drift []float64) {
	clear(drift)
	for level := 0; level <= d.Levels; level++ {
		for m := 1; m <= d.Phases && (level > 0 || m == 1); m++ {
			c := d.Class(level, m)
			if level < d.Levels {
				drift[c] -= d.router.Arrival * route[c]
				drift[d.Class(level+1, m)] += d.router.Arrival * route[c]
			}
			if level == 0 {
				continue
			}
			down, rate := d.Class(level-1, 1), d.law.leave
			if m == 2 {
				rate = d.law.mu2
			} else if d.Phases == 2 {
				drift[c] -= d.law.proceed * q[c]
				drift[c+1] += d.law.proceed * q[c]
			}
			drift[c] -= rate * q[c]
			drift[down] += rate * q[c]
		}
	}
}
