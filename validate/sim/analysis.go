package sim

import (
	"fmt"
	"math"
	"slices"
	"time"

	"qlimit/ctmc"
	"qlimit/validate/estimate"
)

// estimator is a way to make estimates of the columns of a series.
type estimator interface {
	Mean(column int, level float64) estimate.Estimate
	Function(columns []int, f func([]float64) (float64, []float64), level float64) estimate.Estimate
}

// plainEstimator averages the cells after the warm-up.
type plainEstimator struct {
	series *estimate.Series
	warmUp estimate.WarmUp
}

func (p plainEstimator) Mean(column int, level float64) estimate.Estimate {
	return p.series.Mean(column, p.warmUp, level)
}

func (p plainEstimator) Function(columns []int, f func([]float64) (float64, []float64), level float64) estimate.Estimate {
	return p.series.Function(columns, f, p.warmUp, level)
}

// look is what can be said of the cells there are: the plain estimator and,
// with control variates, the improved one beside it.
type look struct {
	*experiment
	plain    plainEstimator
	improved *estimate.Controls // nil when off
	report   ControlReport      // whether it is to be trusted
}

// look fits all controls and only a few, and takes what has the smaller error:
// short runs cannot learn many coefficients.
func (e *experiment) look() look {
	l := look{experiment: e, plain: plainEstimator{e.series, e.plainWarmUp()}}
	if !e.controlled() {
		return l
	}
	level := e.settings.Level
	plain := l.plain.Mean(jobsColumn, level)
	for _, choose := range []func(*estimate.Series, estimate.WarmUp, int) []estimate.Linear{e.basis.few, e.basis.all} {
		c := e.improvedEstimator(choose, l.plain.warmUp)
		if e.samples() && e.correlationTimes() < fewExcursions {
			c.Cautious()
		}
		report := e.judge(c, plain)
		if l.improved == nil || e.prefers(report, l.report) {
			l.improved, l.report = c, report
		}
	}
	return l
}

// prefers tells whether all controls are to be preferred to the few.
func (e *experiment) prefers(all, few ControlReport) bool {
	if e.samples() && few.Used && e.correlationTimes() < manyCoefficients {
		return false
	}
	return all.better(few)
}

// samples tells whether the policy is power-of-d with a known solution of Poisson's
// equation.
func (e *experiment) samples() bool {
	return e.basis.poisson != nil && e.system.Policy.Depth == 0
}

// manyCoefficients is the number of autocorrelation times, all replications
// together, from which on power-of-d may use all controls. Below, the coefficients
// of the splines and of the levels' drifts are learned from too few excursions, and
// the smaller of two standard errors is too small: 100 servers, load 0.99, 1e6 events
// (20 times): few alone have a root mean square error of 0.020, all 0.13, and what
// claims less 0.032.
const manyCoefficients = 500

// fewExcursions is the number of autocorrelation times, all replications together,
// below which power-of-d takes the larger of two standard errors, and the jackknife
// in the shortest runs: at 80 the other covered 90%, at a twentieth per replication 81%.
const fewExcursions = 300

// correlationTimes is the length of all replications together in autocorrelation
// times of the number of jobs, as theory has them.
func (e *experiment) correlationTimes() float64 {
	cells := float64(e.series.OriginalCells()) * float64(e.settings.Replications)
	return cells / e.cells(e.source.plan.AutocorrelationTime)
}

// better tells whether all controls are to be preferred to the few: if they
// alone are used, or do not claim much less, as far as half of the batches
// confirm it. What few leave varies slowly, and its variance is easily
// underestimated.
func (all ControlReport) better(few ControlReport) bool {
	if all.Used != few.Used {
		return all.Used
	}
	return fewAhead*math.Min(all.Validation, 1)*all.VarianceRatio > few.VarianceRatio
}

// fewAhead is the ratio of variances by which few controls have to be ahead.
const fewAhead = 4

func (e *experiment) plainWarmUp() estimate.WarmUp {
	if w, given := e.givenWarmUp(); given {
		return w
	}
	planned := e.plannedWarmUp()
	if e.settings.Start.law != nil {
		planned.Rule = "planned"
		return planned
	}
	return longer(e.series.WarmUp(jobsColumn, waitColumn), planned)
}

// givenWarmUp is the one that the settings ask for.
func (e *experiment) givenWarmUp() (w estimate.WarmUp, given bool) {
	switch time := e.settings.WarmUp; {
	case time < 0:
		return estimate.NoWarmUp(), true
	case time > 0:
		return e.series.FixedWarmUp(int(math.Min(math.Ceil(e.cells(time)), float64(e.maxCells)))), true
	}
	return w, false
}

const (
	// settlingTime is left out of the improved estimates in any case, in mean
	// service times, ..
	settlingTime = 20
	// .. or this part of the run, if that is less: what happens far from where
	// the system spends its life tells the regression nothing.
	settlingShare = 0.1
)

