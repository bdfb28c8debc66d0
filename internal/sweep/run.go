package sweep

import (
	"context"
	"fmt"
	"os"
	"time"
)

// Shard is part K of N, K = 1..N: the cells whose place in the plan leaves
// remainder K - 1 when divided by N.
type Shard struct{ K, N int } // part K of N

func (s Shard) holds(i int) bool { return i%s.N == s.K-1 }

// Count is the number of cells that a shard holds of a plan.
func (s Shard) Count(p *Plan) int {
	if s.K > len(p.Cells) {
		return 0
	}
	return (len(p.Cells)-s.K)/s.N + 1
}

// Execute runs the command of a cell. An error means that there is no outcome.
type Execute func(ctx context.Context, arguments []string) (Outcome, error)

// Progress says what the run of a shard did.
type Progress struct {
	Cells    int       // of the shard
	Finished int       // of which were there before
	Computed int       // in this run
	Failed   []Failure // with their errors
}

// Failure is a cell that has no outcome.
type Failure struct {
	Cell Cell  // that failed
	Err  error // why
}

// Run computes the cells of a shard that have no file yet, one after the
// other, and writes a file for each as soon as it is finished. A cell that
// fails does not stop the others. When the context ends, what is finished
// stays and the error is that of the context.
func (p *Plan) Run(ctx context.Context, directory string, shard Shard, execute Execute, report func(done, total int)) (Progress, error) {
	progress := Progress{Cells: shard.Count(p)}
	if err := os.MkdirAll(directory, 0o777); err != nil {
		return progress, err
	}
	for i, c := range p.Cells {
		if !shard.holds(i) {
			continue
		}
		report(progress.Finished+progress.Computed+len(progress.Failed), progress.Cells)
		if err := ctx.Err(); err != nil {
			return progress, err
		}
		if _, err := p.ReadOutcome(directory, c); err == nil {
			progress.Finished++
			continue
		}
		started := time.Now()
		outcome, err := execute(ctx, p.Arguments(c))
		if ctx.Err() != nil {
			return progress, ctx.Err()
		}
		if err != nil {
			progress.Failed = append(progress.Failed, Failure{c, err})
			continue
		}
		if err := p.WriteOutcome(directory, c, outcome, time.Since(started).Seconds()); err != nil {
			return progress, fmt.Errorf("cannot write %s: %w", FileName(directory, c), err)
		}
		progress.Computed++
	}
	return progress, nil
}
