package meanfield

import (
	"context"
	"math"
	"testing"

	"qlimit/coxian"
	"qlimit/ctmc"
	"qlimit/meanfield/ode"
)

func pullSystem(load float64, memory int64, rate float64) ctmc.PullSystem {
	return ctmc.PullSystem{Load: load, Service: coxian.Dist{Mu1: 1, Mu2: 1}, Pull: ctmc.PullRule{Memory: memory, Rate: rate}}
}

func pullEquilibrium(t *testing.T, s ctmc.PullSystem) *PullFixpoint {
	t.Helper()
	f, err := PullEquilibrium(s)
	if err != nil {
		t.Fatalf("%v: %v", s, err)
	}
	return f
}

// TestPullDelays: mean waiting times for (λ, a, c), a = μ (1-λ) messages per
// server and unit of time, worked out from the formulas by hand (theory,
// section on memory and messages); without memory M/M/1, with messages at once
// none.
func TestPullDelays(t *testing.T) {
	for _, c := range []struct {
		load, messages float64
		memory         int64
		want           float64
	}{
		{.9, .5, 1, 1.372881}, {.9, 1, 2, .367996}, {.9, .1, 1, 4.263158}, {.99, 1, 1, .970492}, {.5, .5, 2, .2},
	} {
		f := pullEquilibrium(t, pullSystem(c.load, c.memory, c.messages/(1-c.load)))
		if math.Abs(f.Delay-c.want) > 5.1e-7 || math.Abs(f.MessageRate-c.messages) > 1e-14 {
			t.Errorf("(%g, %g, %d): delay %.8f, want %.6f; messages %g", c.load, c.messages, c.memory, f.Delay, c.want, f.MessageRate)
		}
		if math.Abs(f.MeanResponse-f.Delay-1) > 1e-13*f.MeanResponse {
			t.Errorf("response %.15g, delay %.15g", f.MeanResponse, f.Delay)
		}
	}
	for _, s := range []ctmc.PullSystem{pullSystem(.9, 0, 5), pullSystem(.9, 3, 0), pullSystem(.9, 0, math.Inf(1))} {
		if f := pullEquilibrium(t, s); math.Abs(f.Delay-9) > 1e-12 || f.EmptyProb != 1 || f.MessageRate != 0 {
			t.Errorf("%v: delay %.15g, P0 %g, messages %g", s, f.Delay, f.EmptyProb, f.MessageRate)
		}
	}
	for _, memory := range []int64{1, ctmc.AnyMemory} {
		if f := pullEquilibrium(t, pullSystem(.9, memory, math.Inf(1))); f.Delay != 0 || f.EmptyProb != 0 || f.MessageRate != .9 {
			t.Errorf("messages at once: delay %g, P0 %g, messages %g", f.Delay, f.EmptyProb, f.MessageRate)
		}
	}
}

// TestPullUnits: with rates per second and a service law in seconds.
func TestPullUnits(t *testing.T) {
	s := pullSystem(.9, 1, 5)
	s.Service = coxian.Dist{Mu1: .1, Mu2: 1}
	s.Pull.Rate = .5
	if f := pullEquilibrium(t, s); math.Abs(f.Delay-13.72881) > 6e-6 || math.Abs(f.MessageRate-.05) > 1e-15 {
		t.Errorf("delay %.8g, messages %g", f.Delay, f.MessageRate)
	}
	// A law with two phases that is exponential all the same.
	s.Service = coxian.Dist{Mu1: 2, P: .5, Mu2: 1}
	s.Pull.Rate = 5
	if f := pullEquilibrium(t, s); math.Abs(f.Delay-1.372881) > 6e-7 {
		t.Errorf("delay %.8g", f.Delay)
	}
	s.Service = coxian.Dist{Mu1: 2, P: .5, Mu2: 3}
	if _, err := PullEquilibrium(s); err == nil {
		t.Error("Coxian service accepted")
	}
}

// TestPullEmptyProbability: the closed form against the sum, at x below, at and
// above 1 and next to it.
func TestPullEmptyProbability(t *testing.T) {
	for _, memory := range []int64{1, 2, 7, 40} {
		for _, x := range []float64{1e-9, .3, 1 - 1e-9, 1, 1 + 1e-12, 1.4, 3, 1e6} {
			p := pullFluid{load: .5, rate: x, memory: memory}
			sum := 0.0
			for k := 0; k <= int(memory); k++ {
				sum += math.Pow(x, float64(k))
			}
			if got := p.empty(.5); math.Abs(got*sum-1) > 1e-12 {
				t.Errorf("c = %d, x = %g: %.15g, want %.15g", memory, x, got, 1/sum)
			}
		}
	}
}

