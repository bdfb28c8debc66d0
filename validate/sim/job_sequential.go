package sim

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"golang.org/x/sync/errgroup"

	"qlimit/ctmc"
	"qlimit/validate/estimate"
)

const (
	// firstJobs are simulated before a sequential run takes its first look; then
	// their number doubles from look to look.
	firstJobs = 1 << 20
	// blocksAtOnce is how far replications are apart at most.
	blocksAtOnce = 4
)

// runSequential lets all replications go on side by side until the mean
// response is known well enough, or the time or the jobs are spent. The blocks
// stay between 32 and 64 in number: before the jobs double, neighbours merge.
func (e *jobExperiment) runSequential(ctx context.Context) (*JobResult, error) {
	runs := e.settings.Replications
	if size := e.size(); size > mostJobsAtOnce/float64(runs) {
		return nil, &ctmc.FieldError{Field: "servers", Value: e.system.Servers, Allowed: fmt.Sprintf("at most %d with the jobs that are there at the start, for %d replications with a precision or a budget", mostJobsAtOnce/runs, runs)}
	}
	farms, parts := make([]*Farm, runs), make([]*jobReplication, runs)
	for r := range farms {
		farms[r] = newFarm(&e.system, e.makeDispatcher(), e.settings.Seed, r)
		farms[r].start(e.settings.Start, &e.system, e.settings.Seed, r)
		parts[r] = &jobReplication{}
	}
	perReplication := int(min(e.settings.Jobs, firstJobs) / int64(runs))
	e.blocks = min(jobBlocks, perReplication/leastBlockJobs)
	e.blockJobs = perReplication / e.blocks
	for {
		switch err := e.advance(ctx, farms, parts); {
		case ctx.Err() != nil, errors.Is(err, errOutOfTime):
			return e.cut(ctx, parts)
		case err != nil:
			return nil, err
		}
		result, err := e.result(parts)
		if err != nil {
			return nil, err
		}
		target := estimate.Target{RelativePrecision: e.settings.Precision, Level: e.settings.Level}
		if e.settings.Precision > 0 && target.Satisfied(result.MeanResponse) {
			result.Ending = PrecisionReached
			return result, nil
		}
		e.looked(result.MeanResponse)
		if !e.double(parts) {
			if e.settings.Precision > 0 {
				result.Warnings = append(result.Warnings, fmt.Sprintf("%d jobs were simulated before the precision %g was reached", e.settings.Jobs, e.settings.Precision))
			}
			return result, nil
		}
	}
}

// advance brings all replications to the number of blocks wanted, in step.
func (e *jobExperiment) advance(ctx context.Context, farms []*Farm, parts []*jobReplication) error {
	for done := len(parts[0].averages); done < e.blocks; {
		done = min(done+blocksAtOnce, e.blocks)
		group, ctx := errgroup.WithContext(ctx)
		group.SetLimit(e.settings.Threads)
		for r := range farms {
			group.Go(func() (err error) {
				defer faultToError(&err)
				return e.extend(ctx, farms[r], parts[r], done)
			})
		}
		if err := group.Wait(); err != nil {
			return err
		}
		if e.settings.Budget > 0 && time.Since(e.started) >= e.settings.Budget {
			return errOutOfTime
		}
	}
	return nil
}

// cut makes the result of a run that was stopped: the blocks that all
// replications have.
func (e *jobExperiment) cut(ctx context.Context, parts []*jobReplication) (*JobResult, error) {
	blocks := math.MaxInt
	for _, one := range parts {
		blocks = min(blocks, len(one.averages))
	}
	if blocks < leastJobBlocks {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, &ctmc.FieldError{Field: "budget", Value: e.settings.Budget, Allowed: "longer: there is no result yet"}
	}
	for _, one := range parts {
		one.averages, one.wait, one.response = one.averages[:blocks], one.wait[:blocks], one.response[:blocks]
	}
	e.blocks = blocks
	result, err := e.result(parts)
	if err != nil {
		return nil, err
	}
	result.Ending = TimeSpent
	if ctx.Err() != nil {
		result.Ending = Interrupted
		result.Warnings = append(result.Warnings, "interrupted: the estimates use what had been simulated")
	} else if e.settings.Precision > 0 {
		result.Warnings = append(result.Warnings, fmt.Sprintf("the budget of %v was spent before the precision %g was reached", e.settings.Budget, e.settings.Precision))
	}
	return result, nil
}

// looked notes the precision of the last look, for the progress.
func (e *jobExperiment) looked(now estimate.Estimate) {
	if now.Status == estimate.Usable && now.Value != 0 {
		e.detail = fmt.Sprintf("mean response %.4g ± %.1g%%", now.Value, 100*now.HalfWidth/math.Abs(now.Value))
	}
}

// double merges neighbouring blocks and sets the number of blocks for twice the
// jobs, or as many as the settings allow; false if there is no room.
func (e *jobExperiment) double(parts []*jobReplication) bool {
	allowed := int(e.settings.Jobs / int64(e.settings.Replications) / int64(2*e.blockJobs))
	if e.blocks%2 != 0 || allowed <= e.blocks/2 || int64(2*e.blockJobs) > math.MaxUint32 {
		return false
	}
	for _, one := range parts {
		one.mergePairs()
	}
	e.blockJobs *= 2
	e.blocks = min(e.blocks, allowed)
	return true
}

func (one *jobReplication) mergePairs() {
	half := len(one.averages) / 2
	for k := range half {
		first, second := one.averages[2*k], one.averages[2*k+1]
		for i := range first {
			first[i] = first[i]/2 + second[i]/2
		}
		one.averages[k] = first
		one.wait[k] = one.wait[2*k].plus(one.wait[2*k+1])
		one.response[k] = one.response[2*k].plus(one.response[2*k+1])
	}
	one.averages, one.wait, one.response = one.averages[:half], one.wait[:half], one.response[:half]
}

// plus adds the counts of two blocks.
func (b histogramBlock) plus(other histogramBlock) histogramBlock {
	switch {
	case len(b.counts) == 0:
		other.zeros += b.zeros
		return other
	case len(other.counts) == 0:
		b.zeros += other.zeros
		return b
	}
	first := min(b.first, other.first)
	end := max(b.first+len(b.counts), other.first+len(other.counts))
	sum := histogramBlock{zeros: b.zeros + other.zeros, first: first, counts: make([]uint32, end-first)}
	for _, part := range []histogramBlock{b, other} {
		for i, n := range part.counts {
			sum.counts[part.first-first+i] += n
		}
	}
	return sum
}
