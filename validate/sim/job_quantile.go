package sim

import (
	"fmt"

	"qlimit/validate/estimate"
)

// JobQuantile is a quantile of a time over the accepted jobs with a confidence
// interval that is in general not symmetric.
type JobQuantile struct {
	P float64 // probability, such as 0.99
	// Time.Value is the quantile, Time.HalfWidth half the length of the
	// interval.
	Time         estimate.Estimate
	Lower, Upper float64 // ends of the interval
}

// TimeBin is the share of the accepted jobs whose waiting or response time
// lies in [From, To); jobs that do not wait at all form a bin of their own,
// From = To = 0. Bins are eight to an octave from 1/64 of the mean service time
// on, with one more for what is shorter.
type TimeBin struct {
	From, To       float64 // ends of the bin, in the unit of the service law
	Wait, Response float64 // shares of the accepted jobs
}

// jobProbabilities are those of the quantiles.
var jobProbabilities = []float64{.5, .9, .95, .99, .999}

// fewExceed is the number of jobs beyond a quantile below which it is not
// trusted.
const fewExceed = 100

// addDistributions estimates quantiles and histograms from the blocks that the
// warm-up leaves.
func (e *jobExperiment) addDistributions(r *JobResult, replications []*jobReplication, warm estimate.WarmUp) error {
	wait, response := newPooledTimes(), newPooledTimes()
	waits := make([][]histogramBlock, len(replications))
	responses := make([][]histogramBlock, len(replications))
	for k, one := range replications {
		waits[k], responses[k] = one.wait, one.response
		for b := min(warm.Cells, e.blocks); b < e.blocks; b++ {
			wait.add(&one.wait[b])
			response.add(&one.response[b])
		}
	}
	if wait.total == 0 {
		return nil // every job was lost, or the warm-up is all there is
	}
	var err error
	if r.WaitQuantiles, err = e.quantiles(wait, waits, warm); err != nil {
		return err
	}
	if law, ok := e.system.Service.(lattice); ok {
		r.ResponseQuantiles = shiftedQuantiles(r.WaitQuantiles, law.onlyValue())
	} else if r.ResponseQuantiles, err = e.quantiles(response, responses, warm); err != nil {
		return err
	}
	r.Histogram = timeBins8(wait, response, e.system.Service.Mean())
	return nil
}

// shiftedQuantiles: where all jobs have the same size, response is waiting time
// plus that size.
func shiftedQuantiles(list []JobQuantile, size float64) []JobQuantile {
	out := make([]JobQuantile, len(list))
	for i, q := range list {
		q.Time.Value += size
		q.Lower += size
		q.Upper += size
		out[i] = q
	}
	return out
}

// quantiles estimates them all. With q the quantile of all blocks together and
// F(q) the share of jobs up to q, a mean over blocks with half width h (package
// estimate, which accounts for dependence between blocks), the interval is from
// the (p-h)- to the (p+h)-quantile: those x for which F(x) = p is not refuted.
// No density is estimated.
func (e *jobExperiment) quantiles(all *pooledTimes, blocks [][]histogramBlock, warm estimate.WarmUp) ([]JobQuantile, error) {
	points := make([]binPoint, len(jobProbabilities))
	for i, p := range jobProbabilities {
		points[i], _ = all.quantile(p)
	}
	series := estimate.NewSeries(len(blocks), 1+len(points), jobBlocks)
	row := make([]float64, 1+len(points))
	for k, list := range blocks {
		for b := range list {
			row[0] = float64(list[b].total()) / float64(e.blockJobs)
			for i, point := range points {
				row[1+i] = list[b].timesUpTo(point) / float64(e.blockJobs)
			}
			if err := series.Append(k, row); err != nil {
				return nil, err
			}
		}
	}
	out := make([]JobQuantile, len(points))
	for i, p := range jobProbabilities {
		share := series.Ratio(estimate.ColumnMean(1+i), estimate.ColumnMean(0), warm, e.settings.Level)
		out[i] = e.quantile(all, p, share)
	}
	return out, nil
}

func (b *histogramBlock) timesUpTo(point binPoint) float64 {
	if point.zero {
		return float64(b.zeros)
	}
	return b.timesBelow(point.bin, point.fraction)
}

// quantile turns the interval of the share of jobs into one of the time.
func (e *jobExperiment) quantile(all *pooledTimes, p float64, share estimate.Estimate) JobQuantile {
	unit := e.system.Service.Mean()
	point, time := all.quantile(p)
	_, lower := all.quantile(max(0, p-share.HalfWidth))
	_, upper := all.quantile(min(1, p+share.HalfWidth))
	q := JobQuantile{P: p, Time: share, Lower: lower * unit, Upper: upper * unit}
	q.Time.Value = time * unit
	q.Time.HalfWidth = (q.Upper - q.Lower) / 2
	q.Time.StandardError = 0
	if share.HalfWidth > 0 {
		q.Time.StandardError = share.StandardError / share.HalfWidth * q.Time.HalfWidth
	}
	q.Time.Warnings = nil
	if share.Status != estimate.Constant {
		q.Time.Warnings = share.Warnings
	}
	exceeding := (1 - p) * float64(all.total)
	switch {
	case point.overflowing():
		q.Time.Warnings = append(q.Time.Warnings, fmt.Sprintf("times beyond %g are not told apart", binEdge(timeBins-1)*unit))
	case p+share.HalfWidth >= 1:
		q.Time.Warnings = append(q.Time.Warnings, "the upper end of the interval is the longest time seen: the quantile may be longer still")
	case exceeding < fewExceed:
		q.Time.Warnings = append(q.Time.Warnings, fmt.Sprintf("only %.0f jobs took longer: the interval is approximate", exceeding))
	}
	return q
}

// mergedBins are the fine bins in one of a result, and firstMerged is the bin
// from which on they are merged so; shorter times form one bin.
const (
	mergedBins  = binsPerOctave / 8
	firstMerged = 1 + (-6-leastExponent)*binsPerOctave
)

// timeBins8 merges the bins to eight an octave and leaves out empty ones.
func timeBins8(wait, response *pooledTimes, unit float64) []TimeBin {
	waits, responses := float64(wait.total), float64(response.total)
	var list []TimeBin
	if wait.zeros+response.zeros > 0 {
		list = append(list, TimeBin{Wait: float64(wait.zeros) / waits, Response: float64(response.zeros) / responses})
	}
	for first, end := 0, firstMerged; first < timeBins; first, end = end, min(end+mergedBins, timeBins) {
		b := TimeBin{From: binEdge(first) * unit, To: binEdge(end) * unit}
		for bin := first; bin < end; bin++ {
			b.Wait += float64(wait.counts[bin]) / waits
			b.Response += float64(response.counts[bin]) / responses
		}
		if b.Wait+b.Response > 0 {
			list = append(list, b)
		}
	}
	return list
}
