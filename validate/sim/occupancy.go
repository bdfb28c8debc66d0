package sim

import (
	"math"
	"math/rand/v2"

	"qlimit/ctmc"
)

// window is the number of levels that one branch-free step compares; levels
// rarely spread further above the lowest one in use.
const window = 6

// firstLevels is the number of levels for which memory is set aside at first.
const firstLevels = 64

// level holds what changes when the number of servers with at least i jobs
// does. Time integrals are brought up to date only then.
type level struct {
	count     int64   // servers with at least i jobs
	last      float64 // clock of the last change
	countTime float64 // ∫ count dt
	routeTime float64 // ∫ λN P(an arrival goes to level >= i) dt, as route has it; over the gate's time above the depth of a gated system
	lastGate  float64 // gate at the last change
}

// occupancy is the state of one replication. Time is in mean service times,
// the service law is rescaled to mean 1.
type occupancy struct {
	servers int64
	buffer  int     // math.MaxInt when unlimited
	depth   int     // priority depth of the policy
	arrival float64 // λN
	mu1     float64
	leave   float64 // 1 - p
	mu2     float64
	phases  int

	// The fallback kernel as λN P(level >= i) = m (linear + quadratic m) with m
	// servers at level i or above, or any other kernel by its tail function.
	linear, quadratic float64
	tail              func(m, n int64) float64 // nil when the closed form holds

	gatedFull bool // blocking depends on two levels
	watchFull bool // so integrate it at every event, once the last level is in use

	levels []level
	// table holds two rows of the same stride; entry i of a row is compared
	// with a point x of [0, λN + busy) to find a level.
	//   row 0: λN P(arrival goes to level >= i) by the fallback kernel; for
	//          i <= depth, λN if all servers have i jobs, else 0
	//   row 1: λN + count (exponential service)
	table  []float64
	stride int

	low       int // largest i such that every server has at least i jobs
	clock     float64
	fullTime  float64 // ∫ λN P(arrival is lost) dt, if watchFull
	inPhase   [3][]int64
	busyPhase [3]int64 // servers with the job in service in phase 1, 2
	jobs      int64

	// gated says that levels above the depth get arrivals only while every server
	// has as many jobs as there are priority levels; gate is the time for which
	// that held. Coxian-2 service only.
	gated bool
	gate  float64

	spline *workSpline   // nil: no control variates
	pooled *pooled       // nil: no coupled system
	second []secondPhase // by level; nil: no control variates, or exponential service
}

// newOccupancy returns the empty system.
func newOccupancy(s ctmc.System) *occupancy {
	law := s.Service.Normalized()
	o := &occupancy{
		servers: s.Servers, buffer: s.Buffer, depth: s.Policy.Depth,
		arrival: s.Load * float64(s.Servers),
		mu1:     law.Mu1, leave: 1 - law.P, mu2: law.Mu2, phases: s.Phases(),
	}
	if o.buffer == ctmc.Unlimited {
		o.buffer = math.MaxInt
	}
	fallsBack := o.depth > 0 && o.depth < o.buffer
	o.gatedFull = fallsBack && o.buffer != math.MaxInt
	o.gated = fallsBack && o.phases == 2
	o.setKernel(s.Policy.Fallback)
	o.allocate(firstLevels)
	o.levels[0].count = o.servers
	return o
}

// setKernel finds the closed form of the kernel: uniform m/n, two samples
// without replacement m(m-1)/(n(n-1)), with replacement (m/n)².
func (o *occupancy) setKernel(k ctmc.Kernel) {
	sampling, ok := k.(ctmc.Sampling)
	n := float64(o.servers)
	switch {
	case ok && sampling.Choices == 1:
		o.linear = o.arrival / n
	case ok && sampling.Choices == 2 && sampling.Replacement:
		o.quadratic = o.arrival / n / n
	case ok && sampling.Choices == 2:
		o.quadratic = o.arrival / n / (n - 1)
		o.linear = -o.quadratic
	default:
		o.tail = k.Tail
	}
}

// allocate makes room for levels 0..levels-1 and a window above them, keeping
// what is there.
func (o *occupancy) allocate(levels int) {
	stride := levels + window + 2
	grown := make([]level, stride)
	copy(grown, o.levels)
	table := make([]float64, 2*stride)
	for row := 0; row < 2 && o.stride > 0; row++ {
		copy(table[row*stride:(row+1)*stride], o.table[row*o.stride:(row+1)*o.stride])
	}
	for m := 1; m <= 2; m++ {
		phase := make([]int64, stride)
		copy(phase, o.inPhase[m])
		o.inPhase[m] = phase
	}
	if o.second != nil {
		o.second = append(o.second, make([]secondPhase, stride-len(o.second))...)
	}
	o.levels, o.table, o.stride = grown, table, stride
	o.watchFull = o.gatedFull && o.buffer < stride
	for i := range o.levels {
		o.table[o.stride+i] = o.arrival + float64(o.levels[i].count)
	}
}

