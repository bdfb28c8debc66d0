package sim

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"qlimit/ctmc"
	"qlimit/internal/stream"
	"qlimit/validate/estimate"
)

// DefaultJobs is the number of jobs that RunJobs simulates unless told
// otherwise.
const DefaultJobs = int64(2e7)

// JobSettings of RunJobs; the zero value is the documented default.
type JobSettings struct {
	Seed         uint64        // of all random numbers
	Threads      int           // goroutines at once; 0 = all cores; never changes a result
	Replications int           // independent runs; 0 = DefaultReplications, at least 4
	Jobs         int64         // all replications together, rounded up to whole blocks; 0 = DefaultJobs
	Level        float64       // confidence; 0 = 0.95
	WarmUp       float64       // time to leave out, in the unit of the service law; negative = none; 0 = chosen from the data (MSER-5)
	Start        Start         // zero value: empty system; otherwise the service must be a CoxianLaw
	Progress     ctmc.Progress // nil = nobody listens

	// Precision stops the run once the half width of the mean response is at most
	// Precision × value; 0 = simulate all jobs.
	Precision float64
	// Budget ends the run after this time on the wall clock; 0 = no limit. With a
	// Budget, Jobs 0 means no limit.
	Budget time.Duration
}

// sequential tells whether the run may end before all jobs are simulated.
func (s JobSettings) sequential() bool { return s.Precision > 0 || s.Budget > 0 }

// Blocks of a replication, the cells of package estimate. All have the same
// number of jobs, so that averages over blocks are averages over jobs.
const (
	jobBlocks      = 64
	leastJobBlocks = 16
	leastBlockJobs = 64
)

const (
	mostJobs            = int64(1e12)
	mostJobReplications = 1000
)

// RunJobs simulates a system job by job and estimates what its jobs meet in the
// long run. Averages are over all jobs that arrive after the warm-up; waiting
// and response times are those of the accepted ones, noted on arrival.
//
// Replications are independent, start from Settings.Start and are simulated
// one after the other on each thread. A cancelled context ends the run with the
// replications that are complete, Ending = Interrupted, if there are at least
// four, else with the context's error.
func RunJobs(ctx context.Context, s JobSystem, settings JobSettings) (*JobResult, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	settings, err := settings.withDefaults()
	if err != nil {
		return nil, err
	}
	if err := s.validateStart(settings.Start); err != nil {
		return nil, err
	}
	if jobs := settings.Start.jobs(settings.Replications); jobs > mostJobsAtOnce {
		return nil, &ctmc.TooLargeError{What: "jobs at the start", Value: jobs, Limit: mostJobsAtOnce,
			Hint: "start with idle servers (--start empty), or give a finite buffer, fewer servers or a smaller load"}
	}
	makeDispatcher, err := s.Policy.Prepare(&s)
	if err != nil {
		return nil, err
	}
	e := newJobExperiment(s, makeDispatcher, settings)
	if err := checkWarmUp(settings.WarmUp, float64(e.blocks)*float64(e.blockJobs)/s.ArrivalRate()); err != nil {
		return nil, err
	}
	if settings.sequential() {
		return e.runSequential(ctx)
	}
	return e.run(ctx)
}

func (s JobSettings) withDefaults() (JobSettings, error) {
	if s.Threads <= 0 {
		s.Threads = runtime.GOMAXPROCS(0)
	}
	if s.Replications == 0 {
		s.Replications = DefaultReplications
	}
	if s.Jobs == 0 {
		s.Jobs = DefaultJobs
		if s.Budget > 0 {
			s.Jobs = mostJobs
		}
	}
	if s.Level == 0 {
		s.Level = estimate.DefaultLevel
	}
	least := int64(s.Replications) * leastJobBlocks * leastBlockJobs
	switch {
	case s.Replications < minReplications || s.Replications > mostJobReplications:
		return s, &ctmc.FieldError{Field: "replications", Value: s.Replications, Allowed: fmt.Sprintf("between %d and %d", minReplications, mostJobReplications)}
	case s.Jobs < least || s.Jobs > mostJobs:
		return s, &ctmc.FieldError{Field: "jobs", Value: s.Jobs, Allowed: fmt.Sprintf("between %d and 1e12 for %d replications", least, s.Replications)}
	case !(s.Precision >= 0 && s.Precision < 1):
		return s, &ctmc.FieldError{Field: "precision", Value: s.Precision, Allowed: "between 0 and 1 (0 = no target)"}
	case s.Budget < 0:
		return s, &ctmc.FieldError{Field: "budget", Value: s.Budget, Allowed: "a positive time (0 = no limit)"}
	case !(s.Level > 0 && s.Level < 1):
		return s, &ctmc.FieldError{Field: "level", Value: s.Level, Allowed: "between 0 and 1"}
	case math.IsNaN(s.WarmUp) || math.IsInf(s.WarmUp, 0):
		return s, &ctmc.FieldError{Field: "warmup", Value: s.WarmUp, Allowed: "finite"}
	}
	return s, nil
}

// mostJobsAtOnce is the number of servers and jobs that are kept in memory at
// once: about a gigabyte.
const mostJobsAtOnce = 20_000_000

// size is the number of servers and of jobs at the start of a replication.
func (e *jobExperiment) size() float64 {
	return float64(e.system.Servers) + e.settings.Start.jobs(e.settings.Replications)
}

// jobExperiment is a run in progress.
type jobExperiment struct {
	system         JobSystem
	makeDispatcher func() Dispatcher
	settings       JobSettings
	blocks         int // of a replication
	blockJobs      int
	done           atomic.Int64 // jobs
	detail         string       // of the progress
	started        time.Time
}

