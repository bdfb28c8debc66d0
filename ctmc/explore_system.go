package ctmc

import "context"

// exploreSystem stores the generator of the occupancy chain row by row, from
// the transitions into each state: no table of states is needed, rows are
// filled by several threads, and the memory is known beforehand.
func exploreSystem(ctx context.Context, c *SystemChain, threads int) (*Generator, error) {
	n := int(c.States())
	workers := workersFor(threads, n)
	g := &Generator{starts: make([]int, n+1), exit: make([]float64, n), index: c.Rank, state: c.Unrank, adjacent: true}
	g.arrange(c.jobsByRank())
	rows := func(row func(w *incoming, j int)) error {
		forRange(n, workers, func(low, high int) {
			if ctx.Err() != nil {
				return
			}
			w := newIncoming(c)
			for j := low; j < high; j++ {
				w.enter(int64(g.number[j]))
				row(w, j)
			}
		})
		return ctx.Err()
	}
	if err := rows(func(w *incoming, j int) { g.starts[j+1] = w.count() }); err != nil {
		return nil, err
	}
	for j := range n {
		g.starts[j+1] += g.starts[j]
	}
	if err := g.reserve(); err != nil {
		return nil, err
	}
	err := rows(func(w *incoming, j int) {
		t := g.starts[j]
		w.each(func(rank int64, rate float64) {
			g.from[t], g.rate[t] = g.position[rank], rate
			t++
		})
		g.exit[j] = w.exitRate()
	})
	return g, err
}

// jobsByRank is the number of jobs in the system by rank.
func (c *SystemChain) jobsByRank() []int32 {
	jobs, state := make([]int32, c.States()), make([]int64, c.Classes())
	state[c.Classes()-1] = c.Servers
	for i := range jobs {
		jobs[i] = int32(c.Jobs(state))
		c.Next(state)
	}
	return jobs
}

// incoming lists the transitions into one state of a [SystemChain] after
// another.
type incoming struct {
	*SystemChain
	arrival           float64 // λN
	mu1, p, mu2       float64
	rank              int64
	state, tail, rest []int64
	lowest            int // lowest level with servers
	counted           int
}

func newIncoming(c *SystemChain) *incoming {
	s := c.System
	return &incoming{SystemChain: c, arrival: s.ArrivalRate(), mu1: s.Service.Mu1, p: s.Service.P, mu2: s.Service.Mu2,
		state: make([]int64, c.Classes()), tail: make([]int64, c.Levels+1), rest: make([]int64, c.Classes())}
}

// enter makes the state of a rank the one that is entered.
func (w *incoming) enter(rank int64) {
	w.rank = rank
	w.Unrank(rank, w.state)
	w.Tails(w.state, w.tail)
	w.rests(w.state, w.rest)
	w.lowest = lowestLevel(w.tail)
}

func (w *incoming) count() int {
	w.counted = 0
	w.each(func(int64, float64) { w.counted++ })
	return w.counted
}

// each calls emit with the rank of every state from which a transition leads
// into the entered one, and its rate.
func (w *incoming) each(emit func(rank int64, rate float64)) {
	for level := 1; level <= w.Levels; level++ {
		first, below := w.Class(level, 1), w.Class(level-1, 1)
		w.moved(first, below, (1-w.p)*w.mu1, emit)
		if w.Phases == 2 {
			w.moved(first, first+1, w.p*w.mu1, emit)
			w.moved(first+1, below, w.mu2, emit)
		}
	}
	for level := 0; level < w.Levels; level++ {
		w.arrived(level, emit)
	}
}

// moved emits the transition of one server from class a to class b at a rate
// for each server in class a.
func (w *incoming) moved(a, b int, rate float64, emit func(rank int64, rate float64)) {
	if w.state[b] > 0 && rate > 0 {
		emit(w.rank+w.rankChange(w.rest, b, a), rate*float64(w.state[a]+1))
	}
}

// arrived emits the arrivals at a level.
func (w *incoming) arrived(level int, emit func(rank int64, rate float64)) {
	if w.tail[level+1] == tailAt(w.tail, level+2) {
		return
	}
	// Before the arrival one server of the level above was at this level.
	w.tail[level+1]--
	probability := w.System.Policy.routeLevel(w.tail, level, min(level, w.lowest))
	if probability > 0 {
		if level == 0 {
			w.arrivedAt(0, w.Class(1, 1), w.arrival*probability, emit)
		} else {
			rate := w.arrival * probability / float64(w.tail[level]-w.tail[level+1])
			for m := 1; m <= w.Phases; m++ {
				a := w.Class(level, m)
				w.arrivedAt(a, a+w.Phases, rate*float64(w.state[a]+1), emit)
			}
		}
	}
	w.tail[level+1]++
}

func (w *incoming) arrivedAt(a, b int, rate float64, emit func(rank int64, rate float64)) {
	if w.state[b] > 0 && rate > 0 {
		emit(w.rank+w.rankChange(w.rest, b, a), rate)
	}
}

// exitRate is the total rate out of the entered state.
func (w *incoming) exitRate() float64 {
	rate := w.arrival * (1 - w.System.Policy.BlockProbability(w.tail, w.Levels))
	for level := 1; level <= w.Levels; level++ {
		first := w.Class(level, 1)
		rate += w.mu1 * float64(w.state[first])
		if w.Phases == 2 {
			rate += w.mu2 * float64(w.state[first+1])
		}
	}
	return rate
}
