package diffusion

import (
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"

	"qlimit/coxian"
	"qlimit/ctmc"
)

func mustSolve(t *testing.T, a Averaged) *AveragedLaw {
	t.Helper()
	law, err := a.Solve()
	if err != nil {
		t.Fatalf("%+v: %v", a, err)
	}
	return law
}

// Values computed independently, state by state in other software.
func TestAveragedValues(t *testing.T) {
	for _, c := range []struct {
		d       Discipline
		servers int64
		load    float64
		service coxian.Dist
		want    float64
	}{
		{JSQ, 100, 0.99, exponential, 2.14743}, {JSQ, 1000, 0.999, exponential, 2.22212},
		{JSQ, 10, 0.99, exponential, 10.88883}, {JSQ, 100, 0.999, exponential, 11.20052},
		{JSQ, 100, 0.99, scvTwo, 2.64088}, {JSQ, 100, 0.99, erlangTwo, 1.87605}, {JSQ, 1000, 0.999, scvTwo, 2.73478},
		{IQF, 100, 0.99, exponential, 2.90868}, {IQF, 100, 0.99, scvTwo, 3.88164}, {IQF, 1000, 0.999, exponential, 2.98637},
		{I1F, 100, 0.99, exponential, 2.14743}, {JSQ, 100, 0.99, disguised, 2.14743},
	} {
		law := mustSolve(t, Averaged{Discipline: c.d, Servers: c.servers, Load: c.load, Service: c.service})
		if math.Abs(law.MeanJobs()-c.want) > 5.1e-6 {
			t.Errorf("%s N = %d load %g %s: %.8f, want %.5f", c.d, c.servers, c.load, c.service, law.MeanJobs(), c.want)
		}
	}
}

// The exponential form with the averaging done by hand: probabilities of (X, I)
// held in a matrix.
func TestAveragedByHand(t *testing.T) {
	const servers, load, most = 7, 0.9, 4000
	weight := make([]float64, most+1)
	weight[0] = 1
	total, mean := 1.0, 0.0
	for x := 1; x <= most; x++ {
		var chain [servers + 2]float64
		sum, first := 0.0, 0.0
		chain[max(0, servers-x)] = 1
		for i := max(0, servers-x); i <= servers; i++ {
			sum += chain[i]
			first += float64(i) * chain[i]
			chain[i+1] = chain[i] * math.Max(0, float64(2*servers-x-2*i)) / (load * servers)
		}
		weight[x] = weight[x-1] * load * servers / (servers - first/sum)
		total += weight[x]
		mean += float64(x) * weight[x]
	}
	law := mustSolve(t, Averaged{Discipline: JSQ, Servers: servers, Load: load, Service: exponential})
	near(t, "mean", law.MeanJobs(), mean/total/servers, 1e-12)
	for _, x := range []int{0, 3, 7, 13, 14, 15, 40} {
		near(t, "density", law.Density(float64(x)/servers), servers*weight[x]/total, 1e-11)
	}
}

// The cut equation λN π(X-1) = (N - E[I|X]) π(X) summed over X says that the
// mean number of idle servers is N - λN, up to that of the empty system.
func TestAveragedMeanIdle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		servers := rapid.Int64Range(2, 400).Draw(t, "servers")
		load := rapid.Float64Range(0.5, 0.999).Draw(t, "load")
		a := Averaged{Discipline: JSQ, Servers: servers, Load: load, Service: exponential}
		law, err := a.Solve()
		if err != nil {
			t.Fatal(err)
		}
		chain, n := a.chain(), float64(servers)
		sum := law.states[0] * n
		for x := 1; x < len(law.states); x++ {
			idle, _ := chain.mean(float64(x)-n, math.Max(0, n-float64(x)), false)
			sum += law.states[x] * idle
		}
		if math.Abs(sum-n*(1-load)) > 1e-9*n {
			t.Fatalf("mean idle %.12g, want %.12g", sum, n*(1-load))
		}
	})
}

// Both ways of summation agree where both apply.
func TestAveragedSummationAndIntegration(t *testing.T) {
	for _, d := range []Discipline{JSQ, I1F, IQF} {
		for _, service := range []coxian.Dist{exponential, scvTwo, erlangTwo} {
			for _, spare := range []float64{0.3, 5} {
				a := Averaged{Discipline: d, Servers: exactBelow, Load: 1 - spare/exactBelow, Service: service, CornerRepair: d.Name == "i1f"}
				sum, err := a.bySummation()
				if err != nil {
					t.Fatal(err)
				}
				integral, err := a.byIntegration()
				if err != nil {
					t.Fatal(err)
				}
				near(t, "mean", integral.MeanJobs(), sum.MeanJobs(), 1e-8)
				near(t, "variance", integral.Variance(), sum.Variance(), 1e-8)
				near(t, "P(wait)", integral.WaitProbability(), sum.WaitProbability(), 1e-6)
				for _, x := range []float64{0.98, 1.1, 2.5, 8} {
					near(t, "survival", integral.Survival(x), sum.Survival(x), 1e-5)
					near(t, "density", integral.Density(x), sum.Density(x), 1e-5)
				}
				for _, p := range []float64{0.05, 0.5, 0.99} {
					if got, want := integral.Quantile(p), sum.Quantile(p); math.Abs(got-want) > 1.01/exactBelow {
						t.Errorf("quantile %g: %g and %g", p, got, want)
					}
				}
			}
		}
	}
}

