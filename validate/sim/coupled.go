package sim

import (
	"math"
	"math/rand/v2"
)

// coupled are systems with the same arrivals and the same potential ends of
// service: the server with the k-th most jobs of one ends a phase together with
// the server with the k-th most jobs of every other, as far as both are busy.
// This makes the systems as alike as common random numbers can. The jump chain is uniformised: events come at the rate
//
//	λN + N max(μ1, μ2),
//
// many of them without effect, and every state weighs the same.
type coupled struct {
	systems []*occupancy
	fastest float64 // max(μ1, μ2)
}

func newCoupled(systems []*occupancy) *coupled {
	c := &coupled{systems: systems, fastest: 1}
	if first := systems[0]; first.phases == 2 {
		c.fastest = math.Max(first.mu1, first.mu2)
	}
	return c
}

// rate is that of all events together.
func (c *coupled) rate() float64 {
	first := c.systems[0]
	return first.arrival + float64(first.servers)*c.fastest
}

// runCell simulates a number of events.
func (c *coupled) runCell(events int64, random *rand.PCG) {
	rate := c.rate()
	hold := 1 / rate
	for _, o := range c.systems {
		o.clearIntegrals()
	}
	for range events {
		x := unit(random) * rate
		second := 0.0
		if c.systems[0].phases == 2 {
			second = unit(random)
		}
		for _, o := range c.systems {
			o.pass(hold)
			if x < o.arrival {
				o.coupledArrival(x, second)
			} else {
				o.coupledService((x-o.arrival)/c.fastest, c.fastest, second)
			}
		}
	}
}

// pass lets the present state hold for a time.
func (o *occupancy) pass(hold float64) {
	o.clock += hold
	if o.gated && o.low >= o.depth {
		o.gate += hold
	}
	if o.watchFull && o.low >= o.depth {
		o.fullTime += o.table[o.buffer] * hold
	}
	w := o.spline
	if w == nil {
		return
	}
	if o.phases == 1 {
		busy := float64(o.levels[1].count)
		if o.depth > 0 && o.depth < o.buffer && o.low >= o.depth {
			w.gated += (float64(o.jobs) - float64(o.depth)*float64(o.servers)) * hold
		}
		w.observe(float64(o.jobs), busy, hold, o.arrival-o.lossRate(), busy, 0)
		return
	}
	first, second := float64(o.busyPhase[1]), float64(o.busyPhase[2])
	w.observe(o.work(), first+second, hold, o.arrival-o.lossRate(), o.mu1*first, o.mu2*second)
}

func (o *occupancy) coupledArrival(x, u float64) {
	level := o.arrivalLevel(x)
	if level >= o.buffer {
		return // lost
	}
	if o.phases == 2 {
		o.admit(level, o.phaseInLevel(level, u))
		return
	}
	o.jobs++
	o.change(level+1, 1)
	if !o.hasRoom(level + 1) {
		o.allocate(2 * o.stride)
	}
}

// coupledService may end a phase at the server whose rank by decreasing number
// of jobs, first phase before second, is the whole part of the position; the
// rest of the position thins the fastest rate to that of its phase, and u says
// whether the end of the first phase ends the service.
func (o *occupancy) coupledService(position, fastest, u float64) {
	rank := int64(position)
	if rank >= o.levels[1].count {
		return // idle
	}
	level := max(o.low, 1)
	for o.levels[level+1].count > rank {
		level++
	}
	if o.phases == 1 {
		o.jobs--
		o.change(level, -1)
		return
	}
	phase, rate := 1, o.mu1
	if rank-o.levels[level+1].count >= o.inPhase[1][level] {
		phase, rate = 2, o.mu2
	}
	switch {
	case (position-float64(rank))*fastest >= rate:
	case phase == 1 && u >= o.leave:
		o.movePhase(level, 1, 2)
	default:
		o.depart(level, phase)
	}
}
