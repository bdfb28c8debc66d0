package meanfield

import (
	"context"
	"math"
	"testing"

	"qlimit/coxian"
	"qlimit/ctmc"
	"qlimit/meanfield/ode"
)

var twoPhaseLaw = coxian.Dist{Mu1: 2, P: .25, Mu2: .5}

// transientMeans integrates the law of a chain from its initial state and
// returns the mean of f at the given times.
func transientMeans(t *testing.T, chain ctmc.Indexed, times []float64, f func(state []int64) float64) []float64 {
	t.Helper()
	g, err := ctmc.Explore(context.Background(), chain, 0)
	if err != nil {
		t.Fatal(err)
	}
	law := make([]float64, g.States())
	law[g.Index(chain.Initial())] = 1
	solution, err := ode.Integrate(context.Background(), ode.Problem{Dim: g.States(),
		F: func(_ float64, y, slope []float64) { g.ApplyLeft(y, slope) }}, 0, law, times[len(times)-1],
		ode.Settings{Times: times, RelTol: 1e-9, AbsTol: 1e-13})
	if err != nil {
		t.Fatal(err)
	}
	if err := solution.Err(); err != nil {
		t.Fatal(err)
	}
	state := chain.Initial()
	means := make([]float64, len(times))
	for k, law := range solution.States {
		for i, p := range law {
			chain.Unrank(int64(i), state)
			means[k] += p * f(state)
		}
	}
	return means
}

// TestTransientOrderAgainstExactChain: from the empty system the error of the
// 1/N expansion falls as N^-2 at every time.
func TestTransientOrderAgainstExactChain(t *testing.T) {
	times := []float64{.5, 2, 5}
	for _, c := range []struct {
		sys   ctmc.System
		sizes [2]int64
	}{
		{ctmc.System{Load: .9, Buffer: 2, Service: exponentialLaw, Policy: ctmc.PowerOfD(3, true)}, [2]int64{40, 80}},
		{ctmc.System{Load: .9, Buffer: 1, Service: twoPhaseLaw, Policy: ctmc.PowerOfD(2, true)}, [2]int64{20, 40}},
	} {
		var errors [2][]float64
		for k, n := range c.sizes {
			c.sys.Servers = n
			chain, err := c.sys.Chain()
			if err != nil {
				t.Fatal(err)
			}
			exact := transientMeans(t, chain, times, func(state []int64) float64 { return float64(chain.Jobs(state)) / float64(n) })
			start := Shape{Levels: 1, Phases: c.sys.Phases()}.Uniform(0, 1)
			path, err := RefineTrajectory(context.Background(), c.sys, start, times, ode.Settings{})
			if err != nil {
				t.Fatal(err)
			}
			for i := range times {
				errors[k] = append(errors[k], path.JobsOrder1[i]-exact[i])
			}
		}
		for i, time := range times {
			order := observedOrder(errors[0][i], errors[1][i])
			t.Logf("%v t=%g: errors %.3g %.3g, order %.3f", c.sys, time, errors[0][i], errors[1][i], order)
			if math.Abs(order-2) > 0.25 {
				t.Errorf("%v t=%g: observed order %.3f, want 2", c.sys, time, order)
			}
		}
	}
}

// TestTransientTendsToStationary: for long times the corrections are those of
// Refine, and the variance that of the stationary covariance.
func TestTransientTendsToStationary(t *testing.T) {
	for _, law := range []coxian.Dist{exponentialLaw, twoPhaseLaw} {
		sys := ctmc.System{Servers: 100, Load: .7, Service: law, Policy: ctmc.PowerOfD(2, false)}
		start := Shape{Levels: 2, Phases: sys.Phases()}.Uniform(2, 1)
		path, err := RefineTrajectory(context.Background(), sys, start, []float64{0, 150}, ode.Settings{RelTol: 1e-8, AbsTol: 1e-11})
		if err != nil {
			t.Fatal(err)
		}
		r := mustRefine(t, sys, 1)
		if path.JobsLimit[0] != 2 || path.Correction1[0] != 0 || path.JobsVariance[0] != 0 {
			t.Errorf("%v: at time 0 %v jobs, correction %v, variance %v", sys, path.JobsLimit[0], path.Correction1[0], path.JobsVariance[0])
		}
		if math.Abs(path.JobsLimit[1]-r.MeanJobsLimit) > 1e-8 || math.Abs(path.Correction1[1]-r.Correction1) > 1e-7 {
			t.Errorf("%v: %v jobs, correction %v; stationary %v, %v", sys, path.JobsLimit[1], path.Correction1[1], r.MeanJobsLimit, r.Correction1)
		}
		for i, s := range r.TailOrder1[:5] {
			if math.Abs(path.TailOrder1[1][i]-s) > 1e-8 {
				t.Errorf("%v: tail %d: %v, stationary %v", sys, i+1, path.TailOrder1[1][i], s)
			}
		}
		if path.Neglected > neglectedOnPath {
			t.Errorf("%v: %v neglected at %d levels", sys, path.Neglected, path.Levels)
		}
	}
}

// TestTransientLinear: for immigration-death x' = 1 - x from 0 the law is
// Poisson with mean N (1 - e^-t): no correction, variance 1 - e^-t.
func TestTransientLinear(t *testing.T) {
	model := mustModel(t, 1,
		ctmc.Transition{Change: []int64{1}, Rate: ctmc.Polynomial{{Coefficient: 1}}},
		ctmc.Transition{Change: []int64{-1}, Rate: ctmc.Polynomial{{Coefficient: 1, Powers: []int{1}}}})
	path, err := RefinePopulationTrajectory(context.Background(), model, []float64{0}, []float64{.5, 3}, ode.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	for k, time := range path.Times {
		want := -math.Expm1(-time)
		if math.Abs(path.Limit[k][0]-want) > 1e-9 || path.Correction1[k][0] != 0 || math.Abs(path.Covariance[k].At(0, 0)-want) > 1e-9 {
			t.Errorf("t=%g: %v %v %v, want %v", time, path.Limit[k], path.Correction1[k], path.Covariance[k].At(0, 0), want)
		}
	}
}

func TestRefineTrajectoryRefuses(t *testing.T) {
	sys := exponentialPod(10, 2, .9, true)
	empty := Shape{Levels: 1, Phases: 1}.Uniform(0, 1)
	jsq := sys
	jsq.Policy = ctmc.JSQ()
	cut := sys
	cut.Buffer = 2
	for name, run := range map[string]func() error{
		"policy": func() error {
			_, err := RefineTrajectory(context.Background(), jsq, empty, []float64{1}, ode.Settings{})
			return err
		},
		"times": func() error {
			_, err := RefineTrajectory(context.Background(), sys, empty, []float64{2, 1}, ode.Settings{})
			return err
		},
		"start": func() error {
			_, err := RefineTrajectory(context.Background(), sys, State{.5, .4}, []float64{1}, ode.Settings{})
			return err
		},
		"start above the buffer": func() error {
			_, err := RefineTrajectory(context.Background(), cut, Shape{Levels: 3, Phases: 1}.Uniform(3, 1), []float64{1}, ode.Settings{})
			return err
		},
	} {
		if run() == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
