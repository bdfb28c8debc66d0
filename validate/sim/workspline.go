package sim

import (
	"math"
	"sort"
)

// workBin holds the time integrals over the states whose remaining work W lies
// in [knot, knot+width). D is the drift of W, V its infinitesimal variance.
type workBin struct {
	knot, width float64 // width +Inf in the last bin
	drift       float64 // ∫ D dt
	moment      float64 // ∫ (W - knot) D dt
	noise       float64 // ∫ V dt
	nearKnot    float64 // ∫ (Gf - what drift and noise say of it) dt near the knot, f = ((W-knot)⁺)²/2
}

// workSpline integrates Gf along a path, G the generator, for a basis of
// splines f of the remaining work
//
//	W = B1 + B2/μ2 + waiting jobs,
//
// B1, B2 the servers whose job in service is in phase 1, 2, service of mean 1.
// In steady state E[Gf] = 0 for every one of them: they are control variates
// with known mean. With knots c_0 = 0 < c_1 < .. the basis is
//
//	f_k = (((W-c_k)⁺)² - ((W-c_{k+1})⁺)²)/2, the second term absent for the last,
//
// and W itself. Where W is more than a jump above c,
//
//	G ((W-c)⁺)²/2 = (W-c) D + V/2,
//	D = λN(1 - P(block)) - B,
//	V = λN(1 - P(block)) + μ1 B1 [(1-p) + p (1-1/μ2)²] + B2/μ2,
//
// and more than a jump below it is 0; so an event adds to its own bin only, and
// to nearKnot of the knots that the next jump may reach or cross.
type workSpline struct {
	bins  []workBin
	bin   int
	gated float64 // ∫ (jobs - depth × servers) dt while every server has as many jobs as there are priority levels; exponential service, finite depth > 0
	// Jumps of W: arrival +1, phase 1 ends with service -1, phase 1 to 2
	// change, phase 2 ends -end.
	change, end    float64
	largestUp      float64
	largestDown    float64
	firstVariance  float64 // mean square of the jump at the end of phase 1
	secondVariance float64 // .. of phase 2
	proceed, leave float64 // p, 1-p
}

// newWorkSpline returns the basis with the given increasing positive knots
// beside 0, for an occupancy whose parameters are set.
func newWorkSpline(knots []float64, o *occupancy) *workSpline {
	w := &workSpline{bins: make([]workBin, len(knots)+1)}
	for k := range w.bins {
		b := &w.bins[k]
		if k > 0 {
			b.knot = knots[k-1]
		}
		b.width = math.Inf(1)
		if k < len(knots) {
			b.width = knots[k] - b.knot
		}
	}
	w.largestUp, w.largestDown, w.firstVariance, w.leave = 1, 1, 1, 1
	if o.phases == 2 {
		w.end = 1 / o.mu2
		w.change = w.end - 1
		w.leave, w.proceed = o.leave, 1-o.leave
		w.firstVariance = w.leave + w.proceed*w.change*w.change
		w.secondVariance = w.end * w.end
		w.largestUp = max(1, w.change)
		w.largestDown = max(1, -w.change, w.end)
	}
	w.locate(o.work())
	return w
}

// locate finds the bin of a value.
func (w *workSpline) locate(work float64) {
	w.bin = sort.Search(len(w.bins), func(k int) bool { return w.bins[k].knot > work }) - 1
}

// clear starts the next cell.
func (w *workSpline) clear() {
	for k := range w.bins {
		b := &w.bins[k]
		b.drift, b.moment, b.noise, b.nearKnot = 0, 0, 0, 0
	}
	w.gated = 0
}

// observe adds a state of work W with B busy servers that holds for the given
// time: accepted arrivals have rate up, ends of phase 1 and 2 the rates first
// and second.
func (w *workSpline) observe(work, busy, hold, up, first, second float64) {
	for work < w.bins[w.bin].knot {
		w.bin--
	}
	for work-w.bins[w.bin].knot >= w.bins[w.bin].width {
		w.bin++
	}
	b := &w.bins[w.bin]
	drift := up - busy
	noise := up + first*w.firstVariance + second*w.secondVariance
	b.drift += hold * drift
	b.moment += hold * drift * (work - b.knot)
	b.noise += hold * noise
	for k := w.bin; k >= 0 && work-w.bins[k].knot < w.largestDown; k-- {
		above := work - w.bins[k].knot
		w.bins[k].nearKnot += hold * (w.exact(above, up, first, second) - above*drift - noise/2)
	}
	for k := w.bin + 1; k < len(w.bins) && w.bins[k].knot-work < w.largestUp; k++ {
		w.bins[k].nearKnot += hold * w.exact(work-w.bins[k].knot, up, first, second)
	}
}

// step moves to the next bin, up (+1) or down (-1), where whole jumps lead to
// the first or last value in it, and returns the bin and the value's distance
// from its knot.
func (w *workSpline) step(direction int) (*workBin, float64) {
	w.bin += direction
	b := &w.bins[w.bin]
	if direction > 0 {
		return b, 0
	}
	return b, b.width - 1
}

// exact is Gf for f = (x⁺)²/2 at the given x.
func (w *workSpline) exact(x, up, first, second float64) float64 {
	return up*halfSquare(x+1) + first*(w.leave*halfSquare(x-1)+w.proceed*halfSquare(x+w.change)) +
		second*halfSquare(x-w.end) - (up+first+second)*halfSquare(x)
}

func halfSquare(x float64) float64 {
	if x <= 0 {
		return 0
	}
	return x * x / 2
}

// columns is the number of controls.
func (w *workSpline) columns() int { return len(w.bins) + 1 }

// average writes ∫ GW dt and ∫ Gf_k dt, each times scale.
func (w *workSpline) average(scale float64, out []float64) {
	above := 0.0 // ∫ D dt over the bins above
	next := 0.0  // nearKnot of the knot above
	for k := len(w.bins) - 1; k >= 0; k-- {
		b := &w.bins[k]
		// In bin k f_k grows as (W-c_k)²/2, above it as width × W.
		g := b.moment + b.noise/2 + b.nearKnot - next
		if above != 0 {
			g += b.width * above
		}
		out[1+k] = g * scale
		above += b.drift
		next = b.nearKnot
	}
	out[0] = above * scale
}
