package stein

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"qlimit/coxian"
	"qlimit/ctmc"
)

// randomProblem is small enough for its exact chain. The conditions of the
// explicit version never hold there; those of the sharp one may.
func randomProblem(r *rand.Rand) Problem {
	law := coxian.Dist{Mu1: 1, P: 0, Mu2: 1}
	servers := 1 + r.Int64N(25)
	if r.IntN(3) > 0 {
		law = coxian.Dist{Mu1: math.Exp(r.Float64()), P: 0.02 + 0.93*r.Float64(), Mu2: math.Exp(2*r.Float64() - 1)}
		servers = 1 + r.Int64N(10)
	}
	policies := []ctmc.Policy{
		ctmc.JSQ(), ctmc.JIQ(), ctmc.I1F(), ctmc.Random(), ctmc.PowerOfD(1+r.Int64N(servers), r.IntN(2) == 0),
		ctmc.JIQ().WithFallback(ctmc.Sampling{Choices: min(2, servers)}),
	}
	return Problem{Servers: servers, Scaling: FixedLoad(0.02 + 0.97*math.Pow(r.Float64(), 2)), Buffer: 2 + r.IntN(2), Service: law, Policy: policies[r.IntN(len(policies))]}
}

// exactValues are the exact stationary values of a problem, and E(X - η)^+ as a
// function of η.
func exactValues(t *testing.T, p Problem) (*ctmc.Stationary, func(eta float64) float64) {
	t.Helper()
	exact, err := ctmc.SolveStationary(context.Background(), p.System(), ctmc.SolverSettings{Tolerance: 1e-14}, 0)
	if err != nil {
		t.Fatal(err)
	}
	chain, law := exactLaw(t, p.System())
	mass := make([]float64, p.Servers*int64(p.Buffer)+1)
	state := make([]int64, chain.Classes())
	for i, weight := range law {
		chain.Unrank(int64(i), state)
		mass[chain.Jobs(state)] += weight
	}
	return exact, func(eta float64) float64 {
		sum := 0.0
		for jobs, weight := range mass {
			sum += weight * math.Max(float64(jobs)/float64(p.Servers)-eta, 0)
		}
		return sum
	}
}

// TestBoundsAgainstExact: on random systems every bound that is given lies on
// its side of the exact value, whatever it is worth.
func TestBoundsAgainstExact(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 9))
	given, useful := 0, 0
	for k := range 120 {
		p := randomProblem(r)
		if k == 0 { // δ = 0 in the explicit version, so that its η is λ
			p = Problem{Servers: 1, Scaling: FixedLoad(0.99), Buffer: 50, Service: coxian.Dist{Mu1: 1, P: 0, Mu2: 1}, Policy: ctmc.JSQ()}
		}
		b := solved(t, p)
		exact, excess := exactValues(t, p)
		const rounding = 1e-10
		check := func(name string, bound Bound, truth float64) {
			if !bound.Known {
				return
			}
			given++
			if !bound.Vacuous() {
				useful++
			}
			if bound.Value < truth-rounding {
				t.Errorf("%s: %s <= %.10g, exact %.10g", p.System(), name, bound.Value, truth)
			}
		}
		mean := p.Service.Mean()
		wait := exact.MeanResponse - mean
		check("best mean jobs", b.Best.MeanJobs.Bound, exact.MeanJobs)
		check("best P(wait)", b.Best.WaitProb.Bound, exact.WaitProb)
		check("best P(block)", b.Best.BlockProb, exact.BlockProb)
		check("best mean wait", b.Best.MeanWait, wait)
		check("best excess", b.Best.Excess.Bound, excess(b.Explicit.Eta))
		e := &b.Explicit
		check("excess", e.Excess, excess(e.Eta))
		check("mean jobs", e.MeanJobs, exact.MeanJobs)
		check("P(wait)", e.WaitProb, exact.WaitProb)
		check("P(block)", e.BlockProb, exact.BlockProb)
		check("mean wait", e.MeanWait, wait)
		if low := b.Lower; low.MeanJobs > exact.MeanJobs+rounding || low.WaitProb > exact.WaitProb+rounding || low.MeanWait > wait+rounding*mean {
			t.Errorf("%s: lower bounds %+v; exact mean %g, P(wait) %g, wait %g", p.System(), low, exact.MeanJobs, exact.WaitProb, wait)
		}
	}
	if given < 150 || useful < 30 {
		t.Errorf("only %d bounds, %d of them useful", given, useful)
	}
}

// TestConsequencesAgainstExact: what follows from a bound on E(X - η)^+ follows
// from its exact value.
func TestConsequencesAgainstExact(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 9))
	waits := 0
	for range 80 {
		p := randomProblem(r)
		m := newModel(p)
		exact, excess := exactValues(t, p)
		tau := m.smallestTau()
		for _, over := range []float64{0.05 * m.gap, 0.5 * m.gap, 0.9 * m.gap, m.gap + 0.3} {
			v := m.values(excess(m.load+over), over, tau, p.Service.Mean())
			const rounding = 1e-10
			for _, c := range []struct {
				name  string
				bound Bound
				truth float64
			}{
				{"mean jobs", v.MeanJobs, exact.MeanJobs}, {"P(wait)", v.WaitProb, exact.WaitProb}, {"P(block)", v.BlockProb, exact.BlockProb},
				{"mean wait", v.MeanWait, exact.MeanResponse - p.Service.Mean()}, {"P(wait) by work", v.WaitProbByWork, exact.WaitProb},
			} {
				if c.bound.Known && c.name == "P(wait)" {
					waits++
				}
				if c.bound.Known && c.bound.Value < c.truth-rounding*math.Max(1, c.truth) {
					t.Errorf("%s, η = λ + %g, τ = %g: %s <= %.10g, exact %.10g", p.System(), over, tau, c.name, c.bound.Value, c.truth)
				}
			}
		}
	}
	if waits < 100 {
		t.Errorf("only %d bounds on P(wait)", waits)
	}
}

// TestGivenEta: a proof for a given η is one for that η, 0 above the load
// included.
func TestGivenEta(t *testing.T) {
	m := newModel(Problem{Servers: 1e6, Scaling: FixedLoad(0.9), Buffer: 3, Service: coxian.Dist{Mu1: 2, P: 0.25, Mu2: 0.5}, Policy: ctmc.JSQ()})
	for _, over := range []float64{0, 1e-3, 0.1, 1} {
		for _, scale := range []float64{1e-4, 1e-3, 1e-2} {
			if p := m.sharpProof(m.scaledMargins(scale), over); math.Abs(p.Eta-m.load-over) > 1e-12 {
				t.Errorf("η - λ = %g was asked for, the proof is about %g", over, p.Eta-m.load)
			}
		}
	}
}
