package validate

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"qlimit/ctmc"
	"qlimit/internal/nearest"
	"qlimit/validate/estimate"
	"qlimit/validate/sim"
)

// Quantity names a stationary measure: mean_jobs, mean_response, p_wait,
// p_block, or tail_i, the fraction of servers with at least i jobs.
type Quantity string

// The quantities with a fixed name.
const (
	MeanJobs     Quantity = "mean_jobs"
	MeanResponse Quantity = "mean_response"
	WaitProb     Quantity = "p_wait"
	BlockProb    Quantity = "p_block"
)

const tailPrefix = "tail_"

// ParseQuantity checks a quantity's name. The error lists the names.
func ParseQuantity(text string) (Quantity, error) {
	q := Quantity(text)
	switch q {
	case MeanJobs, MeanResponse, WaitProb, BlockProb:
		return q, nil
	}
	if level, ok := q.tailLevel(); ok && level >= 1 && level <= 64 {
		return q, nil
	}
	known := []string{string(MeanJobs), string(MeanResponse), string(WaitProb), string(BlockProb), tailPrefix + "2"}
	return "", &ctmc.FieldError{Field: "quantity", Value: strconv.Quote(text),
		Allowed: "mean_jobs, mean_response, p_wait, p_block or tail_1 .. tail_64",
		Reason:  fmt.Sprintf("did you mean %s?", nearest.Of(text, known))}
}

func (q Quantity) tailLevel() (int, bool) {
	digits, ok := strings.CutPrefix(string(q), tailPrefix)
	if !ok {
		return 0, false
	}
	level, err := strconv.Atoi(digits)
	return level, err == nil
}

// of reads the quantity from a simulation result.
func (q Quantity) of(r *sim.Result) estimate.Estimate {
	switch q {
	case MeanJobs:
		return r.MeanJobs
	case MeanResponse:
		return r.MeanResponse
	case WaitProb:
		return r.WaitProb
	case BlockProb:
		return r.BlockProb
	}
	level, _ := q.tailLevel()
	if level <= len(r.Tail) {
		return r.Tail[level-1]
	}
	return estimate.Estimate{Status: estimate.Constant, Level: r.MeanJobs.Level}
}

// scale is the size of differences that matter: the larger of the two values
// for means, and for probabilities too unless both are small.
func (q Quantity) scale(theory, simulated float64) float64 {
	const smallProbability = 0.04
	larger := math.Max(math.Abs(theory), math.Abs(simulated))
	switch q {
	case MeanJobs, MeanResponse:
		return larger
	}
	return math.Max(larger, smallProbability)
}

// measures are the stationary measures a theory predicts.
type measures struct {
	meanJobs, meanResponse, waitProb, blockProb float64
	tail                                        []float64 // s_1, s_2, ..
}

func (q Quantity) from(m measures) float64 {
	switch q {
	case MeanJobs:
		return m.meanJobs
	case MeanResponse:
		return m.meanResponse
	case WaitProb:
		return m.waitProb
	case BlockProb:
		return m.blockProb
	}
	level, _ := q.tailLevel()
	if level <= len(m.tail) {
		return m.tail[level-1]
	}
	return 0
}
