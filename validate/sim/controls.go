package sim

import (
	"qlimit/ctmc"
	"qlimit/validate/estimate"
)

// controlLevels is the number of occupancy levels whose drifts are controls.
const controlLevels = 8

// controlBasis says which control variates a system has, in the order of
// their columns: W and the splines of the remaining work, the drifts of the
// first levels, with Coxian-2 service followed by those of their second phase,
// the sum of squares.
type controlBasis struct {
	knots       []float64
	poisson     []float64 // weights of W and the splines in the solution of Poisson's equation; nil if unknown
	levels      int
	phases      bool // two drifts of each level
	squares     bool
	pooled      bool // the work of the coupled queue
	single      bool // which has one server
	alone       bool // and is the only control
	firstColumn int
}

// newControlBasis finds the controls that follow from the integrals kept.
func newControlBasis(s ctmc.System, wanted Controls, knots []float64, firstColumn int) controlBasis {
	b := controlBasis{knots: knots, poisson: poissonOf(s, knots), firstColumn: firstColumn, levels: controlLevels, squares: true}
	b.alone = wanted == ControlsPooled
	b.single = wanted == ControlsAllSingle
	b.pooled = s.Load < 1 && (b.alone || b.single || wanted == ControlsAll)
	if s.Buffer != ctmc.Unlimited {
		b.levels = min(b.levels, s.Buffer)
		b.squares = s.Buffer <= firstLevels
	}
	if s.Phases() > 1 {
		b.phases = true
		return b
	}
	if s.Policy.Depth > 0 {
		b.levels = min(b.levels, s.Policy.Depth)
	}
	b.squares = hasSquares(s)
	return b
}

// columns is the number of columns: one for each control, and one for each bin
// of the spline, each level and the level after those, positive where that was
// visited.
func (b controlBasis) columns() int { return b.controls() + b.bins() + b.levels + 1 }

// drifts is the number of drifts of levels.
func (b controlBasis) drifts() int {
	if b.phases {
		return 2 * b.levels
	}
	return b.levels
}

func (b controlBasis) bins() int { return len(b.knots) + 1 }

func (b controlBasis) controls() int {
	n := 1 + b.bins() + b.drifts()
	if b.squares {
		n++
	}
	if b.pooled {
		n++
	}
	return n
}

// all are the controls as combinations of the columns of a series in which those
// of the system begin at the given one. Bins of the spline that were visited
// in few batches after the warm-up join a neighbour, and such levels are left
// out: what the regression learned there would be noise.
func (b controlBasis) all(series *estimate.Series, w estimate.WarmUp, block int) []estimate.Linear {
	if b.alone {
		return b.others(series, w, block)
	}
	column := block + b.firstColumn
	times := column + b.controls()
	var list []estimate.Linear
	if b.beyond(series, w, block) {
		list = append(list, estimate.ColumnMean(column))
	}
	first := len(list)
	visits, seen, enough := 0, 0, true // of the group that is being filled
	for k := range b.bins() {
		if enough {
			list = append(list, estimate.Linear{})
			visits, seen = 0, 0
		}
		last := &list[len(list)-1]
		last.Columns, last.Coefficients = append(last.Columns, column+1+k), append(last.Coefficients, 1)
		batches, runs := series.Visits(times+k, w)
		visits, seen = visits+batches, max(seen, runs)
		enough = visits >= fewestVisits && seen >= fewestRuns
	}
	if last := len(list) - 1; !enough && last > first {
		list[last-1].Columns = append(list[last-1].Columns, list[last].Columns...)
		list[last-1].Coefficients = append(list[last-1].Coefficients, list[last].Coefficients...)
		list = list[:last]
	}
	return append(list, b.others(series, w, block)...)
}

// few are the controls with one function of the work: the solution of Poisson's
// equation or, where that is not known, its square and itself.
func (b controlBasis) few(series *estimate.Series, w estimate.WarmUp, block int) []estimate.Linear {
	if b.alone {
		return b.others(series, w, block)
	}
	column := block + b.firstColumn
	work := estimate.Linear{Coefficients: b.poisson}
	for k := range 1 + b.bins() {
		work.Columns = append(work.Columns, column+k)
	}
	list := []estimate.Linear{work}
	if b.poisson == nil {
		square := estimate.Linear{Columns: work.Columns[1:]}
		for range b.bins() {
			square.Coefficients = append(square.Coefficients, 1)
		}
		list = []estimate.Linear{square}
		if b.beyond(series, w, block) {
			list = append(list, estimate.ColumnMean(column))
		}
	}
	return append(list, b.others(series, w, block)...)
}

// others are the controls that are no functions of the work.
func (b controlBasis) others(series *estimate.Series, w estimate.WarmUp, block int) []estimate.Linear {
	column := block + b.firstColumn + 1 + b.bins()
	var list []estimate.Linear
	if !b.alone {
		seen := b.levelsSeen(series, w, block)
		for k := range b.drifts() {
			if k%b.levels < seen {
				list = append(list, estimate.ColumnMean(column+k))
			}
		}
		if b.squares && b.beyond(series, w, block) {
			list = append(list, estimate.ColumnMean(column+b.drifts()))
		}
	}
	if b.pooled {
		list = append(list, estimate.ColumnMean(block+b.firstColumn+b.controls()-1))
	}
	return list
}

// levelsSeen is the number of levels 1, 2, .. that were visited often enough, of
// those with drifts and the next.
func (b controlBasis) levelsSeen(series *estimate.Series, w estimate.WarmUp, block int) int {
	times := block + b.firstColumn + b.controls() + b.bins()
	for k := range b.levels + 1 {
		if batches, runs := series.Visits(times+k, w); batches < fewestVisits || runs < fewestRuns {
			return k
		}
	}
	return b.levels + 1
}

// beyond tells whether there is much above the levels with drifts. If not, the
// work and the sum of squares are sums over those levels and add nothing.
func (b controlBasis) beyond(series *estimate.Series, w estimate.WarmUp, block int) bool {
	return b.levelsSeen(series, w, block) > b.levels
}

// fewestVisits is the number of batches in which a bin or level has to be
// visited, fewestRuns that of replications: what only one of them has seen
// nothing can confirm.
const (
	fewestVisits = 32
	fewestRuns   = 4
)

// controlAverages writes the time averages of the controls over a cell.
func (o *occupancy) controlAverages(passed float64, b controlBasis, out []float64) {
	n := o.spline.columns()
	o.spline.average(1/passed, out[:n])
	drifts := out[n : n+b.drifts()]
	var squares float64
	if b.phases {
		o.phaseDrifts(passed, drifts)
		squares = o.workSquaresDrift(passed)
	} else {
		o.levelDrifts(passed, drifts)
		squares = o.squaresDrift(passed)
	}
	if b.squares {
		out[n+b.drifts()] = squares
	}
	if b.pooled {
		out[b.controls()-1] = o.pooled.work/passed - o.pooled.mean
	}
	for i := range o.spline.bins {
		out[b.controls()+i] = o.spline.bins[i].noise / passed
	}
	for k := range b.levels + 1 {
		out[b.controls()+b.bins()+k] = o.levels[k+1].countTime / passed
	}
}

// watchControls begins to accumulate; the state must have been set. A queue
// beside the system is added by the caller.
func (o *occupancy) watchControls(b controlBasis) {
	o.spline = newWorkSpline(b.knots, o)
	if b.phases {
		o.watchSecondPhase()
	}
}