func newJobExperiment(s JobSystem, makeDispatcher func() Dispatcher, settings JobSettings) *jobExperiment {
	e := &jobExperiment{system: s, makeDispatcher: makeDispatcher, settings: settings, started: time.Now()}
	perReplication := (settings.Jobs + int64(settings.Replications) - 1) / int64(settings.Replications)
	e.blocks = int(min(jobBlocks, perReplication/leastBlockJobs))
	e.blockJobs = int((perReplication + int64(e.blocks) - 1) / int64(e.blocks))
	return e
}

// jobReplication is what a replication leaves behind, block by block.
type jobReplication struct {
	averages       [][]float64 // columns as below, per arriving job
	wait, response []histogramBlock
}

// Columns of the averages.
const (
	acceptedJobs = iota
	waitingJobs
	waitSum
	responseSum
	firstMessage
	jobColumns = firstMessage + int(ctmc.MessageKinds)
)

func (e *jobExperiment) run(ctx context.Context) (*JobResult, error) {
	finished := make([]*jobReplication, e.settings.Replications)
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(min(e.settings.Threads, max(1, int(mostJobsAtOnce/e.size()))))
	for r := range finished {
		group.Go(func() (err error) {
			defer faultToError(&err)
			if err := groupCtx.Err(); err != nil {
				return err
			}
			one, err := e.replicate(groupCtx, r)
			if err == nil {
				finished[r] = one
			}
			return err
		})
	}
	err := group.Wait()
	var complete []*jobReplication
	for _, one := range finished {
		if one != nil {
			complete = append(complete, one)
		}
	}
	if err != nil && (ctx.Err() == nil || len(complete) < minReplications) {
		return nil, err
	}
	result, err := e.result(complete)
	if err != nil {
		return nil, err
	}
	if len(complete) < len(finished) {
		result.Ending = Interrupted
		result.Warnings = append(result.Warnings, fmt.Sprintf("interrupted: the estimates use the %d replications that were complete", len(complete)))
	}
	return result, nil
}

func (e *jobExperiment) replicate(ctx context.Context, r int) (*jobReplication, error) {
	f := newFarm(&e.system, e.makeDispatcher(), e.settings.Seed, r)
	f.start(e.settings.Start, &e.system, e.settings.Seed, r)
	out := &jobReplication{}
	return out, e.extend(ctx, f, out, e.blocks)
}

// extend brings a replication to a number of blocks.
func (e *jobExperiment) extend(ctx context.Context, f *Farm, out *jobReplication, blocks int) error {
	for len(out.averages) < blocks {
		for left := e.blockJobs; left > 0; left -= jobsAtOnce {
			if err := ctx.Err(); err != nil {
				return err
			}
			jobs := min(left, jobsAtOnce)
			f.simulate(jobs)
			e.report(e.done.Add(int64(jobs)))
		}
		out.averages = append(out.averages, f.sums.perJob(e.blockJobs))
		out.wait = append(out.wait, f.wait.clear())
		out.response = append(out.response, f.response.clear())
		f.sums = jobSums{}
	}
	return nil
}

// jobsAtOnce is the number of jobs between looks at the context.
const jobsAtOnce = 1 << 16

func (e *jobExperiment) report(done int64) {
	if e.settings.Progress == nil {
		return
	}
	total := float64(e.blockJobs) * float64(e.blocks) * float64(e.settings.Replications)
	share := float64(done) / total
	if budget := e.settings.Budget; budget > 0 {
		share = time.Since(e.started).Seconds() / budget.Seconds()
	}
	detail := e.detail
	if detail == "" {
		detail = "simulating"
	}
	e.settings.Progress(math.Min(share, 1)*total, total, detail)
}

func (s *jobSums) perJob(jobs int) []float64 {
	n := float64(jobs)
	row := make([]float64, jobColumns)
	row[acceptedJobs] = (n - float64(s.lost)) / n
	row[waitingJobs] = float64(s.waiting) / n
	row[waitSum] = s.wait / n
	row[responseSum] = s.response / n
	for kind, count := range s.messages {
		row[firstMessage+kind] = float64(count) / n
	}
	return row
}

// newFarm is a replication with all servers idle.
func newFarm(s *JobSystem, dispatcher Dispatcher, seed uint64, replication int) *Farm {
	source := func(p stream.Purpose) stream.Key {
		return stream.Key{Seed: seed, Cell: s.environment(), Replication: replication, Purpose: p}
	}
	arrivals := s.arrivals()
	f := &Farm{
		lengths: make([]int32, s.Servers), freeAt: make([]float64, s.Servers),
		buffer:     math.MaxInt32,
		departures: newCalendar(gapsPerDay/s.ArrivalRate(), s.Servers),
		dispatcher: dispatcher,
		arrivals:   arrivals, sizes: s.Service,
		gapScale:      1 / (s.ArrivalRate() * arrivals.Mean()),
		arrivalRandom: stream.New(source(stream.Arrivals)),
		serviceRandom: stream.New(source(stream.Service)),
		dispatches:    stream.New(source(stream.Routing)),
		wait:          newJobHistogram(s.Service.Mean()),
		response:      newJobHistogram(s.Service.Mean()),
	}
	if s.Buffer != ctmc.Unlimited {
		f.buffer = int32(s.Buffer)
	}
	return f
}

// gapsPerDay is the length of a calendar day in mean times between arrivals.
const gapsPerDay = 1.0
