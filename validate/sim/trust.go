package sim

import (
	"fmt"
	"math"

	"qlimit/ctmc"
	"qlimit/validate/estimate"
)

// ControlReport says what the control variates did.
type ControlReport struct {
	Used    bool // the improved estimate was taken
	Offered int  // controls accumulated
	Rank    int  // of which the regression took in
	Batches int  // batch means it was fitted to

	// VarianceRatio is the variance of the plain estimate of the mean over
	// that of the improved one, both as estimated from this run.
	VarianceRatio float64
	// Validation is the residual variance claimed over the one found when half
	// of the batches predict the other half; near 1 is good.
	Validation float64
	// MeanZero is the p-value of Student's test that the correction of mean jobs
	// by the controls has mean 0, as it must in steady state.
	MeanZero float64
	// Reason is a warning: why the controls were not used, or what limits them.
	Reason string

	gainless bool // not used because the plain estimate has the smaller error
}

const (
	fewestRegressionBatches = 64
	// farthestApart is how many plain standard errors the improved estimate may
	// lie away from a plain one that has no warnings of its own.
	farthestApart = 5
	// In runs long enough to forget their start, improved estimates were wrong where
	// Hotelling's T²/rank was above 500, exact identities (exactGain) aside, and up to
	// thirty half widths off where the residual variance had fewer than 30 degrees of
	// freedom. Batches that are not quite normal and independent reach some hundreds.
	mostUnbalanced  = 500
	leastUnbalanced = 25
	improbable      = 1e-5
	leastFreedom    = 30
	// exactGain leaves nothing but rounding: an identity in all states, as for
	// single servers.
	exactGain = 1e16
	// poorValidation: less than this part of the claimed gain is confirmed.
	poorValidation = 0.2
)

// judge decides whether the improved estimates are to be trusted.
func (e *experiment) judge(c *estimate.Controls, plain estimate.Estimate) ControlReport {
	r := judged(c, jobsColumn, e.basis.controls(), plain, c.Mean(jobsColumn, e.settings.Level))
	if r.gainless && e.dwellsAtStart() && r.Validation >= poorValidation {
		r.Used, r.Reason = true, "" // nothing is known of the error of the plain estimate
	}
	if !r.Used {
		return r
	}
	switch unbalanced, freedom := c.Hotelling(), c.VarianceFreedom(jobsColumn); {
	case e.neverIdle(c.WarmedUp()):
		r.Used, r.Reason = false, "not used, no server was ever idle: the run has not seen what keeps its queues from growing"
	case e.dwellsAtStart(): // such a run has not had the time to balance its controls
	case unbalanced > mostUnbalanced && r.VarianceRatio < exactGain, unbalanced > leastUnbalanced && r.MeanZero < improbable:
		r.Used, r.Reason = false, fmt.Sprintf("not used, the control variates do not have mean 0 (T²/rank = %.2g): the run has not seen all states that matter", unbalanced)
	case freedom < leastFreedom && r.VarianceRatio < exactGain:
		r.Used, r.Reason = false, fmt.Sprintf("not used, their residual rests on about %.2g rare events: run longer", math.Ceil(freedom/2))
	}
	return r
}

// dwellsAtStart tells whether replications are too short for plain averages, by
// the time scale that theory knows: they say where the replications began, and
// the spread between these may be small by chance, or for having one start.
func (e *experiment) dwellsAtStart() bool {
	duration := float64(e.series.OriginalCells())
	return duration < dwellingTimes*e.cells(e.source.plan.AutocorrelationTime)
}

// dwellingTimes is the number of autocorrelation times up to which the error of
// plain averages cannot be told from the run.
const dwellingTimes = 2

// neverIdle tells whether all servers were busy all the time though they have to
// be idle for a share 1 - load of it. Then an identity that holds while all are
// busy fits the run without error, and its answer is wrong.
func (e *experiment) neverIdle(w estimate.WarmUp) bool {
	if e.system.Buffer != ctmc.Unlimited || e.system.Load >= 1 {
		return false
	}
	busy := e.series.Mean(firstTail, w, e.settings.Level)
	return busy.Status == estimate.Constant && busy.Value > e.system.Load
}

// judged decides by the estimates of one column.
func judged(c *estimate.Controls, column, offered int, plain, improved estimate.Estimate) ControlReport {
	r := ControlReport{
		Offered: offered, Rank: c.Rank(), Batches: c.Observations(),
		Validation: c.Validation(column), MeanZero: c.MeanZero(column),
	}
	if improved.Status == estimate.Usable && plain.Status == estimate.Usable {
		ratio := plain.StandardError / improved.StandardError
		r.VarianceRatio = ratio * ratio
	}
	apart := math.Abs(improved.Value - plain.Value)
	switch {
	case r.Batches < fewestRegressionBatches || r.Rank == 0:
		r.Reason = fmt.Sprintf("not used, %d batch means are too few for a regression", r.Batches)
	case improved.Status == estimate.Undefined && len(improved.Warnings) > 0:
		r.Reason = "not used, " + improved.Warnings[0]
	case r.VarianceRatio == 0:
		r.Reason = "not used, there is no variance to reduce"
	case len(plain.Warnings) == 0 && apart > farthestApart*plain.StandardError:
		r.Reason = fmt.Sprintf("not used, they move the mean by %.2g standard errors", apart/plain.StandardError)
	case r.Validation*r.VarianceRatio < 1:
		r.gainless = true
		r.Reason = "not used, the gain is not confirmed when half of the batches predict the other half"
	default:
		r.Used = true
		if r.Validation < poorValidation {
			r.Reason = fmt.Sprintf("only %.2g of the gain is confirmed when half of the batches predict the other half: run longer", r.Validation)
		}
	}
	return r
}
