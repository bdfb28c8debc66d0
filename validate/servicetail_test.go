package validate

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/integrate/quad"

	"qlimit/coxian"
	"qlimit/stein"
	"qlimit/validate/sim"
)

// TestServiceTail: E(W-x)⁺ is the integral of the survival function, whatever
// the law is made of, and the same law in two forms has the same tail.
func TestServiceTail(t *testing.T) {
	d := coxian.Dist{Mu1: 2, P: .3, Mu2: .6}
	pareto, err := sim.BoundedPareto(1.5, 1, 50)
	if err != nil {
		t.Fatal(err)
	}
	deterministic, err := sim.Deterministic(3)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		law  sim.Law
		ends []float64
	}{{sim.CoxianLaw(d), []float64{5, 80}}, {pareto, []float64{1, 5, 50}}, {deterministic, []float64{3}}} {
		tail, err := ServiceTailOf(c.law)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range []float64{0, .3, 1, 2.5} {
			want, from := 0.0, x
			for _, end := range c.ends {
				if end > from {
					want += quad.Fixed(tail.Survival, from, end, 200, nil, 0)
					from = end
				}
			}
			if got := tail.MeanExcess(x); math.Abs(got-want) > 1e-9*want {
				t.Errorf("%v: E(W-%g)⁺ = %.12g, want %.12g", c.law, x, got, want)
			}
		}
	}
	for _, x := range []float64{0, .2, 3} {
		other := sizeTail{sim.CoxianLaw(d)}
		if math.Abs(other.Survival(x)-d.Survival(x)) > 1e-14 || math.Abs(other.MeanExcess(x)-d.MeanExcess(x)) > 1e-14 {
			t.Errorf("x = %g: by partial moments %g, %g; by the law %g, %g", x, other.Survival(x), other.MeanExcess(x), d.Survival(x), d.MeanExcess(x))
		}
	}
	if got := d.MeanExcess(-2); math.Abs(got-d.Mean()-2) > 1e-15 {
		t.Errorf("E(W+2) = %g", got)
	}
	var _ stein.ServiceTail = d
}
