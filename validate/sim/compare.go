package sim

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"golang.org/x/sync/errgroup"
	"gonum.org/v1/gonum/stat/distuv"

	"qlimit/ctmc"
	"qlimit/internal/stream"
	"qlimit/validate/estimate"
)

// Comparison is what [Compare] found. Estimates are per server, times in the
// unit of the service law.
type Comparison struct {
	Systems  []ctmc.System      // in the order given
	Measures []ComparedMeasures // of each system
	Pairs    []Pair             // first before second in the order of the systems

	Events       int64         // of the coupled chain, the same for every system
	Elapsed      time.Duration // wall clock
	Replications int           // of the coupled chain
	Duration     float64       // simulated time of a replication
	WarmUp       float64       // of which left out
	Warnings     []string      // sentences for footnotes
}

// ComparedMeasures are the measures of one system of a comparison.
type ComparedMeasures struct {
	MeanJobs, MeanResponse, WaitProb, BlockProb estimate.Estimate // as in Measures
}

// Pair holds the differences, first system minus second.
type Pair struct {
	First, Second                               int        // indices of the systems
	MeanJobs, MeanResponse, WaitProb, BlockProb Difference // first minus second
}

// Difference is an estimate of a difference from paired observations.
type Difference struct {
	estimate.Estimate
	// Better is the index of the system with the lower value, -1 if the
	// interval of the difference holds 0.
	Better int
	// Confidence is 1 - p of the one-sided Student test that the sign of the
	// difference is that of its estimate; 0 if there is no variation to judge by.
	Confidence float64
	// JointHalfWidth is the half width at which all pairs hold together with
	// the confidence level (Bonferroni).
	JointHalfWidth float64
	// Gain is the variance that independent runs of the two systems would give
	// the difference over the variance it has; 0 if that is 0.
	Gain float64
}

// Compare simulates systems that differ in their policy or buffer alone with
// common random numbers, and estimates the difference between every two of
// them. Of the settings it uses Seed, Threads, Replications, Events (of each
// system), Level, WarmUp, Controls and Progress; starts are the initial states,
// nil for empty systems.
//
// Errors: an invalid system or setting, fewer than two systems, systems that
// differ in servers, load or service, or the context's error.
func Compare(ctx context.Context, systems []ctmc.System, starts []Start, settings Settings) (*Comparison, error) {
	settings, err := settings.withDefaults()
	if err != nil {
		return nil, err
	}
	if len(systems) < 2 || len(systems) > maxCompared {
		return nil, &ctmc.FieldError{Field: "compare", Value: len(systems), Allowed: fmt.Sprintf("between 2 and %d policies", maxCompared)}
	}
	if starts == nil {
		starts = make([]Start, len(systems))
	}
	for i, s := range systems {
		if err := checkSystem(s); err != nil {
			return nil, err
		}
		first := systems[0]
		if s.Servers != first.Servers || s.Load != first.Load || s.Service != first.Service {
			return nil, &ctmc.FieldError{Field: "compare", Value: s, Allowed: "systems with the same servers, load and service"}
		}
		if err := starts[i].validate(s); err != nil {
			return nil, err
		}
	}
	return newContest(systems, starts, settings).run(ctx)
}

// maxCompared bounds the number of pairs.
const maxCompared = 12

// contest is a comparison in progress. The columns of its series are those of
// the systems one after the other.
type contest struct {
	systems  []ctmc.System
	settings Settings
	bases    []controlBasis // their columns counted within a system's block
	blocks   []int          // first column of each system
	runs     []*coupled
	random   []*rand.PCG
	series   *estimate.Series
	cells    int
	events   int64 // of a cell
	started  time.Time
}

