package meanfield

import (
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"

	"qlimit/coxian"
	"qlimit/ctmc"
)

// drawLaw covers exponential, Erlang-2, scv a hair from 1, scv up to 1e4,
// fast and slow second phases.
func drawLaw(t *rapid.T) coxian.Dist {
	var d coxian.Dist
	var err error
	switch rapid.IntRange(0, 6).Draw(t, "law") {
	case 0:
		d, err = coxian.Exponential(rapid.Float64Range(0.1, 10).Draw(t, "mean"))
	case 1:
		d, err = coxian.Erlang2(1)
	case 2:
		hair := math.Pow(10, rapid.Float64Range(-14, -3).Draw(t, "log hair"))
		if rapid.Bool().Draw(t, "below") {
			hair = -hair
		}
		d, err = coxian.FitMeanSCV(1, 1+hair)
	case 3:
		d, err = coxian.FitMeanSCV(1, math.Pow(10, rapid.Float64Range(math.Log10(0.5), 4).Draw(t, "log scv")))
	case 4:
		mu2 := math.Pow(10, rapid.Float64Range(-6, 3).Draw(t, "log mu2"))
		d, err = coxian.New(2, math.Min(1, mu2*rapid.Float64Range(0, 1).Draw(t, "share")), mu2)
	case 5:
		d, err = coxian.New(rapid.Float64Range(0.1, 5).Draw(t, "mu1"), 1, rapid.Float64Range(0.1, 50).Draw(t, "mu2"))
	default:
		d, err = coxian.New(rapid.Float64Range(0.1, 5).Draw(t, "mu1"), rapid.Float64Range(0, 1).Draw(t, "p"),
			rapid.Float64Range(0.01, 5).Draw(t, "mu2"))
	}
	if err != nil {
		t.Skip(err)
	}
	return d
}

func drawPolicy(t *rapid.T) ctmc.Policy {
	d := rapid.SampledFrom([]int64{1, 2, 2, 3, 5, 16, 17, 50, 1000, 1_000_000}).Draw(t, "d")
	kernel := ctmc.Sampling{Choices: d}
	switch rapid.IntRange(0, 5).Draw(t, "policy") {
	case 0:
		return ctmc.JSQ()
	case 1:
		return ctmc.JIQ().WithFallback(kernel)
	case 2:
		return ctmc.I1F().WithFallback(kernel)
	}
	return ctmc.PowerOfD(d, rapid.Bool().Draw(t, "replacement"))
}

func drawLoad(t *rapid.T) float64 {
	switch rapid.IntRange(0, 4).Draw(t, "load kind") {
	case 0:
		return 1 + math.Pow(10, rapid.Float64Range(-15, -1).Draw(t, "log excess"))
	case 1:
		return 1 - math.Pow(10, rapid.Float64Range(-15, -1).Draw(t, "log spare"))
	case 2:
		return rapid.SampledFrom([]float64{1, 1e-6, 50}).Draw(t, "special load")
	}
	return math.Pow(10, rapid.Float64Range(-6, 1.69).Draw(t, "log load"))
}

// TestEquilibriumInvariants draws systems of every kind and checks what must
// hold of any equilibrium.
func TestEquilibriumInvariants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sys := ctmc.System{Load: drawLoad(t), Service: drawLaw(t), Policy: drawPolicy(t),
			Buffer: int(math.Pow(10, rapid.Float64Range(0, 3.3).Draw(t, "log buffer")))}
		f, err := Equilibrium(sys)
		var notUnique *ctmc.NotUniqueError
		if errors.As(err, &notUnique) {
			if sys.Load != 1 || sys.Policy.Depth < 2 || sys.Buffer < 2 {
				t.Fatalf("%v: %v", sys, err)
			}
			return
		}
		if err != nil {
			t.Fatalf("%v: %v", sys, err)
		}
		checkInvariants(t, sys, f)
	})
}

type failer interface {
	Helper()
	Errorf(format string, args ...any)
}

func checkInvariants(t failer, sys ctmc.System, f *Fixpoint) {
	t.Helper()
	law := newUnitLaw(sys.Service)
	if f.Status != ctmc.Converged || f.Kind != ctmc.Limit || f.Levels != len(f.Tail) || len(f.Tail) != len(f.TailPhase2) {
		t.Errorf("%v: status %v, kind %v, residual %g", sys, f.Status, f.Kind, f.Residual)
	}
	last, lastSecond := 1.0, 1.0
	for i, s := range f.Tail {
		second := f.TailPhase2[i]
		if !(s > 0 && s <= last && second >= 0 && second <= s && second <= lastSecond*(1+1e-13)) {
			t.Errorf("%v: s_%d = %g after %g, phase 2 %g after %g", sys, i+1, s, last, second, lastSecond)
			break
		}
		last, lastSecond = s, second
	}
	throughput := law.leave*(f.Tail[0]-f.TailPhase2[0]) + law.mu2*f.TailPhase2[0]
	if accepted := sys.Load * (1 - f.BlockProb); math.Abs(accepted-throughput) > 1e-10*math.Max(1, sys.Load) {
		t.Errorf("%v: accepted %.15g, throughput %.15g", sys, accepted, throughput)
	}
	if busy := f.Tail[0]; math.Abs(busy-throughput) > 1e-12*math.Max(1, law.mu1) {
		t.Errorf("%v: busy %.15g, throughput %.15g", sys, busy, throughput)
	}
	for name, v := range map[string]float64{"p_wait": f.WaitProb, "p_block": f.BlockProb} {
		if !(v >= 0 && v <= 1) {
			t.Errorf("%v: %s = %g", sys, name, v)
		}
	}
	if !(f.MeanResponse >= sys.Service.Mean()*(1-1e-12)) || math.IsInf(f.MeanResponse, 0) {
		t.Errorf("%v: response %g below the mean service %g", sys, f.MeanResponse, sys.Service.Mean())
	}
}

// TestUnlimitedInvariants is the same for unlimited buffers below load 1.
func TestUnlimitedInvariants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		load := 1 - math.Pow(10, rapid.Float64Range(-15, -0.001).Draw(t, "log spare"))
		policy := drawPolicy(t)
		sys := ctmc.System{Load: load, Service: drawLaw(t), Policy: policy}
		if sampling := policy.Fallback.(ctmc.Sampling); sampling.Choices == 1 && policy.Smooth() {
			sys.Load = math.Min(load, 0.99) // longer tails are slow to list
		}
		f, err := Equilibrium(sys)
		if err != nil {
			t.Fatalf("%v: %v", sys, err)
		}
		checkInvariants(t, sys, f)
		if f.BlockProb != 0 {
			t.Errorf("%v: p_block %g", sys, f.BlockProb)
		}
	})
}
