package ode

import (
	"cmp"
	"math"
	"slices"
)

const (
	// endProbe is the distance of the samples next to the ends of a step: they
	// show which way G runs there.
	endProbe = 1. / 8192
	// tieUlps is the distance in units of the last place of the time at which
	// two roots count as simultaneous.
	tieUlps = 4
	epsilon = 0x1p-52
)

// root is a root of an event within the last step.
type root struct {
	event     int
	theta     float64
	direction Direction
	touch     bool
	residual  float64 // size of G around the root
}

// watch finds the roots of events in the steps of a course.
type watch struct {
	course     *course
	events     []Event
	theta      []float64    // sample positions, from 0 to 1
	values     [][]float64  // values[e][k] = G of event e at theta[k]
	side       []float64    // sign of G at the start of the step, 0 while not armed
	noise      []float64    // |G| above which an event not armed is armed
	armAt      [][2]float64 // position and value where it was armed
	fired      []bool       // events with a root where the integration last stopped
	firedAt    float64      // that time, NaN if there was none
	firedNoise float64      // rounding errors of G there

	state []float64
	roots []root
	hits  []Hit
	spare [][]float64 // states of earlier hits, to be used again
}

func newWatch(c *course) *watch {
	w := &watch{course: c, firedAt: math.NaN(), state: make([]float64, c.problem.Dim)}
	parts := c.settings.EventSamples
	w.theta = append(w.theta, 0, endProbe)
	for k := 1; k < parts; k++ {
		w.theta = append(w.theta, float64(k)/float64(parts))
	}
	w.theta = append(w.theta, 1-endProbe, 1)
	w.setEvents(c.settings.Events)
	return w
}

// setEvents replaces the events; memory is reused if it suffices.
func (w *watch) setEvents(events []Event) {
	w.events = events
	for len(w.values) < len(events) {
		w.values = append(w.values, make([]float64, len(w.theta)))
		w.side = append(w.side, 0)
		w.noise = append(w.noise, 0)
		w.armAt = append(w.armAt, [2]float64{})
		w.fired = append(w.fired, false)
	}
}

func (w *watch) evaluate(e int, t float64, y []float64) float64 {
	w.course.stats.EventEvaluations++
	return w.events[e].G(t, y)
}

// value returns G of event e at position theta of the last step.
func (w *watch) value(e int, theta float64) float64 {
	d := &w.course.dense
	d.at(theta, w.state)
	return w.evaluate(e, d.start+theta*d.step, w.state)
}

// start prepares the events for a start at the course's time and state.
func (w *watch) start() {
	last := len(w.theta) - 1
	for e := range w.events {
		g := w.evaluate(e, w.course.t, w.course.y)
		w.values[e][last] = g
		zero := w.events[e].Tolerance
		if w.course.t == w.firedAt {
			zero = max(zero, w.firedNoise)
		}
		w.side[e], w.noise[e] = 0, zero
		if math.Abs(g) > zero {
			w.side[e] = math.Copysign(1, g)
		}
	}
}

// search finds the roots within the last step up to the first that stops the
// integration, ordered in time, and prepares the next step.
func (w *watch) search() {
	w.roots = w.roots[:0]
	w.sample()
	for e := range w.events {
		w.searchEvent(e)
	}
	slices.SortStableFunc(w.roots, func(a, b root) int { return cmp.Compare(a.theta, b.theta) })
	for i, r := range w.roots {
		if w.events[r.event].stops() {
			w.stopAt(i)
			return
		}
	}
}

// stopAt drops the roots after root i, except simultaneous ones, and remembers
// which events must not fire again at once.
func (w *watch) stopAt(i int) {
	stop := w.roots[i].theta
	d := &w.course.dense
	tie := tieUlps * ulp(d.start+stop*d.step) / math.Abs(d.step)
	last := i
	for last+1 < len(w.roots) && w.roots[last+1].theta <= stop+tie {
		last++
	}
	w.roots = w.roots[:last+1]
	clear(w.fired)
	w.firedNoise = 0
	for _, r := range w.roots {
		if r.theta >= stop-tie {
			w.fired[r.event] = true
			w.firedNoise = max(w.firedNoise, 16*r.residual)
		}
	}
}

func (w *watch) sample() {
	last := len(w.theta) - 1
	for e := range w.events {
		w.values[e][0] = w.values[e][last]
	}
	d := &w.course.dense
	for k := 1; k <= last; k++ {
		t, y := w.course.t, w.course.y
		if k < last {
			t, y = d.start+w.theta[k]*d.step, w.state
			d.at(w.theta[k], y)
		}
		for e := range w.events {
			w.values[e][k] = w.evaluate(e, t, y)
		}
	}
}

