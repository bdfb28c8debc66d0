package sim

import (
	"fmt"
	"math"
	"math/rand/v2"

	"qlimit/coxian"
	"qlimit/ctmc"
)

// Arrival processes are renewal processes: independent times between arrivals
// with the same law. Only the shape of the law counts, since the load fixes
// the rate.

// Poisson is the exponential law of mean 1.
func Poisson() Law { return exponentialLaw{mean: 1, dist: coxian.Dist{Mu1: 1, Mu2: 1}} }

// mostPhases is the most phases of an Erlang law.
const mostPhases = 10_000

// Erlang is the sum of k exponential times, scv 1/k, with the given mean. It
// consumes k words a sample. Errors: k or mean out of range (*ctmc.FieldError).
func Erlang(k int, mean float64) (SizeLaw, error) {
	if k < 1 || k > mostPhases {
		return nil, &ctmc.FieldError{Field: "k", Value: k, Allowed: fmt.Sprintf("between 1 and %d", mostPhases)}
	}
	if err := checkPositive("mean", mean); err != nil {
		return nil, err
	}
	return erlangLaw{phases: k, mean: mean}, nil
}

type erlangLaw struct {
	phases int
	mean   float64
}

func (l erlangLaw) Mean() float64  { return l.mean }
func (l erlangLaw) SCV() float64   { return 1 / float64(l.phases) }
func (l erlangLaw) String() string { return fmt.Sprintf("erlang:k=%d,mean=%g", l.phases, l.mean) }

// Sample takes one logarithm for sixteen phases: the product of sixteen numbers
// of at least 2^-53 is above the smallest normal number.
func (l erlangLaw) Sample(random *rand.PCG) float64 {
	sum := 0.0
	for left := l.phases; left > 0; left -= 16 {
		product := 1.0
		for range min(left, 16) {
			product *= openUnit(random)
		}
		sum -= math.Log(product)
	}
	return sum * l.mean / float64(l.phases)
}

func (l erlangLaw) PartialMoment(k int, x float64) float64 {
	return gammaPartialMoment(float64(l.phases), l.mean/float64(l.phases), k, x)
}

// Hyperexponential is the mixture of two exponential laws with the given mean
// and scv >= 1 and balanced means: each branch brings half of the mean. With x
// = √((scv-1)/(scv+1)) the branches have probabilities (1 ± x)/2 and rates (1 ±
// x)/mean. It consumes two words a sample. Errors: mean or scv out of range
// (*ctmc.FieldError).
func Hyperexponential(mean, scv float64) (SizeLaw, error) {
	if err := checkPositive("mean", mean); err != nil {
		return nil, err
	}
	if !(scv >= 1 && scv <= 1e6) {
		return nil, &ctmc.FieldError{Field: "scv", Value: scv, Allowed: "between 1 and 1e6"}
	}
	imbalance := math.Sqrt((scv - 1) / (scv + 1))
	// (1 - x)/2 without cancellation: 1 - x² = 2/(scv + 1).
	rare := 1 / ((scv + 1) * (1 + imbalance))
	return hyperexponentialLaw{mean: mean, scv: scv, rare: rare}, nil
}

// hyperexponentialLaw: the rare branch has probability rare and mean
// mean/(2 rare).
type hyperexponentialLaw struct{ mean, scv, rare float64 }

func (l hyperexponentialLaw) Mean() float64 { return l.mean }
func (l hyperexponentialLaw) SCV() float64  { return l.scv }
func (l hyperexponentialLaw) String() string {
	return fmt.Sprintf("hyperexp:mean=%g,scv=%g", l.mean, l.scv)
}

func (l hyperexponentialLaw) Sample(random *rand.PCG) float64 {
	branch := 1 - l.rare
	if unit(random) < l.rare {
		branch = l.rare
	}
	return l.mean / (2 * branch) * unitExponential(random)
}

func (l hyperexponentialLaw) PartialMoment(k int, x float64) float64 {
	often := 1 - l.rare
	return l.rare*gammaPartialMoment(1, l.mean/(2*l.rare), k, x) + often*gammaPartialMoment(1, l.mean/(2*often), k, x)
}
