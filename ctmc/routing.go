package ctmc

// Routing at finite N. A level is the number of jobs at a server; tail[i] is
// the number of servers with at least i jobs, tail[0] = N.

// RouteTail returns P(level of the chosen server >= i) for a state given by
// its tail counts, tail[0] = N >= tail[1] >= .. ; entries beyond the slice
// are zero.
func (p Policy) RouteTail(tail []int64, i int) float64 {
	if i <= 0 {
		return 1
	}
	n := tail[0]
	for level := 0; level < p.Depth && level < len(tail); level++ {
		if next := tailAt(tail, level+1); next < n {
			// The lowest non-empty level takes the job.
			if i <= level {
				return 1
			}
			return 0
		}
	}
	return p.Fallback.Tail(tailAt(tail, i), n)
}

// RouteLevels writes a_i = P(job is sent to level i), i = 0..len(dst)-1, for
// a state given by its tail counts.
func (p Policy) RouteLevels(tail []int64, dst []float64) {
	lowest := lowestLevel(tail)
	if lowest < p.Depth {
		clear(dst)
		if lowest < len(dst) {
			dst[lowest] = 1
		}
		return
	}
	upper := 1.0
	for i := range dst {
		next := p.Fallback.Tail(tailAt(tail, i+1), tail[0])
		dst[i] = upper - next
		upper = next
	}
}

// routeLevel is P(job is sent to the level) in a state whose lowest non-empty
// level is given.
func (p Policy) routeLevel(tail []int64, level, lowest int) float64 {
	if lowest < p.Depth {
		if level == lowest {
			return 1
		}
		return 0
	}
	return p.Fallback.Tail(tailAt(tail, level), tail[0]) - p.Fallback.Tail(tailAt(tail, level+1), tail[0])
}

// lowestLevel is the lowest level that has servers.
func lowestLevel(tail []int64) int {
	level := 0
	for tailAt(tail, level+1) == tail[0] {
		level++
	}
	return level
}

// WaitProbability is P(the chosen server is not idle), 1 - a_0.
func (p Policy) WaitProbability(tail []int64) float64 { return p.RouteTail(tail, 1) }

// BlockProbability is P(the chosen server already holds buffer jobs).
func (p Policy) BlockProbability(tail []int64, buffer int) float64 {
	if buffer == Unlimited {
		return 0
	}
	return p.RouteTail(tail, buffer)
}

func tailAt(tail []int64, i int) int64 {
	if i < len(tail) {
		return tail[i]
	}
	return 0
}
