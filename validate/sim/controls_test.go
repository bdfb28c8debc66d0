package sim

import (
	"context"
	"math"
	"strings"
	"testing"

	"qlimit/ctmc"
	"qlimit/internal/stream"
	"qlimit/meanfield"
)

// TestSplineAgainstDefinition: along a path, what the spline integrates bin by
// bin equals Gf summed from its definition,
//
//	Gf(s) = Σ over transitions of rate × (f(after) - f(before)).
func TestSplineAgainstDefinition(t *testing.T) {
	for _, s := range []ctmc.System{
		{Servers: 12, Load: .9, Service: exponential, Policy: ctmc.JSQ()},
		{Servers: 12, Load: 1.1, Buffer: 2, Service: exponential, Policy: ctmc.PowerOfD(2, false)},
		{Servers: 6, Load: 1.1, Buffer: 3, Service: exponential, Policy: ctmc.JIQ()},
		{Servers: 12, Load: .9, Service: scv2, Policy: ctmc.PowerOfD(2, false)},
		{Servers: 6, Load: 1.2, Buffer: 2, Service: erlang2, Policy: ctmc.I1F()},
		{Servers: 12, Load: .9, Service: slowScv7, Policy: ctmc.JIQ()},
	} {
		knots := []float64{3, 7, 9, 13, 18, 30}
		o := newOccupancy(s)
		o.spline = newWorkSpline(knots, o)
		random := stream.New(stream.Key{Seed: 5, Purpose: stream.Events})
		want := make([]float64, o.spline.columns())
		passed := 0.0
		for range 4000 { // a path of single events
			before := *o
			hold := 1 / (o.arrival + float64(o.levels[1].count))
			first, second := float64(o.levels[1].count), 0.0
			if o.phases == 2 {
				first, second = o.mu1*float64(o.busyPhase[1]), o.mu2*float64(o.busyPhase[2])
				hold = 1 / (o.arrival + first + second)
			}
			for k := range want {
				want[k] += hold * generatorOf(splineFunction(k, knots), &before, before.arrival-before.lossRate(), first, second)
			}
			o.runUntil(o.clock+hold/2, random)
			passed += hold
		}
		got := make([]float64, len(want))
		o.spline.average(1, got)
		for k := range want {
			if math.Abs(got[k]-want[k]) > 1e-8*(1+math.Abs(want[k])) {
				t.Errorf("%v: control %d is %.12g, want %.12g", s, k, got[k], want[k])
			}
		}
		if math.Abs(o.clock-passed) > 1e-9*passed {
			t.Errorf("%v: the path took %g, its states %g", s, o.clock, passed)
		}
	}
}

// splineFunction is the k-th function of the basis: W, then the splines.
func splineFunction(k int, knots []float64) func(float64) float64 {
	plus := func(x float64) float64 { return math.Pow(max(x, 0), 2) / 2 }
	switch {
	case k == 0:
		return func(w float64) float64 { return w }
	case k == len(knots)+1:
		return func(w float64) float64 { return plus(w - knots[k-2]) }
	case k == 1:
		return func(w float64) float64 { return plus(w) - plus(w-knots[0]) }
	}
	return func(w float64) float64 { return plus(w-knots[k-2]) - plus(w-knots[k-1]) }
}

func generatorOf(f func(float64) float64, o *occupancy, up, first, second float64) float64 {
	w, now := o.work(), f(o.work())
	if o.phases == 1 {
		return up*(f(w+1)-now) + first*(f(w-1)-now)
	}
	return up*(f(w+1)-now) + first*(o.leave*f(w-1)+(1-o.leave)*f(w-1+1/o.mu2)-now) + second*(f(w-1/o.mu2)-now)
}

