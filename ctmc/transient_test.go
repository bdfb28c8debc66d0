package ctmc

import (
	"context"
	"errors"
	"math"
	"testing"

	"qlimit/coxian"
)

// TestPoissonWeights: against the logarithms of the weights; the bound on what
// is outside holds.
func TestPoissonWeights(t *testing.T) {
	for _, q := range []float64{0, 1e-300, 1e-9, .3, 1, 25.5, 400, 12345.6, 4e7} {
		for _, outside := range []float64{1e-14, 1e-9, .1} {
			w := newPoissonWeights(q, outside)
			sum, exact := 0.0, 0.0
			for i, p := range w.weight {
				sum += p
				k := float64(w.first + i)
				gamma, _ := math.Lgamma(k + 1)
				term := math.Exp(k*math.Log(q) - q - gamma)
				if q == 0 {
					term = 1
				}
				exact += term
				if tol := 1e-12 + 4e-16*q*math.Log(q+2); math.Abs(p-term) > (w.outside+tol)*term {
					t.Fatalf("q = %g: P(%g) = %.15g, want %.15g", q, k, p, term)
				}
			}
			if math.Abs(sum-1) > 1e-13 || w.outside > outside {
				t.Errorf("q = %g: sum %.17g, outside %g", q, sum, w.outside)
			}
			if rest := 1 - exact; rest > w.outside+1e-13+4e-16*q*math.Log(q+2) {
				t.Errorf("q = %g: %g outside, bound %g", q, rest, w.outside)
			}
		}
	}
}

// TestTransientInfiniteServers: with a buffer of one job and JSQ the system is
// M/M/N/N; at small load it hardly ever loses a job and starts from empty as
// M/M/∞, whose mean is a (1 - e^{-t}), averaged over time
// a (1 - (1 - e^{-t})/t).
func TestTransientInfiniteServers(t *testing.T) {
	s := System{Servers: 40, Load: .1, Buffer: 1, Service: exponential(), Policy: JSQ()}
	times := []float64{0, 1e-9, .1, 1, 5, 40, 1e6, 1e14}
	r, err := SolveTransient(context.Background(), s, []int64{40}, times, TransientSettings{Tolerance: 1e-12})
	if err != nil {
		t.Fatal(err)
	}
	for k, at := range times {
		want := .1 * -math.Expm1(-at)
		if math.Abs(r.MeanJobs[k]-want) > 1e-11 {
			t.Errorf("t = %g: mean %.14g, want %.14g", at, r.MeanJobs[k], want)
		}
		if at > 0 {
			average := .1 * (1 + math.Expm1(-at)/at)
			if at < 1e-6 {
				average = .1 * at / 2
			}
			if math.Abs(r.Average[k]-average) > 1e-11 {
				t.Errorf("t = %g: average %.14g, want %.14g", at, r.Average[k], average)
			}
		}
		if math.Abs(r.Idle[k]-(1-r.MeanJobs[k])) > 1e-12 {
			t.Errorf("t = %g: idle %g", at, r.Idle[k])
		}
	}
	if r.Error > 1e-12 || !r.Settled {
		t.Errorf("error bound %g, settled %v", r.Error, r.Settled)
	}
}

