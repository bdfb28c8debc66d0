package estimate

import "math"

// sample is one quantity after the warm-up: its value and the deviations of
// the cell averages (linearised, for a function of several means) from it.
type sample struct {
	value      float64
	magnitude  float64   // of the numbers value was formed from
	deviations []float64 // replication by replication, in time order
	perRun     int       // cells per replication
	runs       int       // replications
	leastBatch int       // cells in a batch
}

// sampleAfter reads a column without its warm-up. If nothing is left the
// sample has no cells.
func (s *Series) sampleAfter(w WarmUp, column int) sample {
	skip := min(w.cellsAt(s.Span()), s.Cells())
	out := sample{perRun: s.Cells() - skip, runs: s.Replications(), leastBatch: s.leastBatch / s.Span()}
	out.deviations = make([]float64, 0, out.perRun*out.runs)
	for r := range s.replications {
		out.deviations = append(out.deviations, s.Column(r, column)[skip:]...)
	}
	out.value = mean(out.deviations)
	out.magnitude = math.Abs(out.value)
	for i := range out.deviations {
		out.deviations[i] -= out.value
	}
	return out
}

// run is the part that belongs to one replication.
func (s sample) run(r int) []float64 { return s.deviations[r*s.perRun : (r+1)*s.perRun] }

// combinationAfter reads a linear combination of columns.
func (s *Series) combinationAfter(w WarmUp, l Linear) sample {
	parts := make([]sample, len(l.Columns))
	for i, column := range l.Columns {
		parts[i] = s.sampleAfter(w, column)
	}
	means := make([]float64, len(parts))
	for i := range parts {
		means[i] = parts[i].value
	}
	sum, _ := linearised(parts, l.at(means), l.Coefficients)
	return sum
}

// constant allows for the last digits of averages of equal numbers.
func (s sample) constant() bool {
	const digits = 8 * 0x1p-52
	for _, d := range s.deviations {
		if math.Abs(d) > digits*s.magnitude {
			return false
		}
	}
	return true
}

// mean is exact for constants and cannot overflow: the first value is taken
// as provisional mean and the scaled differences are added.
func mean(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	weight := 1 / float64(len(values))
	correction := 0.0
	for _, x := range values {
		correction += x*weight - values[0]*weight
	}
	return values[0] + correction
}

// powerOfTwoScale is the factor that brings the largest magnitude into
// [1/2, 1), so that squares neither overflow nor vanish; multiplying by it
// changes no digit. It is 1 for zeros.
func powerOfTwoScale(values []float64) float64 {
	largest := 0.0
	for _, x := range values {
		largest = math.Max(largest, math.Abs(x))
	}
	if largest == 0 {
		return 1
	}
	_, exponent := math.Frexp(largest)
	// 2^1023 is the largest power there is; smaller numbers than 2^-1022
	// keep a magnitude below 1/2.
	return math.Ldexp(1, min(-exponent, 1023))
}
