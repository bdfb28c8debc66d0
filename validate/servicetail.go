package validate

import (
	"math"

	"qlimit/ctmc"
	"qlimit/stein"
	"qlimit/validate/sim"
)

// ServiceTailOf returns what the lower bound for limited resources needs of a
// law of the simulator: the law itself where it is Coxian-2 or deterministic,
// else by its partial moments. Where these belong to a sample, P(W > x) stands
// for P(W >= x), which makes the bound no larger. Laws without partial moments
// are refused.
func ServiceTailOf(law sim.Law) (stein.ServiceTail, error) {
	if d, ok := sim.CoxianOf(law); ok {
		return d, nil
	}
	if value, ok := sim.OnlyValue(law); ok {
		return stein.Deterministic(value), nil
	}
	if l, ok := law.(sim.SizeLaw); ok {
		return sizeTail{l}, nil
	}
	return nil, &ctmc.FieldError{Field: "size", Value: law, Allowed: "a law given by a formula"}
}

// sizeTail is a law with partial moments.
type sizeTail struct{ sim.SizeLaw }

func (l sizeTail) Survival(x float64) float64 {
	return math.Max(0, 1-l.PartialMoment(0, x))
}

// MeanExcess is E[W; W > x] - x P(W > x).
func (l sizeTail) MeanExcess(x float64) float64 {
	return math.Max(0, l.Mean()-l.PartialMoment(1, x)-x*l.Survival(x))
}
