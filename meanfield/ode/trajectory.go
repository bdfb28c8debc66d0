package ode

import (
	"fmt"
	"sort"
)

// Trajectory is the dense output of a whole solution, continuous up to the
// jumps of events.
type Trajectory struct {
	dim       int
	direction float64
	first     []float64
	start     float64
	pieces    []piece
}

// piece is the dense output of one step up to the time end, which lies inside
// the step if an event cut it short.
type piece struct {
	interpolant
	end float64
}

func (tr *Trajectory) begin(c *course) {
	tr.start = c.t
	tr.first = append([]float64(nil), c.y...)
}

func (tr *Trajectory) append(c *course) {
	p := piece{interpolant: newInterpolant(tr.dim), end: c.t}
	c.dense.copyInto(&p.interpolant)
	tr.pieces = append(tr.pieces, p)
}

// Span returns the times at which the trajectory starts and ends.
func (tr *Trajectory) Span() (start, end float64) {
	if len(tr.pieces) == 0 {
		return tr.start, tr.start
	}
	return tr.start, tr.pieces[len(tr.pieces)-1].end
}

// At writes the state at time t into dst and returns an error if t is outside
// Span or dst has the wrong length. At a jump it gives the state before.
func (tr *Trajectory) At(t float64, dst []float64) error {
	if len(dst) != tr.dim {
		return fmt.Errorf("ode: Trajectory.At into length %d, must be %d", len(dst), tr.dim)
	}
	start, end := tr.Span()
	if !((t-start)*tr.direction >= 0 && (t-end)*tr.direction <= 0) {
		return fmt.Errorf("ode: Trajectory.At(%v), must be between %v and %v", t, start, end)
	}
	if len(tr.pieces) == 0 {
		copy(dst, tr.first)
		return nil
	}
	k := sort.Search(len(tr.pieces), func(k int) bool {
		return (tr.pieces[k].end-t)*tr.direction >= 0
	})
	p := &tr.pieces[k]
	p.at(min(1, max(0, p.position(t))), dst)
	return nil
}
