package sim

import (
	"fmt"
	"math"
	"time"

	"qlimit/ctmc"
	"qlimit/validate/estimate"
)

// JobResult of RunJobs. Times are in the unit of the service law; every
// estimate is of kind ctmc.Estimate.
type JobResult struct {
	System       JobSystem         // that was simulated
	MeanWait     estimate.Estimate // of accepted jobs, those that do not wait included
	MeanResponse estimate.Estimate // of accepted jobs
	MeanJobs     estimate.Estimate // per server, by Little's law
	WaitProb     estimate.Estimate // P(chosen server is not idle), lost jobs counted
	BlockProb    estimate.Estimate // P(lost)

	WaitQuantiles     []JobQuantile // of the accepted jobs
	ResponseQuantiles []JobQuantile // of the accepted jobs
	Histogram         []TimeBin     // of waiting and response times

	Messages       [ctmc.MessageKinds]estimate.Estimate // per arriving job
	MessagesPerJob estimate.Estimate                    // of all kinds

	Jobs         int64         // simulated, warm-up included
	JobsUsed     int64         // arrived after the warm-up
	Elapsed      time.Duration // wall clock
	Replications int           // independent runs
	Duration     float64       // expected simulated time of a replication, warm-up included
	WarmUp       float64       // of which left out
	WarmUpRule   string        // how it was chosen
	Ending       Ending        // why the run stopped
	Warnings     []string      // sentences for footnotes
}

// JobsPerSecond is the speed of the run over all threads.
func (r *JobResult) JobsPerSecond() float64 {
	if r.Elapsed <= 0 {
		return 0
	}
	return float64(r.Jobs) / r.Elapsed.Seconds()
}

func (e *jobExperiment) result(replications []*jobReplication) (*JobResult, error) {
	series := estimate.NewSeries(len(replications), jobColumns, jobBlocks)
	for r, one := range replications {
		for _, row := range one.averages {
			if err := series.Append(r, row); err != nil {
				return nil, err
			}
		}
	}
	s, level := e.system, e.settings.Level
	warm := e.warmUp(series)
	block := float64(e.blockJobs) / s.ArrivalRate()
	r := &JobResult{
		System:       s,
		WaitProb:     series.Mean(waitingJobs, warm, level),
		Jobs:         int64(len(replications)) * int64(e.blocks) * int64(e.blockJobs),
		JobsUsed:     int64(len(replications)) * int64(e.blocks-warm.Cells) * int64(e.blockJobs),
		Elapsed:      time.Since(e.started),
		Replications: len(replications),
		Duration:     float64(e.blocks) * block,
		WarmUp:       float64(warm.Cells) * block,
		WarmUpRule:   warm.Rule,
		Ending:       BudgetSpent,
	}
	e.addTimes(r, series, warm)
	e.addMessages(r, series, warm)
	if err := e.addDistributions(r, replications, warm); err != nil {
		return nil, err
	}
	r.Warnings = e.warnings(r, warm)
	return r, nil
}

func (e *jobExperiment) warmUp(series *estimate.Series) estimate.WarmUp {
	switch w := e.settings.WarmUp; {
	case w < 0:
		return estimate.NoWarmUp()
	case w > 0:
		blocks := math.Ceil(w * e.system.ArrivalRate() / float64(e.blockJobs))
		return series.FixedWarmUp(int(math.Min(blocks, float64(e.blocks))))
	}
	return series.WarmUp(waitSum, waitingJobs)
}

// addTimes fills in waiting, response, loss and jobs. Without losses the mean
// response is the mean waiting time and the known mean size, which adds no
// noise; and by Little's law the mean number of jobs at a server is
//
//	load × P(accepted) × E[response]/E[size].
func (e *jobExperiment) addTimes(r *JobResult, series *estimate.Series, warm estimate.WarmUp) {
	s, level := &e.system, e.settings.Level
	scale := s.Load / s.Service.Mean()
	r.BlockProb = series.Function([]int{acceptedJobs}, func(x []float64) (float64, []float64) {
		return 1 - x[0], []float64{-1}
	}, warm, level)
	if s.Buffer == ctmc.Unlimited {
		r.BlockProb.Warnings = nil // it is 0 by definition
		r.MeanWait = series.Mean(waitSum, warm, level)
		r.MeanResponse = r.MeanWait
		if r.MeanWait.Status != estimate.Undefined {
			r.MeanResponse.Value += s.Service.Mean()
		}
		r.MeanJobs = scaled(r.MeanResponse, scale)
		return
	}
	accepted := estimate.ColumnMean(acceptedJobs)
	r.MeanWait = series.Ratio(estimate.ColumnMean(waitSum), accepted, warm, level)
	r.MeanResponse = series.Ratio(estimate.ColumnMean(responseSum), accepted, warm, level)
	r.MeanJobs = scaled(series.Mean(responseSum, warm, level), scale)
}

func scaled(e estimate.Estimate, factor float64) estimate.Estimate {
	e.Value *= factor
	e.HalfWidth *= factor
	e.StandardError *= factor
	return e
}

// addMessages: a count that is the same for every job is exact and needs no
// warning.
func (e *jobExperiment) addMessages(r *JobResult, series *estimate.Series, warm estimate.WarmUp) {
	all := estimate.Linear{}
	for kind := range r.Messages {
		r.Messages[kind] = silentConstant(series.Mean(firstMessage+kind, warm, e.settings.Level))
		all.Columns = append(all.Columns, firstMessage+kind)
		all.Coefficients = append(all.Coefficients, 1)
	}
	r.MessagesPerJob = silentConstant(series.Function(all.Columns, func(x []float64) (float64, []float64) {
		sum := 0.0
		for _, count := range x {
			sum += count
		}
		return sum, all.Coefficients
	}, warm, e.settings.Level))
}

func silentConstant(e estimate.Estimate) estimate.Estimate {
	if e.Status == estimate.Constant {
		e.Warnings = nil
	}
	return e
}

func (e *jobExperiment) warnings(r *JobResult, warm estimate.WarmUp) []string {
	var list []string
	if !warm.Reliable && e.settings.WarmUp >= 0 {
		list = append(list, "the warm-up may be longer than the run: simulate more jobs")
	}
	services := r.Duration / e.system.Service.Mean()
	if services < shortRun {
		list = append(list, fmt.Sprintf("each replication covers %.3g mean service times only: the interval cannot show a bias left by the start", services))
	}
	if services > longRun {
		list = append(list, fmt.Sprintf("each replication covers %.3g mean service times: the clock resolves %.1g of one only", services, services*0x1p-52))
	}
	return list
}

// longRun is the number of mean service times beyond which a float64 clock
// resolves less than a millionth of one.
const longRun = 1 << 32
