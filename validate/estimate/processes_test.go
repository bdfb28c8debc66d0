package estimate

import (
	"math"
	"math/rand/v2"
	"testing"
)

// appendAR1 appends x_{t+1} = ρ x_t + √(1−ρ²) z_t, unit variance, mean 10,
// to every replication. start is the first deviation in standard deviations;
// NaN starts in steady state.
func appendAR1(t testing.TB, s *Series, rho float64, cells int, start float64, rng *rand.Rand) {
	t.Helper()
	for r := range s.Replications() {
		x := start
		if math.IsNaN(start) {
			x = rng.NormFloat64()
		}
		for range cells {
			mustAppend(t, s, r, 10+x)
			x = rho*x + math.Sqrt(1-rho*rho)*rng.NormFloat64()
		}
	}
}

// mm1 is the birth-death process of M/M/1 with service rate 1, uniformized: a
// departure from an empty system is no event.
type mm1 struct {
	load float64
	rng  *rand.Rand
	jobs int
	next float64 // time to the next event
}

func newMM1(load float64, stationary bool, rng *rand.Rand) *mm1 {
	q := &mm1{load: load, rng: rng}
	for stationary && rng.Float64() < load {
		q.jobs++
	}
	q.wait()
	return q
}

func (q *mm1) wait() { q.next = q.rng.ExpFloat64() / (1 + q.load) }

func (q *mm1) jump() {
	if q.rng.Float64()*(1+q.load) < q.load {
		q.jobs++
	} else if q.jobs > 0 {
		q.jobs--
	}
}

// cell returns the averages of the number in system and of the busy indicator
// over the next stretch of time.
func (q *mm1) cell(duration float64) (jobs, busy float64) {
	spend := func(time float64) {
		jobs += float64(q.jobs) * time / duration
		if q.jobs > 0 {
			busy += time / duration
		}
	}
	left := duration
	for ; q.next < left; q.wait() {
		spend(q.next)
		left -= q.next
		q.jump()
	}
	spend(left)
	q.next -= left
	return jobs, busy
}

// appendMM1 appends cells with both averages to every replication.
func appendMM1(t testing.TB, s *Series, load float64, cells int, duration float64, stationary bool, rng *rand.Rand) {
	t.Helper()
	for r := range s.Replications() {
		q := newMM1(load, stationary, rng)
		for range cells {
			jobs, busy := q.cell(duration)
			mustAppend(t, s, r, jobs, busy)
		}
	}
}

func mustAppend(t testing.TB, s *Series, replication int, cell ...float64) {
	t.Helper()
	if err := s.Append(replication, cell); err != nil {
		t.Fatal(err)
	}
}

func seeded(seed int) *rand.Rand { return rand.New(rand.NewPCG(uint64(seed), 20240607)) }