// hasRoom reports whether level i and a window above it are allocated.
func (o *occupancy) hasRoom(i int) bool { return i+window+1 < o.stride }

// route returns entry i of row 0 when m servers have at least i jobs.
func (o *occupancy) route(i int, m int64) float64 {
	switch {
	case i <= o.depth && m < o.servers:
		return 0
	case i <= o.depth:
		return o.arrival
	case o.tail != nil:
		return o.arrival * o.tail(m, o.servers)
	}
	return float64(m) * (o.linear + o.quadratic*float64(m))
}

// change adds delta = ±1 servers to those with at least i jobs.
func (o *occupancy) change(i int, delta int64) {
	o.integrate(i)
	l := &o.levels[i]
	before := l.count
	l.count += delta
	o.table[o.stride+i] = o.arrival + float64(l.count)
	o.table[i] = o.route(i, l.count)
	if max(before, l.count) == o.servers {
		o.low += int(delta)
	}
}

// integrate brings the integrals of level i up to date.
func (o *occupancy) integrate(i int) {
	l := &o.levels[i]
	since := o.clock - l.last
	l.last = o.clock
	l.countTime += float64(l.count) * since
	if o.gated && i > o.depth {
		since = o.gate - l.lastGate
		l.lastGate = o.gate
	}
	l.routeTime += o.table[i] * since
}

// start sets the counts of servers with at least i = 1, 2, .. jobs, and of
// those among them with the job in service in phase 2.
func (o *occupancy) start(s Start) {
	if !o.hasRoom(len(s.Tail) + 1) {
		o.allocate(2 * len(s.Tail))
	}
	for k, n := range s.Tail {
		i := k + 1
		o.levels[i].count = n
		o.table[o.stride+i] = o.arrival + float64(n)
		o.table[i] = o.route(i, n)
		if n == o.servers {
			o.low = i
		}
	}
	above := func(tail []int64, i int) int64 {
		if i < len(tail) {
			return tail[i]
		}
		return 0
	}
	for k := range s.Tail {
		second := int64(0)
		if o.phases == 2 {
			second = above(s.TailPhase2, k) - above(s.TailPhase2, k+1)
		}
		exactly := above(s.Tail, k) - above(s.Tail, k+1)
		o.inPhase[2][k+1], o.inPhase[1][k+1] = second, exactly-second
		o.jobs += int64(k+1) * exactly
		o.busyPhase[2] += second
		o.busyPhase[1] += exactly - second
	}
}

// runUntil advances the clock to the given time or just beyond and returns
// the number of events.
func (o *occupancy) runUntil(end float64, random *rand.PCG) int64 {
	if o.phases == 1 {
		return o.runExponential(end, random)
	}
	return o.runCoxian(end, random)
}

// settle brings every integral up to date and moves the origin of time to
// the present; it returns the time that has passed since the last call.
func (o *occupancy) settle() float64 {
	passed := o.clock
	for i := range o.levels {
		o.integrate(i)
		o.levels[i].last, o.levels[i].lastGate = 0, 0
	}
	for i := range o.second {
		o.integrateSecond(i)
		o.second[i].last, o.second[i].lastRoute = 0, 0
	}
	o.clock, o.gate = 0, 0
	return passed
}

// clearIntegrals starts the next cell.
func (o *occupancy) clearIntegrals() {
	for i := range o.levels {
		o.levels[i].countTime, o.levels[i].routeTime = 0, 0
	}
	for i := range o.second {
		o.second[i].time, o.second[i].flow = 0, 0
	}
	o.fullTime = 0
	if o.pooled != nil {
		o.pooled.work = 0
	}
	if o.spline != nil {
		o.spline.clear()
	}
}

// work is the expected remaining work W, with service of mean 1.
func (o *occupancy) work() float64 {
	if o.phases == 1 {
		return float64(o.jobs)
	}
	// A server in phase 2 counts 1/μ2 instead of 1 for its job.
	return float64(o.jobs) + (1/o.mu2-1)*float64(o.busyPhase[2])
}

// lossRate is λN P(an arrival is lost) in the present state.
func (o *occupancy) lossRate() float64 {
	if o.buffer >= o.stride || o.gatedFull && o.low < o.depth {
		return 0
	}
	return o.table[o.buffer]
}

// unit returns a uniform number of [0, 1) with 52 bits, so that its product
// with any x is below x after rounding.
func unit(random *rand.PCG) float64 { return float64(random.Uint64()>>12) * 0x1p-52 }

// one is 1 if c holds and 0 otherwise; it compiles to no branch.
func one(c bool) int {
	var n int
	if c {
		n = 1
	}
	return n
}
