package diffusion

import (
	"context"
	"math"
	"sort"

	"qlimit/ctmc"
)

// Defaults of TransientSettings.
const (
	DefaultCells     = 2000
	DefaultTolerance = 1e-5
)

// TransientSettings of [Process.Transient]; the zero value is the documented
// default.
type TransientSettings struct {
	Cells     int     // 0 = DefaultCells
	Tolerance float64 // local error of a step, total variation; 0 = DefaultTolerance
	Step      float64 // > 0: fixed steps of this length, no error control
	Reach     float64 // right end of the cells; 0 = chosen so that what is cut off is about 1e-15
}

// Transient is the law of a process at given times after a start.
type Transient struct {
	Start    float64   // U_0
	Times    []float64 // as asked for
	Mean     []float64 // E U at each time
	Variance []float64 // Var U at each time
	// MassError is the largest distance of the total probability from 1.
	MassError float64
	// Lowest is the smallest cell probability met, 0 or a rounding below it.
	Lowest float64
	Cells  int            // of the grid
	Stats  TransientStats // the work it took

	grid *grid
	mass [][]float64 // cell probabilities at each time
}

// Transient computes the law of U_t, given U_0 = start, at increasing times
// >= 0 by a conservative finite volume scheme whose stationary law is the exact
// one (see docs/diffusion.md), of second order in space and in time, with
// L-stable steps under error control.
//
// The tolerance is that of the steps in time. What the cells do to the law is not
// estimated; it falls as the square of their number, so that a run with twice as
// many shows it. It matters where the noise is weak: at drift -1 and σ² = 0.02 the
// mean, 3 - t from 3, is 0.0016 off at t = 1 with 2000 cells, 0.0002 with 8000.
//
// Errors: a field out of range, a process without stationary law, or the
// context's.
func (p Process) Transient(ctx context.Context, start float64, times []float64, settings TransientSettings) (*Transient, error) {
	if !(start >= 0) || math.IsInf(start, 1) {
		return nil, &ctmc.FieldError{Field: "start", Value: start, Allowed: ">= 0 above the boundary, and finite"}
	}
	settings, err := settings.withDefaults()
	if err != nil {
		return nil, err
	}
	if err := checkTimes(times); err != nil {
		return nil, err
	}
	g, err := p.transientGrid(start, times, settings)
	if err != nil {
		return nil, err
	}
	return newTransient(g, start, times).run(ctx, settings)
}

func (s TransientSettings) withDefaults() (TransientSettings, error) {
	if s.Cells == 0 {
		s.Cells = DefaultCells
	}
	if s.Tolerance == 0 {
		s.Tolerance = DefaultTolerance
	}
	switch {
	case !(s.Tolerance >= 1e-13 && s.Tolerance < 1):
		return s, &ctmc.FieldError{Field: "tolerance", Value: s.Tolerance, Allowed: "between 1e-13 and 1"}
	case !(s.Step >= 0) || math.IsInf(s.Step, 1):
		return s, &ctmc.FieldError{Field: "step", Value: s.Step, Allowed: "> 0, or 0 for error control"}
	case !(s.Reach >= 0) || math.IsInf(s.Reach, 1):
		return s, &ctmc.FieldError{Field: "reach", Value: s.Reach, Allowed: "> 0, or 0 for automatic"}
	}
	return s, checkCells(s.Cells)
}

// latestTime keeps a step that spans all times, multiplied by rates, within the
// floating-point range.
const latestTime = 1e200

func checkTimes(times []float64) error {
	if len(times) == 0 {
		return &ctmc.FieldError{Field: "at", Value: "missing", Allowed: "one or more times >= 0"}
	}
	before := 0.0
	for _, t := range times {
		if !(t >= before && t <= latestTime) {
			return &ctmc.FieldError{Field: "at", Value: times, Allowed: "times from 0 to 1e200, not decreasing"}
		}
		before = t
	}
	return nil
}

// beyondReach is the probability beyond the cells.
const beyondReach = 1e-15

