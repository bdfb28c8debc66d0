package validate

import (
	"context"
	"fmt"
	"math"
	"time"

	"gonum.org/v1/gonum/stat/distuv"

	"qlimit/ctmc"
	"qlimit/validate/estimate"
	"qlimit/validate/sim"
)

// Defaults of an experiment.
const (
	DefaultSigmas = 4.0
	DefaultEvents = int64(2e7)
)

// Experiment is a list of systems, each to be simulated once, with the
// predictions to hold against the simulation.
type Experiment struct {
	Title      string       // heading of the report
	Simulation sim.Settings // Seed, Threads, Replications, Events, Precision, Level; zero = default
	SeedGiven  bool         // the file names a seed
	Sigmas     float64      // standard errors of statistical tolerance; 0 = DefaultSigmas
	Cases      []Case       // the systems, in order
}

// Case is one system of an experiment.
type Case struct {
	Group      string           // heading under which it is listed
	System     ctmc.System      // to predict and to simulate
	Methods    []Method         // predictions wanted
	Quantities []Quantity       // measures wanted
	Events     int64            // 0 = as in Experiment.Simulation
	Published  []PublishedValue // values to compare with as well
}

// PublishedValue is a number printed by others, with its standard error.
type PublishedValue struct {
	Quantity      Quantity // that the value is of
	Value         float64  // as printed
	StandardError float64  // as printed
}

// Row is one comparison.
type Row struct {
	Group      string           // of the case
	System     ctmc.System      // that both numbers speak of
	Quantity   Quantity         // compared
	Method     Method           // of the prediction
	Kind       ctmc.Kind        // of the prediction
	Theory     float64          // predicted value
	Against    string           // what the theory is held against: AgainstSimulation or AgainstPublished
	Simulated  float64          // value that it is held against
	HalfWidth  float64          // of the interval around Simulated
	Level      float64          // of that interval
	Difference float64          // theory - simulated
	Tolerance  float64          // largest difference that agrees
	Why        string           // what the tolerance is made of
	Verdict    estimate.Verdict // agree, disagree or inconclusive
	Reason     string           // why the verdict is what it is
}

// What a row's theory is held against.
const (
	AgainstSimulation = "simulation"
	AgainstPublished  = "published simulation"
)

// Skipped is a prediction that could not be made.
type Skipped struct {
	Group  string      // of the case
	System ctmc.System // it was asked of
	Method Method      // that does not apply
	Reason string      // one sentence
}

// Report is the outcome of an experiment.
type Report struct {
	Title    string        // of the experiment
	Rows     []Row         // in the order of the experiment
	Skipped  []Skipped     // predictions that could not be made
	Cases    int           // systems in the experiment
	Done     int           // of which finished
	Events   int64         // simulated, of all systems
	Elapsed  time.Duration // wall clock
	Seed     uint64        // of the simulations
	Sigmas   float64       // of the tolerances
	Warnings []string      // sentences for footnotes
}

// Count returns the number of rows with a verdict.
func (r *Report) Count(v estimate.Verdict) int {
	n := 0
	for _, row := range r.Rows {
		if row.Verdict == v {
			n++
		}
	}
	return n
}

// Run carries out an experiment. When the context is cancelled the rows of
// the finished systems are returned together with the context's error.
// Predictions that cannot be made (too many states, no unique equilibrium)
// are listed in Skipped; an invalid system is an error before anything runs.
func Run(ctx context.Context, e Experiment, progress ctmc.Progress) (*Report, error) {
	if e.Sigmas == 0 {
		e.Sigmas = DefaultSigmas
	}
	if !(e.Sigmas > 0 && e.Sigmas <= 30) {
		return nil, &ctmc.FieldError{Field: "sigmas", Value: e.Sigmas, Allowed: "above 0 and at most 30"}
	}
	if len(e.Cases) == 0 {
		return nil, fmt.Errorf("the experiment has no systems")
	}
	for i := range e.Cases {
		if err := e.Cases[i].validate(); err != nil {
			return nil, fmt.Errorf("system %d: %w", i+1, err)
		}
	}
	report := &Report{Title: e.Title, Cases: len(e.Cases), Seed: e.Simulation.Seed, Sigmas: e.Sigmas}
	started := time.Now()
	for i := range e.Cases {
		err := e.runCase(ctx, &e.Cases[i], report)
		report.Elapsed = time.Since(started)
		if err != nil {
			return report, err
		}
		report.Done++
		if progress != nil {
			progress(float64(report.Done), float64(report.Cases), e.Cases[i].System.String())
		}
	}
	return report, nil
}