// improvedWarmUp is chosen from the residuals: they forget the start sooner
// than the time averages do. From a start that power-of-d draws there is nothing to
// forget but how the servers were laid out: what MSER left out there were stretches
// that were high by chance, up to half of the run, and the interval knew nothing of
// it.
func (e *experiment) improvedWarmUp(choose func(*estimate.Series, estimate.WarmUp, int) []estimate.Linear) estimate.WarmUp {
	if w, given := e.givenWarmUp(); given {
		return w
	}
	settling := e.series.FixedWarmUp(int(math.Min(settlingTime/e.cellTime, settlingShare*float64(e.series.OriginalCells()))))
	if law := e.settings.Start.law; law != nil && law.balanced != nil {
		settling.Rule = "planned"
		return settling
	}
	none := estimate.NoWarmUp()
	w := e.series.Controls(choose(e.series, none, 0), none).WarmUp(jobsColumn, waitColumn)
	return longer(w, settling)
}

// longer is the first warm-up, lengthened to the second.
func longer(w, least estimate.WarmUp) estimate.WarmUp {
	if least.Cells > w.Cells {
		w.Cells, w.Fraction = least.Cells, least.Fraction
	}
	return w
}

// improvedEstimator leaves out what the plain estimates do as well, if the
// controls do not have mean 0 otherwise.
func (e *experiment) improvedEstimator(choose func(*estimate.Series, estimate.WarmUp, int) []estimate.Linear, plain estimate.WarmUp) *estimate.Controls {
	w := e.improvedWarmUp(choose)
	c := e.series.Controls(choose(e.series, w, 0), w)
	if plain.Cells > w.Cells && !c.Stationary(jobsColumn) {
		w = longer(w, plain)
		c = e.series.Controls(choose(e.series, w, 0), w)
	}
	return c
}

// meanJobs is the best estimate at hand, and so is meanResponse.
func (l look) meanJobs() estimate.Estimate {
	return l.best(func(by estimator) estimate.Estimate { return by.Mean(jobsColumn, l.settings.Level) })
}

func (l look) meanResponse() estimate.Estimate { return l.best(l.meanResponseBy) }

// best is the improved estimate where that is the narrower one.
func (l look) best(of func(estimator) estimate.Estimate) estimate.Estimate {
	plain := of(l.plain)
	if !l.report.Used {
		return plain
	}
	return l.preferred(of(l.improved), plain)
}

// preferred is the narrower of the two, or the improved one where the width of
// the plain one cannot be believed.
func (e *experiment) preferred(improved, plain estimate.Estimate) estimate.Estimate {
	if improved.Status == estimate.Usable && plain.Status == estimate.Usable && e.dwellsAtStart() {
		return improved
	}
	return narrower(improved, plain)
}

// narrower prefers the improved estimate unless there is nothing to improve or
// it is the wider of the two.
func narrower(improved, plain estimate.Estimate) estimate.Estimate {
	if plain.Status != estimate.Usable || improved.Status != estimate.Usable || improved.StandardError > plain.StandardError {
		return plain
	}
	return improved
}

// meanResponseBy is Little's law on accepted jobs:
// E[jobs] / (load (1 - P(block))) mean service times.
func (e *experiment) meanResponseBy(by estimator) estimate.Estimate {
	scale := e.system.Service.Mean() / e.system.Load
	return by.Function([]int{jobsColumn, blockColumn}, func(x []float64) (float64, []float64) {
		accepted := 1 - x[1]
		value := scale * x[0] / accepted
		return value, []float64{scale / accepted, value / accepted}
	}, e.settings.Level)
}

// measures makes every estimate one way.
func (e *experiment) measures(by estimator) Measures {
	level := e.settings.Level
	m := Measures{
		MeanJobs:     by.Mean(jobsColumn, level),
		MeanResponse: e.meanResponseBy(by),
		WaitProb:     by.Mean(waitColumn, level),
		BlockProb:    by.Mean(blockColumn, level),
	}
	for i := 0; i <= e.tails; i++ {
		if i > 0 {
			if !e.visited(i) {
				break
			}
			m.Tail = append(m.Tail, by.Mean(firstTail+i-1, level))
		}
		m.Occupancy = append(m.Occupancy, e.occupancyBy(by, i))
	}
	return m
}

// visited tells whether any server ever had i jobs.
func (e *experiment) visited(i int) bool {
	for r := range e.states {
		for _, x := range e.series.Column(r, firstTail+i-1) {
			if x > 0 {
				return true
			}
		}
	}
	return false
}

// occupancyBy estimates q_i = s_i - s_{i+1}.
func (e *experiment) occupancyBy(by estimator, i int) estimate.Estimate {
	upper, lower := firstTail+i-1, firstTail+i
	switch {
	case i == 0:
		return by.Function([]int{lower}, func(x []float64) (float64, []float64) {
			return 1 - x[0], []float64{-1}
		}, e.settings.Level)
	case i == e.tails:
		return by.Mean(upper, e.settings.Level)
	}
	return by.Function([]int{upper, lower}, func(x []float64) (float64, []float64) {
		return x[0] - x[1], []float64{1, -1}
	}, e.settings.Level)
}

