package slotted

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"strings"

	"qlimit/ctmc"
	"qlimit/internal/stream"
)

// LSQ joins the queue that is shortest by the dispatcher's own estimates, ties
// uniform (S. Vargaftik, I. Keslassy and A. Orda, IEEE/ACM Trans. Netw. 2020).
//
// A dispatcher adds the jobs it sends to its estimates; only the updates tell
// it of departures and of the jobs of other dispatchers.
func LSQ(updates UpdateRule) Policy {
	return local{name: "lsq", updates: updates, kernel: ctmc.Sampling{}}
}

// LocalSQ joins the server with the shortest estimate among d sampled without
// replacement.
func LocalSQ(d int64, updates UpdateRule) Policy {
	return local{name: "local-sq", updates: updates, kernel: ctmc.Sampling{Choices: d}}
}

// LocalJBA is local join-below-average: server n with probability proportional
// to μ_n among those whose estimate is at most the average of all estimates.
func LocalJBA(updates UpdateRule) Policy {
	return local{name: "local-jba", updates: updates, belowAverage: true}
}

type local struct {
	name         string
	updates      UpdateRule
	kernel       ctmc.Sampling // of local SQ(d); no choices = all servers
	belowAverage bool
}

func (l local) String() string {
	var options []string
	if l.kernel.Choices > 0 {
		options = append(options, fmt.Sprintf("d=%d", l.kernel.Choices))
	}
	u := l.updates
	if u.Push > 0 {
		options = append(options, fmt.Sprintf("push=%d", u.Push))
	}
	if u.Smart {
		options = append(options, "smart")
	}
	if u.pulls() && (!u.Smart || u.Pull != 1) {
		options = append(options, fmt.Sprintf("pull=%g", u.Pull))
	}
	if u.Refresh > 0 {
		options = append(options, fmt.Sprintf("refresh=%g", u.Refresh))
	}
	return l.name + ":" + strings.Join(options, ",")
}

// pulls tells whether servers report: then they always do on becoming idle.
func (u UpdateRule) pulls() bool { return u.Smart || u.Reports }

func (u UpdateRule) validate(m *Model) error {
	switch {
	case u.Push < 0 || u.Push > int64(m.Servers()):
		return &ctmc.FieldError{Field: "push", Value: u.Push, Allowed: fmt.Sprintf("between 1 and the number of servers, %d", m.Servers())}
	case !(u.Pull >= 0 && u.Pull <= 1):
		return &ctmc.FieldError{Field: "pull", Value: u.Pull, Allowed: "a probability, between 0 and 1"}
	case !(u.Refresh >= 0 && u.Refresh <= 1):
		return &ctmc.FieldError{Field: "refresh", Value: u.Refresh, Allowed: "a probability, > 0 and at most 1"}
	case u.Push == 0 && u.Refresh == 0 && !u.pulls():
		return &ctmc.FieldError{Field: "updates", Value: "none", Allowed: "one of push=D, pull=P, smart, refresh=P"}
	}
	return nil
}

func (l local) Validate(m *Model) error {
	if l.name == "local-sq" {
		if err := checkSampleSize(m, l.kernel.Choices); err != nil {
			return err
		}
	}
	if err := l.updates.validate(m); err != nil {
		return err
	}
	return checkMemory(m, int64(m.Servers()))
}

func (l local) Declaration() Declaration {
	return Declaration{Memory: Local, Updates: l.updates, Probabilities: func(m *Model, estimates []int64, _ int64, p []float64) {
		switch {
		case l.belowAverage:
			shareBelowAverage(m.Rates, estimates, p)
		case l.kernel.Choices > 0:
			shareBySample(l.kernel, estimates, p)
		default:
			shareAmongShortest(estimates, p)
		}
	}}
}

func shareBelowAverage(rates []float64, estimates []int64, p []float64) {
	sum, total := sumOf(estimates), 0.0
	for n, length := range estimates {
		p[n] = 0
		if length*int64(len(estimates)) <= sum {
			p[n] = rates[n]
			total += rates[n]
		}
	}
	for n := range p {
		p[n] /= total
	}
}

func sumOf(lengths []int64) int64 {
	sum := int64(0)
	for _, length := range lengths {
		sum += length
	}
	return sum
}

