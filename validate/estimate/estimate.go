package estimate

import (
	"fmt"
	"math"
)

// DefaultLevel is the confidence level used for level 0.
const DefaultLevel = 0.95

// Status says what an Estimate is worth.
type Status int

const (
	// Undefined: there were no cells left, or the function of the means had
	// no finite value. Every number in the estimate is 0.
	Undefined Status = iota
	// Constant: every cell average was the same. The half-width is 0 and says
	// nothing about the error; a warning says what can be said.
	Constant
	// Usable: value and interval are finite. Warnings may still limit it.
	Usable
)

func (s Status) String() string {
	switch s {
	case Undefined:
		return "undefined"
	case Constant:
		return "constant"
	case Usable:
		return "usable"
	}
	return fmt.Sprintf("Status(%d)", int(s))
}

// MarshalText writes the name, for JSON.
func (s Status) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Estimate is one steady-state quantity with its confidence interval
// Value ± HalfWidth at confidence Level. No field is ever NaN or infinite.
type Estimate struct {
	Status           Status  // Usable, or why there is no interval
	Value            float64 // the estimate
	HalfWidth        float64 // of the interval around it
	Level            float64 // of the interval, such as 0.95
	StandardError    float64 // of Value
	DegreesOfFreedom float64 // of the Student law behind HalfWidth

	// EffectiveSample is s²/StandardError², s² the variance of a single cell
	// average about the overall mean (all replications, warm-up left out): how
	// many independent cell averages would give the same standard error. It
	// refers to cells of the stored duration; Cells/EffectiveSample is their
	// integrated autocorrelation time 1 + 2Σ_k ρ_k, in cells. 0 if there was
	// no variation.
	EffectiveSample float64

	// CorrelationTimes is the length of one replication, without warm-up, in
	// integrated autocorrelation times: EffectiveSample/replications.
	CorrelationTimes float64

	Cells    int      // cell averages used, all replications together
	Batches  int      // batch means behind StandardError, all replications together
	Lag1     float64  // their correlation at lag one within replications; 0 if each replication is one batch
	Skewness float64  // of the batch means
	Warnings []string // what limits it, sentences for footnotes
}

// Mean estimates the steady-state mean of a column from the cells after the
// warm-up. Level 0 means DefaultLevel. It panics if the column is out of range
// or the level outside [0, 1). See the package documentation for the interval
// method and its measured coverage.
func (s *Series) Mean(column int, w WarmUp, level float64) Estimate {
	sample := s.sampleAfter(w, column)
	return sample.interval(checkedLevel(level)).withWarnings(sample, w)
}

func checkedLevel(level float64) float64 {
	if !(level >= 0 && level < 1) {
		panic(fmt.Sprintf("estimate: confidence level %v outside [0, 1)", level))
	}
	if level == 0 {
		return DefaultLevel
	}
	return level
}

// undefined is the estimate of nothing.
func undefined(level float64, reason string) Estimate {
	return Estimate{Level: level, Warnings: []string{reason}}
}

// finite tells whether all numbers of an estimate can be printed.
func (e Estimate) finite() bool {
	for _, x := range []float64{e.Value, e.HalfWidth, e.StandardError, e.DegreesOfFreedom, e.EffectiveSample, e.CorrelationTimes, e.Lag1, e.Skewness} {
		if !isFinite(x) {
			return false
		}
	}
	return true
}

// longEnough holds the length of the run against what the method needs.
func (e Estimate) longEnough() bool {
	if e.CorrelationTimes == 0 {
		return false
	}
	return e.CorrelationTimes >= correlationTimesWanted(int(math.Round(e.EffectiveSample/e.CorrelationTimes)))
}
