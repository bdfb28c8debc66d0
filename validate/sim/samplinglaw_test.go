package sim

import (
	"math"
	"math/rand/v2"
	"testing"

	"qlimit/ctmc"
	"qlimit/meanfield"
)

func mustSampling(t *testing.T, s ctmc.System) *samplingLaw {
	t.Helper()
	law, err := newSamplingLaw(s)
	if err != nil {
		t.Fatalf("%v: %v", s, err)
	}
	return law
}

// TestSamplingLawMeans: against simulations of 2e8 to 4e8 events with control
// variates, whose half widths are below 0.03% (0.2% at load 0.999); N = 2 and d = 2 is
// JSQ, exactly 9.85484307834/2.
func TestSamplingLawMeans(t *testing.T) {
	for _, c := range []struct {
		servers   int64
		load      float64
		d         int64
		simulated float64
		tolerance float64
	}{
		{2, .9, 2, 9.85484307834 / 2, .17}, {10, .9, 2, 2.68455, .09}, {10, .99, 2, 12.7296, .035}, {10, .999, 2, 102.926, .005},
		{100, .9, 2, 2.380905, .01}, {100, .99, 2, 5.88663, .01}, {100, .99, 3, 4.3642, .01}, {100, .999, 2, 16.301, .007},
		{1000, .9, 2, 2.355439, .001}, {1000, .99, 2, 5.42361, .0011}, {1000, .999, 2, 9.1869, .0016},
	} {
		s := ctmc.System{Servers: c.servers, Load: c.load, Service: exponential, Policy: ctmc.PowerOfD(c.d, false)}
		if got := mustSampling(t, s).MeanJobs(); math.Abs(got/c.simulated-1) > c.tolerance {
			t.Errorf("N = %d, load %g, d = %d: %g, simulated %g", c.servers, c.load, c.d, got, c.simulated)
		}
	}
}

// TestSamplingLawManyServers: the mean comes as close to the mean-field equilibrium
// as the normal law about that has it, not only as close as interpolation between
// equilibria: that would be up to 0.9 standard deviations. What is left is that the
// ascents on both sides of it are interpolated.
func TestSamplingLawManyServers(t *testing.T) {
	for _, d := range []int64{2, 5, 1000} {
		for _, load := range []float64{.5, .505, .9, .93, .99} {
			s := ctmc.System{Servers: mostAveragedServers, Load: load, Service: exponential, Policy: ctmc.PowerOfD(d, true)}
			f, err := meanfield.Equilibrium(s)
			if err != nil {
				t.Fatal(err)
			}
			law := mustSampling(t, s)
			if off := (law.MeanJobs() - f.MeanJobs) / math.Sqrt(law.Variance()); math.Abs(off) > .04 {
				t.Errorf("d = %d, load %g: %.3g standard deviations from the mean-field limit", d, load, off)
			}
		}
	}
}

// TestSamplingLawTimes: near load 1 the number of jobs is M/M/1 with rates λN and N,
// whose relaxation time is 1/(N (1-√λ)²) and whose autocorrelation time half of
// that; for many servers the slowest mode is that of the mean-field limit.
func TestSamplingLawTimes(t *testing.T) {
	s := ctmc.System{Servers: 10, Load: .9999, Service: exponential, Policy: ctmc.PowerOfD(2, false)}
	autocorrelation, relaxation := mustSampling(t, s).times()
	gap := 1 - math.Sqrt(s.Load)
	if want := .1 / (gap * gap); math.Abs(relaxation/want-1) > .05 || math.Abs(2*autocorrelation/want-1) > .02 {
		t.Errorf("relaxation time %g, twice the autocorrelation time %g, M/M/1 %g", relaxation, 2*autocorrelation, want)
	}
	s.Servers, s.Load = 1_000_000, .99
	modes, err := meanfield.Spectrum(s)
	if err != nil {
		t.Fatal(err)
	}
	autocorrelation, relaxation = mustSampling(t, s).times()
	if want := modes.RelaxationTime; math.Abs(relaxation/want-1) > .03 || math.Abs(autocorrelation/want-1) > .03 {
		t.Errorf("relaxation time %g, autocorrelation time %g, mean-field limit %g", relaxation, autocorrelation, want)
	}
}

