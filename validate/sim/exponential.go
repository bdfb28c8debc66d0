package sim

import "math/rand/v2"

// runExponential simulates exponential service of rate 1. The next event of a
// state with m_1 busy servers is picked by x uniform on [0, λN + m_1):
// an arrival if x < λN, else the departure of one of the busy servers. Either
// way the level is the number of table entries above x, found by comparing a
// whole window without branches: mispredicted branches, not arithmetic, are
// what an event costs.
func (o *occupancy) runExponential(end float64, random *rand.PCG) int64 {
	var (
		arrival, depth, buffer, servers = o.arrival, o.depth, o.buffer, o.servers
		linear, quadratic               = o.linear, o.quadratic
		levels, table, stride           = o.levels, o.table, o.stride
		low, clock                      = o.low, o.clock
		watchFull, general              = o.watchFull, o.tail != nil
		events                          int64

		spline = o.spline
		bin    *workBin
		above  float64 // jobs above the knot of the bin
		gated  = depth > 0 && depth < buffer
		passed = float64(depth) * float64(servers)

		pooled  = o.pooled
		waiting int64 // jobs of the pooled system
		serving int64 // its servers at work, a single one counted N times
	)
	if spline != nil {
		spline.locate(float64(o.jobs))
		bin = &spline.bins[spline.bin]
		above = float64(o.jobs) - bin.knot
	}
	if pooled != nil {
		waiting = pooled.jobs[1]
		serving = min(waiting*pooled.speed, servers)
	}
	for clock < end {
		events++
		busy := table[stride+1]
		total := busy
		if pooled != nil {
			total = arrival + float64(max(levels[1].count, serving))
		}
		x := float64(random.Uint64()>>12) * 0x1p-52 * total
		hold := 1 / total
		clock += hold
		if watchFull && low >= depth {
			o.fullTime += table[buffer] * hold
		}
		if bin != nil { // as workSpline.observe, jumps and knots being whole
			accepted := arrival * hold
			served := (busy - arrival) * hold
			if buffer < stride && (low >= depth || !o.gatedFull) {
				accepted -= table[buffer] * hold
			}
			if gated && low >= depth {
				spline.gated += (bin.knot + above - passed) * hold
			}
			bin.drift += accepted - served
			bin.moment += (accepted - served) * above
			bin.noise += accepted + served
			if above == 0 {
				bin.nearKnot -= served / 2
			}
		}
		departure := one(x >= arrival)
		if pooled != nil {
			pooled.work += float64(waiting) * hold
			waiting += int64(one(x < arrival+float64(serving)) * (1 - 2*departure))
			serving = min(waiting*pooled.speed, servers)
		}
		var level int
		if low < depth { // arrivals go to the lowest level
			base := stride + low + 1
			w := (*[window]float64)(table[base : base+window])
			spread := (one(w[0] > x) + one(w[1] > x) + one(w[2] > x) +
				one(w[3] > x) + one(w[4] > x) + one(w[5] > x)) & -departure
			level = low + spread
			if spread == window {
				level += lastAbove(table[stride+level:2*stride], x)
			}
		} else {
			row := departure * stride
			base := row + low + 1
			w := (*[window]float64)(table[base : base+window])
			spread := one(w[0] > x) + one(w[1] > x) + one(w[2] > x) +
				one(w[3] > x) + one(w[4] > x) + one(w[5] > x)
			level = low + spread
			if spread == window {
				level += lastAbove(table[row+level:row+stride], x)
			}
		}
		i := level + 1 - departure
		if uint(i-1) >= uint(buffer) {
			continue // lost, or the end of a service in the pooled system alone
		}
		delta := int64(1 - 2*departure)
		l := &levels[i]
		since := clock - l.last
		l.countTime += float64(l.count) * since
		l.routeTime += table[i] * since
		l.last = clock
		m := l.count + delta
		l.count = m
		table[stride+i] = arrival + float64(m)
		routed := float64(m) * (linear + quadratic*float64(m)) // as in route, in place
		if i <= depth {
			routed = arrival * float64(one(m == servers))
		} else if general {
			routed = o.route(i, m)
		}
		table[i] = routed
		low += int(delta) & -one(m+int64(departure) == servers)
		if bin != nil {
			above += float64(delta)
			if above < 0 || above >= bin.width {
				bin, above = spline.step(int(delta))
			}
		}
		if !o.hasRoom(i) {
			o.allocate(2 * stride)
			table, levels, stride, watchFull = o.table, o.levels, o.stride, o.watchFull
		}
	}
	o.low, o.clock = low, clock
	if pooled != nil {
		pooled.jobs[1] = waiting
	}
	o.jobs = 0
	for i := 1; i < len(levels) && levels[i].count > 0; i++ {
		o.jobs += levels[i].count
	}
	return events
}