// TestPullEquilibriumIsLongTimeLimit: in all regimes of memory, below, at and
// above load 1, the fluid from an empty and from a full start ends in the
// equilibrium, within 1e-10.
func TestPullEquilibriumIsLongTimeLimit(t *testing.T) {
	for _, c := range []struct {
		system ctmc.PullSystem
		buffer int
		until  float64
	}{
		{pullSystem(.9, 1, 5), 0, 800},
		{pullSystem(.9, 2, 10), 0, 400},
		{pullSystem(.9, ctmc.AnyMemory, 5), 0, 400},
		{pullSystem(.9, ctmc.AnyMemory, 20), 0, 400}, // P0 = 0
		{pullSystem(.5, 3, .2), 0, 400},
		{pullSystem(.3, 2, 1e4), 0, 200},
		{pullSystem(.9, 0, 5), 4, 400},
		{pullSystem(1, 1, 3), 5, 400},
		{pullSystem(1.2, 2, 5), 6, 400},
		{pullSystem(1.2, ctmc.AnyMemory, 5), 6, 400},
		{pullSystem(3, 4, 100), 2, 200},
		{pullSystem(1.2, 4, math.Inf(1)), 6, 400},
	} {
		c.system.Buffer = c.buffer
		want := pullEquilibrium(t, c.system)
		if !(want.Residual < 1e-13) || want.Status != ctmc.Converged {
			t.Errorf("%v: residual %g, %v", c.system, want.Residual, want.Status)
		}
		for _, start := range []State{{1}, {0, 0, 1}} {
			path, err := PullTrajectory(context.Background(), c.system, start, []float64{c.until}, ode.Settings{RelTol: 1e-12, AbsTol: 1e-13})
			if err != nil {
				t.Fatal(err)
			}
			if !path.Status.OK() {
				t.Fatalf("%v: %v", c.system, path.Status)
			}
			tail := 0.0
			for i := len(path.ByJobs[0]) - 1; i >= 1; i-- {
				tail += path.ByJobs[0][i]
				expected := 0.0
				if i <= len(want.Tail) {
					expected = want.Tail[i-1]
				}
				if math.Abs(tail-expected) > 1e-10 {
					t.Errorf("%v from %v: s_%d = %.13g, equilibrium %.13g", c.system, start, i, tail, expected)
				}
			}
			if math.Abs(path.Jobs[0]-want.MeanJobs) > 1e-9 {
				t.Errorf("%v from %v: %.12g jobs, equilibrium %.12g", c.system, start, path.Jobs[0], want.MeanJobs)
			}
		}
	}
}

// TestPullPathBalance: jobs grow by what arrives and is not lost or served.
func TestPullPathBalance(t *testing.T) {
	s := pullSystem(1.3, 2, 4)
	s.Buffer = 3
	times := make([]float64, 401)
	for k := range times {
		times[k] = float64(k) / 100
	}
	path, err := PullTrajectory(context.Background(), s, State{.3, .2, .5}, times, ode.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	served := 0.0 // Simpson's rule on the busy fraction
	for k := 0; k+2 < len(times); k += 2 {
		served += (6 - path.Idle[k] - 4*path.Idle[k+1] - path.Idle[k+2]) / 600 * 2
	}
	last := len(times) - 1
	if got, want := path.Jobs[last]-path.Jobs[0], 1.3*4-path.Lost-served; math.Abs(got-want) > 1e-8 {
		t.Errorf("jobs grew by %.12g, balance %.12g", got, want)
	}
}

// TestPullOrder: more memory and more messages wait less, up to join-the-idle-
// queue; the three regimes are limits of each other.
func TestPullOrder(t *testing.T) {
	last := math.Inf(1)
	for _, memory := range []int64{1, 2, 3, 10, 100, 10_000} {
		f := pullEquilibrium(t, pullSystem(.9, memory, 8))
		if f.Delay >= last {
			t.Errorf("memory %d: delay %g, less memory %g", memory, f.Delay, last)
		}
		last = f.Delay
	}
	unlimited := pullEquilibrium(t, pullSystem(.9, ctmc.AnyMemory, 8))
	if math.Abs(last-unlimited.Delay) > 1e-3*last || last < unlimited.Delay {
		t.Errorf("memory 10000: delay %.10g, unlimited %.10g", last, unlimited.Delay)
	}
	s := pullSystem(1.2, 2, 1e9)
	s.Buffer = 6
	fast := pullEquilibrium(t, s)
	s.Pull.Rate = math.Inf(1)
	if atOnce := pullEquilibrium(t, s); math.Abs(fast.MeanJobs-atOnce.MeanJobs) > 1e-4 || math.Abs(fast.EmptyProb-atOnce.EmptyProb) > 1e-4 {
		t.Errorf("rate 1e9: %.9g jobs, P0 %.9g; at once %.9g, %.9g", fast.MeanJobs, fast.EmptyProb, atOnce.MeanJobs, atOnce.EmptyProb)
	}
}
