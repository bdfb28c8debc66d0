package sim

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Stability is the outcome of the test whether the queues keep growing.
type Stability struct {
	Stable bool // the queues do not keep growing
	// Growth is the mean growth of ΣQ per slot over the second half of the run,
	// StandardError its error over replications.
	Growth, StandardError float64
	Growing               float64 // 1 - p of the one-sided Student test that Growth > 0
	// Confidence is 1 - p of the one-sided Student test that the queues grow
	// faster than those of a system on the edge if Stable is false, slower
	// than linearly if it is true; 1 where the load alone decides.
	Confidence float64
	Reason     string
}

const (
	// With M3 and M4 the mean queues of the third and the last quarter of a run
	// from empty, M4/M3 is 7/5 where they grow linearly, √(7/5) on the edge of
	// stability, where they grow like the root of time, and 1 in steady state.
	linearRatio = 7. / 5
	growthLevel = 0.99
)

var edgeRatio = math.Sqrt(linearRatio)

// stability holds the last two quarters of the run against each other, paired
// by replication. A load of 1 or more cannot be carried. Below that a system
// is declared unstable if E[M4 - √(7/5) M3] > 0 at 99% confidence: a stable one,
// however far from its steady state, grows no faster than one on the edge.
//
// An unstable system close to the edge may need a longer run than this one to
// be told.
func (e *slottedExperiment) stability(policy int) Stability {
	column, cells := e.layout.block(policy)+slotQueue, e.series.Cells()
	quarter := cells / 4
	third, last := make([]float64, len(e.runs)), make([]float64, len(e.runs))
	for r := range e.runs {
		values := e.series.Column(r, column)
		third[r], last[r] = averageOf(values[cells-2*quarter:cells-quarter]), averageOf(values[cells-quarter:])
	}
	span := float64(quarter*e.series.Span()) * float64(e.slots)
	growth, deviation := contrast(last, third, 1)
	s := Stability{Growth: growth / span, StandardError: deviation / span, Growing: positiveConfidence(last, third, 1)}
	if e.model.Load >= 1 {
		s.Confidence, s.Reason = 1, fmt.Sprintf("load %g: no policy can carry it", e.model.Load)
		return s
	}
	if c := positiveConfidence(last, third, edgeRatio); c > growthLevel {
		s.Confidence = c
		s.Reason = fmt.Sprintf("the mean queue of the last quarter of the run is %.3g times that of the third", averageOf(last)/averageOf(third))
		return s
	}
	s.Stable = true
	s.Confidence = 1 - positiveConfidence(last, third, linearRatio)
	s.Reason = "the queues do not grow linearly"
	return s
}

// contrast is the mean over replications of a - factor·b and its standard
// error.
func contrast(a, b []float64, factor float64) (mean, deviation float64) {
	n := float64(len(a))
	for r := range a {
		mean += (a[r] - factor*b[r]) / n
	}
	squares := 0.0
	for r := range a {
		off := a[r] - factor*b[r] - mean
		squares += off * off
	}
	return mean, math.Sqrt(squares / (n - 1) / n)
}

// positiveConfidence is 1 - p of the Student test that the mean of a contrast
// is positive; one half if nothing varies and it is 0.
func positiveConfidence(a, b []float64, factor float64) float64 {
	mean, deviation := contrast(a, b, factor)
	switch {
	case deviation > 0:
		return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(len(a) - 1)}.CDF(mean / deviation)
	case mean > 0:
		return 1
	case mean < 0:
		return 0
	}
	return 0.5
}

func averageOf(values []float64) float64 {
	sum := 0.0
	for _, x := range values {
		sum += x
	}
	return sum / float64(len(values))
}
