package ctmc

import (
	"context"
	"math"
)

// series is a chain watched at the events of a Poisson process of rate Λ, at
// which it moves by P = I + Q/Λ: v_k = v_0 P^k. The law at time t is the
// average of v_k over a Poisson number k with mean Λt (uniformization).
type series struct {
	generator *Generator
	rate      float64 // Λ
	workers   int
	functions [][]float64 // in the order of storage

	values   [][]float64 // Σ_i v_k,i f_i by function and k
	distance []float64   // Σ |v_k - limit|, an upper bound between two looks: it never grows
	limits   []float64   // Σ_i limit_i f_i by function
	settled  bool        // the distance fell below the threshold: later values are the limits
}

// watcher sees v_k, which it must not keep, before the chain moves on.
type watcher func(k int, v []float64)

// maxEvents bounds the work of a series.
const maxEvents = 200_000_000

// lookEvery is the number of steps between two looks at the distance.
const lookEvery = 8

// newSeries follows v_0 for a number of steps and until its distance from the
// limit law, which P never increases, is at most until, but no further than to
// a distance of at most settle; watch may be nil.
func newSeries(ctx context.Context, g *Generator, start, limit []float64, functions [][]float64, steps int, until, settle float64, threads int, watch watcher, progress Progress) (*series, error) {
	n := g.States()
	s := &series{generator: g, workers: workersFor(threads, n), functions: functions,
		values: make([][]float64, len(functions)), limits: make([]float64, len(functions))}
	for _, rate := range g.exit {
		s.rate = math.Max(s.rate, rate)
	}
	for k, f := range functions {
		s.limits[k] = s.inner(limit, f)
	}
	v, next := append([]float64(nil), start...), make([]float64, n)
	for k := 0; ; k++ {
		if k%lookEvery == 0 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if progress != nil {
				progress(float64(k), float64(steps), "events")
			}
			s.distance = append(s.distance, s.l1(v, limit))
		} else {
			s.distance = append(s.distance, s.distance[k-1])
		}
		for i, f := range functions {
			s.values[i] = append(s.values[i], s.inner(v, f))
		}
		if watch != nil {
			watch(k, v)
		}
		if s.distance[k] <= settle {
			s.settled = true
			return s, nil
		}
		if k >= steps && s.distance[k] <= until {
			return s, nil
		}
		if k >= maxEvents {
			return nil, checkEvents(float64(k + 1))
		}
		s.step(v, next)
		v, next = next, v
	}
}

// step writes v P.
func (s *series) step(v, next []float64) {
	g := s.generator
	forRange(len(v), s.workers, func(low, high int) {
		for j := low; j < high; j++ {
			next[j] = v[j]*(1-g.exit[j]/s.rate) + g.inflow(v, j)/s.rate
		}
	})
}

func (s *series) inner(v, f []float64) float64 {
	return reduce(len(v), s.workers, 1, func(low, high int, sums []float64) {
		for i := low; i < high; i++ {
			sums[0] += v[i] * f[i]
		}
	})[0]
}

func (s *series) l1(v, w []float64) float64 {
	return reduce(len(v), s.workers, 1, func(low, high int, sums []float64) {
		sums[0] = distance1(v[low:high], w[low:high])
	})[0]
}

// largestRate is Λ, the largest total rate out of a state.
func (g *Generator) largestRate() float64 {
	rate := 0.0
	for _, exit := range g.exit {
		rate = math.Max(rate, exit)
	}
	return rate
}

// checkEvents refuses more steps than can be made.
func checkEvents(q float64) error {
	if q > maxEvents {
		return &TooLargeError{What: "events", Value: q, Limit: maxEvents, Hint: "the rates times the last time; give an earlier time"}
	}
	return nil
}
