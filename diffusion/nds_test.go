package diffusion

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"testing"

	"pgregory.net/rapid"

	"qlimit/coxian"
	"qlimit/ctmc"
)

func TestReference(t *testing.T) {
	var file struct {
		Cases []struct {
			Alpha    float64
			CQ       float64 `json:"mean_cq"`
			JSQ      float64 `json:"mean_jsq"`
			I1F      float64 `json:"mean_i1f"`
			IQF      float64 `json:"mean_iqf"`
			RatioJSQ float64 `json:"ratio_jsq"`
			RatioIQF float64 `json:"ratio_iqf"`
		}
	}
	text, err := os.ReadFile("testdata/nds_exponential.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Cases) < 7 {
		t.Fatalf("%d cases", len(file.Cases))
	}
	for _, c := range file.Cases {
		p, err := Price(c.Alpha, exponential)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "CQ", p.MeanCQ, c.CQ, 1e-13)
		near(t, "JSQ", p.MeanJSQ, c.JSQ, 1e-13)
		near(t, "IQF", p.MeanIQF, c.IQF, 1e-13)
		near(t, "JSQ/CQ", p.RatioJSQ, c.RatioJSQ, 1e-13)
		near(t, "IQF/CQ", p.RatioIQF, c.RatioIQF, 1e-13)
		i1f, err := NDS{I1F, c.Alpha, exponential}.MeanJobs()
		if err != nil {
			t.Fatal(err)
		}
		near(t, "I1F", i1f, c.I1F, 1e-13)
	}
}

// JSQ with Coxian-2 service at α = 1, computed independently by quadrature.
func TestCoxianMeans(t *testing.T) {
	for _, c := range []struct {
		service coxian.Dist
		want    float64
		digits  float64
	}{
		{exponential, 2.23840584, 5e-9}, {disguised, 2.23840584, 5e-9},
		{scvTwo, 2.7568, 5e-5}, {scvHigh, 5.3064, 5e-5}, {scvLow, 2.0520, 5e-5}, {erlangTwo, 1.9520, 5e-5},
	} {
		for _, d := range []Discipline{JSQ, I1F} {
			got, err := NDS{d, 1, c.service}.MeanJobs()
			if err != nil {
				t.Fatal(err)
			}
			if math.Abs(got-c.want) > c.digits {
				t.Errorf("%s %s: %.10g, want %g", d, c.service, got, c.want)
			}
		}
	}
}

// The balance equation of the second phase that the quadratic stands for, its
// complement, the behaviour at 0 and the regular part of the drift, for random
// laws.
func TestFastLevels(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		scv := rapid.OneOf(rapid.Float64Range(0.5, 3), rapid.Float64Range(3, 1000)).Draw(t, "scv")
		service, err := coxian.FitMeanSCV(1, scv)
		if err != nil {
			t.Fatal(err)
		}
		u := rapid.OneOf(rapid.Float64Range(0.001, 0.999), rapid.Float64Range(1e-9, 1e-3)).Draw(t, "u")
		levels := newFastLevels(service)
		r0, delta := levels.idleCreation(u), levels.busyAfter(u)
		y := 1 - u
		leave, proceed := (1-service.P)*service.Mu1, service.P*service.Mu1
		// r0 = (1-p)μ1 y11 + μ2 y12 and y11 + y12 = y give the phases.
		determinant := service.Mu2 - leave
		if math.Abs(determinant) < 1e-3 || u < 1e-6 {
			return
		}
		second := (r0 - leave*y) / determinant
		first := y - second
		gain, loss := proceed*first, second*(service.Mu2+delta/y)
		if math.Abs(gain-loss) > 1e-9*(gain+loss)*(1+1/math.Abs(determinant)) {
			t.Fatalf("balance %g, %g", gain, loss)
		}
		if second < -1e-12 || first < -1e-12 {
			t.Fatalf("phases %g, %g", first, second)
		}
		if math.Abs(r0+delta-1) > 1e-13 {
			t.Fatalf("r0 + δ = %.16g", r0+delta)
		}
		sigma := 1 + service.SCV()
		if got, want := levels.idleBeyondRepulsion(u), r0/delta-sigma/2/u; math.Abs(got-want) > 1e-11*(1+sigma/u) {
			t.Fatalf("regular part %.16g, want %.16g", got, want)
		}
	})
}

