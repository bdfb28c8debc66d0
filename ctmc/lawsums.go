package ctmc

import "math"

// longAfter is the number of events beyond which no law of a series counts:
// a series has at most maxEvents, and of a Poisson law with this mean or more
// fewer than 1e-300 of the values are among those.
const longAfter = 5 * maxEvents

// lawSums averages the laws of a series over the Poisson numbers of several
// times while the series runs, as far as they are reported: by level and by the
// number of jobs in the system.
type lawSums struct {
	chain     *SystemChain
	generator *Generator
	workers   int
	weights   []poissonWeights // by time; empty long after
	occupancy [][]float64
	total     [][]float64
}

func newLawSums(c *SystemChain, g *Generator, rate float64, times []float64, settings TransientSettings) *lawSums {
	l := &lawSums{chain: c, generator: g, workers: workersFor(settings.Threads, g.States())}
	for _, t := range times {
		w := poissonWeights{}
		if q := rate * t; q <= longAfter {
			// Time averages divide by q.
			w = newPoissonWeights(q, settings.Tolerance/4*math.Min(1, q))
		}
		l.weights = append(l.weights, w)
		l.occupancy = append(l.occupancy, make([]float64, c.Levels+1))
		l.total = append(l.total, make([]float64, g.groupCount()))
	}
	return l
}

// watch adds the law after k events to the times at which it counts.
func (l *lawSums) watch(k int, v []float64) {
	var occupancy, total []float64
	for i, w := range l.weights {
		if k < w.first || k > w.last() {
			continue
		}
		if occupancy == nil {
			occupancy, total = l.reported(v)
		}
		l.add(i, w.weight[k-w.first], occupancy, total)
	}
}

func (l *lawSums) add(i int, p float64, occupancy, total []float64) {
	for level, x := range occupancy {
		l.occupancy[i][level] += p * x
	}
	for jobs, x := range total {
		l.total[i][jobs] += p * x
	}
}

// finish adds the limit law in place of those after the first events.
func (l *lawSums) finish(events int, limit []float64) (occupancy, total [][]float64) {
	limitOccupancy, limitTotal := l.reported(limit)
	for i, w := range l.weights {
		rest := 0.0
		for k := len(w.weight) - 1; k >= 0 && w.first+k >= events; k-- {
			rest += w.weight[k]
		}
		if w.weight == nil {
			rest = 1
		}
		l.add(i, rest, limitOccupancy, limitTotal)
	}
	return l.occupancy, l.total
}

// reported averages over a law in the order of storage.
func (l *lawSums) reported(v []float64) (occupancy, total []float64) {
	g, levels := l.generator, l.chain.Levels+1
	total = make([]float64, g.groupCount())
	eachPiece(len(total), l.workers, func(h int) {
		for _, p := range v[g.groups[h]:g.groups[h+1]] {
			total[h] += p
		}
	})
	occupancy = reduce(len(v), l.workers, levels, func(low, high int, sums []float64) {
		counts := make([]int64, l.chain.Classes())
		l.chain.Unrank(int64(low), counts)
		for i := low; i < high; i++ {
			p := v[g.positionOf(int64(i))]
			for class, n := range counts {
				if n > 0 {
					sums[l.chain.Level(class)] += p * float64(n)
				}
			}
			l.chain.Next(counts)
		}
	})
	scale(occupancy, 1/float64(l.chain.Servers))
	return occupancy, total
}
