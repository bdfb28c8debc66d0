package stein

import (
	"math"
	"math/rand/v2"
	"testing"

	"qlimit/coxian"
)

// eventCounts are frequencies, in a stationary system, of the events that the
// lower bound is built on.
type eventCounts struct {
	slices, arrivals, noDeparture int // of length γ/n
	looks, busy                   int // at the state
}

// countEvents simulates n servers with random dispatch by Lindley's recursion
// in slices of length γ/n. Servers speak at moments of a Poisson process of
// rate μn.
func countEvents(law coxian.Dist, load, clock, gamma, theta float64, jobs, n, slices int, random *rand.Rand) eventCounts {
	current, free := make([]float64, n), make([]float64, n) // ends of the service in progress, of all work
	queues := make([][]float64, n)                          // sizes of waiting jobs
	width := gamma / float64(n)
	now, nextArrival, nextMessage := 0.0, 0.0, 0.0
	sample := func() float64 { return law.Sample(random) }
	advance := func(j int, to float64) (left bool) {
		for current[j] > 0 && current[j] <= to {
			left = true
			if len(queues[j]) == 0 {
				current[j] = 0
				break
			}
			current[j] += queues[j][0]
			queues[j] = queues[j][1:]
		}
		return left
	}
	var count eventCounts
	warm := 30.0
	for slice := 0; count.slices < slices; slice++ {
		to := now + width
		measured := now > warm
		if measured && slice%1000 == 0 {
			loaded := 0
			for j := range n {
				advance(j, now)
				if free[j]-now >= 2*gamma {
					loaded++
				}
			}
			count.looks++
			if float64(loaded) >= theta*float64(n) {
				count.busy++
			}
		}
		arrived, spoken := 0, false
		for nextArrival < to {
			arrived++
			j := random.IntN(n)
			advance(j, nextArrival)
			size := sample()
			if current[j] == 0 {
				current[j] = nextArrival + size
				free[j] = current[j]
			} else {
				queues[j] = append(queues[j], size)
				free[j] += size
			}
			nextArrival += random.ExpFloat64() / (load * float64(n))
		}
		for nextMessage < to {
			spoken = true
			nextMessage += random.ExpFloat64() / (clock * float64(n))
		}
		if measured {
			count.slices++
			if arrived >= jobs && !spoken {
				count.arrivals++
			}
		}
		now = to
	}
	// Departures: at random moments of the end, whether a service in progress
	// ends within γ/n. A look costs n, so they are spread over the last part.
	for range 20_000 {
		now += .002
		for nextArrival < now {
			j := random.IntN(n)
			advance(j, nextArrival)
			size := sample()
			if current[j] == 0 {
				current[j] = nextArrival + size
			} else {
				queues[j] = append(queues[j], size)
			}
			nextArrival += random.ExpFloat64() / (load * float64(n))
		}
		quiet := true
		for j := range n {
			advance(j, now)
			quiet = quiet && !(current[j] > 0 && current[j]-now < width)
		}
		if quiet {
			count.noDeparture++
		}
	}
	return count
}

// TestResourceEvents: in simulations of 1000 servers P(K arrivals and no
// message before γ/n) is what the bound says, and the other two events are at
// least as likely as it says; not by so much that anything would pass.
func TestResourceEvents(t *testing.T) {
	const n, slices = 1000, 400_000
	random := rand.New(rand.NewPCG(11, 12))
	for _, c := range []struct {
		name         string
		law          coxian.Dist
		memory       float64
		gamma, theta float64
	}{
		{"exponential", exponential, 1, .1, .6},
		{"coxian, scv 4", coxian.Dist{Mu1: 2, P: .125, Mu2: .25}, 0, .2, .5},
	} {
		r := Resources{Load: .9, Service: c.law, Memory: c.memory, MessageClock: 2}
		b, err := r.At(c.gamma, c.theta)
		if err != nil {
			t.Fatal(err)
		}
		got := countEvents(c.law, r.Load, r.MessageClock, c.gamma, c.theta, b.Jobs, n, slices, random)
		arrivals := float64(got.arrivals) / float64(got.slices)
		if deviation := math.Sqrt(b.Arrivals * (1 - b.Arrivals) / float64(got.slices)); math.Abs(arrivals-b.Arrivals) > 4*deviation {
			t.Errorf("%s: frequency of arrivals %.6f, want %.6f ± %.6f", c.name, arrivals, b.Arrivals, 4*deviation)
		}
		const moments = 20_000
		quiet := float64(got.noDeparture) / moments
		deviation := math.Sqrt(quiet * (1 - quiet) / moments)
		// The number of jobs about to leave is Poisson(λγ) but for 1/n.
		want := math.Exp(-r.Load * c.gamma)
		if quiet < b.NoDeparture-4*deviation || math.Abs(quiet-want) > 6*deviation {
			t.Errorf("%s: frequency of no departure %.5f, bound %.5f, limit %.5f", c.name, quiet, b.NoDeparture, want)
		}
		if busy := float64(got.busy) / float64(got.looks); busy < b.Busy || got.looks < 100 {
			t.Errorf("%s: frequency of busy servers %.4f (%d looks), bound %.4f", c.name, busy, got.looks, b.Busy)
		}
		if !(b.Busy > 0 && b.Busy < 1) {
			t.Errorf("%s: bound on busy servers %g", c.name, b.Busy)
		}
	}
}

// TestWorkProbability: P(K jobs of size 2γ or more).
func TestWorkProbability(t *testing.T) {
	random := rand.New(rand.NewPCG(13, 14))
	law := coxian.Dist{Mu1: 2, P: .125, Mu2: .25}
	b, err := Resources{Load: .9, Service: law, Memory: 2}.At(.2, .2)
	if err != nil {
		t.Fatal(err)
	}
	const trials = 200_000
	hits := 0
	for range trials {
		least := math.Inf(1)
		for range b.Jobs {
			least = math.Min(least, law.Sample(random))
		}
		if least >= .4 {
			hits++
		}
	}
	if got := float64(hits) / trials; math.Abs(got-b.Work) > 4*math.Sqrt(b.Work/trials) {
		t.Errorf("frequency %.5f, want %.5f", got, b.Work)
	}
}