// searchEvent appends the roots of event e in the last step.
func (w *watch) searchEvent(e int) {
	values := w.values[e]
	last := len(values) - 1
	scale := 0.0
	for _, g := range values {
		scale = max(scale, math.Abs(g))
	}
	zero := max(w.events[e].Tolerance, 16*epsilon*scale)
	first := w.arm(e, max(w.noise[e], zero))
	if first > last {
		return
	}
	// (before, at) is the last sample with a sign, starting where armed.
	before, at := w.armAt[e][1], w.armAt[e][0]
	for k := first; k <= last; k++ {
		g := values[k]
		if g == 0 && k < last {
			continue // the next sample decides between a crossing and a touch
		}
		if g*w.side[e] <= 0 {
			w.addCrossing(e, at, before, w.theta[k], g)
			w.side[e] = -w.side[e]
			if g == 0 {
				w.side[e], w.noise[e] = 0, 16*epsilon*scale
			}
		} else if from, ok := w.dip(e, first, k); ok {
			w.searchDip(e, from, w.theta[k], zero)
		}
		before, at = g, w.theta[k]
	}
}

// arm gives an event without a side the sign of G as soon as |G| exceeds the
// noise, and returns the index of the first sample to look at; the starting
// point of the search is left in armAt.
func (w *watch) arm(e int, noise float64) int {
	w.armAt[e] = [2]float64{0, w.values[e][0]}
	if w.side[e] != 0 {
		return 1
	}
	for theta := 0x1p-26; theta < w.theta[1]; theta *= 16 {
		if g := w.value(e, theta); math.Abs(g) > noise {
			w.armAt[e] = [2]float64{theta, g}
			w.side[e] = math.Copysign(1, g)
			return 1
		}
	}
	for k := 1; k < len(w.theta); k++ {
		if g := w.values[e][k]; math.Abs(g) > noise {
			w.armAt[e] = [2]float64{w.theta[k], g}
			w.side[e] = math.Copysign(1, g)
			return k + 1
		}
	}
	return len(w.theta)
}

// dip reports whether |G| has a minimum around sample k−1 without a change of
// sign, and the left end of the interval around it.
func (w *watch) dip(e, first, k int) (from float64, ok bool) {
	values := w.values[e]
	middle := math.Abs(values[k-1])
	if k-1 < first {
		return 0, false
	}
	left, from := values[k-2], w.theta[k-2]
	if k-1 == first {
		from, left = w.armAt[e][0], w.armAt[e][1]
	}
	sameSide := left*w.side[e] > 0 && values[k-1]*w.side[e] >= 0
	return from, sameSide && middle <= math.Abs(left) && middle < math.Abs(values[k])
}

// searchDip minimises |G| over [from, to], at whose ends it has the same sign,
// and appends the two roots if it changes sign, or one if it touches zero.
func (w *watch) searchDip(e int, from, to, zero float64) {
	side := w.side[e]
	lowest := func(theta float64) float64 { return side * w.value(e, theta) }
	theta, least := minimise(lowest, from, to)
	switch {
	case least < 0:
		w.addCrossing(e, from, w.value(e, from), theta, side*least)
		w.side[e] = -side
		w.addCrossing(e, theta, side*least, to, w.value(e, to))
		w.side[e] = side
	case least <= zero:
		// Touching from above, G falls to zero; from below it rises.
		w.add(root{e, theta, Direction(-side), true, max(least, zero)})
	}
}

// addCrossing appends the root between the positions a and b, at which G has
// the values ga (with the sign of side) and gb (opposite or zero).
func (w *watch) addCrossing(e int, a, ga, b, gb float64) {
	direction := Direction(-w.side[e])
	if want := w.events[e].Direction; want != Either && want != direction {
		return
	}
	d := &w.course.dense
	resolution := 0.5 * ulp(max(math.Abs(d.start), math.Abs(d.start+d.step))) / math.Abs(d.step)
	theta, residual := locate(func(x float64) float64 { return w.value(e, x) }, a, ga, b, gb, resolution)
	w.add(root{e, theta, direction, false, max(residual, epsilon*max(math.Abs(ga), math.Abs(gb)))})
}

func (w *watch) add(r root) {
	if want := w.events[r.event].Direction; want != Either && want != r.direction {
		return
	}
	w.roots = append(w.roots, r)
}

// record turns the roots found into hits. The states share memory that the
// next step overwrites.
func (w *watch) record() {
	d := &w.course.dense
	for _, h := range w.hits {
		w.spare = append(w.spare, h.State)
	}
	w.hits = w.hits[:0]
	for _, r := range w.roots {
		if len(w.spare) == 0 {
			w.spare = append(w.spare, make([]float64, len(w.state)))
		}
		state := w.spare[len(w.spare)-1]
		w.spare = w.spare[:len(w.spare)-1]
		t := d.start + r.theta*d.step
		d.at(r.theta, state)
		w.hits = append(w.hits, Hit{r.event, t, state, r.direction, r.touch})
	}
}

// stop returns the first root that ends the step early.
func (w *watch) stop() (root, bool) {
	for _, r := range w.roots {
		if w.events[r.event].stops() {
			return r, true
		}
	}
	return root{}, false
}