func (l local) Dispatcher(m *Model, _ *View) Dispatcher {
	d := &localDispatcher{local: l, rates: m.Rates, sample: newShuffler(m.Servers()), estimates: make([][]int64, m.DispatcherCount())}
	for i := range d.estimates {
		d.estimates[i] = make([]int64, m.Servers())
	}
	if l.kernel.Choices > 0 {
		d.sampling = &sampleDispatcher{sampled: sampled{d: l.kernel.Choices}, servers: newShuffler(m.Servers())}
	}
	if p := l.updates.Refresh; p > 0 && p < 1 {
		d.perLog = 1 / math.Log1p(-p)
	}
	return d
}

type localDispatcher struct {
	local
	rates     []float64
	estimates [][]int64 // by dispatcher and server
	sampling  *sampleDispatcher
	sample    shuffler // of the updates
	perLog    float64  // 1/log(1 - refresh)
	largest   int64
}

func (d *localDispatcher) Estimates(dispatcher int) []int64 { return d.estimates[dispatcher] }

func (d *localDispatcher) Choose(v *View, dispatcher int, jobs int64) int {
	own := d.estimates[dispatcher]
	var server int
	switch {
	case d.belowAverage:
		server = d.chooseBelowAverage(own, v.Routing)
	case d.sampling != nil:
		server = d.sampling.pick(v, own)
	default:
		server = shortest(own, v.Routing)
	}
	own[server] += jobs
	d.largest = max(d.largest, own[server])
	return server
}

func (d *localDispatcher) chooseBelowAverage(own []int64, random *rand.PCG) int {
	sum, total, last := sumOf(own), 0.0, 0
	n := int64(len(own))
	for server, length := range own {
		if length*n <= sum {
			total += d.rates[server]
			last = server
		}
	}
	x := unit(random) * total
	for server, length := range own {
		if length*n <= sum {
			if x -= d.rates[server]; x < 0 {
				return server
			}
		}
	}
	return last
}

func (d *localDispatcher) EndOfSlot(v *View) {
	if d.updates.Push > 0 {
		d.push(v)
	}
	if d.updates.pulls() {
		d.pull(v)
	}
	if d.updates.Refresh > 0 {
		d.refresh(v)
	}
}

func (d *localDispatcher) push(v *View) {
	for i, own := range d.estimates {
		if v.Arrived[i] == 0 {
			continue
		}
		for _, server := range d.sample.draw(int(d.updates.Push), v.Upkeep) {
			own[server] = v.Ask(int(server))
		}
	}
}

func (d *localDispatcher) pull(v *View) {
	for n, length := range v.Lengths {
		if v.Served[n] == 0 || length > 0 && !happens(d.updates.Pull, v.Upkeep) {
			continue
		}
		v.Report(Pull)
		d.estimates[d.addressee(n, length, v.Upkeep)][n] = length
	}
}

func happens(p float64, random *rand.PCG) bool { return p == 1 || p > 0 && unit(random) < p }

// addressee is the dispatcher that a server tells its length.
func (d *localDispatcher) addressee(server int, length int64, random *rand.PCG) int {
	all := uint64(len(d.estimates))
	if all == 1 {
		return 0
	}
	if !d.updates.Smart {
		return stream.Below(all, random)
	}
	best, worst, equals := 0, int64(-1), uint64(1)
	for i, own := range d.estimates {
		off := own[server] - length
		if off < 0 {
			off = -off
		}
		switch {
		case off > worst:
			best, worst, equals = i, off, 1
		case off == worst:
			if equals++; stream.Below(equals, random) == 0 {
				best = i
			}
		}
	}
	return best
}

// refresh goes from one refreshed pair to the next: the gap is geometric.
func (d *localDispatcher) refresh(v *View) {
	servers := len(v.Lengths)
	pairs := servers * len(d.estimates)
	for pair := d.skip(v.Upkeep); pair < pairs; pair += 1 + d.skip(v.Upkeep) {
		v.Report(Update)
		server := pair % servers
		d.estimates[pair/servers][server] = v.Lengths[server]
	}
}

// skip is the number of pairs passed over: P(skip >= k) = (1 - refresh)^k.
func (d *localDispatcher) skip(random *rand.PCG) int {
	if d.updates.Refresh == 1 {
		return 0
	}
	u := float64(random.Uint64()>>11+1) * 0x1p-53
	return int(math.Min(math.Log(u)*d.perLog, math.MaxInt32))
}

// MemoryBits: an estimate of every queue at every dispatcher.
func (d *localDispatcher) MemoryBits() float64 {
	return float64(len(d.estimates)) * float64(len(d.sample)) * float64(bits.Len64(uint64(d.largest)))
}
