package sim

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"time"

	"golang.org/x/sync/errgroup"

	"qlimit/ctmc"
	"qlimit/internal/stream"
	"qlimit/validate/estimate"
)

// PopulationSettings of RunPopulation; the zero value is the documented
// default apart from Duration, which must be given.
type PopulationSettings struct {
	Name         string        // names the random streams: two models with the same name and seed share theirs
	Seed         uint64        // of all random numbers
	Threads      int           // goroutines at once; 0 = all cores; never changes a result
	Replications int           // independent runs; 0 = DefaultReplications, at least 4
	Duration     float64       // time to simulate in each replication, warm-up included
	Level        float64       // confidence; 0 = 0.95
	WarmUp       float64       // time to leave out; negative = none; 0 = chosen from the data (MSER-5)
	Progress     ctmc.Progress // nil = nobody listens
}

// PopulationResult of a run: estimates of the stationary means of x = n/N.
type PopulationResult struct {
	Size       int64               // N
	Mean       []estimate.Estimate // of each coordinate
	Events     int64               // simulated, warm-up included
	Elapsed    time.Duration       // wall clock
	WarmUp     float64             // time left out
	WarmUpRule string              // how it was chosen
	Warnings   []string            // sentences for footnotes
}

// populationCells is the number of cells of a replication.
const populationCells = 256

