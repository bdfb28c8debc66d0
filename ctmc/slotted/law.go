package slotted

import (
	"fmt"
	"math"
	"math/rand/v2"

	"qlimit/ctmc"
)

// Law is the law of a count per slot: of arrivals, or of the jobs that a
// server can serve.
type Law interface {
	Mean() float64          // jobs per slot
	Variance() float64      // of the count
	ThirdCumulant() float64 // third central moment
	// Max is the largest count that has positive probability; bounded is false
	// if there is none.
	Max() (max int64, bounded bool)
	// Window returns the probabilities of first, first+1, ..: all counts with
	// probability at least cut times that of the most likely one, 0 < cut < 1.
	// They are accurate to a few units of rounding relative to each other and
	// add up to 1.
	Window(cut float64) (first int64, p []float64)
	// Sample consumes one word of the generator, whatever the outcome, none if
	// there is only one outcome: simulations that share a stream stay aligned.
	Sample(random *rand.PCG) int64
	String() string // the family with its mean
}

// MostPerSlot bounds the mean of a law.
const MostPerSlot = 1e7

// Family is a law up to its mean, such as "Poisson".
type Family interface {
	// At returns the law with the given mean, or a *ctmc.FieldError that names
	// the means the family allows.
	At(mean float64) (Law, error)
	String() string // as [ParseFamily] reads it
}

func checkMean(mean float64, allowed string, good bool) error {
	if !(good && mean >= 0 && mean <= MostPerSlot) {
		return &ctmc.FieldError{Field: "mean per slot", Value: mean, Allowed: allowed}
	}
	return nil
}

const anyMean = "between 0 and 1e7"

// point is the law of a certain count.
type point int64

func (p point) Mean() float64                     { return float64(p) }
func (point) Variance() float64                   { return 0 }
func (point) ThirdCumulant() float64              { return 0 }
func (p point) Max() (int64, bool)                { return int64(p), true }
func (p point) Sample(*rand.PCG) int64            { return int64(p) }
func (p point) String() string                    { return fmt.Sprintf("constant, mean %d", int64(p)) }
func (p point) Window(float64) (int64, []float64) { return int64(p), []float64{1} }

// Constant is the family of counts that never vary: whole means only.
type Constant struct{}

// At returns the law of the count mean, a whole number.
func (Constant) At(mean float64) (Law, error) {
	if err := checkMean(mean, "a whole number "+anyMean+" for a constant count", mean == math.Trunc(mean)); err != nil {
		return nil, err
	}
	return point(mean), nil
}

func (Constant) String() string { return "constant" }

// unimodal fills a window from the ratio of neighbouring probabilities,
// p(k+1)/p(k), which falls in k: the sum is then right to rounding whatever
// the mean, while a formula with factorials would lose digits.
func unimodal(mode int64, cut float64, ratio func(k int64) float64) (first int64, p []float64) {
	var below []float64
	for k, x := mode-1, 1.0; k >= 0; k-- {
		x /= ratio(k)
		if x < cut {
			break
		}
		below = append(below, x)
	}
	first = mode - int64(len(below))
	p = make([]float64, len(below), 2*len(below)+16)
	for i, x := range below {
		p[len(below)-1-i] = x
	}
	for k, x := mode, 1.0; x >= cut; k++ {
		p = append(p, x)
		x *= ratio(k)
	}
	normalise(p)
	return first, p
}

// normalise adds from both ends, the small terms first.
func normalise(p []float64) {
	sum := 0.0
	for low, high := 0, len(p)-1; low <= high; {
		if p[low] < p[high] {
			sum += p[low]
			low++
		} else {
			sum += p[high]
			high--
		}
	}
	for i := range p {
		p[i] /= sum
	}
}