// Mean idle servers = α: E[r0/(1-r0)] for every discipline but CQ.
func TestMeanIdleIsSpare(t *testing.T) {
	for _, service := range []coxian.Dist{exponential, scvTwo, scvHigh, scvLow, erlangTwo} {
		for _, alpha := range []float64{0.01, 1, 30} {
			for _, d := range []Discipline{JSQ, I1F, IQF} {
				n := NDS{d, alpha, service}
				law, err := n.Engine()
				if err != nil {
					t.Fatal(err)
				}
				idle := law.Expect(func(u float64) float64 {
					r := n.IdleCreation(u)
					if d.Name == "iqf" {
						return (1 + service.SCV()) / 2 / u
					}
					return r / newFastLevels(service).busyAfter(u)
				})
				near(t, d.Name+" idle", idle, alpha, 1e-11)
			}
		}
	}
}

// IQF over CQ excess is 2 whatever the service law.
func TestUniversalFactor(t *testing.T) {
	for _, service := range []coxian.Dist{exponential, scvTwo, scvHigh, scvLow, erlangTwo} {
		iqf, err := NDS{IQF, 0.7, service}.Engine()
		if err != nil {
			t.Fatal(err)
		}
		cq, err := NDS{CQ, 0.7, service}.Engine()
		if err != nil {
			t.Fatal(err)
		}
		near(t, "factor", iqf.Mean()/cq.Mean(), 2, 1e-12)
		near(t, "CQ", cq.Mean(), (1+service.SCV())/1.4, 1e-12)
	}
}

// A law a hair from exponential is a hair from the exponential answer, also in
// the finite chain.
func TestNearlyExponential(t *testing.T) {
	for _, scv := range []float64{1 - 1e-6, 1 + 1e-6, 1 + 1e-9} {
		service, err := coxian.FitMeanSCV(1, scv)
		if err != nil {
			t.Fatal(err)
		}
		mean, err := NDS{JSQ, 1, service}.MeanJobs()
		if err != nil {
			t.Fatal(err)
		}
		near(t, "limit", mean, 2.2384058440442347, 1e-5)
		for _, d := range []Discipline{JSQ, IQF} {
			nearly, err := Averaged{Discipline: d, Servers: 50, Load: 0.97, Service: service}.Solve()
			if err != nil {
				t.Fatal(err)
			}
			exactly, err := Averaged{Discipline: d, Servers: 50, Load: 0.97, Service: exponential}.Solve()
			if err != nil {
				t.Fatal(err)
			}
			near(t, "averaged", nearly.MeanJobs(), exactly.MeanJobs(), 1e-5)
		}
	}
}

func TestStochasticOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		alpha := math.Pow(10, rapid.Float64Range(-3, 3).Draw(t, "log alpha"))
		laws := map[string]Distribution{}
		for _, d := range []Discipline{CQ, JSQ, I1F, IQF} {
			law, err := NDS{d, alpha, exponential}.Stationary()
			if err != nil {
				t.Fatal(err)
			}
			laws[d.Name] = law
		}
		for _, pair := range [][2]string{{"cq", "jsq"}, {"jsq", "i1f"}, {"i1f", "jsq"}, {"jsq", "iqf"}, {"cq", "iqf"}} {
			if d := StochasticOrder(laws[pair[0]], laws[pair[1]]); !d.Holds {
				t.Fatalf("α = %g: %s below %s fails by %g at %g", alpha, pair[0], pair[1], d.Largest, d.At)
			}
		}
		if StochasticOrder(laws["iqf"], laws["cq"]).Holds {
			t.Fatal("the check cannot fail")
		}
	})
}

