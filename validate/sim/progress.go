package sim

import (
	"fmt"
	"math"
	"sync/atomic"
	"time"

	"qlimit/ctmc"
	"qlimit/validate/estimate"
)

// progress tells the caller how far a run has come: in cells against the
// number planned, or in time against the budget of time, whichever is nearer
// to its end.
type progress struct {
	tell    ctmc.Progress
	done    atomic.Int64
	total   float64
	started time.Time
	budget  time.Duration
	detail  string
}

func (p *progress) begin(e *experiment) {
	p.tell, p.started, p.budget = e.settings.Progress, e.started, e.settings.Budget
	done := 0
	for r := range e.states {
		done += e.series.Appended(r)
	}
	p.done.Store(int64(done))
	if p.total == 0 || e.settings.Precision == 0 {
		p.total = float64(e.maxCells) * float64(len(e.states))
	}
	if p.detail == "" {
		p.detail = "simulating"
	}
}

// planned sets the number of cells of each replication that the run will take.
func (p *progress) planned(cells float64, replications int) {
	p.total = cells * float64(replications)
}

// looked notes the precision of the last look.
func (p *progress) looked(now estimate.Estimate) {
	if now.Status == estimate.Usable && now.Value != 0 {
		p.detail = fmt.Sprintf("mean jobs %.4g ± %.1g%%", now.Value, 100*now.HalfWidth/math.Abs(now.Value))
	}
}

func (p *progress) advanced() {
	done := p.done.Add(1)
	if p.tell == nil {
		return
	}
	share := math.Min(float64(done)/p.total, 1)
	if p.budget > 0 {
		share = math.Max(share, math.Min(1, time.Since(p.started).Seconds()/p.budget.Seconds()))
	}
	p.tell(share*p.total, p.total, p.detail)
}