func (c *Case) validate() error {
	if err := c.System.Validate(); err != nil {
		return err
	}
	if c.System.Servers > sim.MaxServers {
		return &ctmc.FieldError{Field: "servers", Value: c.System.Servers, Allowed: "at most 1e9 for the simulator"}
	}
	if len(c.Methods) == 0 && len(c.Published) == 0 {
		return fmt.Errorf("no methods and no published values for %v", c.System)
	}
	if len(c.Methods) > 0 && len(c.Quantities) == 0 {
		return fmt.Errorf("no quantities for %v", c.System)
	}
	return nil
}

func (e *Experiment) runCase(ctx context.Context, c *Case, report *Report) error {
	settings := e.Simulation
	if c.Events > 0 {
		settings.Events = c.Events
	} else if settings.Events == 0 {
		settings.Events = DefaultEvents
	}
	settings.Progress = nil
	settings.Start = startOf(c.System)
	var predictions []*prediction
	for _, m := range c.Methods {
		p, err := predict(ctx, m, c.System)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			report.Skipped = append(report.Skipped, Skipped{c.Group, c.System, m, err.Error()})
		}
		predictions = append(predictions, p)
	}
	result, err := sim.Run(ctx, c.System, settings)
	if err != nil {
		return err
	}
	if result.Ending == sim.Interrupted {
		return ctx.Err()
	}
	report.Events += result.Events
	for _, w := range result.Warnings {
		report.Warnings = append(report.Warnings, fmt.Sprintf("%v: %s", c.System, w))
	}
	for k, p := range predictions {
		if p != nil {
			e.comparePrediction(c, c.Methods[k], p, result, report)
		}
	}
	e.comparePublished(c, result, report)
	return nil
}

// comparePrediction holds a prediction against our simulation, or against the
// published one where there is one.
func (e *Experiment) comparePrediction(c *Case, m Method, p *prediction, result *sim.Result, report *Report) {
	add := func(q Quantity, simulated estimate.Estimate, against string) {
		allowance, why := p.allowance(q)
		row := e.row(c, m, p.kind, q, q.from(p.measures), allowance, simulated)
		row.Against = against
		row.Why = fmt.Sprintf("%g se + %s", e.Sigmas, why)
		report.Rows = append(report.Rows, row)
	}
	if len(c.Published) > 0 {
		for _, v := range c.Published {
			add(v.Quantity, v.estimate(result.MeanJobs.Level), AgainstPublished)
		}
		return
	}
	for _, q := range c.Quantities {
		if q == BlockProb && c.System.Buffer == ctmc.Unlimited {
			continue // nothing is ever lost
		}
		if p.meansOnly && q != MeanJobs && q != MeanResponse {
			continue
		}
		add(q, q.of(result), AgainstSimulation)
	}
}

// estimate gives a published value the form of an estimate from many runs.
func (v PublishedValue) estimate(level float64) estimate.Estimate {
	normal := distuv.Normal{Mu: 0, Sigma: 1}
	return estimate.Estimate{
		Status: estimate.Usable, Value: v.Value, Level: level, StandardError: v.StandardError,
		HalfWidth: normal.Quantile((1+level)/2) * v.StandardError, DegreesOfFreedom: manyRuns,
	}
}

// manyRuns are the degrees of freedom of a published standard error: it comes
// from so many runs that its own error does not matter.
const manyRuns = 1000

// comparePublished holds our simulation against published averages: both have
// a standard error, and the tolerance is that of the difference.
func (e *Experiment) comparePublished(c *Case, result *sim.Result, report *Report) {
	for _, v := range c.Published {
		ours := v.Quantity.of(result)
		combined := ours
		combined.StandardError = math.Hypot(ours.StandardError, v.StandardError)
		row := e.row(c, Published, ctmc.Estimate, v.Quantity, v.Value, 0, combined)
		row.HalfWidth, row.Against = ours.HalfWidth, AgainstSimulation
		row.Why = fmt.Sprintf("%g se of both", e.Sigmas)
		report.Rows = append(report.Rows, row)
	}
}

// vacuousAllowance is the allowance, relative to the scale of the quantity,
// above which agreement says nothing.
const vacuousAllowance = 0.25

func (e *Experiment) row(c *Case, m Method, kind ctmc.Kind, q Quantity, theory, allowance float64, simulated estimate.Estimate) Row {
	verdict := estimate.Compare(theory, allowance, simulated, e.Sigmas)
	if verdict.Verdict == estimate.Agree && allowance > vacuousAllowance*q.scale(theory, simulated.Value) {
		verdict.Verdict, verdict.Reason = estimate.Inconclusive, "the approximation's own error is too large here to tell"
	}
	return Row{
		Group: c.Group, System: c.System, Quantity: q, Method: m, Kind: kind,
		Theory: theory, Simulated: simulated.Value, HalfWidth: simulated.HalfWidth, Level: simulated.Level,
		Difference: verdict.Difference, Tolerance: verdict.Tolerance,
		Verdict: verdict.Verdict, Reason: verdict.Reason,
	}
}
