package sim

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"sort"

	"qlimit/ctmc"
	"qlimit/internal/stream"
)

// mostValues is the most values an empirical law may have.
const mostValues = 20_000_000

// Empirical is the law that takes each of the given values with the same
// probability: independent draws from a measured sample. What the sample says
// about the order of its values is not used. One word a sample. Errors: no
// values, one that is negative or not finite, or a mean of 0
// (*ctmc.FieldError).
func Empirical(values []float64) (SizeLaw, error) {
	if len(values) == 0 || len(values) > mostValues {
		return nil, &ctmc.FieldError{Field: "values", Value: len(values), Allowed: fmt.Sprintf("between 1 and %d in number", mostValues)}
	}
	l := &empiricalLaw{values: append([]float64(nil), values...)}
	sort.Float64s(l.values)
	// NaN sorts first.
	if low, high := l.values[0], l.values[len(values)-1]; !(low >= 0) || math.IsInf(high, 1) {
		return nil, &ctmc.FieldError{Field: "values", Value: fmt.Sprintf("%g .. %g", low, high), Allowed: ">= 0 and finite"}
	}
	if err := checkPositive("mean of the values", l.sum()/float64(len(values))); err != nil {
		return nil, err
	}
	l.accumulate()
	return l, nil
}

// empiricalLaw holds the sample in increasing order with the sums of its first
// and second powers, relative to the mean.
type empiricalLaw struct {
	values         []float64
	mean           float64
	first, squares []float64 // first[i] = Σ_{j < i} values[j]/mean/n
	scv            float64
}

func (l *empiricalLaw) sum() float64 {
	sum, lost := 0.0, 0.0
	for _, x := range l.values { // compensated: increasing positive terms
		y := x - lost
		next := sum + y
		lost = (next - sum) - y
		sum = next
	}
	return sum
}

func (l *empiricalLaw) accumulate() {
	n := float64(len(l.values))
	l.mean = l.sum() / n
	l.first = make([]float64, len(l.values)+1)
	l.squares = make([]float64, len(l.values)+1)
	for i, x := range l.values {
		y := x / l.mean
		l.first[i+1] = l.first[i] + y/n
		l.squares[i+1] = l.squares[i] + y*y/n
		l.scv += (y - 1) * (y - 1) / n
	}
}

func (l *empiricalLaw) Mean() float64 { return l.mean }
func (l *empiricalLaw) SCV() float64  { return l.scv }

func (l *empiricalLaw) Sample(random *rand.PCG) float64 {
	return l.values[stream.Below(uint64(len(l.values)), random)]
}

// String names the sample by size, mean and a fingerprint of its values.
func (l *empiricalLaw) String() string {
	hash := fnv.New64a()
	var word [8]byte
	for _, x := range l.values {
		bits := math.Float64bits(x)
		for i := range word {
			word[i] = byte(bits >> (8 * i))
		}
		_, _ = hash.Write(word[:])
	}
	return fmt.Sprintf("empirical:n=%d,mean=%.6g,scv=%.6g,fingerprint=%016x", len(l.values), l.mean, l.scv, hash.Sum64())
}

// PartialMoment counts the values up to and including x.
func (l *empiricalLaw) PartialMoment(k int, x float64) float64 {
	i := sort.Search(len(l.values), func(i int) bool { return l.values[i] > x })
	switch k {
	case 0:
		return float64(i) / float64(len(l.values))
	case 1:
		return l.mean * l.first[i]
	}
	return l.mean * l.mean * l.squares[i]
}