// As N grows with α fixed the chain tends to the limit.
func TestAveragedTendsToTheLimit(t *testing.T) {
	for _, d := range []Discipline{JSQ, IQF} {
		for _, service := range []coxian.Dist{exponential, scvTwo, erlangTwo} {
			limit, err := NDS{d, 1, service}.MeanJobs()
			if err != nil {
				t.Fatal(err)
			}
			before := math.Inf(1)
			for _, n := range []int64{100, 1000, 10_000, 100_000, 1_000_000} {
				distance := math.Abs(mustSolve(t, Averaged{Discipline: d, Servers: n, Load: 1 - 1/float64(n), Service: service}).MeanJobs() - limit)
				if distance > before/5 {
					t.Errorf("%s %s N = %d: distance %g after %g", d, service, n, distance, before)
				}
				before = distance
			}
			if before > 1e-4 {
				t.Errorf("%s %s: distance %g at the end", d, service, before)
			}
		}
	}
}

// Near load 1 the corrected IQF chain has JIQ's factor: two servers exactly,
// E jobs = 2ρ(1+ρ)/((1-ρ)(1+2ρ)), and 2N/(N+1) over M/M/N as α -> 0.
func TestCornerRepair(t *testing.T) {
	for _, load := range []float64{0.9, 0.99, 0.999} {
		exact := load * (1 + load) / ((1 - load) * (1 + 2*load))
		plain := mustSolve(t, Averaged{Discipline: IQF, Servers: 2, Load: load, Service: exponential}).MeanJobs()
		repaired := mustSolve(t, Averaged{Discipline: IQF, Servers: 2, Load: load, Service: exponential, CornerRepair: true}).MeanJobs()
		if math.Abs(repaired/exact-1) > math.Abs(plain/exact-1)/5 {
			t.Errorf("load %g: exact %g, plain %g, repaired %g", load, exact, plain, repaired)
		}
	}
	for _, n := range []int64{2, 5, 10, 40} {
		const alpha = 1e-4
		law := mustSolve(t, Averaged{Discipline: IQF, Servers: n, Load: 1 - alpha/float64(n), Service: exponential, CornerRepair: true})
		want, _, err := HeavyTraffic{Servers: n, Service: exponential}.Coefficient(ctmc.JIQ())
		if err != nil {
			t.Fatal(err)
		}
		near(t, "JIQ: α E jobs", alpha*law.MeanJobs()*float64(n), want, 2e-3)
		for _, service := range []coxian.Dist{exponential, scvTwo} {
			law := mustSolve(t, Averaged{Discipline: I1F, Servers: n, Load: 1 - alpha/float64(n), Service: service, CornerRepair: true})
			want, _, err := HeavyTraffic{Servers: n, Service: service}.Coefficient(ctmc.I1F())
			if err != nil {
				t.Fatal(err)
			}
			near(t, "I1F: α E jobs", alpha*law.MeanJobs()*float64(n), want, 2e-3)
		}
	}
	// Simulated: (10, 9.9) 18.78, (100, 99) 2.8755 ± 0.0028.
	ten := mustSolve(t, Averaged{Discipline: IQF, Servers: 10, Load: 0.99, Service: exponential, CornerRepair: true})
	near(t, "(10, 9.9)", ten.MeanJobs(), 18.78, 2e-3)
	hundred := mustSolve(t, Averaged{Discipline: IQF, Servers: 100, Load: 0.99, Service: exponential, CornerRepair: true})
	near(t, "(100, 99)", hundred.MeanJobs(), 2.8755, 5e-3)
	// I1F, simulated with control variates (half widths 0.064, 0.019, 0.005, 0.008).
	for _, c := range []struct {
		servers    int64
		load, jobs float64
	}{{5, 0.99, 23.386}, {10, 0.99, 11.805}, {20, 0.99, 6.272}, {100, 0.999, 11.315}} {
		law := mustSolve(t, Averaged{Discipline: I1F, Servers: c.servers, Load: c.load, Service: exponential, CornerRepair: true})
		near(t, "I1F", law.MeanJobs(), c.jobs, 6e-3)
	}
}