// TestControlsHaveMeanZero over a long run, each within 4.5 standard errors.
func TestControlsHaveMeanZero(t *testing.T) {
	for _, s := range []ctmc.System{
		{Servers: 10, Load: .8, Service: exponential, Policy: ctmc.JSQ()},
		{Servers: 10, Load: .8, Service: exponential, Policy: ctmc.JIQ()},
		{Servers: 10, Load: .8, Service: exponential, Policy: ctmc.I1F()},
		{Servers: 10, Load: 1.1, Buffer: 3, Service: exponential, Policy: ctmc.PowerOfD(3, true)},
		{Servers: 10, Load: .9, Buffer: 4, Service: exponential, Policy: ctmc.JIQ().WithFallback(ctmc.Sampling{Choices: 2})},
		{Servers: 10, Load: .8, Service: scv2, Policy: ctmc.PowerOfD(2, false)},
	} {
		settings, err := Settings{Seed: 2, Events: short(2e6)}.withDefaults()
		if err != nil {
			t.Fatal(err)
		}
		e := newExperiment(s, settings)
		if err := e.advance(context.Background()); err != nil {
			t.Fatal(err)
		}
		for k := range e.basis.controls() {
			m := e.series.Mean(e.basis.firstColumn+k, e.plainWarmUp(), 0)
			if math.Abs(m.Value) > 4.5*m.StandardError+1e-12 {
				t.Errorf("%v: control %d has mean %.3g ± %.2g", s, k, m.Value, m.StandardError)
			}
		}
	}
}

// TestClosedForms: where a control and the mean differ by a constant, the
// improved estimate is exact: random routing (M/M/1: ρ/(1-ρ)) and JIQ with two
// servers, 2ρ(1+ρ)/((1-ρ)(1+2ρ)) jobs.
func TestClosedForms(t *testing.T) {
	for _, c := range []struct {
		system ctmc.System
		want   float64
	}{
		{ctmc.System{Servers: 50, Load: .9, Service: exponential, Policy: ctmc.Random()}, 9},
		{ctmc.System{Servers: 2, Load: .9, Service: exponential, Policy: ctmc.JIQ()}, .9 * 1.9 / (.1 * 2.8)},
	} {
		r, err := Run(context.Background(), c.system, Settings{Seed: 1, Events: 1e6})
		if err != nil {
			t.Fatal(err)
		}
		if off := math.Abs(r.MeanJobs.Value - c.want); off > 1e-8*c.want || off > 4.5*r.MeanJobs.StandardError {
			t.Errorf("%v: mean jobs %.12g ± %.2g, want %.12g", c.system, r.MeanJobs.Value, r.MeanJobs.HalfWidth, c.want)
		}
	}
}

// TestVarianceRatio: heavy traffic, where plain averages are hopeless. Values
// 2.139 and 11.206 jobs per server.
func TestVarianceRatio(t *testing.T) {
	if testing.Short() {
		t.Skip("long runs")
	}
	for _, c := range []struct {
		system      ctmc.System
		least, want float64
	}{
		{ctmc.System{Servers: 100, Load: .99, Service: exponential, Policy: ctmc.JSQ()}, 1000, 2.139},
		{ctmc.System{Servers: 100, Load: .99, Service: exponential, Policy: ctmc.JIQ()}, 500, 0},
		{ctmc.System{Servers: 100, Load: .99, Service: exponential, Policy: ctmc.PowerOfD(2, false)}, 50, 0},
		{ctmc.System{Servers: 100, Load: .99, Service: scv2, Policy: ctmc.JSQ()}, 1000, 0},
	} {
		r, err := Run(context.Background(), c.system, Settings{Seed: 9, Events: 8e6, Start: RoundedStart(100, []float64{1, 1, .2}, nil)})
		if err != nil {
			t.Fatal(err)
		}
		if !r.Controls.Used || r.Controls.VarianceRatio < c.least {
			t.Errorf("%v: %+v, want a variance ratio of %g", c.system, r.Controls, c.least)
		}
		if c.want > 0 && math.Abs(r.MeanJobs.Value-c.want) > .0005+4.5*r.MeanJobs.StandardError {
			t.Errorf("%v: mean jobs %.6g ± %.2g, want %g", c.system, r.MeanJobs.Value, r.MeanJobs.HalfWidth, c.want)
		}
	}
}

