package ctmc

import "math"

// An unlimited buffer may be cut where its effect is below these: the loss
// N P(block), and the estimated relative change of the mean number of jobs.
const (
	truncationLoss = 1e-12
	cutEffect      = 1e-11
)

// trialTolerance is the residual of the solves that only choose a buffer.
const trialTolerance = 1e-4

// maxUnlimitedStates is the largest chain tried by default in the search for
// the buffer that stands for an unlimited one.
const maxUnlimitedStates = int64(1_000_000)

// truncationError estimates by how much a finite buffer lowers the mean
// number of jobs per server: jobs are lost at rate λ P(block) per server when
// the queues hold about b jobs, which take about b/(1-load) to drain with one
// job fewer all the while.
func (r *Stationary) truncationError() float64 {
	s := r.System
	return s.Load * r.BlockProb * float64(s.Buffer) / (1 - s.Load)
}

// truncationExcess is the larger of the two truncation criteria relative to
// its limit: at most 1 when the cut is harmless.
func (r *Stationary) truncationExcess() float64 {
	return math.Max(float64(r.System.Servers)*r.BlockProb/truncationLoss,
		r.truncationError()/r.MeanJobs/cutEffect)
}

// finish derives the means from the occupancy. The accepted load in Little's
// law is the busy fraction, which keeps its digits where almost every job is
// lost or almost none arrives.
func (r *Stationary) finish() {
	busy := 0.0
	for level, q := range r.Occupancy {
		r.MeanJobs += float64(level) * q
		if level > 0 {
			busy += q
		}
	}
	r.MeanResponse = r.MeanJobs / busy * r.System.Service.Mean()
}
