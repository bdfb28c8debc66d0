package sim

import "math/rand/v2"

// runCoxian simulates Coxian-2 service. With B1, B2 servers whose job in
// service is in phase 1, 2, the next event is picked by x uniform on
// [0, λN + μ1 B1 + μ2 B2).
func (o *occupancy) runCoxian(end float64, random *rand.PCG) int64 {
	var events int64
	for o.clock < end {
		events++
		firstRate := o.mu1 * float64(o.busyPhase[1])
		total := o.arrival + firstRate + o.mu2*float64(o.busyPhase[2])
		x := unit(random) * total
		hold := 1 / total
		o.clock += hold
		if o.spline != nil {
			busy := float64(o.busyPhase[1] + o.busyPhase[2])
			o.spline.observe(o.work(), busy, hold, o.arrival-o.lossRate(), firstRate, total-o.arrival-firstRate)
		}
		if o.watchFull && o.low >= o.depth {
			o.fullTime += o.table[o.buffer] * hold
		}
		switch {
		case x < o.arrival:
			o.arrive(o.arrivalLevel(x), random)
		case x < o.arrival+firstRate:
			level := o.levelOfRank(1, int64((x-o.arrival)/o.mu1))
			if unit(random) < o.leave {
				o.depart(level, 1)
			} else {
				o.movePhase(level, 1, 2)
			}
		default:
			o.depart(o.levelOfRank(2, int64((x-o.arrival-firstRate)/o.mu2)), 2)
		}
	}
	return events
}

// arrivalLevel returns the level that takes the arrival at x < λN.
func (o *occupancy) arrivalLevel(x float64) int {
	level := o.low
	if level < o.depth {
		return level
	}
	w := (*[window]float64)(o.table[level+1 : level+1+window])
	level += one(w[0] > x) + one(w[1] > x) + one(w[2] > x) +
		one(w[3] > x) + one(w[4] > x) + one(w[5] > x)
	if level == o.low+window {
		for o.table[level+1] > x {
			level++
		}
	}
	return level
}

// arrive sends a job to a server of the level, its phase in proportion to the
// phases in the level.
func (o *occupancy) arrive(level int, random *rand.PCG) {
	if level >= o.buffer {
		return // lost
	}
	phase := 1
	if o.inPhase[2][level] > 0 {
		phase = o.phaseInLevel(level, unit(random))
	}
	o.admit(level, phase)
}

// phaseInLevel picks a phase in proportion to the servers of the level in it.
func (o *occupancy) phaseInLevel(level int, u float64) int {
	second := o.inPhase[2][level]
	if u*float64(o.inPhase[1][level]+second) < float64(second) {
		return 2
	}
	return 1
}

// admit adds a job to a server of the level whose service is in the phase.
func (o *occupancy) admit(level, phase int) {
	o.jobs++
	if level == 0 {
		o.busyPhase[1]++
		o.inPhase[1][1]++
	} else {
		o.inPhase[phase][level]--
		o.inPhase[phase][level+1]++
	}
	o.change(level+1, 1)
	if !o.hasRoom(level + 1) {
		o.allocate(2 * o.stride)
	}
}

// levelOfRank returns the level of the server of the given rank, 0 <= rank <
// busyPhase[phase], among the servers of a phase in order of their level. A
// rank rounded up to the number of servers means the last one.
func (o *occupancy) levelOfRank(phase int, rank int64) int {
	rank = min(rank, o.busyPhase[phase]-1)
	counts := o.inPhase[phase]
	level := max(o.low, 1)
	for rank -= counts[level]; rank >= 0; rank -= counts[level] {
		level++
	}
	return level
}

// depart ends the service of a job at a server of the level; the next job
// there, if any, starts in phase 1.
func (o *occupancy) depart(level, phase int) {
	o.jobs--
	o.inPhase[phase][level]--
	o.busyPhase[phase]--
	if level > 1 {
		o.inPhase[1][level-1]++
		o.busyPhase[1]++
	}
	o.change(level, -1)
}

func (o *occupancy) movePhase(level, from, to int) {
	o.inPhase[from][level]--
	o.inPhase[to][level]++
	o.busyPhase[from]--
	o.busyPhase[to]++
}
