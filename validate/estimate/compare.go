package estimate

import (
	"fmt"
	"math"
)

// Verdict is the outcome of a Comparison.
type Verdict string

// The verdicts.
const (
	Agree        Verdict = "agree"
	Disagree     Verdict = "disagree"
	Inconclusive Verdict = "inconclusive"
)

// widestUsefulInterval is the half-width, relative to the value, above which
// agreement says nothing.
const widestUsefulInterval = 0.2

// Comparison is a theoretical value held against an estimate.
type Comparison struct {
	Difference float64 // theory − estimate
	Tolerance  float64 // statistical tolerance + allowance
	Verdict    Verdict // agree, disagree or inconclusive
	Reason     string  // one sentence for a footnote
}

// Compare holds a theoretical value against an estimate. The tolerance is
//
//	t · StandardError + allowance,
//
// with t the Student quantile that is exceeded as often as a normal variable
// exceeds sigmas, so that "3 sigmas" means the same with few batches as with
// many. The allowance is the error the theory owns up to; 0 for an exact one.
//
// Verdicts: a difference beyond the tolerance is Disagree. Within it, Agree,
// unless the interval is wider than 20% of the value and than the allowance:
// then everything would agree, and the verdict is Inconclusive. So it is if
// the estimate is Undefined, or Constant with a difference: an event that was
// never seen may be rare. In these and where a number would overflow the
// fields without meaning are 0.
//
// Compare panics if theory is not finite, allowance is negative or not finite
// or sigmas is not in (0, 30].
func Compare(theory, allowance float64, e Estimate, sigmas float64) Comparison {
	switch {
	case !isFinite(theory):
		panic(fmt.Sprintf("estimate: comparison with theory %v", theory))
	case !(allowance >= 0) || math.IsInf(allowance, 1):
		panic(fmt.Sprintf("estimate: allowance %v", allowance))
	case !(sigmas > 0 && sigmas <= 30):
		panic(fmt.Sprintf("estimate: %v sigmas, need a number in (0, 30]", sigmas))
	}
	if e.Status == Undefined {
		return Comparison{Verdict: Inconclusive, Reason: "there is no estimate"}
	}
	c := Comparison{
		Difference: theory - e.Value,
		Tolerance:  e.tolerance(sigmas) + allowance,
	}
	if !isFinite(c.Difference) || !isFinite(c.Tolerance) {
		return Comparison{Verdict: Inconclusive, Reason: "difference or tolerance exceed the floating-point range"}
	}
	c.Verdict, c.Reason = verdict(c, theory, allowance, e)
	return c
}

func verdict(c Comparison, theory, allowance float64, e Estimate) (Verdict, string) {
	scale := math.Max(math.Abs(theory), math.Abs(e.Value))
	switch {
	case e.Status == Constant && math.Abs(c.Difference) > allowance+8*0x1p-52*scale:
		return Inconclusive, "the simulation showed no variation, its error is unknown"
	case e.Status == Constant:
		return Agree, "equal to a constant observation within the allowance"
	case math.Abs(c.Difference) > c.Tolerance:
		return Disagree, "the difference exceeds the tolerance"
	case e.HalfWidth > math.Max(widestUsefulInterval*scale, allowance):
		return Inconclusive, "the interval is too wide to tell"
	}
	return Agree, "the difference is within the tolerance"
}

func (e Estimate) tolerance(sigmas float64) float64 {
	if e.StandardError == 0 {
		return 0
	}
	return upperStudentQuantile(normalTail(sigmas), e.DegreesOfFreedom) * e.StandardError
}
