package ctmc

import (
	"context"
	"errors"
	"math"
	"slices"
)

// Bounds for join-the-shortest-queue with exponential service.
//
// Order the queues of a state decreasingly and say x <= y when the k longest
// queues of x hold at most as many jobs as the k longest of y, for every k
// (weak majorization). Let two systems have the same arrivals and the same
// potential departures, at the queue of a given rank. If x <= y before such an
// event, then after it: a job that joins the shortest queue, or leaves a queue
// of the same rank, keeps every one of these inequalities. Hence a system that
// now and then is moved to a smaller state stays below the true one for ever,
// and one that is moved to a larger state, or misses a departure, above; so do
// their stationary mean numbers of jobs.
//
// downward: a departure that would leave the set takes place at the longest
// queue, or it or an arrival ends in the balanced state, which is the least one
// with its number of jobs; an arrival beyond the highest number is lost.
//
// upward: a departure that would leave the set does not take place. The set is
// closed under arrivals but for the one at its top, the state with L jobs at
// every server. Where the top is left, the system is replaced by the larger one
// that has L - s more jobs at every server, never served, and besides is the
// upward system itself in the state with s jobs at every server and one more:
// an excursion of the latter above s, that is, until its longest queue is s
// again, takes no less time than the true return to a longest queue of L and
// meets fewer jobs by N(L-s). Longest queues grow only where all queues are
// equal, so that the excursions above s begin at the state with s jobs at every
// server: with r_s its probability below the top, A and B the probability of
// a longest queue above s and the expected number of jobs on it, and
// n = r_L/r_s the expected number of times that one excursion leaves the top,
//
//	duration of an excursion    a = A/(r_s λN)/(1 - n)
//	integral of jobs over it    b = (B/(r_s λN) + n N(L-s) a)/(1 - n)
//	E[jobs] <= (E[jobs below the top] + r_L λN (b + N(L-s) a))/(1 + r_L λN a).

// certifiable says that redirecting flow gives proved bounds.
func (s System) certifiable() bool {
	return s.Phases() == 1 && s.Policy.Depth == AllLevels
}

// conditionalPart is the part of the probability of its number of jobs from
// which on a state belongs to a certified set, in units of the spare capacity
// of a server: what is missing further out must not keep the upward system
// from emptying.
const conditionalPart = 1e-3

// certifiedExcess is by how much a certified set may exceed the number of
// states.
const certifiedExcess = 2

// widen adds to the set what the bounds need; false when that is too much.
func (t *truncated) widen(ctx context.Context) (bool, error) {
	n := int(t.system.Servers)
	limit := certifiedExcess * t.limit
	top := n * ((t.set.highest + n - 1) / n)
	if top > limit {
		return false, nil
	}
	var large *TooLargeError
	if err := t.set.raise(ctx, top); errors.As(err, &large) {
		return false, nil
	} else if err != nil {
		return false, err
	}
	const rounds, few = 5, 1.02
	for range rounds {
		before := len(t.set.order)
		weight := make([]float64, top+1)
		for number, p := range t.set.estimate {
			if total := int(t.set.total[number]); total <= top {
				weight[total] += p
			}
		}
		part := conditionalPart * (1 - t.system.Load) / float64(n)
		if err := t.set.growBy(ctx, func(total int32) float64 { return part * weight[total] }, limit); err != nil {
			return false, err
		}
		if err := t.set.closeArrivals(ctx, limit); err != nil {
			return false, err
		}
		if !t.set.fits(limit) {
			return false, nil
		}
		if err := t.solve(ctx); err != nil {
			return false, err
		}
		if float64(len(t.set.order)) <= few*float64(before) {
			break
		}
	}
	return true, nil
}

// certify adds the bounds to a result on the same set.
func (t *truncated) certify(ctx context.Context, r *Stationary) error {
	generator, err := t.set.generator(ctx, upward)
	if err != nil {
		return err
	}
	settings := t.settings
	settings.start = t.start(generator)
	law, err := generator.Stationary(ctx, settings)
	if err != nil || law.Status != Converged || r.Law.Status != Converged {
		return err // without a certificate
	}
	upper := t.upperMean(law.Probability)
	if !(upper < math.Inf(1)) {
		return nil
	}
	c := &r.Truncation
	c.Certified = true
	c.Lower = r.MeanJobs * (1 - r.Law.Error)
	c.Upper = upper / float64(t.system.Servers) * (1 + law.Error)
	return nil
}

// upperMean is the least of the bounds over the levels s on the mean number of
// jobs in the system, +Inf when there is none.
func (t *truncated) upperMean(law []float64) float64 {
	n, rate := float64(t.system.Servers), t.system.ArrivalRate()
	top := t.set.highest / int(t.system.Servers)
	equal := make([]float64, top+1)                                      // P(s jobs at every server)
	longer, jobsLonger := make([]float64, top+1), make([]float64, top+1) // P(longest > s), E[jobs; longest > s]
	mean := 0.0
	for k, number := range t.set.order {
		state := decodeRuns(t.set.table.code(int(number)), t.set.state[:0])
		t.set.state = state
		longest := int(t.set.walk.level(state[len(state)-1].class))
		p, jobs := law[k], float64(t.set.total[number])
		mean += p * jobs
		if len(state) == 1 {
			equal[longest] = p
		}
		if longest > 0 {
			longer[longest-1] += p
			jobsLonger[longest-1] += p * jobs
		}
	}
	for s := top - 2; s >= 0; s-- {
		longer[s] += longer[s+1]
		jobsLonger[s] += jobsLonger[s+1]
	}
	bounds := []float64{math.Inf(1)}
	for s := 1; s < top; s++ {
		again := equal[top] / equal[s]
		if !(again < 0.5) {
			continue
		}
		shift := n * float64(top-s)
		duration := longer[s] / (equal[s] * rate) / (1 - again)
		integral := (jobsLonger[s]/(equal[s]*rate) + again*shift*duration) / (1 - again)
		leaving := equal[top] * rate
		bounds = append(bounds, (mean+leaving*(integral+shift*duration))/(1+leaving*duration))
	}
	return slices.Min(bounds)
}
