package slotted

import (
	"fmt"
	"slices"

	"qlimit/ctmc"
	"qlimit/internal/stream"
)

// JSQ asks all servers and joins the shortest queue, ties uniform: 2N messages
// a decision.
func JSQ() Policy { return joinShortest{} }

type joinShortest struct{}

func (joinShortest) String() string                      { return "jsq" }
func (joinShortest) Validate(*Model) error               { return nil }
func (joinShortest) Dispatcher(*Model, *View) Dispatcher { return shortestDispatcher{} }
func (joinShortest) Declaration() Declaration {
	return Declaration{Memory: TrueLength, Probabilities: func(_ *Model, lengths []int64, _ int64, p []float64) {
		shareAmongShortest(lengths, p)
	}}
}

func shareAmongShortest(lengths []int64, p []float64) {
	least := slices.Min(lengths)
	equals := 0
	for _, length := range lengths {
		if length == least {
			equals++
		}
	}
	for n, length := range lengths {
		p[n] = 0
		if length == least {
			p[n] = 1 / float64(equals)
		}
	}
}

type shortestDispatcher struct{ forgetful }

func (shortestDispatcher) Choose(v *View, _ int, _ int64) int {
	return shortest(v.AskAll(), v.Routing)
}

// SQ asks d servers sampled uniformly, with or without replacement, and joins
// the shortest, ties uniform: 2d messages a decision.
func SQ(d int64, replacement bool) Policy { return sampled{d: d, replacement: replacement} }

type sampled struct {
	d           int64
	replacement bool
}

func (s sampled) String() string {
	if s.replacement {
		return fmt.Sprintf("sq:d=%d,replacement=true", s.d)
	}
	return fmt.Sprintf("sq:d=%d", s.d)
}

func (s sampled) Validate(m *Model) error { return checkSampleSize(m, s.d) }

func (s sampled) kernel() ctmc.Sampling {
	return ctmc.Sampling{Choices: s.d, Replacement: s.replacement}
}

func (s sampled) Declaration() Declaration {
	return Declaration{Memory: TrueLength, Probabilities: func(_ *Model, lengths []int64, _ int64, p []float64) {
		shareBySample(s.kernel(), lengths, p)
	}}
}

// shareBySample shares the probability of each length, the difference of the
// kernel's tails, equally among the servers that have it.
func shareBySample(kernel ctmc.Sampling, lengths []int64, p []float64) {
	n := int64(len(lengths))
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return int(min(max(lengths[a]-lengths[b], -1), 1)) })
	for from := int64(0); from < n; {
		to := from
		for to < n && lengths[order[to]] == lengths[order[from]] {
			to++
		}
		share := (kernel.Tail(n-from, n) - kernel.Tail(n-to, n)) / float64(to-from)
		for _, server := range order[from:to] {
			p[server] = share
		}
		from = to
	}
}

func (s sampled) Dispatcher(m *Model, _ *View) Dispatcher {
	return &sampleDispatcher{sampled: s, servers: newShuffler(m.Servers())}
}

type sampleDispatcher struct {
	forgetful
	sampled
	servers shuffler
}

func (d *sampleDispatcher) Choose(v *View, _ int, _ int64) int {
	v.Messages[Query] += d.d
	v.Messages[Reply] += d.d
	return d.pick(v, v.Lengths)
}

// pick samples and takes the first of the shortest: the order of a sample is
// uniform, and so are ties.
func (d *sampleDispatcher) pick(v *View, lengths []int64) int {
	if !d.replacement {
		sample := d.servers.draw(int(d.d), v.Routing)
		best := sample[0]
		for _, server := range sample[1:] {
			if lengths[server] < lengths[best] {
				best = server
			}
		}
		return int(best)
	}
	best := v.chooseUniform()
	for range d.d - 1 {
		if server := stream.Below(uint64(len(lengths)), v.Routing); lengths[server] < lengths[best] {
			best = server
		}
	}
	return best
}

// SED asks all servers and joins one with the shortest expected delay of the
// first job, (Q_n + 1)/μ_n, ties uniform.
func SED() Policy { return shortestDelay{} }

type shortestDelay struct{}

func (shortestDelay) String() string        { return "sed" }
func (shortestDelay) Validate(*Model) error { return nil }
func (shortestDelay) Declaration() Declaration {
	return Declaration{Memory: TrueLength, Probabilities: func(m *Model, lengths []int64, _ int64, p []float64) {
		delays := make([]int64, len(lengths))
		best := 0
		for n := range lengths {
			if delayLess(m.Rates, lengths, n, best) {
				best = n
			}
		}
		for n := range lengths {
			if delayLess(m.Rates, lengths, best, n) {
				delays[n] = 1
			}
		}
		shareAmongShortest(delays, p)
	}}
}

// delayLess compares (Q_a + 1)/μ_a with (Q_b + 1)/μ_b without dividing.
func delayLess(rates []float64, lengths []int64, a, b int) bool {
	return float64(lengths[a]+1)*rates[b] < float64(lengths[b]+1)*rates[a]
}

func (shortestDelay) Dispatcher(m *Model, _ *View) Dispatcher {
	return &delayDispatcher{rates: m.Rates}
}

type delayDispatcher struct {
	forgetful
	rates []float64
}

// Choose replaces the best by the k-th equal with probability 1/k.
func (d *delayDispatcher) Choose(v *View, _ int, _ int64) int {
	lengths := v.AskAll()
	best, equals := 0, uint64(1)
	for n := 1; n < len(lengths); n++ {
		switch {
		case delayLess(d.rates, lengths, n, best):
			best, equals = n, 1
		case !delayLess(d.rates, lengths, best, n):
			if equals++; stream.Below(equals, v.Routing) == 0 {
				best = n
			}
		}
	}
	return best
}
