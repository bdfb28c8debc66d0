package validate

import (
	"context"
	"fmt"
	"math"

	"qlimit/ctmc"
	"qlimit/meanfield"
	"qlimit/validate/estimate"
	"qlimit/validate/sim"
)

// bestKnown is the best that the program can say of a quantity.
type bestKnown struct {
	method        Method
	kind          ctmc.Kind
	value         float64
	allowance     float64 // error that the method owns up to
	standardError float64 // of a simulation
	freedom       float64 // its degrees of freedom
	why           string  // what the allowance is made of
}

// dataStates bounds the exact chains that results are held against: there may
// be many systems in a file, and beyond it a simulation is quicker.
const dataStates = 20_000

// theories finds the best prediction for each system once:
//
//   - random routing: one server alone, exactly;
//   - few states: the exact chain;
//   - power-of-d: the mean field with its corrections of order 1/N and 1/N²,
//     where their error is below what is wanted;
//   - else our own simulation, as precise as is wanted, within its budget.
type theories struct {
	simulation sim.Settings
	known      map[string]*systemTheory
	Events     int64 // simulated
}

// systemTheory is what has been found of one system.
type systemTheory struct {
	exact     *prediction // nil: out of reach
	refined   *meanfield.Refinement
	simulated *sim.Result
	quick     *sim.Result    // short, for ratios of errors
	tied      *sim.JobResult // the rule that does not count jobs in service
	deficit   float64        // of runs from empty, see [theories.deficit]; 0 = not known yet
}

func newTheories(settings sim.Settings) *theories {
	if settings.Events == 0 {
		settings.Events = DefaultEvents
	}
	return &theories{simulation: settings, known: map[string]*systemTheory{}}
}

// of returns the best value of a quantity; wanted is the standard error that
// would not matter.
func (t *theories) of(ctx context.Context, s ctmc.System, q Quantity, wanted float64) (bestKnown, error) {
	one, err := t.system(ctx, s)
	if err != nil {
		return bestKnown{}, err
	}
	if one.exact != nil {
		allowance, why := one.exact.allowance(q)
		return bestKnown{method: ExactChain, kind: one.exact.kind, value: q.from(one.exact.measures), allowance: allowance, why: why}, nil
	}
	if one.refined != nil {
		if best, ok := fromExpansion(one.refined, q); ok && (best.allowance <= wanted || s.Servers > sim.MaxServers) {
			return best, nil
		}
	}
	if s.Servers > sim.MaxServers {
		return bestKnown{}, &ctmc.FieldError{Field: "servers", Value: s.Servers, Allowed: fmt.Sprintf("at most 1e9 for %s of %s", q, s.Policy)}
	}
	if one.simulated == nil {
		if one.simulated, err = t.simulate(ctx, s, wanted, q); err != nil {
			return bestKnown{}, err
		}
	}
	e := q.of(one.simulated)
	return bestKnown{method: Simulated, kind: ctmc.Estimate, value: e.Value, standardError: e.StandardError, freedom: e.DegreesOfFreedom, why: "our simulation"}, nil
}

func (t *theories) system(ctx context.Context, s ctmc.System) (*systemTheory, error) {
	if known, ok := t.known[s.String()]; ok {
		return known, nil
	}
	one := &systemTheory{}
	alone := s
	if samples(s.Policy) == 1 {
		alone.Servers = 1
	}
	var err error
	if alone.Servers <= dataStates {
		if one.exact, err = predictExact(ctx, alone, dataStates); err != nil {
			one.exact = nil // too large: something else will do
		}
	}
	if one.exact == nil && s.Policy.Smooth() {
		if r, err := meanfield.Refine(ctx, s, 2); err == nil && r.Trusted {
			one.refined = r
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	t.known[s.String()] = one
	return one, nil
}

// fromExpansion reads means and tails; for a tail the size of its last term
// stands for the error.
func fromExpansion(r *meanfield.Refinement, q Quantity) (bestKnown, bool) {
	best := bestKnown{method: Refined2, kind: ctmc.Limit, allowance: r.ErrorIndication, why: "next term, order N^-3"}
	switch q {
	case MeanJobs:
		best.value = r.MeanJobsOrder2
	case MeanResponse:
		best.value = r.MeanResponseOrder2
		best.allowance *= r.MeanResponseOrder2 / r.MeanJobsOrder2
	default:
		level, ok := q.tailLevel()
		if !ok || level > len(r.TailOrder2) {
			return best, false
		}
		best.value = r.TailOrder2[level-1]
		best.allowance = math.Abs(r.TailOrder2[level-1] - r.TailOrder1[level-1])
		best.why = "last term, order N^-2"
	}
	return best, true
}

// simulate runs until the mean jobs are as precise as is wanted of the
// quantity, relative to its value in the many-server limit.
func (t *theories) simulate(ctx context.Context, s ctmc.System, wanted float64, q Quantity) (*sim.Result, error) {
	settings := t.simulation
	settings.Precision = coarsestPrecision
	if scale := sizeOf(s, q); wanted > 0 && scale > 0 {
		settings.Precision = math.Min(math.Max(finestPrecision, 1.96*wanted/scale), coarsestPrecision)
	}
	settings.Start = startOf(s)
	result, err := sim.Run(ctx, s, settings)
	if err != nil {
		return nil, err
	}
	if result.Ending == sim.Interrupted {
		return nil, ctx.Err()
	}
	t.Events += result.Events
	return result, nil
}

// Relative half widths of simulations that results are held against.
const (
	finestPrecision   = 2e-5
	coarsestPrecision = 2e-3
)

// sizeOf is the rough size of a quantity.
func sizeOf(s ctmc.System, q Quantity) float64 {
	switch q {
	case MeanJobs:
		return math.Max(s.Load, 1e-3)
	case MeanResponse:
		return s.Service.Mean()
	}
	return 1
}

// errorRatio is the standard error of a quantity over that of another one, both
// as plain averages over the same run.
func (t *theories) errorRatio(ctx context.Context, s ctmc.System, q, to Quantity) (float64, error) {
	one, err := t.system(ctx, s)
	if err != nil {
		return 0, err
	}
	result := one.simulated
	if result == nil && one.quick == nil {
		quick := t.simulation
		quick.Events, quick.Precision = min(quick.Events, quickEvents), 0
		quick.Start = startOf(s)
		if one.quick, err = sim.Run(ctx, s, quick); err != nil {
			return 0, err
		}
		t.Events += one.quick.Events
	}
	if result == nil {
		result = one.quick
	}
	plain := &sim.Result{Measures: result.Plain, System: s}
	a, b := q.of(plain), to.of(plain)
	if a.Status != estimate.Usable || b.Status != estimate.Usable || b.StandardError == 0 {
		return 0, nil
	}
	return a.StandardError / b.StandardError, nil
}

// quickEvents suffice for the ratio of two standard errors.
const quickEvents = int64(500_000)
