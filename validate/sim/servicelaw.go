package sim

import (
	"fmt"
	"math"
	"math/rand/v2"

	"qlimit/coxian"
	"qlimit/ctmc"
)

// Law is the law of a positive random time: a service time or the time between
// two arrivals.
//
// Sample consumes the same number of words of the generator whatever the
// outcome, so that simulations that share a stream stay aligned (common random
// numbers).
type Law interface {
	Mean() float64                   // > 0 and finite
	SCV() float64                    // variance/mean², finite
	Sample(random *rand.PCG) float64 // one draw
	String() string                  // two laws with the same text are the same
}

// SizeLaw is a law that size-interval assignment can divide.
type SizeLaw interface {
	Law
	// PartialMoment is E[S^k; S <= x], k = 0, 1, 2: the distribution function
	// for k = 0, increasing to the k-th moment as x grows.
	PartialMoment(k int, x float64) float64
}

// lattice is a law with all its mass on one value: what nobody waits for takes
// exactly that long.
type lattice interface{ onlyValue() float64 }

// openUnit is uniform on (0, 1]: one word.
func openUnit(random *rand.PCG) float64 { return float64(random.Uint64()>>11+1) * 0x1p-53 }

// middleUnit is uniform on (0, 1), both ends excluded: one word.
func middleUnit(random *rand.PCG) float64 { return (float64(random.Uint64()>>12) + .5) * 0x1p-52 }

// unitExponential is exponential of mean 1: one word.
func unitExponential(random *rand.PCG) float64 { return -math.Log(openUnit(random)) }

// CoxianLaw is a Coxian-2 law as a Law: three words a sample, one if the law
// never enters phase 2.
func CoxianLaw(d coxian.Dist) SizeLaw {
	d.Src = nil
	if d.P == 0 {
		return exponentialLaw{mean: d.Mean(), dist: d}
	}
	return coxianLaw{d}
}

type exponentialLaw struct {
	mean float64
	dist coxian.Dist
}

func (l exponentialLaw) Mean() float64                   { return l.mean }
func (l exponentialLaw) SCV() float64                    { return 1 }
func (l exponentialLaw) Sample(random *rand.PCG) float64 { return l.mean * unitExponential(random) }
func (l exponentialLaw) String() string                  { return l.dist.String() }

func (l exponentialLaw) PartialMoment(k int, x float64) float64 {
	return gammaPartialMoment(1, l.mean, k, x)
}

type coxianLaw struct{ dist coxian.Dist }

func (l coxianLaw) Mean() float64                   { return l.dist.Mean() }
func (l coxianLaw) SCV() float64                    { return l.dist.SCV() }
func (l coxianLaw) Sample(random *rand.PCG) float64 { return l.dist.Sample(random) }
func (l coxianLaw) String() string                  { return l.dist.String() }

// CoxianOf returns the Coxian-2 law that a Law made by [CoxianLaw] stands for.
func CoxianOf(l Law) (d coxian.Dist, ok bool) {
	switch l := l.(type) {
	case exponentialLaw:
		return l.dist, true
	case coxianLaw:
		return l.dist, true
	}
	return coxian.Dist{}, false
}

// OnlyValue returns the value of a law that has all its mass there.
func OnlyValue(l Law) (value float64, ok bool) {
	if l, ok := l.(lattice); ok {
		return l.onlyValue(), true
	}
	return 0, false
}

// Deterministic is the law of times that all take the value: no words a sample.
// Errors: a value that is not > 0 and finite.
func Deterministic(value float64) (Law, error) {
	if err := checkPositive("mean", value); err != nil {
		return nil, err
	}
	return deterministicLaw(value), nil
}

type deterministicLaw float64

func (l deterministicLaw) Mean() float64              { return float64(l) }
func (l deterministicLaw) SCV() float64               { return 0 }
func (l deterministicLaw) Sample(_ *rand.PCG) float64 { return float64(l) }
func (l deterministicLaw) onlyValue() float64         { return float64(l) }
func (l deterministicLaw) String() string {
	if l == 1 {
		return "deterministic"
	}
	return fmt.Sprintf("deterministic:mean=%g", float64(l))
}

// Bounds of the parameters of laws: no moment that is used over- or
// underflows within them.
const (
	leastTime = 1e-75
	mostTime  = 1e75
)

func checkPositive(field string, x float64) error {
	if !(x >= leastTime && x <= mostTime) {
		return &ctmc.FieldError{Field: field, Value: x, Allowed: "between 1e-75 and 1e75"}
	}
	return nil
}