// transientGrid lays the cells up to where the process does not come by the
// last time, narrower around the start if the first times call for it.
func (p Process) transientGrid(start float64, times []float64, settings TransientSettings) (*grid, error) {
	law, err := p.Stationary()
	if err != nil {
		return nil, err
	}
	reach := settings.Reach
	if reach == 0 {
		reach = law.SurvivalQuantile(beyondReach) + start
		if last := times[len(times)-1]; last > 0 {
			reach = math.Min(reach, law.farthestBy(start, last))
		}
	} else if reach <= start {
		return nil, &ctmc.FieldError{Field: "reach", Value: reach, Allowed: "beyond the start"}
	}
	if reach > law.Reach() {
		if law, err = p.stationaryTo(reach); settings.Reach > 0 && err != nil {
			return nil, err
		} else if err != nil || reach <= start {
			return nil, &ctmc.FieldError{Field: "start", Value: start, Allowed: "not so far above the stationary law"}
		}
	}
	inner := law.innerLength(reach)
	// From a far start the law travels, which wide cells would blur.
	inner = math.Max(inner, math.Min(start/4, inner*float64(settings.Cells)/60))
	if width, needed := p.focus(start, times, (inner+start)*math.Log1p(reach/inner)/float64(settings.Cells)); needed {
		return newGrid(law, focusedMesh(settings.Cells, inner, reach, start, width)), nil
	}
	return newGrid(law, stretchedMesh(settings.Cells, inner, reach)), nil
}

// focus is the width of the law at the first time after 0, and whether it
// needs narrower cells.
func (p Process) focus(start float64, times []float64, cell float64) (width float64, needed bool) {
	const cellsWanted = 60
	for _, t := range times {
		if t > 0 {
			width = math.Sqrt(p.variance(start) * t)
			return width, cell*cellsWanted > width
		}
	}
	return 0, false
}

func newTransient(g *grid, start float64, times []float64) *Transient {
	return &Transient{Start: start, Times: times, Cells: len(g.centre), grid: g}
}

func (r *Transient) run(ctx context.Context, settings TransientSettings) (*Transient, error) {
	g := r.grid
	e := newEvolution(g, g.pointMass(r.Start), settings.Tolerance, g.firstStep(r.Start))
	if settings.Step > 0 {
		e.fixed, e.step = true, settings.Step
	}
	now := 0.0
	for _, t := range r.Times {
		if err := e.advance(ctx, now, t); err != nil {
			return nil, err
		}
		now = t
		r.record(t, e.p)
	}
	r.Stats = e.stats
	return r, nil
}

// pointMass shares probability 1 between the two cells around a place so that
// its mean is right.
func (g *grid) pointMass(at float64) []float64 {
	p := make([]float64, len(g.centre))
	i := sort.SearchFloat64s(g.centre, at)
	switch {
	case i == 0:
		p[0] = 1
	case i == len(p):
		p[i-1] = 1
	default:
		p[i] = (at - g.centre[i-1]) / (g.centre[i] - g.centre[i-1])
		p[i-1] = 1 - p[i]
	}
	return p
}

// firstStep is a fraction of the time that probability needs to leave the cell
// it starts from.
func (g *grid) firstStep(at float64) float64 {
	i := min(sort.SearchFloat64s(g.centre, at), len(g.up)-1)
	return 0.1 / (g.up[i] + g.down[i])
}

// record keeps the law at time t; at time 0 mean and variance are those of the
// start itself.
func (r *Transient) record(t float64, p []float64) {
	mass, mean := 0.0, 0.0
	for i, m := range p {
		mass += m
		mean += m * r.grid.centre[i]
		r.Lowest = math.Min(r.Lowest, m)
	}
	variance := 0.0
	for i, m := range p {
		d := r.grid.centre[i] - mean
		variance += m * d * d
	}
	if t == 0 {
		mean, variance = r.Start, 0
	}
	r.MassError = math.Max(r.MassError, math.Abs(mass-1))
	r.Mean, r.Variance = append(r.Mean, mean), append(r.Variance, variance)
	r.mass = append(r.mass, append([]float64(nil), p...))
}