// TestHeavyTrafficToThePerMille: JSQ with 100 servers, 2.139 jobs per server at
// load 0.99 and 11.206 at 0.999, to 0.1% in a second.
func TestHeavyTrafficToThePerMille(t *testing.T) {
	if testing.Short() {
		t.Skip("long runs")
	}
	for load, want := range map[float64]float64{.99: 2.1389, .999: 11.2060} {
		s := ctmc.System{Servers: 100, Load: load, Service: exponential, Policy: ctmc.JSQ()}
		r, err := Run(context.Background(), s, Settings{Seed: 1, Precision: .001, Start: NearCritical(s).Start()})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("load %g: %.6g ± %.2g after %.3g events, variance ratio %.3g", load, r.MeanJobs.Value, r.MeanJobs.HalfWidth, float64(r.Events), r.Controls.VarianceRatio)
		if r.Ending != PrecisionReached || r.MeanJobs.HalfWidth > .001*want {
			t.Errorf("load %g: %s with ± %.2g after %d events", load, r.Ending, r.MeanJobs.HalfWidth, r.Events)
		}
		if off := math.Abs(r.MeanJobs.Value - want); off > .001*want {
			t.Errorf("load %g: mean jobs %.6g, want %.6g", load, r.MeanJobs.Value, want)
		}
	}
}

// TestNeverIdle: started far above its mean the system is never idle, and the
// balance of a system that is always busy, 9.995 jobs per server, fits without
// error. It is not the answer.
func TestNeverIdle(t *testing.T) {
	s := ctmc.System{Servers: 100, Load: .999, Service: exponential, Policy: ctmc.JSQ()}
	r, err := Run(context.Background(), s, Settings{Seed: 1, Events: 1e6, Start: BalancedStart(100, 40)})
	if err != nil {
		t.Fatal(err)
	}
	if r.Controls.Used || !strings.Contains(r.Controls.Reason, "idle") || r.MeanJobs.Value < 30 {
		t.Errorf("%+v, mean jobs %g ± %g", r.Controls, r.MeanJobs.Value, r.MeanJobs.HalfWidth)
	}
}

// TestRunsShorterThanMemory: sixteen replications of a sixth of an
// autocorrelation time that all happened to start low. Their averages lie close
// together, far from the mean; they are neither preferred nor left unwarned.
func TestRunsShorterThanMemory(t *testing.T) {
	s := ctmc.System{Servers: 100, Load: .999, Service: exponential, Policy: ctmc.JSQ()}
	r, err := Run(context.Background(), s, Settings{Seed: 3, Events: 1e7, Start: NearCritical(s).Start()})
	if err != nil {
		t.Fatal(err)
	}
	if off := math.Abs(r.MeanJobs.Value - 11.206); !r.Controls.Used || off > r.MeanJobs.HalfWidth {
		t.Errorf("mean jobs %g ± %g, %+v", r.MeanJobs.Value, r.MeanJobs.HalfWidth, r.Controls)
	}
	if warnings := strings.Join(r.Plain.MeanJobs.Warnings, "; "); !strings.Contains(warnings, "began") {
		t.Errorf("plain mean jobs %g ± %g: %s", r.Plain.MeanJobs.Value, r.Plain.MeanJobs.HalfWidth, warnings)
	}
}

// TestFewRelaxationTimes: power-of-two near load 1 from the mean-field equilibrium.
// Intervals of short runs are too narrow, and say so.
func TestFewRelaxationTimes(t *testing.T) {
	s := ctmc.System{Servers: 100, Load: .99, Service: exponential, Policy: ctmc.PowerOfD(2, false)}
	fluid, err := meanfield.Equilibrium(s)
	if err != nil {
		t.Fatal(err)
	}
	for events, want := range map[int64]bool{4e6: true, 2e7: false} {
		r, err := Run(context.Background(), s, Settings{Seed: 1, Events: events, Start: RoundedStart(s.Servers, fluid.Tail, nil)})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(strings.Join(r.Warnings, "; "), "relaxation times"); got != want {
			t.Errorf("%d events, %.3g relaxation times: warned %v: %q", events, r.Duration/r.Plan.RelaxationTime, got, r.Warnings)
		}
	}
}
