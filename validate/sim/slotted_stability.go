package sim

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Stability is the outcome of the test whether the queues keep growing.
type Stability struct {
	Stable bool
	// Growth is the mean growth of ΣQ per slot over the second half of the run,
	// StandardError its error over replications.
	Growth, StandardError float64
	// Confidence is 1 - p of the one-sided Student test that decided: that the
	// queues grow if Stable is false, else that they grow less than linearly; 1
	// where the load alone decides.
	Confidence float64
	Reason     string

	freedom float64
}

const (
	// With M3 and M4 the mean queues of the third and the last quarter of the
	// run, M4/M3 is 7/5 for linear growth from empty, √(7/5) = 1.18 for that of a
	// system on the edge of stability, 1 in steady state.
	linearGrowth = 1.29 // halfway between 7/5 and √(7/5)
	growthLevel  = 0.99
)

// stability holds the last two quarters of the run against each other, paired
// by replication. A load of 1 or more cannot be carried. Below that a system
// is declared unstable if the queues grow, at 99% confidence, and M4/M3 is
// nearer to that of linear growth than to that of the edge.
//
// A system close to the edge may need a longer run than this one.
func (e *slottedExperiment) stability(policy int) Stability {
	column, cells := e.layout.block(policy)+slotQueue, e.series.Cells()
	quarter := cells / 4
	n := float64(len(e.runs))
	third, last := 0.0, 0.0
	differences := make([]float64, len(e.runs))
	for r := range e.runs {
		values := e.series.Column(r, column)
		a, b := averageOf(values[cells-2*quarter:cells-quarter]), averageOf(values[cells-quarter:])
		third += a / n
		last += b / n
		differences[r] = b - a
	}
	mean := averageOf(differences)
	squares := 0.0
	for _, d := range differences {
		squares += (d - mean) * (d - mean)
	}
	span := float64(quarter*e.series.Span()) * float64(e.slots)
	s := Stability{Growth: mean / span, StandardError: math.Sqrt(squares/(n-1)/n) / span, freedom: n - 1}
	if e.model.Load >= 1 {
		s.Confidence, s.Reason = 1, fmt.Sprintf("load %g: no policy can carry it", e.model.Load)
		return s
	}
	// Test the growth against 0 and against what linear growth would be.
	ratio := last / math.Max(third, math.SmallestNonzeroFloat64)
	grows := s.confidence(s.Growth)
	if grows > growthLevel && ratio > linearGrowth {
		s.Confidence = grows
		s.Reason = fmt.Sprintf("the mean queue of the last quarter of the run is %.3g times that of the third", ratio)
		return s
	}
	s.Stable = true
	s.Confidence = s.confidence(0.4*third/span - s.Growth)
	s.Reason = "the queues do not grow linearly"
	return s
}

// confidence is 1 - p of the Student test that a difference is positive.
func (s Stability) confidence(difference float64) float64 {
	if s.StandardError == 0 {
		if difference > 0 {
			return 1
		}
		return 0.5
	}
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: s.freedom}.CDF(difference / s.StandardError)
}

func averageOf(values []float64) float64 {
	sum := 0.0
	for _, x := range values {
		sum += x
	}
	return sum / float64(len(values))
}
