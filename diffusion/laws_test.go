package diffusion

import (
	"math"
	"testing"

	"qlimit/coxian"
)

// Service laws of the tests, all of mean 1.
var (
	exponential = coxian.Dist{Mu1: 1, Mu2: 1}
	scvTwo      = coxian.Dist{Mu1: 2, P: 0.25, Mu2: 0.5}
	scvHigh     = coxian.Dist{Mu1: 4, P: 0.15, Mu2: 0.2}
	scvLow      = coxian.Dist{Mu1: 1.25, P: 1, Mu2: 5}
	erlangTwo   = coxian.Dist{Mu1: 2, P: 1, Mu2: 2}
	disguised   = coxian.Dist{Mu1: 2, P: 0.5, Mu2: 1} // exponential
)

// near compares with a relative tolerance, absolute below 1e-300.
func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance*math.Max(math.Abs(want), 1e-300)) {
		t.Errorf("%s = %.16g, want %.16g to relative %g (off by %.2g)", what, got, want, tolerance, got/want-1)
	}
}

func mustLaw(t *testing.T, p Process) *Law {
	t.Helper()
	law, err := p.Stationary()
	if err != nil {
		t.Fatal(err)
	}
	return law
}

func mustProcess(t *testing.T, d Discipline, spare float64, service coxian.Dist) Process {
	t.Helper()
	p, err := NDS{d, spare, service}.Process()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// checkDistribution holds the parts of a law against each other: F + S = 1,
// quantiles invert, the density is the slope of F, moments are integrals.
func checkDistribution(t *testing.T, name string, d Distribution) {
	t.Helper()
	for _, p := range []float64{1e-9, 1e-3, 0.1, 0.5, 0.9, 0.999} {
		u := d.Quantile(p)
		near(t, name+": F(Q(p))", d.CDF(u), p, 1e-12)
		near(t, name+": S(Q(p))", d.Survival(u), 1-p, 1e-12)
		h := 1e-5 * u
		near(t, name+": slope of F", (d.CDF(u+h)-d.CDF(u-h))/(2*h), d.Density(u), 1e-6)
	}
	// E U = ∫ S and E U² = ∫ 2u S, by the trapezoidal rule in log u.
	first, second := 0.0, 0.0
	const h = 0.01
	for s := math.Log(d.Mean()) - 30; s < math.Log(d.Mean())+6; s += h {
		u := math.Exp(s)
		first += h * u * d.Survival(u)
		second += h * 2 * u * u * d.Survival(u)
	}
	near(t, name+": mean", d.Mean(), first, 1e-4)
	near(t, name+": variance", d.Variance(), second-first*first, 1e-3)
}