func newContest(systems []ctmc.System, starts []Start, settings Settings) *contest {
	c := &contest{systems: systems, settings: settings, started: time.Now()}
	columns := 0
	for i, s := range systems {
		c.blocks = append(c.blocks, columns)
		basis := controlBasis{firstColumn: firstTail}
		columns += firstTail
		if settings.Controls != ControlsOff {
			own := settings
			own.Start = starts[i]
			basis = newControlBasis(s, ControlsGenerator, pilotKnots(s, own), firstTail)
			columns += basis.columns()
		}
		c.bases = append(c.bases, basis)
	}
	perReplication := float64(settings.Events) / float64(settings.Replications)
	c.cells = int(math.Min(math.Max(perReplication/(16*minCellEvents), minCells), fullCells))
	c.cells = max(c.cells, int(perReplication/maxCellEvents))
	c.events = int64(perReplication / float64(c.cells))
	c.series = estimate.NewSeries(settings.Replications, columns, 0)
	for r := range settings.Replications {
		var states []*occupancy
		random := stream.New(stream.Key{Seed: settings.Seed, Cell: "compare", Replication: r, Purpose: startPurpose})
		u := unit(random)
		for i, s := range systems {
			state := newOccupancy(s)
			state.start(starts[i].at(u, random))
			if settings.Controls != ControlsOff {
				state.watchControls(c.bases[i])
			}
			states = append(states, state)
		}
		c.runs = append(c.runs, newCoupled(states))
		c.random = append(c.random, stream.New(stream.Key{Seed: settings.Seed, Cell: "compare", Replication: r, Purpose: stream.Events}))
	}
	return c
}