// TestSamplingLawConsistent: quantities of one law agree with each other, whatever
// the stride.
func TestSamplingLawConsistent(t *testing.T) {
	for _, s := range []ctmc.System{
		{Servers: 2, Load: .5, Service: exponential, Policy: ctmc.PowerOfD(2, false)},
		{Servers: 100, Load: .99, Service: exponential, Policy: ctmc.PowerOfD(3, true)},
		{Servers: 7, Load: .999, Service: scv2, Policy: ctmc.PowerOfD(2, false)},
		{Servers: 100, Load: .99999, Service: exponential, Policy: ctmc.PowerOfD(2, false)},
		{Servers: 1_000_000, Load: .8, Service: exponential, Policy: ctmc.PowerOfD(2, false)},
		{Servers: 1_000_000, Load: .9999, Service: scv2, Policy: ctmc.PowerOfD(2, false)},
	} {
		law, n := mustSampling(t, s), float64(s.Servers)
		for _, p := range []float64{1e-6, .01, .3, .5, .99, 1 - 1e-6} {
			q := law.Quantile(p)
			if law.CDF(q) < p-1e-12 || q > 0 && law.CDF(q-1/n) > p+1e-12 {
				t.Errorf("%v: quantile %g of %g: F = %g, one job less %g", s, q, p, law.CDF(q), law.CDF(q-1/n))
			}
			if sum := law.CDF(q) + law.Survival(q); math.Abs(sum-1) > 1e-12 {
				t.Errorf("%v: F + S = %g", s, sum)
			}
			if step := law.CDF(q) - law.CDF(q-1/n); math.Abs(n*step-law.Density(q)) > 1e-12*n {
				t.Errorf("%v: F makes a step of %g at %g, density %g", s, n*step, q, law.Density(q))
			}
		}
	}
}

// TestSamplingStarts: starts have the mean number of jobs that they are drawn for,
// and are states of the system.
func TestSamplingStarts(t *testing.T) {
	random := rand.NewPCG(1, 2)
	for _, s := range []ctmc.System{
		{Servers: 100, Load: .99, Service: exponential, Policy: ctmc.PowerOfD(2, false)},
		{Servers: 10, Load: .999, Service: scv2, Policy: ctmc.PowerOfD(3, false)},
		{Servers: 100, Load: .9, Buffer: 20, Service: exponential, Policy: ctmc.PowerOfD(2, false)},
	} {
		law, err := NewStartLaw(s)
		if err != nil {
			t.Fatal(err)
		}
		const draws = 4000
		sum := 0.0
		for k := range draws {
			start := law.Start().at((float64(k)+.5)/draws, random)
			if err := start.validate(s); err != nil {
				t.Fatal(err)
			}
			for i, count := range start.Tail {
				sum += float64(count)
				if start.TailPhase2[i] > count {
					t.Fatalf("%v of %v in phase 2", start.TailPhase2, start.Tail)
				}
			}
		}
		mean := sum / draws / float64(s.Servers)
		if math.Abs(mean/law.MeanJobs()-1) > .01 {
			t.Errorf("%v: mean of the starts %g, of the law %g", s, mean, law.MeanJobs())
		}
	}
}

// TestSamplingLawRefuses names what does not hold.
func TestSamplingLawRefuses(t *testing.T) {
	good := ctmc.System{Servers: 100, Load: .99, Service: exponential, Policy: ctmc.PowerOfD(2, false)}
	for field, change := range map[string]func(*ctmc.System){
		"load":    func(s *ctmc.System) { s.Load = .4 },
		"servers": func(s *ctmc.System) { s.Servers = 1e8 },
		"buffer":  func(s *ctmc.System) { s.Buffer = 12 },
		"policy":  func(s *ctmc.System) { s.Policy = ctmc.Random() },
	} {
		s := good
		change(&s)
		_, err := NewStartLaw(s)
		if wrong, ok := err.(*ctmc.FieldError); !ok || wrong.Field != field {
			t.Errorf("%s: %v", field, err)
		}
	}
}
