package coxian

import (
	"math"
	"math/rand/v2"
)

// Rates lie in [MinRate, MaxRate] and their ratio in [1/MaxRateRatio,
// MaxRateRatio]. Within these limits no moment up to the fourth, no standardised
// moment and no rescaling to mean 1 overflows or underflows.
const (
	MinRate      = 1e-75
	MaxRate      = 1e75
	MaxRateRatio = 1e50
)

const maxFloat = math.MaxFloat64

// Dist is the Coxian-2 law: phase 1 at rate Mu1; then with probability P a
// second phase at rate Mu2, else the job leaves.
//
// The zero value is not a law. A Dist made by a constructor is valid; one
// written as a literal should be checked with [Dist.Validate]. The methods
// assume a valid law.
type Dist struct {
	Mu1 float64 // rate of phase 1, > 0
	P   float64 // probability of going on to phase 2, in [0, 1]
	Mu2 float64 // rate of phase 2, > 0 (without effect when P = 0)

	// Src is the source of [Dist.Rand]; nil means the global source of
	// math/rand/v2.
	Src rand.Source
}

// New returns the Coxian-2 law with phase rates mu1 and mu2 and probability p
// of going on to phase 2. It is [FromContinuation] under a shorter name. The
// error, a [*ParameterError], names the first parameter outside its range.
func New(mu1, p, mu2 float64) (Dist, error) {
	d := Dist{Mu1: mu1, P: p, Mu2: mu2}
	if err := d.Validate(); err != nil {
		return Dist{}, err
	}
	return d, nil
}

// Validate reports the first parameter outside its range as a
// [*ParameterError]: rates in [MinRate, MaxRate], P in [0, 1], and the ratio
// of the rates at most MaxRateRatio either way.
func (d Dist) Validate() error {
	if err := validateRate("mu1", d.Mu1); err != nil {
		return err
	}
	if err := validateProbability("p", d.P); err != nil {
		return err
	}
	if err := validateRate("mu2", d.Mu2); err != nil {
		return err
	}
	if ratio := d.Mu1 / d.Mu2; ratio > MaxRateRatio || ratio < 1/MaxRateRatio {
		return &ParameterError{Field: "mu1/mu2", Value: ratio, Allowed: "in [1e-50, 1e50]"}
	}
	return nil
}

func validateRate(field string, rate float64) error {
	switch {
	case !(rate > 0):
		return &ParameterError{Field: field, Value: rate, Allowed: "> 0"}
	case math.IsInf(rate, 1):
		return &ParameterError{Field: field, Value: rate, Allowed: "> 0 and finite"}
	case rate < MinRate || rate > MaxRate:
		return &ParameterError{Field: field, Value: rate, Allowed: "in [1e-75, 1e75]"}
	}
	return nil
}

func validateProbability(field string, p float64) error {
	if !(p >= 0 && p <= 1) {
		return &ParameterError{Field: field, Value: p, Allowed: "in [0, 1]"}
	}
	return nil
}

// Phases returns the number of phases the parameters use: 1 when P = 0, else
// 2. A law with P > 0 that is exponential all the same (see
// [Dist.IsExponential]) still has 2.
func (d Dist) Phases() int {
	if d.P == 0 {
		return 1
	}
	return 2
}

// NumParameters returns 3, the number of parameters of the law.
func (Dist) NumParameters() int { return 3 }

// exit is q = 1-p, the probability of leaving after phase 1.
func (d Dist) exit() float64 { return 1 - d.P }

// slowRate is the rate that rules the tail: min(μ1, μ2), or μ1 if phase 2 is
// never entered.
func (d Dist) slowRate() float64 {
	if d.P == 0 {
		return d.Mu1
	}
	return math.Min(d.Mu1, d.Mu2)
}