func TestClosedLaws(t *testing.T) {
	for _, alpha := range []float64{0.05, 1, 40} {
		for _, d := range []Discipline{CQ, JSQ, IQF} {
			law, err := NDS{d, alpha, exponential}.Stationary()
			if err != nil {
				t.Fatal(err)
			}
			checkDistribution(t, d.Name, law)
		}
	}
}

// P(X > 2) = e^-a/(αZ) and Z itself, from their defining formulas.
func TestShortestQueueFormulas(t *testing.T) {
	const alpha = 1.3
	a := 1 + alpha
	z := (1-(1+a)*math.Exp(-a))/(a*a) + math.Exp(-a)/alpha
	m1 := (2-(a*a+2*a+2)*math.Exp(-a))/(a*a*a) + math.Exp(-a)*(1/alpha+1/(alpha*alpha))
	law := newShortestQueueLaw(alpha)
	near(t, "P(X > 2)", law.Survival(1), math.Exp(-a)/(alpha*z), 1e-14)
	near(t, "mean", law.Mean(), m1/z, 1e-14)
}

func TestLargestPrice(t *testing.T) {
	ratio, spare, err := LargestPrice(exponential)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "largest ratio", ratio, 1.13546622432510, 1e-13)
	near(t, "argmax", spare, 2.09081692676, 2e-11/2)
	thousand := coxian.Dist{Mu1: 2, P: 1.0 / 2000, Mu2: 1e-3}
	for _, service := range []coxian.Dist{scvTwo, erlangTwo, scvHigh, thousand} {
		ratio, spare, err := LargestPrice(service)
		if err != nil {
			t.Fatal(err)
		}
		for _, factor := range []float64{0.9, 1.1} {
			p, err := Price(spare*factor, service)
			if err != nil {
				t.Fatal(err)
			}
			if p.RatioJSQ >= ratio {
				t.Errorf("%s: ratio %g at %g exceeds the largest, %g at %g", service, p.RatioJSQ, spare*factor, ratio, spare)
			}
		}
	}
	// At scv 1e6 it is beyond MaxSpare.
	var field *ctmc.FieldError
	if _, _, err := LargestPrice(coxian.Dist{Mu1: 2, P: 5e-7, Mu2: 1e-6}); !errors.As(err, &field) {
		t.Errorf("scv 1e6: error %v, want a FieldError", err)
	}
}

func TestDisciplines(t *testing.T) {
	for _, p := range []ctmc.Policy{ctmc.Random(), ctmc.PowerOfD(2, false), ctmc.JIQ().WithFallback(ctmc.Sampling{Choices: 2})} {
		var field *ctmc.FieldError
		if _, err := Dispatching(p); !errors.As(err, &field) {
			t.Errorf("%s: error %v, want a FieldError", p.Name, err)
		}
	}
	// Two priority levels behave as JSQ whatever the fallback.
	d, err := Dispatching(ctmc.I1F().WithFallback(ctmc.Sampling{Choices: 2}))
	if err != nil {
		t.Fatal(err)
	}
	mean, err := NDS{d, 1, exponential}.MeanJobs()
	if err != nil {
		t.Fatal(err)
	}
	near(t, "I1F with power-of-two fallback", mean, 2.2384058440442347, 1e-13)
	if _, err := ParseDiscipline("jssq"); err == nil {
		t.Error("jssq was accepted")
	}
	if d, err := ParseDiscipline("jiq"); err != nil || d.Name != "iqf" {
		t.Errorf("jiq: %v, %v", d, err)
	}
	for _, n := range []NDS{{JSQ, 0, exponential}, {JSQ, -1, exponential}, {JSQ, math.NaN(), exponential}, {JSQ, 1, coxian.Dist{}}} {
		if _, err := n.Stationary(); err == nil {
			t.Errorf("%+v was accepted", n)
		}
	}
	if (NDS{JSQ, 1, disguised}).Kind() != ctmc.Limit || (NDS{JSQ, 1, scvTwo}).Kind() != ctmc.Conjecture {
		t.Error("kinds")
	}
}
