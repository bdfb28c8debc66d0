package ode

import "math"

// course is the part of an integration that all methods share: where it
// stands, where it goes, what it may cost.
type course struct {
	problem   Problem
	settings  Settings // defaults filled in
	tolerance tolerance
	stats     Stats

	t, end    float64
	direction float64   // +1 or -1
	y         []float64 // state at t
	slope     []float64 // F(t, y)
	proposed  float64   // size of the next step, positive

	previous []float64 // state at the start of the last step
	dense    interpolant

	notFinite      bool  // the last attempt failed because F was not finite
	attemptsBefore int   // attempts before the last countFromHere
	workBefore     int64 // work before the last countFromHere
	progress       progress
}

func newCourse(p Problem, s Settings) *course {
	s = s.withDefaults(p.Dim)
	return &course{
		problem: p, settings: s,
		tolerance: tolerance{s.RelTol, s.AbsTols},
		y:         make([]float64, p.Dim),
		slope:     make([]float64, p.Dim),
		previous:  make([]float64, p.Dim),
		dense:     newInterpolant(p.Dim),
	}
}

func (c *course) evaluate(t float64, y, slope []float64) {
	c.stats.Evaluations++
	c.problem.F(t, y, slope)
}

// countFromHere makes the limits on attempts and progress count anew.
func (c *course) countFromHere() {
	c.attemptsBefore = c.stats.Accepted + c.stats.Rejected
	c.workBefore = c.stats.Work
	c.progress.mark, c.progress.from, c.progress.crawling = c.attemptsBefore, c.t, 0
}

// nextStep returns the signed size of the next attempt, which lands on the
// end exactly if it comes near it, or the reason why there is none.
func (c *course) nextStep() (h float64, status Status) {
	s := &c.settings
	attempts := c.stats.Accepted + c.stats.Rejected
	if attempts-c.attemptsBefore >= s.MaxSteps {
		return 0, MaxSteps
	}
	if s.MaxWork > 0 && c.stats.Work-c.workBefore >= s.MaxWork {
		return 0, MaxWork
	}
	if s.StallWindow > 0 && c.progress.stalled(c, attempts) {
		return 0, Stalled
	}
	remaining := math.Abs(c.end - c.t)
	// A slightly longer step is better than leaving a crumb for the last one.
	if min(1.0001*c.proposed, (1+1e-10)*s.MaxStep) >= remaining {
		return c.end - c.t, Running
	}
	size := min(c.proposed, s.MaxStep)
	if size < max(s.MinStep, 4*ulp(c.t)) {
		if c.notFinite {
			return 0, NotFinite
		}
		return 0, StepTooSmall
	}
	// The step actually taken is the difference of two representable times.
	return (c.t + c.direction*size) - c.t, Running
}

// accept moves the course over a step of size h that ends in the state in
// next, whose slope the method stores itself, and proposes the next size.
func (c *course) accept(h float64, next []float64, proposed float64) {
	copy(c.previous, c.y)
	copy(c.y, next)
	c.dense.start, c.dense.step = c.t, h
	landed := h == c.end-c.t
	c.t += h
	if landed {
		c.t = c.end
	}
	c.notFinite = false
	c.proposed = proposed
	size := math.Abs(h)
	c.stats.Accepted++
	c.stats.Work += int64(len(next)) + stepWork
	if !landed || c.stats.Accepted == 1 {
		c.stats.LastStep = size
		if c.stats.SmallestStep == 0 || size < c.stats.SmallestStep {
			c.stats.SmallestStep = size
		}
	}
	c.progress.largest = max(c.progress.largest, size)
}

// stepWork is the part of a step's work that does not depend on the number of
// components.
const stepWork = 10

// operationsPerWork is the number of operations of a decomposition that take
// as long as a step takes for one component.
const operationsPerWork = 400

// reject records a failed attempt and proposes a smaller size.
func (c *course) reject(proposed float64, notFinite bool) {
	c.stats.Rejected++
	c.stats.Work += int64(c.problem.Dim) + stepWork
	c.notFinite = notFinite
	c.proposed = proposed
}

// progress watches for a stall, see Settings.StallWindow.
type progress struct {
	mark        int     // attempts at the start of the window
	from        float64 // time at the start of the window
	crawling    int     // windows in a row without progress
	largest     float64 // largest accepted step
	leastSlope  float64 // least weighted slope so far
	sinceLowest int     // accepted steps since it fell by one per cent
}

func (p *progress) restart() {
	p.leastSlope, p.sinceLowest = math.Inf(1), 0
}

// stalled reports, at the end of a window, whether the integration has been
// crawling for patience windows. One window is not enough: a boundary layer
// resolved to a fine tolerance can take as long.
func (p *progress) stalled(c *course, attempts int) bool {
	const patience = 4
	window := c.settings.StallWindow
	if attempts-p.mark < window {
		return false
	}
	mean := math.Abs(c.t-p.from) / float64(window)
	p.mark, p.from = attempts, c.t
	outOfReach := mean*100*float64(c.settings.MaxSteps) < math.Abs(c.end-c.t)
	if outOfReach && mean < 1e-3*p.largest {
		p.crawling++
	} else {
		p.crawling = 0
	}
	return p.crawling >= patience
}

// steady compares the slope with the steady-state tolerances and returns
// Steady, Stalled or Running.
func (p *progress) steady(c *course) Status {
	criterion := c.settings.SteadyState
	ratio := 0.0
	for i, f := range c.slope {
		bound := criterion.AbsTol + criterion.RelTol*math.Abs(c.y[i])
		if f != 0 {
			ratio = max(ratio, math.Abs(f)/bound)
		}
	}
	if ratio <= 1 {
		return Steady
	}
	p.sinceLowest++
	if ratio < 0.99*p.leastSlope {
		p.leastSlope, p.sinceLowest = ratio, 0
	}
	if w := c.settings.StallWindow; w > 0 && p.sinceLowest >= 5*w {
		return Stalled
	}
	return Running
}