// result makes every estimate and says what limits them.
func (e *experiment) result() *Result {
	l := e.look()
	warm := l.plain.warmUp
	r := &Result{
		System:       e.system,
		Plain:        e.measures(l.plain),
		Elapsed:      e.before + time.Since(e.started),
		Replications: e.settings.Replications,
		Duration:     float64(e.series.OriginalCells()) * e.cellTime * e.system.Service.Mean(),
		Ending:       BudgetSpent,
		Plan:         e.source.plan,
	}
	if e.dwellsAtStart() {
		r.Plain.warn(fmt.Sprintf("each replication spans %.2g autocorrelation times of the system: time averages mostly say where the replications began, and so does their interval", r.Duration/r.Plan.AutocorrelationTime))
	}
	r.Measures = r.Plain
	r.Controls = l.report
	if l.report.Used {
		r.Measures = e.orPlain(e.measures(l.improved), r.Plain)
		warm = l.improved.WarmedUp()
	}
	for _, events := range e.events {
		r.Events += events
	}
	r.WarmUp = float64(warm.Cells*max(warm.Span, 1)) * e.cellTime * e.system.Service.Mean()
	r.WarmUpRule = warm.Rule
	r.Warnings = e.warnings(r, warm)
	return r
}

// warn adds a warning to the means of a system.
func (m *Measures) warn(warning string) {
	for _, e := range []*estimate.Estimate{&m.MeanJobs, &m.MeanResponse, &m.WaitProb} {
		if e.Status == estimate.Usable {
			e.Warnings = append(slices.Clip(e.Warnings), warning)
		}
	}
}

// orPlain takes the plain estimate wherever it is the narrower one or the
// improved one is no probability.
func (e *experiment) orPlain(m, plain Measures) Measures {
	probability := func(improved, plain estimate.Estimate) estimate.Estimate {
		if improved.Value < 0 || improved.Value > 1 {
			return plain
		}
		return e.preferred(improved, plain)
	}
	probabilities := func(improved, plain []estimate.Estimate) []estimate.Estimate {
		for i := range improved {
			improved[i] = probability(improved[i], plain[i])
		}
		return improved
	}
	return Measures{
		MeanJobs:     e.preferred(m.MeanJobs, plain.MeanJobs),
		MeanResponse: e.preferred(m.MeanResponse, plain.MeanResponse),
		WaitProb:     probability(m.WaitProb, plain.WaitProb),
		BlockProb:    probability(m.BlockProb, plain.BlockProb),
		Occupancy:    probabilities(m.Occupancy, plain.Occupancy),
		Tail:         probabilities(m.Tail, plain.Tail),
	}
}

func (e *experiment) warnings(r *Result, warm estimate.WarmUp) []string {
	var list []string
	list = append(list, r.MeanJobs.Warnings...)
	if r.Controls.Reason != "" {
		list = append(list, "control variates: "+r.Controls.Reason)
	}
	if times, want := r.Duration/r.Plan.RelaxationTime, e.controlledTimes(); r.Controls.Used && times < want {
		list = append(list, fmt.Sprintf("each replication spans %.2g relaxation times, want %.0f from such a start: intervals with control variates hold less often than they say, run about %.1g events", times, want, float64(r.Events)*want/times))
	}
	if !warm.Reliable && e.settings.WarmUp >= 0 {
		list = append(list, "the warm-up may be longer than the run: run longer or start closer to equilibrium")
	}
	if services := r.Duration / e.system.Service.Mean(); services < shortRun {
		list = append(list, fmt.Sprintf("each replication covers %.3g mean service times only: the interval cannot show a bias left by the start", services))
	}
	if e.system.Buffer == ctmc.Unlimited && len(r.Occupancy) > tailLevels {
		list = append(list, fmt.Sprintf("occupancy is recorded up to %d jobs; the last entry counts servers with that many or more", tailLevels))
	}
	return list
}

// controlledTimes is the number of relaxation times a replication has to span
// where all start at one place. Below, few excursions teach the regression its
// coefficients and are then explained by them: power-of-two with 100 servers at load
// 0.99, from the mean-field equilibrium, covers 85% at 9 relaxation times of that
// limit, which are 3 of the averaged chain. Starts that are drawn need none.
func (e *experiment) controlledTimes() float64 {
	switch {
	case e.settings.Start.law != nil:
		return 0
	case e.source.plan.Source == "mean-field":
		return 30
	case e.source.plan.Source == "averaged chain":
		return 10
	}
	return 0
}

// shortRun is the number of mean service times below which a replication is
// too short for its own warm-up to be seen.
const shortRun = 20
