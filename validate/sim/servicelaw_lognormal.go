package sim

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mathext"

	"qlimit/ctmc"
)

// Lognormal is the law of exp(μ + σ Z), Z standard normal, with the given mean
// and scv: σ² = log(1 + scv), μ = log(mean) - σ²/2. One word a sample, by
// inversion. Errors: mean or scv out of range (*ctmc.FieldError).
func Lognormal(mean, scv float64) (SizeLaw, error) {
	if err := checkPositive("mean", mean); err != nil {
		return nil, err
	}
	if !(scv > 0 && scv <= 1e6) {
		return nil, &ctmc.FieldError{Field: "scv", Value: scv, Allowed: "> 0 and at most 1e6 (0 = deterministic)"}
	}
	variance := math.Log1p(scv)
	return lognormalLaw{mean: mean, scv: scv, center: math.Log(mean) - variance/2, spread: math.Sqrt(variance)}, nil
}

type lognormalLaw struct{ mean, scv, center, spread float64 }

func (l lognormalLaw) Mean() float64  { return l.mean }
func (l lognormalLaw) SCV() float64   { return l.scv }
func (l lognormalLaw) String() string { return fmt.Sprintf("lognormal:mean=%g,scv=%g", l.mean, l.scv) }

func (l lognormalLaw) Sample(random *rand.PCG) float64 {
	return math.Exp(l.center + l.spread*mathext.NormalQuantile(middleUnit(random)))
}

// PartialMoment is e^{kμ + k²σ²/2} Φ((log x - μ)/σ - kσ).
func (l lognormalLaw) PartialMoment(k int, x float64) float64 {
	if x <= 0 {
		return 0
	}
	order := float64(k)
	moment := math.Exp(order*l.center + order*order*l.spread*l.spread/2)
	z := (math.Log(x)-l.center)/l.spread - order*l.spread
	return moment * math.Erfc(-z/math.Sqrt2) / 2
}