// TestTransientAgainstIntegration: a Coxian system from an odd start, against
// the Kolmogorov equations integrated by steps of a fourth-order method.
func TestTransientAgainstIntegration(t *testing.T) {
	s := System{Servers: 3, Load: 1.1, Buffer: 3, Service: coxian.Dist{Mu1: 2, P: .25, Mu2: .5}, Policy: PowerOfD(2, false)}
	start := []int64{1, 0, 0, 0, 1, 1, 0}
	times := []float64{.2, .7, 3}
	r, err := SolveTransient(context.Background(), s, start, times, TransientSettings{Within: .05})
	if err != nil {
		t.Fatal(err)
	}
	chain, err := s.Chain()
	if err != nil {
		t.Fatal(err)
	}
	g, err := Explore(context.Background(), chain, 0)
	if err != nil {
		t.Fatal(err)
	}
	law := make([]float64, g.States())
	law[g.Index(start)] = 1
	const step = 1e-3
	now := 0.0
	k1, k2, k3, k4, y := make([]float64, len(law)), make([]float64, len(law)), make([]float64, len(law)), make([]float64, len(law)), make([]float64, len(law))
	at := func(c float64, k []float64) []float64 {
		for i := range y {
			y[i] = law[i] + c*k[i]
		}
		return y
	}
	state := make([]int64, chain.Classes())
	for k, until := range times {
		for ; now < until-step/2; now += step {
			g.ApplyLeft(law, k1)
			g.ApplyLeft(at(step/2, k1), k2)
			g.ApplyLeft(at(step/2, k2), k3)
			g.ApplyLeft(at(step, k3), k4)
			for i := range law {
				law[i] += step / 6 * (k1[i] + 2*k2[i] + 2*k3[i] + k4[i])
			}
		}
		mean := 0.0
		for i, p := range law {
			g.State(int64(i), state)
			mean += p * float64(chain.Jobs(state)) / 3
		}
		if math.Abs(r.MeanJobs[k]-mean) > 1e-9 {
			t.Errorf("t = %g: mean %.12g, integrated %.12g", until, r.MeanJobs[k], mean)
		}
	}
	// The law at the time when it is close to the stationary one is.
	if r.TimeWithin <= 0 {
		t.Fatalf("time within: %g", r.TimeWithin)
	}
	late, err := SolveTransient(context.Background(), s, start, []float64{r.TimeWithin}, TransientSettings{})
	if err != nil {
		t.Fatal(err)
	}
	if d := late.Distance[0]; math.Abs(d-.05) > 1e-6 {
		t.Errorf("distance %g at the time when it is to be 0.05", d)
	}
}