func (c *contest) run(ctx context.Context) (*Comparison, error) {
	if err := checkWarmUp(c.settings.WarmUp, float64(c.cells)*c.cellTime()); err != nil {
		return nil, err
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(c.settings.Threads)
	var progress progress
	progress.tell, progress.total, progress.detail = c.settings.Progress, float64(c.cells*len(c.runs)), "simulating"
	for r := range c.runs {
		group.Go(func() (err error) {
			defer faultToError(&err)
			averages := make([]float64, c.series.Columns())
			for range c.cells {
				if err := ctx.Err(); err != nil {
					return err
				}
				c.runs[r].runCell(c.events, c.random[r])
				for i, o := range c.runs[r].systems {
					end := c.blocks[i] + firstTail + c.controlsOf(i)
					o.writeAverages(averages[c.blocks[i]:end], c.bases[i])
				}
				if err := c.series.Append(r, averages); err != nil {
					return err
				}
				progress.advanced()
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return c.result(), nil
}

func (c *contest) controlsOf(i int) int {
	if c.settings.Controls == ControlsOff {
		return 0
	}
	return c.bases[i].columns()
}

// cellTime is the length of a cell in the unit of the service law.
func (c *contest) cellTime() float64 {
	return float64(c.events) / c.runs[0].rate() * c.systems[0].Service.Mean()
}

func (c *contest) result() *Comparison {
	warm := c.warmUp()
	cellTime := c.cellTime()
	out := &Comparison{
		Systems: c.systems, Events: c.events * int64(c.cells) * int64(len(c.runs)),
		Elapsed: time.Since(c.started), Replications: len(c.runs),
		Duration: float64(c.cells) * cellTime,
		WarmUp:   float64(warm.Cells*max(warm.Span, 1)) * cellTime,
	}
	none := c.series.Controls(nil, warm)
	var improved []*estimate.Controls
	for i := range c.systems {
		by := c.controls(warm, i)
		improved = append(improved, by)
		best := func(of func(estimator) estimate.Estimate) estimate.Estimate { return narrower(of(by), of(none)) }
		mean := func(column int) estimate.Estimate {
			return best(func(by estimator) estimate.Estimate { return by.Mean(c.blocks[i]+column, c.settings.Level) })
		}
		out.Measures = append(out.Measures, ComparedMeasures{
			MeanJobs:     mean(jobsColumn),
			MeanResponse: best(func(by estimator) estimate.Estimate { return c.response(by, i) }),
			WaitProb:     mean(waitColumn),
			BlockProb:    mean(blockColumn),
		})
	}
	pairs := len(c.systems) * (len(c.systems) - 1) / 2
	for i := range c.systems {
		for k := i + 1; k < len(c.systems); k++ {
			out.Pairs = append(out.Pairs, c.pair(i, k, improved, none, out.Measures, pairs))
		}
	}
	for _, p := range out.Pairs {
		if p.BlockProb.Better >= 0 {
			out.Warnings = append(out.Warnings, "the policies lose different shares of the jobs: who loses more has fewer jobs to serve, so hold p_block beside the other measures")
			break
		}
	}
	if !warm.Reliable && c.settings.WarmUp >= 0 {
		out.Warnings = append(out.Warnings, "the warm-up may be longer than the run: run longer or start closer to equilibrium")
	}
	return out
}

func (c *contest) warmUp() estimate.WarmUp {
	if time := c.settings.WarmUp; time != 0 {
		if time < 0 {
			return estimate.NoWarmUp()
		}
		return c.series.FixedWarmUp(int(math.Min(math.Ceil(time/c.cellTime()), float64(c.cells))))
	}
	var columns []int
	for _, block := range c.blocks {
		columns = append(columns, block+jobsColumn, block+waitColumn)
	}
	return c.series.WarmUp(columns...)
}

// controls are those of a system if they help with its mean jobs, none
// otherwise.
func (c *contest) controls(warm estimate.WarmUp, i int) *estimate.Controls {
	none := c.series.Controls(nil, warm)
	if c.settings.Controls == ControlsOff {
		return none
	}
	improved := c.series.Controls(c.bases[i].all(c.series, warm, c.blocks[i]), warm)
	column := c.blocks[i] + jobsColumn
	ratio := none.Mean(column, 0).StandardError / improved.Mean(column, 0).StandardError
	if improved.Observations() < fewestRegressionBatches || !(improved.Validation(column)*ratio*ratio > 1) {
		return none
	}
	return improved
}

// response is Little's law on accepted jobs.
func (c *contest) response(by estimator, i int) estimate.Estimate {
	return by.Function([]int{c.blocks[i] + jobsColumn, c.blocks[i] + blockColumn}, func(x []float64) (float64, []float64) {
		value, gradient := c.responseOf(x)
		return value, gradient
	}, c.settings.Level)
}

func (c *contest) responseOf(x []float64) (float64, []float64) {
	scale := c.systems[0].Service.Mean() / c.systems[0].Load
	accepted := 1 - x[1]
	value := scale * x[0] / accepted
	return value, []float64{scale / accepted, value / accepted}
}

// pair takes the narrower of the plain and the improved differences.
func (c *contest) pair(i, k int, improved []*estimate.Controls, none *estimate.Controls, alone []ComparedMeasures, pairs int) Pair {
	best := func(columns []int, f func([]float64) (float64, []float64)) estimate.Estimate {
		var first, second []int
		for _, column := range columns {
			first, second = append(first, c.blocks[i]+column), append(second, c.blocks[k]+column)
		}
		plain := none.Paired(first, none, second, f, c.settings.Level)
		return narrower(improved[i].Paired(first, improved[k], second, f, c.settings.Level), plain)
	}
	minus := func(column int) estimate.Estimate {
		return best([]int{column}, func(x []float64) (float64, []float64) { return x[0] - x[1], []float64{1, -1} })
	}
	response := best([]int{jobsColumn, blockColumn}, func(x []float64) (float64, []float64) {
		first, up := c.responseOf(x[:2])
		second, down := c.responseOf(x[2:])
		return first - second, []float64{up[0], up[1], -down[0], -down[1]}
	})
	return Pair{
		First: i, Second: k,
		MeanJobs:     difference(minus(jobsColumn), i, k, alone[i].MeanJobs, alone[k].MeanJobs, pairs),
		MeanResponse: difference(response, i, k, alone[i].MeanResponse, alone[k].MeanResponse, pairs),
		WaitProb:     difference(minus(waitColumn), i, k, alone[i].WaitProb, alone[k].WaitProb, pairs),
		BlockProb:    difference(minus(blockColumn), i, k, alone[i].BlockProb, alone[k].BlockProb, pairs),
	}
}

// difference says who is better and how sure that is.
func difference(e estimate.Estimate, i, k int, first, second estimate.Estimate, pairs int) Difference {
	d := Difference{Estimate: e, Better: -1}
	if e.Status != estimate.Usable {
		return d
	}
	t := math.Abs(e.Value) / e.StandardError
	d.Confidence = distuv.StudentsT{Mu: 0, Sigma: 1, Nu: e.DegreesOfFreedom}.CDF(t)
	d.JointHalfWidth = e.HalfWidthAt(1 - (1-e.Level)/float64(pairs))
	d.Gain = (first.StandardError*first.StandardError + second.StandardError*second.StandardError) / (e.StandardError * e.StandardError)
	switch {
	case e.Value < -e.HalfWidth:
		d.Better = i
	case e.Value > e.HalfWidth:
		d.Better = k
	}
	return d
}