// RunPopulation simulates a population process of size N from the state of
// counts n = start. Replications are independent; each follows the jump chain
// and weights every state by its expected holding time. A state that no jump
// leaves is an error (the long-run mean would be that of the state), as is a
// negative rate. The rates are called from several goroutines at once.
func RunPopulation(ctx context.Context, p ctmc.Population, size int64, start []int64, settings PopulationSettings) (*PopulationResult, error) {
	if _, err := ctmc.NewPopulationChain(p, size, start); err != nil {
		return nil, err
	}
	settings, err := settings.withDefaults()
	if err != nil {
		return nil, err
	}
	started := time.Now()
	series := estimate.NewSeries(settings.Replications, p.Dim(), 0)
	events := make([]int64, settings.Replications)
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(settings.Threads)
	for r := range settings.Replications {
		walk := newPopulationWalk(p, size, start)
		random := stream.New(stream.Key{Seed: settings.Seed, Cell: settings.Name, Replication: r, Purpose: stream.Events})
		group.Go(func() error {
			return walk.replicate(ctx, settings, r, random, series, &events[r])
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return settings.result(size, series, events, started), nil
}

func (s PopulationSettings) withDefaults() (PopulationSettings, error) {
	if s.Threads <= 0 {
		s.Threads = runtime.GOMAXPROCS(0)
	}
	if s.Replications == 0 {
		s.Replications = DefaultReplications
	}
	if s.Level == 0 {
		s.Level = estimate.DefaultLevel
	}
	switch {
	case s.Replications < minReplications || s.Replications > 10_000:
		return s, &ctmc.FieldError{Field: "replications", Value: s.Replications, Allowed: fmt.Sprintf("between %d and 10000", minReplications)}
	case !(s.Duration > 0) || math.IsInf(s.Duration, 1):
		return s, &ctmc.FieldError{Field: "duration", Value: s.Duration, Allowed: "> 0 and finite"}
	case !(s.Level > 0 && s.Level < 1):
		return s, &ctmc.FieldError{Field: "level", Value: s.Level, Allowed: "between 0 and 1"}
	case math.IsNaN(s.WarmUp) || s.WarmUp >= s.Duration:
		return s, &ctmc.FieldError{Field: "warmup", Value: s.WarmUp, Allowed: "less than the duration"}
	}
	return s, nil
}

func (s PopulationSettings) result(size int64, series *estimate.Series, events []int64, started time.Time) *PopulationResult {
	cellTime := s.Duration / populationCells
	var warm estimate.WarmUp
	switch {
	case s.WarmUp < 0:
		warm = estimate.NoWarmUp()
	case s.WarmUp > 0:
		warm = series.FixedWarmUp(int(math.Ceil(s.WarmUp / cellTime)))
	default:
		columns := make([]int, series.Columns())
		for i := range columns {
			columns[i] = i
		}
		warm = series.WarmUp(columns...)
	}
	r := &PopulationResult{Size: size, Elapsed: time.Since(started), WarmUpRule: warm.Rule,
		WarmUp: float64(warm.Cells*max(warm.Span, 1)) * cellTime}
	for _, n := range events {
		r.Events += n
	}
	for column := range series.Columns() {
		r.Mean = append(r.Mean, series.Mean(column, warm, s.Level))
	}
	if !warm.Reliable {
		r.Warnings = append(r.Warnings, "the start may still be seen in the whole run: simulate longer")
	}
	return r
}

// populationWalk is one replication in progress.
type populationWalk struct {
	population ctmc.Population
	jumps      []ctmc.Jump
	size       int64
	counts     []int64
	x          []float64
	rates      []float64
	integral   []float64 // ∫ n dt since the cell began
	clock      float64   // since the cell began
}

func newPopulationWalk(p ctmc.Population, size int64, start []int64) *populationWalk {
	return &populationWalk{population: p, jumps: p.Jumps(), size: size, counts: append([]int64(nil), start...),
		x: make([]float64, len(start)), rates: make([]float64, len(p.Jumps())), integral: make([]float64, len(start))}
}

func (w *populationWalk) replicate(ctx context.Context, s PopulationSettings, replication int, random *rand.PCG, series *estimate.Series, events *int64) error {
	averages := make([]float64, len(w.counts))
	for cell := range populationCells {
		if err := ctx.Err(); err != nil {
			return err
		}
		done, err := w.simulateCell(s.Duration/populationCells, random, averages)
		if err != nil {
			return err
		}
		*events += done
		if err := series.Append(replication, averages); err != nil {
			return err
		}
		if s.Progress != nil && replication == 0 {
			s.Progress(float64(cell+1), populationCells, "simulating")
		}
	}
	return nil
}

// simulateCell runs for about the given time and writes the time averages of
// x = n/N.
func (w *populationWalk) simulateCell(time float64, random *rand.PCG, averages []float64) (events int64, err error) {
	clear(w.integral)
	for w.clock = 0; w.clock < time; events++ {
		total, err := w.computeRates()
		if err != nil {
			return events, err
		}
		holding := 1 / total
		w.clock += holding
		for i, n := range w.counts {
			w.integral[i] += float64(n) * holding
		}
		w.jump(w.pick(total * float64(random.Uint64()>>11) * 0x1p-53))
	}
	for i := range averages {
		averages[i] = w.integral[i] / w.clock / float64(w.size)
	}
	return events, nil
}

func (w *populationWalk) computeRates() (total float64, err error) {
	for k := range w.jumps {
		rate := ctmc.TotalRate(w.population, k, w.counts, w.size, w.x)
		if !(rate >= -1e-12*float64(w.size)) || math.IsInf(rate, 1) {
			return 0, fmt.Errorf("population: jump %d has the rate %v in the state %v; rates must be finite and not negative", k, rate, w.counts)
		}
		w.rates[k] = math.Max(rate, 0)
		total += w.rates[k]
	}
	if total == 0 {
		return 0, fmt.Errorf("population: no jump leaves the state %v", w.counts)
	}
	return total, nil
}

// pick returns the jump at the given point of the cumulated rates.
func (w *populationWalk) pick(point float64) int {
	last := 0
	for k, rate := range w.rates {
		if rate == 0 {
			continue
		}
		if point < rate {
			return k
		}
		point -= rate
		last = k
	}
	return last
}

func (w *populationWalk) jump(k int) {
	for _, c := range w.jumps[k] {
		w.counts[c.Coordinate] += c.By
	}
}