// TestTransientRefusals: bad requests are errors that name the field.
func TestTransientRefusals(t *testing.T) {
	s := System{Servers: 2, Load: .5, Buffer: 2, Service: exponential(), Policy: JSQ()}
	for _, c := range []struct {
		start    []int64
		times    []float64
		settings TransientSettings
	}{
		{[]int64{1}, []float64{1}, TransientSettings{}},
		{[]int64{3, -1}, []float64{1}, TransientSettings{}},
		{[]int64{1, 0, 0, 1}, []float64{1}, TransientSettings{}},
		{[]int64{2}, nil, TransientSettings{}},
		{[]int64{2}, []float64{-1}, TransientSettings{}},
		{[]int64{2}, []float64{1, 1}, TransientSettings{}},
		{[]int64{2}, []float64{math.NaN()}, TransientSettings{}},
		{[]int64{2}, []float64{math.Inf(1)}, TransientSettings{}},
		{[]int64{2}, []float64{1}, TransientSettings{Tolerance: 1e-25}},
		{[]int64{2}, []float64{1}, TransientSettings{Within: 1e-12}},
	} {
		if _, err := SolveTransient(context.Background(), s, c.start, c.times, c.settings); err == nil {
			t.Errorf("%+v accepted", c)
		} else if _, ok := err.(*FieldError); !ok {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// TestUnlimitedTransient: M/M/1 from empty without a buffer limit, whose mean
// at time t satisfies m' = λ - 1 + P(empty).
func TestUnlimitedTransient(t *testing.T) {
	s := System{Servers: 1, Load: .5, Service: exponential(), Policy: JSQ()}
	times := make([]float64, 201)
	for k := range times {
		times[k] = float64(k) * .05
	}
	r, err := SolveTransient(context.Background(), s, []int64{1}, times, TransientSettings{Tolerance: 1e-13})
	if err != nil {
		t.Fatal(err)
	}
	// Simpson's rule for the integral of P(empty).
	integral := 0.0
	for k := 2; k < len(times); k += 2 {
		integral += (r.Idle[k-2] + 4*r.Idle[k-1] + r.Idle[k]) * .05 / 3
		if want := -.5*times[k] + integral; math.Abs(r.MeanJobs[k]-want) > 1e-7 {
			t.Fatalf("t = %g: mean %.10g, integral %.10g", times[k], r.MeanJobs[k], want)
		}
	}
	if r.Lost > 1e-9 {
		t.Errorf("lost %g", r.Lost)
	}
}

// TestUnlimitedDistance: the stationary law of M/M/1 is geometric, and the one
// that late times are held to must be that law, however short the times.
func TestUnlimitedDistance(t *testing.T) {
	for load, within := range map[float64]float64{.5: .01, .8: .01, .99: 0} {
		s := System{Servers: 1, Load: load, Service: exponential(), Policy: JSQ()}
		r, err := SolveTransient(context.Background(), s, []int64{1}, []float64{0, 1, 5}, TransientSettings{Within: within})
		if err != nil {
			t.Fatal(err)
		}
		if want := load / (1 - load); math.Abs(r.Stationary.MeanJobs-want) > 1e-8*want {
			t.Errorf("load %g: stationary mean %.12g, want %.12g", load, r.Stationary.MeanJobs, want)
		}
		distance := func(law []float64) float64 {
			sum, left := 0.0, 1.0
			for n, p := range law {
				geometric := (1 - load) * math.Pow(load, float64(n))
				sum, left = sum+math.Abs(p-geometric), left-geometric
			}
			return (sum + left) / 2
		}
		for k, law := range r.Occupancy {
			if want := distance(law); r.Distance[k] < want-1e-9 || k == 0 && r.Distance[k] > want+1e-9 {
				t.Errorf("load %g, t = %g: distance at most %.10g, it is %.10g", load, r.Times[k], r.Distance[k], want)
			}
		}
		if within == 0 {
			continue
		}
		late, err := SolveTransient(context.Background(), s, []int64{1}, []float64{r.TimeWithin}, TransientSettings{})
		if err != nil {
			t.Fatal(err)
		}
		if d := distance(late.Occupancy[0]); d > .01 || d < .005 {
			t.Errorf("load %g: distance %g at t = %g, when it is to be at most 0.01", load, d, r.TimeWithin)
		}
	}
}

// TestUnlimitedDistanceLeftOut: near load 1 short times need few states and the
// stationary law very many: it is left out, or refused where it is asked for.
func TestUnlimitedDistanceLeftOut(t *testing.T) {
	s := System{Servers: 2, Load: .9999, Service: exponential(), Policy: JSQ()}
	r, err := SolveTransient(context.Background(), s, []int64{2}, []float64{1}, TransientSettings{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Stationary != nil || r.Distance != nil || r.States > cheapStates {
		t.Errorf("%d states, stationary %v, distance %v", r.States, r.Stationary, r.Distance)
	}
	s.Load = .999999
	var large *TooLargeError
	if _, err := SolveTransient(context.Background(), s, []int64{2}, []float64{1}, TransientSettings{Within: .01, MaxStates: 3e4}); !errors.As(err, &large) {
		t.Errorf("distance from a law of more than 3e4 states: %v", err)
	}
}

// TestIntegratedAutocorrelation: the number of jobs in M/M/1 has asymptotic
// variance 2ρ(1+ρ)/(1-ρ)^4 with unit service rate and variance ρ/(1-ρ)²
// (Whitt, Management Science 35 (1989)); that of M/M/∞ has autocorrelation
// e^{-t}, so that the integrated time is 1.
func TestIntegratedAutocorrelation(t *testing.T) {
	solve := func(s System) *Autocorrelation {
		chain, err := s.Chain()
		if err != nil {
			t.Fatal(err)
		}
		g, err := Explore(context.Background(), chain, 0)
		if err != nil {
			t.Fatal(err)
		}
		law, err := g.Stationary(context.Background(), SolverSettings{Tolerance: 1e-14})
		if err != nil {
			t.Fatal(err)
		}
		f, state := make([]float64, g.States()), make([]int64, chain.Classes())
		for i := range f {
			g.State(int64(i), state)
			f[i] = float64(chain.Jobs(state))
		}
		a, err := g.IntegratedAutocorrelation(context.Background(), law, f, SolverSettings{})
		if err != nil {
			t.Fatal(err)
		}
		if a.Status != Converged {
			t.Errorf("%v: %v, residual %g", s, a.Status, a.Residual)
		}
		return a
	}
	for _, rho := range []float64{.3, .8} {
		a := solve(System{Servers: 1, Load: rho, Buffer: 200, Service: exponential(), Policy: JSQ()})
		want := 2 * rho * (1 + rho) / math.Pow(1-rho, 4)
		if math.Abs(a.AsymptoticVariance-want) > 1e-7*want {
			t.Errorf("M/M/1 load %g: asymptotic variance %.10g, want %.10g", rho, a.AsymptoticVariance, want)
		}
		if want := rho / (1 - rho) / (1 - rho); math.Abs(a.Variance-want) > 1e-8*want {
			t.Errorf("M/M/1 load %g: variance %.10g, want %.10g", rho, a.Variance, want)
		}
	}
	if a := solve(System{Servers: 60, Load: .1, Buffer: 1, Service: exponential(), Policy: JSQ()}); math.Abs(a.Time-1) > 1e-8 || math.Abs(a.Variance-6) > 1e-8 {
		t.Errorf("M/M/∞: time %.10g, variance %.10g", a.Time, a.Variance)
	}
}

// TestTransientLaws: the levels and the total of a system over time are laws
// that agree with the means; at the start they are the start, long after the
// stationary laws.
func TestTransientLaws(t *testing.T) {
	s := System{Servers: 4, Load: .9, Buffer: 3, Service: coxian.Dist{Mu1: 2, P: .25, Mu2: .5}, Policy: PowerOfD(2, false)}
	times := []float64{0, .3, 4, 1e3, 1e12}
	r, err := SolveTransient(context.Background(), s, []int64{1, 0, 2, 0, 0, 1}, times, TransientSettings{Tolerance: 1e-12})
	if err != nil {
		t.Fatal(err)
	}
	for k, at := range times {
		sum, mean, all, total := 0.0, 0.0, 0.0, 0.0
		for level, q := range r.Occupancy[k] {
			sum += q
			mean += float64(level) * q
		}
		for jobs, p := range r.Total[k] {
			all += p
			total += float64(jobs) * p
		}
		if math.Abs(sum-1) > 1e-12 || math.Abs(all-1) > 1e-12 {
			t.Errorf("t = %g: levels add to %.15g, totals to %.15g", at, sum, all)
		}
		if math.Abs(mean-r.MeanJobs[k]) > 1e-11 || math.Abs(total/4-r.MeanJobs[k]) > 1e-11 || math.Abs(r.Occupancy[k][0]-r.Idle[k]) > 1e-12 {
			t.Errorf("t = %g: mean %.15g by levels, %.15g by totals, want %.15g; idle %.15g, want %.15g", at, mean, total/4, r.MeanJobs[k], r.Occupancy[k][0], r.Idle[k])
		}
	}
	if q := r.Occupancy[0]; q[0] != .25 || q[1] != .5 || q[3] != .25 || r.Total[0][5] != 1 {
		t.Errorf("start: %v, %v", q, r.Total[0])
	}
	law := solve(t, s)
	for level, q := range law.Occupancy {
		for _, k := range []int{3, 4} {
			if math.Abs(r.Occupancy[k][level]-q) > 1e-10 {
				t.Errorf("t = %g: %.14g servers with %d jobs, in equilibrium %.14g", times[k], r.Occupancy[k][level], level, q)
			}
		}
	}
}
