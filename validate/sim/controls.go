package sim

import (
	"math"

	"qlimit/ctmc"
	"qlimit/validate/estimate"
)

// controlLevels is the number of occupancy levels whose drifts are controls.
const controlLevels = 8

// controlBasis says which control variates a system has, in the order of
// their columns: W and the splines of the remaining work, the drifts of the
// first levels, the sum of squares.
type controlBasis struct {
	knots       []float64
	levels      int
	squares     bool
	firstColumn int
}

// newControlBasis finds the controls that follow from the integrals kept. The
// drift of level i,
//
//	Gm_i = λN P(level is i-1) - departures from level i,
//
// does for exponential service and levels whose routing does not wait for the
// priority levels to be empty.
func newControlBasis(s ctmc.System, knots []float64, firstColumn int) controlBasis {
	b := controlBasis{knots: knots, firstColumn: firstColumn}
	if s.Phases() > 1 {
		return b
	}
	b.levels = controlLevels
	if s.Policy.Depth > 0 {
		b.levels = min(b.levels, s.Policy.Depth)
	}
	if s.Buffer != ctmc.Unlimited {
		b.levels = min(b.levels, s.Buffer)
	}
	b.squares = hasSquares(s)
	return b
}

// columns is the number of columns: one for each control, and one for each bin
// of the spline and each level that is positive where it was visited.
func (b controlBasis) columns() int { return b.controls() + b.bins() + b.levels }

func (b controlBasis) bins() int { return len(b.knots) + 1 }

func (b controlBasis) controls() int {
	n := 1 + b.bins() + b.levels
	if b.squares {
		n++
	}
	return n
}

// groups are the controls as groups of the columns of a series in which those
// of the system begin at the given one. Bins of the spline that were visited
// in few batches after the warm-up join a neighbour, and such levels are left
// out: what the regression learned there would be noise.
func (b controlBasis) groups(series *estimate.Series, w estimate.WarmUp, block int) [][]int {
	column := block + b.firstColumn
	times := column + b.controls()
	groups := [][]int{{column}}
	column++
	visits := fewestVisits // of the group that is being filled
	for k := range b.bins() {
		if visits >= fewestVisits {
			groups = append(groups, nil)
			visits = 0
		}
		last := len(groups) - 1
		groups[last] = append(groups[last], column+k)
		visits += series.BatchesAbove(times+k, w)
	}
	if last := len(groups) - 1; visits < fewestVisits && last > 1 {
		groups[last-1] = append(groups[last-1], groups[last]...)
		groups = groups[:last]
	}
	column += b.bins()
	for k := range b.levels {
		if series.BatchesAbove(times+b.bins()+k, w) >= fewestVisits {
			groups = append(groups, []int{column + k})
		}
	}
	if b.squares {
		groups = append(groups, []int{column + b.levels})
	}
	return groups
}

// fewestVisits is the number of batches in which a bin has to be visited.
const fewestVisits = 32

// controlAverages writes the time averages of the controls over a cell.
func (o *occupancy) controlAverages(passed float64, b controlBasis, out []float64) {
	n := o.spline.columns()
	o.spline.average(1/passed, out[:n])
	o.levelDrifts(passed, out[n:n+b.levels])
	if b.squares {
		out[n+b.levels] = o.squaresDrift(passed)
	}
	for i := range o.spline.bins {
		out[b.controls()+i] = o.spline.bins[i].noise / passed
	}
	for k := range b.levels {
		out[b.controls()+b.bins()+k] = o.levels[k+1].countTime / passed
	}
}

// levelDrifts writes the time averages of Gm_i for i = 1, 2, ..
func (o *occupancy) levelDrifts(passed float64, out []float64) {
	enters := o.arrival * passed // ∫ λN P(level >= i-1) dt
	for k := range out {
		i := k + 1
		l := &o.levels[i]
		departures := l.countTime - o.levels[i+1].countTime
		out[k] = (enters - l.routeTime - departures) / passed
		enters = l.routeTime
	}
}

// hasSquares reports whether the drift of Σ_i i m_i, half the sum over servers
// of jobs × (jobs + 1), follows from the integrals kept: exponential service,
// and either no level whose routing waits for priority levels, or a uniform
// fallback.
func hasSquares(s ctmc.System) bool {
	switch {
	case s.Phases() > 1 || s.Buffer > firstLevels:
		return false
	case s.Policy.Depth == 0 || s.Buffer != ctmc.Unlimited && s.Policy.Depth >= s.Buffer || s.Policy.Depth == ctmc.AllLevels:
		return true
	}
	k, ok := s.Policy.Fallback.(ctmc.Sampling)
	return ok && k.Choices == 1 && s.Buffer == ctmc.Unlimited
}

// squaresDrift is the time average of
//
//	G Σ_i i m_i = λN (Σ_{0<=i<b} P(level >= i) - b P(level >= b)) - jobs.
func (o *occupancy) squaresDrift(passed float64) float64 {
	drift := o.arrival * passed
	for i := 1; i < len(o.levels); i++ {
		l := &o.levels[i]
		drift -= l.countTime
		switch {
		case i < o.buffer && (i <= o.depth || o.depth == 0):
			drift += l.routeTime
		case i == o.buffer:
			drift -= float64(o.buffer) * l.routeTime
		}
	}
	if o.depth > 0 && o.depth != math.MaxInt {
		drift += o.linear * o.spline.gated
	}
	return drift / passed
}
