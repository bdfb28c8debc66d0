package sim

import "math/rand/v2"

// runCoxian simulates Coxian-2 service. With B1, B2 servers whose job in
// service is in phase 1, 2, the next event is picked by x uniform on
// [0, λN + μ1 B1 + μ2 B2).
func (o *occupancy) runCoxian(end float64, random *rand.PCG) int64 {
	var (
		events       int64
		pooled       = o.pooled
		pool1, pool2 float64 // rates at which phases 1, 2 end in the pooled system
	)
	for o.clock < end {
		events++
		firstRate, secondRate := o.mu1*float64(o.busyPhase[1]), o.mu2*float64(o.busyPhase[2])
		first, second := firstRate, secondRate // in one system or both
		if pooled != nil {
			served1, served2 := pooled.split(o.busyPhase[2])
			pool1, pool2 = o.mu1*float64(served1), o.mu2*float64(served2)
			first, second = max(first, pool1), max(second, pool2)
		}
		total := o.arrival + first + second
		x := unit(random) * total
		hold := 1 / total
		o.clock += hold
		if o.spline != nil {
			busy := float64(o.busyPhase[1] + o.busyPhase[2])
			o.spline.observe(o.work(), busy, hold, o.arrival-o.lossRate(), firstRate, secondRate)
		}
		if pooled != nil {
			pooled.work += (float64(pooled.jobs[1]) + float64(pooled.jobs[2])/o.mu2) * hold
		}
		if o.gated && o.low >= o.depth {
			o.gate += hold
			if o.watchFull {
				o.fullTime += o.table[o.buffer] * hold
			}
		}
		if x < o.arrival {
			o.arrive(o.arrivalLevel(x), random)
			if pooled != nil {
				pooled.jobs[1]++
			}
			continue
		}
		if x -= o.arrival; x < first {
			leaves := unit(random) < o.leave
			if x < pool1 {
				pooled.endFirst(leaves)
			}
			if x >= firstRate {
				continue // in the pooled system alone
			}
			if level := o.levelOfRank(1, int64(x/o.mu1)); leaves {
				o.depart(level, 1)
			} else {
				o.movePhase(level, 1, 2)
			}
			continue
		}
		x -= first
		if x < pool2 {
			pooled.jobs[2]--
		}
		if x < secondRate || pooled == nil {
			o.depart(o.levelOfRank(2, int64(x/o.mu2)), 2)
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
		level += lastAbove(o.table[level:o.stride], x)
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
	if o.second != nil {
		o.integrateSecond(level)
		o.integrateSecond(level + 1)
	}
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
	if o.second != nil {
		o.rateSecond(level)
		o.rateSecond(level + 1)
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
	if o.second != nil {
		o.integrateSecond(level - 1)
		o.integrateSecond(level)
	}
	o.inPhase[phase][level]--
	o.busyPhase[phase]--
	if level > 1 {
		o.inPhase[1][level-1]++
		o.busyPhase[1]++
	}
	o.change(level, -1)
	if o.second != nil {
		o.rateSecond(level - 1)
		o.rateSecond(level)
	}
}

func (o *occupancy) movePhase(level, from, to int) {
	if o.second != nil {
		o.integrateSecond(level)
	}
	o.inPhase[from][level]--
	o.inPhase[to][level]++
	o.busyPhase[from]--
	o.busyPhase[to]++
	if o.second != nil {
		o.rateSecond(level)
	}
}
