package stein

import (
	"math"
	"testing"

	"qlimit/coxian"
	"qlimit/ctmc"
)

// digits compares with a number given to so many significant digits.
func digits(t *testing.T, what string, got, want float64, figures int) {
	t.Helper()
	if half := 0.5000001 * math.Pow(10, math.Floor(math.Log10(math.Abs(want)))+1-float64(figures)); math.Abs(got-want) > half {
		t.Errorf("%s = %.10g, want %g to %d digits", what, got, want, figures)
	}
}

func solved(t *testing.T, p Problem) *Bounds {
	t.Helper()
	b, err := Solve(p)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestExplicitValues: the values of the theory's section 5.4, computed apart
// from this program.
func TestExplicitValues(t *testing.T) {
	twoPhase := coxian.Dist{Mu1: 2, P: 0.5, Mu2: 1} // exponential in disguise
	slower := coxian.Dist{Mu1: 1.5, P: 1.0 / 6, Mu2: 0.5}
	for _, c := range []struct {
		servers int64
		law     coxian.Dist
		k, h    float64
	}{{1e8, twoPhase, 5, 1.61603e-5}, {1e12, twoPhase, 5, 1.08484e-7}, {1e12, slower, 23.25, 1.13008e-7}} {
		for _, policy := range []ctmc.Policy{ctmc.JSQ(), ctmc.JIQ(), ctmc.I1F()} {
			e := solved(t, Problem{Servers: c.servers, Scaling: LoadExponent(0.25), Buffer: 2, Service: c.law, Policy: policy}).Explicit
			if !e.Excess.Known {
				t.Fatalf("N = %d, %s: no bound: %s", c.servers, policy, e.Excess.Reason)
			}
			digits(t, "k", e.K, c.k, 10)
			digits(t, "bound", e.Excess.Value, c.h, 6)
			if c.servers == 1e8 {
				digits(t, "eta", e.Eta, 0.99921, 5)
			}
		}
	}
	// Exponential service: κ = 1, k = 3.5 b - 2.
	for b := 2; b < 6; b++ {
		e := solved(t, Problem{Servers: 1e12, Scaling: LoadExponent(0.25), Buffer: b, Service: coxian.Dist{Mu1: 1, P: 0, Mu2: 7}, Policy: ctmc.JSQ()}).Explicit
		digits(t, "kappa", e.Kappa, 1, 12)
		digits(t, "k", e.K, 3.5*float64(b)-2, 12)
	}
}

// TestExplicitFormulas: e0 .. e3, κ, k and H from the formulas of section 5.4
// as they stand, for a law with (1-p)μ1 on either side of μ2.
func TestExplicitFormulas(t *testing.T) {
	for _, law := range []coxian.Dist{{Mu1: 1.25, P: 0.9, Mu2: 4.5}, {Mu1: 2, P: 0.25, Mu2: 0.5}} {
		const n, b = 1e13, 3.0
		lambda := 1 - math.Pow(n, -0.25)
		delta := math.Log(n) / math.Sqrt(n)
		j := math.Floor(math.Sqrt(n) * math.Log(n) / 4)
		mu1, p, mu2 := law.Mu1, law.P, law.Mu2
		wu, wl := math.Max((1-p)*mu1, mu2), math.Min((1-p)*mu1, mu2)
		e0 := math.Pow(1+mu2*delta/(2*p), -(j + 1))
		g1 := mu1*delta - 1/math.Sqrt(n)
		e1 := math.Pow(1+g1/lambda, -(j+1)) + (1+lambda/g1)*e0
		k2 := 1.5*p*mu1/mu2 + 1
		e2 := math.Pow(1+mu2*delta/(2*p*lambda), -(j+1)) + (1+2*p*lambda/(mu2*delta))*e1
		kA, kB := 1.5, k2
		if (1-p)*mu1 <= mu2 {
			kA, kB = k2, 1.5
		}
		kappa := (1 + (wu-wl)*kA) / wl
		k := kappa + 0.5 + (b-1)*(wu*(kappa+0.5)+(wu-wl)*kB+2)/wl
		e3 := math.Pow(1+delta/(wu+lambda), -(j+1)) + (1+(wu+lambda)/delta)*(e1+e2)
		h := 1/n + 2*lambda/(n*delta) + (lambda+wu)/(2*n*delta) + b*(lambda+delta)/delta*(e1+e2+e3)

		e := solved(t, Problem{Servers: n, Scaling: LoadExponent(0.25), Buffer: b, Service: law, Policy: ctmc.JSQ()}).Explicit
		logs := e.LogTails()
		for i, want := range []float64{e0, e1, e2, e3} {
			if relative(math.Exp(logs[i]), want) > 1e-8 { // (1+x)^-J loses digits
				t.Errorf("%s: e%d = %g, want %g", law, i, math.Exp(logs[i]), want)
			}
		}
		for _, c := range []struct {
			name      string
			got, want float64
		}{{"kappa", e.Kappa, kappa}, {"k", e.K, k}, {"eta", e.Eta, lambda + k*delta}, {"H", e.Excess.Value, h}, {"E X", e.MeanJobs.Value, lambda + k*delta + h}} {
			if relative(c.got, c.want) > 1e-9 {
				t.Errorf("%s: %s = %.15g, want %.15g", law, c.name, c.got, c.want)
			}
		}
		if e.Eta < 1 {
			digits(t, "P(wait)", e.WaitProb.Value, h/(1-lambda-k*delta), 8)
		}
	}
}

func relative(got, want float64) float64 { return math.Abs(got-want) / math.Abs(want) }

// TestPaperValues: the published constants as they stand, and the conditions
// under which they are stated.
func TestPaperValues(t *testing.T) {
	p := Problem{Servers: 1e8, Scaling: LoadExponent(0.25), Buffer: 2, Service: coxian.Dist{Mu1: 2, P: 0.5, Mu2: 1}, Policy: ctmc.JSQ()}
	paper := solved(t, p).Paper
	digits(t, "k", paper.K, 21, 12) // (1 + 2)(3 + 4)
	digits(t, "excess", paper.Excess.Value, 7*2/(1e4*math.Log(1e8)), 12)
	for name, change := range map[string]func(*Problem){
		"alpha":   func(p *Problem) { p.Scaling = LoadExponent(0.5) },
		"routing": func(p *Problem) { p.Policy = ctmc.Random() },
		"p":       func(p *Problem) { p.Service = coxian.Dist{Mu1: 2, P: 1, Mu2: 2} },
		"load":    func(p *Problem) { p.Scaling = FixedLoad(1.1) },
	} {
		q := p
		change(&q)
		paper := solved(t, q).Paper
		if failing := firstFailing(paper.Conditions); paper.Excess.Known || failing == nil || failing.Name != name {
			t.Errorf("want condition %s to fail, found %v", name, failing)
		}
	}
}

// TestCorollary: offset + constant × scale is the bound it came from, and the
// constants hardly depend on N.
func TestCorollary(t *testing.T) {
	for _, policy := range []ctmc.Policy{ctmc.JSQ(), ctmc.JIQ(), ctmc.PowerOfD(2_000_000, true)} {
		var last []Order
		for _, n := range []int64{1e13, 1e15} {
			b := solved(t, Problem{Servers: n, Scaling: LoadExponent(0.25), Buffer: 2, Service: coxian.Dist{Mu1: 2, P: 0.25, Mu2: 0.5}, Policy: policy})
			e := &b.Explicit
			bounds := map[string]Bound{"mean_jobs": e.MeanJobs, "mean_wait": e.MeanWait, "p_wait": e.WaitProbByWork}
			if policy.Depth == 1 {
				bounds["p_wait"] = e.WaitProb
			}
			if len(e.Corollary) != 3 {
				t.Fatalf("%s: %d lines, %s", policy, len(e.Corollary), e.Excess.Reason)
			}
			for i, o := range e.Corollary {
				if got, want := o.Offset+o.Constant.Value*o.Size, bounds[o.Quantity].Value; relative(got, want) > 1e-12 {
					t.Errorf("%s: %s = %g, want %g", policy, o.Quantity, got, want)
				}
				if last != nil && math.Abs(o.Constant.Value/last[i].Constant.Value-1) > 0.5 {
					t.Errorf("%s: the constant of %s goes from %g to %g", policy, o.Quantity, last[i].Constant.Value, o.Constant.Value)
				}
			}
			last = e.Corollary
		}
	}
}

// TestFailingConditions: a bound whose conditions fail is not there, and the
// condition is named.
func TestFailingConditions(t *testing.T) {
	exp := coxian.Dist{Mu1: 1, P: 0, Mu2: 1}
	for _, c := range []struct {
		name string
		p    Problem
	}{
		{"load", Problem{Servers: 1e9, Scaling: FixedLoad(1), Buffer: 2, Service: exp, Policy: ctmc.JSQ()}},
		{"load", Problem{Servers: 10, Scaling: FixedLoad(1.2), Buffer: 3, Service: exp, Policy: ctmc.JIQ()}},
		{"p", Problem{Servers: 1e9, Scaling: FixedLoad(0.9), Buffer: 2, Service: coxian.Dist{Mu1: 2, P: 1, Mu2: 2}, Policy: ctmc.JSQ()}},
		{"log_n", Problem{Servers: 1, Scaling: FixedLoad(0.5), Buffer: 2, Service: exp, Policy: ctmc.JSQ()}},
		{"log_n", Problem{Servers: 2, Scaling: FixedLoad(0.5), Buffer: 2, Service: exp, Policy: ctmc.PowerOfD(1, false)}},
		{"collapse_room", Problem{Servers: 1000, Scaling: FixedLoad(0.9), Buffer: 2, Service: exp, Policy: ctmc.JSQ()}},
		{"routing", Problem{Servers: 1e9, Scaling: FixedLoad(0.9), Buffer: 2, Service: exp, Policy: ctmc.Random()}},
		{"routing", Problem{Servers: 1e9, Scaling: FixedLoad(0.9), Buffer: 2, Service: exp, Policy: ctmc.PowerOfD(2, true)}},
		{"routing", Problem{Servers: 1e9, Scaling: FixedLoad(0.9), Buffer: 2, Service: exp, Policy: ctmc.PowerOfD(1000, false), Tau: 1e-4}},
	} {
		b := solved(t, c.p)
		for _, n := range b.Explicit.Named() {
			if n.Known {
				t.Errorf("condition %s fails, and there is a bound %s = %g", c.name, n.Name, n.Value)
			}
		}
		if failing := firstFailing(b.Explicit.Conditions); failing == nil || failing.Name != c.name {
			t.Errorf("want condition %s to fail, found %v", c.name, failing)
		}
	}
	if _, err := Solve(Problem{Servers: 100, Scaling: FixedLoad(0.5), Buffer: 1, Service: exp, Policy: ctmc.JSQ()}); err == nil {
		t.Error("a buffer of 1 is accepted")
	}
}

// TestSmallestServers: the bound says something there and not one server
// below.
func TestSmallestServers(t *testing.T) {
	for _, p := range []Problem{
		{Servers: 10, Scaling: LoadExponent(0.25), Buffer: 2, Service: coxian.Dist{Mu1: 2, P: 0.5, Mu2: 1}, Policy: ctmc.JSQ()},
		{Servers: 10, Scaling: FixedLoad(0.9), Buffer: 4, Service: coxian.Dist{Mu1: 2, P: 0.25, Mu2: 0.5}, Policy: ctmc.JIQ()},
		{Servers: 1e6, Scaling: FixedLoad(0.8), Buffer: 3, Service: coxian.Dist{Mu1: 1, P: 0, Mu2: 1}, Policy: ctmc.PowerOfD(500, false)},
	} {
		all := solved(t, p).Smallest.All
		if all == 0 {
			t.Fatalf("none found for %s", p.System())
		}
		p.Servers = all
		if v := solved(t, p).Explicit.Vacuous(); len(v) > 0 {
			t.Errorf("%s: %v say nothing at %d servers", p.System(), v, all)
		}
		p.Servers--
		if v := solved(t, p).Explicit.Vacuous(); len(v) == 0 {
			t.Errorf("%s: nothing is vacuous with one server fewer", p.System())
		}
	}
	never := Problem{Servers: 1e9, Scaling: SpareServers(2), Buffer: 2, Service: coxian.Dist{Mu1: 1, P: 0, Mu2: 1}, Policy: ctmc.JSQ()}
	if s := solved(t, never).Smallest; s != (SmallestServers{}) {
		t.Errorf("with a fixed number of spare servers the conditions never hold, found %+v", s)
	}
}

// TestBestIsNoWorse: the optimised bounds are below the explicit ones wherever
// those exist, and consistent with the lower bounds.
func TestBestIsNoWorse(t *testing.T) {
	laws := []coxian.Dist{{Mu1: 1, P: 0, Mu2: 1}, {Mu1: 2, P: 0.5, Mu2: 1}, {Mu1: 2, P: 0.25, Mu2: 0.5}, {Mu1: 1.25, P: 0.9, Mu2: 4.5}, {Mu1: 4, P: 0.15, Mu2: 0.2}, {Mu1: 30, P: 0.0029, Mu2: 0.003}}
	known := 0
	for _, law := range laws {
		for _, n := range []int64{1e6, 1e9, 1e15} {
			for _, policy := range []ctmc.Policy{ctmc.JSQ(), ctmc.JIQ(), ctmc.PowerOfD(10_000, true)} {
				for _, load := range []Scaling{LoadExponent(0.2), FixedLoad(0.7)} {
					p := Problem{Servers: n, Scaling: load, Buffer: 3, Service: law, Policy: policy}
					b := solved(t, p)
					e := &b.Explicit
					if !e.Excess.Known {
						continue
					}
					known++
					for _, c := range []struct {
						name           string
						best, explicit Bound
						lower          float64
					}{{"excess", b.Best.Excess.Bound, e.Excess, 0}, {"mean", b.Best.MeanJobs.Bound, e.MeanJobs, b.Lower.MeanJobs}, {"p_wait", b.Best.WaitProb.Bound, e.WaitProb, b.Lower.WaitProb}} {
						if c.explicit.Known && !(c.best.Known && c.best.Value <= c.explicit.Value) {
							t.Errorf("%s: best %s %+v, explicit %+v", p.System(), c.name, c.best, c.explicit)
						}
						if c.best.Known && c.best.Value < c.lower {
							t.Errorf("%s: %s below the lower bound %g: %g", p.System(), c.name, c.lower, c.best.Value)
						}
					}
				}
			}
		}
	}
	if known < 30 {
		t.Errorf("only %d problems with a bound", known)
	}
}

// TestScaleInvariance: the unit of time changes nothing but times.
func TestScaleInvariance(t *testing.T) {
	p := Problem{Servers: 1e12, Scaling: LoadExponent(0.25), Buffer: 2, Service: coxian.Dist{Mu1: 1.5, P: 1.0 / 6, Mu2: 0.5}, Policy: ctmc.JSQ()}
	a := solved(t, p)
	p.Service, _ = p.Service.Scale(8)
	b := solved(t, p)
	if relative(a.Explicit.Excess.Value, b.Explicit.Excess.Value) > 1e-12 || relative(8*a.Explicit.MeanWait.Value, b.Explicit.MeanWait.Value) > 1e-12 {
		t.Errorf("excess %g and %g, mean wait %g and %g", a.Explicit.Excess.Value, b.Explicit.Excess.Value, a.Explicit.MeanWait.Value, b.Explicit.MeanWait.Value)
	}
}