// Quantities of one law agree with each other, for random systems.
func TestAveragedLawConsistent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := Averaged{
			Discipline: rapid.SampledFrom([]Discipline{JSQ, I1F, IQF}).Draw(t, "discipline"),
			Servers:    rapid.OneOf(rapid.Int64Range(1, 60), rapid.Int64Range(512, 3000)).Draw(t, "servers"),
			Service:    rapid.SampledFrom([]coxian.Dist{exponential, scvTwo, scvHigh, erlangTwo}).Draw(t, "service"),
		}
		a.Load = math.Max(0.5, 1-rapid.Float64Range(0.05, 5).Draw(t, "spare")/float64(a.Servers))
		a.CornerRepair = rapid.Bool().Draw(t, "repair")
		law, err := a.Solve()
		if err != nil {
			t.Fatal(err)
		}
		wait := law.WaitProbability()
		if !(law.MeanJobs() > 0 && law.Variance() > 0 && wait > -1e-12 && wait < 1+1e-12) {
			t.Fatalf("%+v: mean %g, variance %g, P(wait) %g", a, law.MeanJobs(), law.Variance(), wait)
		}
		n := float64(a.Servers)
		for _, p := range []float64{0.001, 0.3, 0.5, 0.9, 0.9999} {
			q := law.Quantile(p)
			if law.CDF(q) < p-1e-6 || q > 0 && law.CDF(q-1/n) > p+1e-6 {
				t.Fatalf("%+v: quantile %g of %g: F = %g, one job less %g", a, q, p, law.CDF(q), law.CDF(q-1/n))
			}
			if math.Abs(law.CDF(q)+law.Survival(q)-1) > 1e-9 {
				t.Fatalf("F + S = %g", law.CDF(q)+law.Survival(q))
			}
		}
	})
}

func TestAveragedRefuses(t *testing.T) {
	good := Averaged{Discipline: JSQ, Servers: 10, Load: 0.9, Service: exponential}
	for name, change := range map[string]func(*Averaged){
		"load 1":     func(a *Averaged) { a.Load = 1 },
		"load low":   func(a *Averaged) { a.Load = 0.4 },
		"load NaN":   func(a *Averaged) { a.Load = math.NaN() },
		"servers":    func(a *Averaged) { a.Servers = 0 },
		"central":    func(a *Averaged) { a.Discipline = CQ },
		"no law":     func(a *Averaged) { a.Service = coxian.Dist{} },
		"never wait": func(a *Averaged) { a.Servers, a.Load = 1_000_000, 0.9 },
	} {
		a := good
		change(&a)
		if _, err := a.Solve(); err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
	var large *ctmc.TooLargeError
	good.Servers = 1e9
	if _, err := good.Solve(); !errors.As(err, &large) {
		t.Errorf("1e9 servers: %v", err)
	}
}

func TestHeavyTraffic(t *testing.T) {
	for _, n := range []int64{1, 2, 7} {
		h := HeavyTraffic{Servers: n, Service: exponential}
		optimal, kind, err := h.Coefficient(ctmc.JSQ())
		if err != nil || kind != ctmc.Limit {
			t.Fatal(kind, err)
		}
		const alpha = 1e-5
		pooled := ctmc.Pooled{Servers: n, Offered: float64(n) - alpha}
		near(t, "M/M/N", alpha*pooled.MeanJobs(), optimal, 1e-4)
		random, _, err := h.Coefficient(ctmc.Random())
		if err != nil {
			t.Fatal(err)
		}
		load := 1 - alpha/float64(n)
		near(t, "M/M/1 each", alpha*float64(n)*load/(1-load), random, 1e-4)
	}
	jiq, kind, err := HeavyTraffic{Servers: 2, Service: exponential}.Coefficient(ctmc.JIQ())
	if err != nil || kind != ctmc.Conjecture {
		t.Fatal(kind, err)
	}
	const load = 1 - 1e-7
	near(t, "JIQ, N = 2", jiq, 2*(1-load)*2*load*(1+load)/((1-load)*(1+2*load)), 1e-6)
	high, _, err := HeavyTraffic{Servers: 4, Service: scvTwo}.Coefficient(ctmc.Random())
	if err != nil {
		t.Fatal(err)
	}
	// Pollaczek-Khinchine: N λ²(1+scv)/(2(1-λ)), α = N(1-λ).
	near(t, "M/G/1 each", high, 4*4*3.0/2, 1e-13)
	if _, _, err := (HeavyTraffic{Servers: 4, Service: scvTwo}).Coefficient(ctmc.JIQ().WithFallback(ctmc.Sampling{Choices: 2})); err == nil {
		t.Error("JIQ with a power-of-2 fallback was accepted")
	}
}
