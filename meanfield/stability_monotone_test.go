package meanfield

import (
	"context"
	"fmt"
	"math"
	"testing"

	"qlimit/coxian"
	"qlimit/ctmc"
	"qlimit/meanfield/ode"
)

// Monotonicity compares two systems by a partial order: every server holds at
// least as many jobs, and the job in service has at least as much work left on
// average, T = 1/μ1 + p/μ2 in phase 1, 1/μ2 in phase 2, 0 when idle. An
// increasing hazard rate means (1-p)μ1 < μ2, and then phase 1 has more work
// left than phase 2. The tests follow Liu, Gong and Ying (2022), whose example
// has two servers and JSQ, in a system and in the fluid of their own.

// remaining is T for the phases of a law.
func remaining(law coxian.Dist, phase int) float64 {
	if phase == 2 {
		return 1 / law.Mu2
	}
	return 1/law.Mu1 + law.P/law.Mu2
}

// work is the mean of T over the servers, an increasing function.
func work(law coxian.Dist, q State) float64 {
	sum := 0.0
	for c, fraction := range q[1:] {
		sum += fraction * remaining(law, 1+c%2)
	}
	return sum
}

// TestTwoServersLoseTheirOrder: JSQ, two servers. The upper system has a job
// in phase 1 at one server and a job in phase 2 at the other, the lower system
// lacks the latter. The next arrival of the lower system starts phase 1 at the
// idle server, that of the upper system queues. If phase 1 has more work left,
// the order at that server is now reversed. Exactly: the event that both
// servers have at least the work of phase 1 left can only gain by going up,
// and yet is more probable in the lower system. With a decreasing hazard rate
// it never is.
func TestTwoServersLoseTheirOrder(t *testing.T) {
	for _, c := range []struct {
		law  coxian.Dist
		lose bool
	}{{erlang2, true}, {coxian.Dist{Mu1: 1.6, P: .5, Mu2: 4. / 3}, true}, {scv2, false}, {scv10, false}} {
		if rises := c.law.HazardClass() == coxian.Increasing; rises != c.lose || (remaining(c.law, 1) > remaining(c.law, 2)) != c.lose {
			t.Fatalf("%v: hazard %v", c.law, c.law.HazardClass())
		}
		chain, err := ctmc.System{Servers: 2, Load: .95, Buffer: 4, Service: c.law, Policy: ctmc.JSQ()}.Chain()
		if err != nil {
			t.Fatal(err)
		}
		classes := len(chain.Initial())
		upper, lower := make([]int64, classes), make([]int64, classes)
		upper[1], upper[2] = 1, 1 // (1,1) and (1,2)
		lower[1], lower[0] = 1, 1 // (1,1) and idle
		above, below := newExactLaw(chain, upper), newExactLaw(chain, lower)
		least := math.Inf(1)
		for range 40 {
			above.advance(.05)
			below.advance(.05)
			least = math.Min(least, above.bothFull(c.law)-below.bothFull(c.law))
		}
		if lost := least < -.05; lost != c.lose || !lost && least < 0 {
			t.Errorf("%v: least difference %g", c.law, least)
		}
	}
}

// exactLaw is the transient law of a small chain.
type exactLaw struct {
	state [][]int64
	moves []exactMove
	p     []float64
}

type exactMove struct {
	from, to int
	rate     float64
}

func newExactLaw(chain *ctmc.SystemChain, start []int64) *exactLaw {
	e, index := &exactLaw{}, map[string]int{}
	find := func(state []int64) int {
		key := fmt.Sprint(state)
		i, ok := index[key]
		if !ok {
			i = len(e.state)
			index[key] = i
			e.state = append(e.state, append([]int64(nil), state...))
		}
		return i
	}
	find(start)
	for i := 0; i < len(e.state); i++ {
		chain.Visit(e.state[i], func(next []int64, rate float64) {
			e.moves = append(e.moves, exactMove{i, find(next), rate})
		})
	}
	e.p = make([]float64, len(e.state))
	e.p[0] = 1
	return e
}

// bothFull is the probability that no server has less work left, on average,
// than phase 1 stands for.
func (e *exactLaw) bothFull(law coxian.Dist) float64 {
	sum := 0.0
	for i, p := range e.p {
		full := true
		for c, n := range e.state[i] {
			if n > 0 && (c == 0 || remaining(law, 1+(c-1)%2) < remaining(law, 1)) {
				full = false
			}
		}
		if full {
			sum += p
		}
	}
	return sum
}

// advance sums the Taylor series of the forward equation, which needs a time
// below the inverse of the largest rate.
func (e *exactLaw) advance(time float64) {
	term := append([]float64(nil), e.p...)
	for k := 1; k <= 20; k++ {
		flow := make([]float64, len(term))
		for _, m := range e.moves {
			v := term[m.from] * m.rate * time / float64(k)
			flow[m.from] -= v
			flow[m.to] += v
		}
		term = flow
		for i := range term {
			e.p[i] += term[i]
		}
	}
}

// TestFluidLosesItsOrder: JSQ at load .9. The upper fluid has nine servers of
// ten in (1,1) and one in (1,2), the lower one idle servers in place of the
// latter. These fill by time 0.12 with jobs in phase 1, while the arrivals of
// the upper fluid queue: the mean of T, larger above at time 0, is then
// smaller. With a decreasing hazard rate the order of T is the reverse, the
// upper fluid has (1,2) as the class with more work, and it stays above.
func TestFluidLosesItsOrder(t *testing.T) {
	times := []float64{0, .05, .12, .2, .4, 1, 3}
	for _, c := range []struct {
		law  coxian.Dist
		lose bool
	}{{erlang2, true}, {scv2, false}, {scv10, false}} {
		sys := ctmc.System{Load: .9, Buffer: 6, Service: c.law, Policy: ctmc.JSQ()}
		upper, err := Trajectory(context.Background(), sys, State{0, .9, .1}, times, ode.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		lower, err := Trajectory(context.Background(), sys, State{.1, .9, 0}, times, ode.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		least := math.Inf(1)
		for k := range times {
			difference := work(c.law, upper.States[k]) - work(c.law, lower.States[k])
			least = math.Min(least, difference)
			if k == 0 && math.Abs(difference-.1*remaining(c.law, 2)) > 1e-15 {
				t.Errorf("%v: the starts are not ordered: %g", c.law, difference)
			}
			if upper.Jobs[k] < lower.Jobs[k] {
				t.Errorf("%v: %g jobs above, %g below at %g", c.law, upper.Jobs[k], lower.Jobs[k], times[k])
			}
		}
		if lost := least < -1e-3; lost != c.lose {
			t.Errorf("%v: least difference %g", c.law, least)
		}
	}
}
