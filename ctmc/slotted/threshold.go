package slotted

import (
	"fmt"
	"math"
	"math/bits"

	"qlimit/ctmc"
	"qlimit/internal/stream"
)

// JIQ is join-the-idle-queue: a server that becomes idle sends its ID once; a
// stored ID chosen uniformly is removed and used; without one the server is
// chosen uniformly from all.
func JIQ() Policy { return reporting{name: "jiq"} }

// JBT is join-below-threshold, JBT-d: as [JIQ], but a server reports as soon as
// its queue is no longer than the threshold of the rule. When the threshold is
// set, stored IDs are discarded and every server not above it reports.
//
// Hence the stored servers are, when a slot begins, those with Q_n <= r (with
// several dispatchers, to one of which, chosen uniformly, a server reports:
// those and some whose queue has grown since).
func JBT(rule ThresholdRule) Policy { return reporting{name: "jbt", rule: rule} }

// JBTG is JBT for unequal servers: a stored server n is chosen with probability
// proportional to μ_n, and so is any server if none is stored.
func JBTG(rule ThresholdRule) Policy { return reporting{name: "jbtg", rule: rule, byRate: true} }

type reporting struct {
	name   string
	rule   ThresholdRule
	byRate bool
}

func (r reporting) String() string {
	if r.name == "jiq" {
		return r.name
	}
	period := "inf"
	if r.rule.Period > 0 {
		period = fmt.Sprint(r.rule.Period)
	}
	if r.rule.Average {
		return fmt.Sprintf("%s:average,T=%s", r.name, period)
	}
	return fmt.Sprintf("%s:d=%d,T=%s", r.name, r.rule.Samples, period)
}

func (r reporting) Validate(m *Model) error {
	if r.rule.Period < 0 {
		return &ctmc.FieldError{Field: "T", Value: r.rule.Period, Allowed: "an integer >= 1, or inf"}
	}
	if r.name != "jiq" && !r.rule.Average {
		if err := checkSampleSize(m, r.rule.Samples); err != nil {
			return err
		}
	}
	return checkMemory(m, int64(m.Servers()))
}

func (r reporting) Declaration() Declaration {
	return Declaration{Memory: Threshold, Threshold: r.rule, Probabilities: r.probabilities}
}

func (r reporting) probabilities(m *Model, lengths []int64, threshold int64, p []float64) {
	total, none := 0.0, true
	for n, length := range lengths {
		p[n] = 0
		if length <= threshold {
			p[n], none = r.weight(m, n), false
			total += p[n]
		}
	}
	if none {
		for n := range p {
			p[n] = r.weight(m, n)
			total += p[n]
		}
	}
	for n := range p {
		p[n] /= total
	}
}

func (r reporting) weight(m *Model, n int) float64 {
	if r.byRate {
		return m.Rates[n]
	}
	return 1
}

func (r reporting) Dispatcher(m *Model, v *View) Dispatcher {
	d := &reportDispatcher{
		reporting: r, rates: m.Rates,
		stored: make([][]int32, m.DispatcherCount()), isStored: make([]bool, m.Servers()),
		servers: newShuffler(m.Servers()),
	}
	for i := range d.stored {
		d.stored[i] = make([]int32, 0, m.Servers())
	}
	if r.byRate {
		d.all = newWeighted(m.Rates)
	}
	d.takeReports(v)
	return d
}

type reportDispatcher struct {
	reporting
	rates    []float64
	all      weighted  // where rates count
	stored   [][]int32 // IDs at each dispatcher
	isStored []bool
	servers  shuffler
	r        int64 // threshold
	largest  int64
	slot     int64
}

func (d *reportDispatcher) Choose(v *View, dispatcher int, _ int64) int {
	ids := d.stored[dispatcher]
	if len(ids) == 0 {
		if d.byRate {
			return d.all.choose(v.Routing)
		}
		return v.chooseUniform()
	}
	k := d.pick(ids, v)
	server := ids[k]
	ids[k] = ids[len(ids)-1]
	d.stored[dispatcher] = ids[:len(ids)-1]
	d.isStored[server] = false
	return int(server)
}

// pick returns the place of a stored ID.
func (d *reportDispatcher) pick(ids []int32, v *View) int {
	if !d.byRate {
		return stream.Below(uint64(len(ids)), v.Routing)
	}
	total := 0.0
	for _, id := range ids {
		total += d.rates[id]
	}
	x := unit(v.Routing) * total
	for k, id := range ids {
		if x -= d.rates[id]; x < 0 {
			return k
		}
	}
	return len(ids) - 1
}

func (d *reportDispatcher) EndOfSlot(v *View) {
	d.slot++
	if d.rule.Period > 0 && d.slot%d.rule.Period == 0 {
		d.setThreshold(v)
	}
	d.takeReports(v)
}

// setThreshold discards what is stored.
func (d *reportDispatcher) setThreshold(v *View) {
	if d.rule.Average {
		sum := int64(0)
		for _, length := range v.AskAll() {
			sum += length
		}
		d.r = sum / int64(len(v.Lengths))
	} else {
		d.r = math.MaxInt64
		for _, server := range d.servers.draw(int(d.rule.Samples), v.Upkeep) {
			d.r = min(d.r, v.Ask(int(server)))
		}
	}
	d.largest = max(d.largest, d.r)
	for i := range d.stored {
		d.stored[i] = d.stored[i][:0]
	}
	clear(d.isStored)
}

// takeReports: every server not above the threshold whose ID is not stored
// reports.
func (d *reportDispatcher) takeReports(v *View) {
	for n, length := range v.Lengths {
		if length > d.r || d.isStored[n] {
			continue
		}
		v.Report(Pull)
		to := 0
		if len(d.stored) > 1 {
			to = stream.Below(uint64(len(d.stored)), v.Upkeep)
		}
		d.stored[to] = append(d.stored[to], int32(n))
		d.isStored[n] = true
	}
}

// MemoryBits: a set of servers at each dispatcher, and the threshold where
// there is one.
func (d *reportDispatcher) MemoryBits() float64 {
	return float64(len(d.isStored)*len(d.stored) + bits.Len64(uint64(d.largest)))
}
