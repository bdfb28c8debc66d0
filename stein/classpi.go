package stein

import (
	"context"
	"fmt"
	"math"
	"slices"

	"qlimit/ctmc"
	"qlimit/ctmc/slotted"
)

// A DispatchRule is a policy seen through its dispatching distributions, from
// its own declaration.
type DispatchRule struct {
	Model       slotted.Model  // with its rates and load
	Policy      slotted.Policy // whose declaration is read
	declaration slotted.Declaration
	total       float64 // μ_Σ
}

// NewDispatchRule refuses policies whose distribution is no function of the
// queue lengths (or local estimates) and a threshold.
func NewDispatchRule(m *slotted.Model, policy slotted.Policy) (*DispatchRule, error) {
	if err := m.Validate(); err != nil {
		return nil, err
	}
	if err := policy.Validate(m); err != nil {
		return nil, err
	}
	d := &DispatchRule{Model: *m, Policy: policy, declaration: policy.Declaration(), total: m.TotalRate()}
	if d.declaration.Probabilities == nil {
		return nil, &ctmc.FieldError{Field: "policy", Value: policy.String(), Allowed: "a policy that decides on queue lengths, a threshold or local estimates", Reason: "what it remembers is not a function of the queues"}
	}
	if d.hasThreshold() && m.DispatcherCount() > 1 {
		return nil, &ctmc.FieldError{Field: "dispatchers", Value: m.DispatcherCount(), Allowed: "1 for a policy with reporting servers", Reason: "with several, each has stored only some of the servers below the threshold"}
	}
	return d, nil
}

// Local tells whether the distributions are those of one dispatcher given its
// own estimates of the lengths.
func (d *DispatchRule) Local() bool { return d.declaration.Memory == slotted.Local }

// hasThreshold tells whether servers at or below a threshold are stored.
func (d *DispatchRule) hasThreshold() bool { return d.declaration.Memory == slotted.Threshold }

// Window is T: the policy is δ-tilted once in every T slots, if at all. It is 1
// for policies that decide anew in every slot (JIQ, whose threshold never
// changes, among them).
func (d *DispatchRule) Window() int64 {
	if d.hasThreshold() && d.declaration.Threshold.Period > 0 {
		return d.declaration.Threshold.Period
	}
	return 1
}

// At is the distribution by server when a slot begins with the given lengths
// (estimates), and a threshold where the policy has one.
func (d *DispatchRule) At(lengths []int64, threshold int64) []float64 {
	p := make([]float64, len(lengths))
	d.declaration.Probabilities(&d.Model, lengths, threshold, p)
	return p
}

// Sampled is the distribution given the lengths in the slot of a window in
// which it must be δ-tilted. Where a threshold has just been set it is averaged
// over the sampled threshold; elsewhere it is the distribution itself.
func (d *DispatchRule) Sampled(lengths []int64) []float64 {
	rule := d.declaration.Threshold
	switch {
	case !d.hasThreshold() || rule.Period == 0:
		return d.At(lengths, 0)
	case rule.Average:
		return d.At(lengths, mean(lengths))
	}
	// P(threshold >= length of rank k): all samples among the others.
	kernel := ctmc.Sampling{Choices: rule.Samples}
	n := int64(len(lengths))
	order := increasing(lengths)
	sorted := make([]int64, n)
	for k, server := range order {
		sorted[k] = lengths[server]
	}
	p := make([]float64, n)
	for from, to := range ties(sorted) {
		chance := kernel.Tail(n-int64(from), n) - kernel.Tail(n-int64(to), n)
		if chance > 0 {
			addScaled(p, chance, d.At(lengths, sorted[from]))
		}
	}
	return p
}

// mean is the average, rounded down.
func mean(lengths []int64) int64 {
	sum := int64(0)
	for _, length := range lengths {
		sum += length
	}
	return sum / int64(len(lengths))
}

// DispatchState is one state seen by class Π.
type DispatchState struct {
	Order         []int   // σ: servers by increasing queue, ties in their order
	Ranked        Ranked  // the distribution over queues in increasing order
	Best          Ranked  // equivalent by moves between ties, with the largest tilt
	Perpendicular float64 // ‖Q_⊥‖, the distance of Q from equal queues
	// Drift is E[⟨Q, A - S⟩ | Q] = λ_Σ⟨Q_σ, Δ⟩ - (ε/μ_Σ)⟨Q, μ⟩, and DriftBound
	// what the tilt δ of Best allows for the first term, -(δ/√N)‖Q_⊥‖ λ_Σ; it is
	// the drift itself where Best is not tilted.
	Drift, DriftBound float64
}

// Inspect looks at one state with a distribution by server; the jobs of every
// dispatcher are taken to follow it.
func (d *DispatchRule) Inspect(lengths []int64, p []float64) DispatchState {
	r, order := Rank(lengths, p, d.Model.Rates)
	s := DispatchState{Order: order, Ranked: r, Best: r.Best()}
	n := float64(len(lengths))
	average, loaded := 0.0, 0.0
	for k, q := range lengths {
		average += float64(q) / n
		loaded += float64(q) * d.Model.Rates[k]
	}
	square := 0.0
	for _, q := range lengths {
		square += (float64(q) - average) * (float64(q) - average)
	}
	s.Perpendicular = math.Sqrt(square)
	rest := d.Model.Slack() / d.Model.TotalRate() * loaded
	s.Drift = d.Model.ArrivalRate()*r.InnerProduct() - rest
	s.DriftBound = s.Drift
	if s.Best.Tilted() {
		s.DriftBound = -d.Model.ArrivalRate()*s.Best.Tilt()/math.Sqrt(n)*s.Perpendicular - rest
	}
	return s
}

// rank sorts a distribution by server.
func (d *DispatchRule) rank(lengths []int64, p []float64) Ranked {
	r, _ := Rank(lengths, p, d.Model.Rates)
	return r
}

// Witness is a state in which a condition of class Π fails.
type Witness struct {
	Lengths   []int64 // by server
	Threshold int64   // in force, where HasThreshold
	// HasThreshold is false for policies without one, and in the slot in
	// which it has just been sampled.
	HasThreshold bool
	P            []float64 // by server
}

// PiMembership is the answer to whether a policy belongs to the class Π of
// policies that are throughput optimal and delay optimal in heavy traffic: an
// equivalent of its distribution is tilted in every state, and δ-tilted at least
// once in every window of T slots, with δ > 0 and T that do not depend on the
// load.
//
// The states checked are all with queue lengths (local estimates) up to Levels,
// servers of equal rate exchanged freely, each with all thresholds up to
// Levels. A failure is a proof, with a witness. A success says that there is no
// witness among these states.
type PiMembership struct {
	Levels int64 // longest queue of the states checked
	States int64 // states checked

	Tilted     bool     // in every state
	NotTilted  *Witness // with the fewest jobs; nil if there is none
	Tilt       float64  // smallest δ over the states in the slot of the window where it counts
	NotDelta   *Witness // state in which it is 0, with the fewest jobs; nil if there is none
	Window     int64    // T
	Member     bool     // no condition fails in the states checked
	Persistent bool     // the state of NotDelta may last for any number of slots
}

// Bounds on the work of [DispatchRule.Member], states times servers: what is
// done unasked (about a second) and at most.
const (
	easyWork = 2e6
	mostWork = 1e8
)

// Member checks all states with queues up to levels; 0 chooses the largest
// number of levels, at most one more than there are servers, that is checked in
// about a second. For policies that look only at the order of the queues N
// levels show every case.
func (d *DispatchRule) Member(ctx context.Context, levels int64) (*PiMembership, error) {
	if d.Model.Servers() == 1 {
		return nil, &ctmc.FieldError{Field: "servers", Value: 1, Allowed: ">= 2", Reason: "one server leaves nothing to dispatch"}
	}
	groups := d.exchangeable()
	work := func(levels int64) float64 { return stateCount(groups, levels) * float64(d.Model.Servers()) }
	if levels == 0 {
		for levels = 1; levels <= int64(d.Model.Servers()) && work(levels+1) <= easyWork; levels++ {
		}
	}
	if work(levels) > mostWork {
		return nil, &ctmc.TooLargeError{What: "states times servers", Value: work(levels), Limit: mostWork, Hint: "fewer levels or servers, or one state with --state"}
	}
	m := &PiMembership{Levels: levels, Tilt: math.Inf(1), Window: d.Window()}
	lengths := make([]int64, d.Model.Servers())
	err := visitStates(lengths, groups, levels, func() error {
		if m.States++; m.States%1000 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		d.inspect(m, lengths)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if m.NotDelta != nil {
		m.Tilt = 0
	}
	m.Tilted = m.NotTilted == nil
	m.Member = m.Tilted && m.Tilt > 0
	m.Persistent, err = d.mayStandStill()
	return m, err
}

// inspect checks one state.
func (d *DispatchRule) inspect(m *PiMembership, lengths []int64) {
	p := d.Sampled(lengths)
	best := d.rank(lengths, p).Best()
	tilt := best.Tilt()
	m.Tilt = math.Min(m.Tilt, tilt)
	if tilt <= slip {
		m.NotDelta = fewest(m.NotDelta, Witness{Lengths: lengths, P: p})
	}
	if !best.Tilted() {
		m.NotTilted = fewest(m.NotTilted, Witness{Lengths: lengths, P: p})
	}
	if d.Window() > 1 {
		d.inspectThresholds(m, lengths)
	}
}

// inspectThresholds tries every threshold that makes a difference: below all
// lengths, and each of the lengths.
func (d *DispatchRule) inspectThresholds(m *PiMembership, lengths []int64) {
	p := make([]float64, len(lengths))
	try := func(threshold int64) {
		d.declaration.Probabilities(&d.Model, lengths, threshold, p)
		if !d.equivalentToTilted(lengths, p) {
			m.NotTilted = fewest(m.NotTilted, Witness{Lengths: lengths, Threshold: threshold, HasThreshold: true, P: p})
		}
	}
	if least := slices.Min(lengths); least > 0 {
		try(least - 1)
	}
	for threshold := range m.Levels + 1 {
		if slices.Contains(lengths, threshold) {
			try(threshold)
		}
	}
}

// equivalentToTilted tells whether the distribution, probability moved within
// ties, can be tilted: whether sets of tied queues have an excess over their
// share first and a deficit after.
func (d *DispatchRule) equivalentToTilted(lengths []int64, p []float64) bool {
	behind := false
	for length, next := slices.Min(lengths), int64(0); length >= 0; length = next {
		next = -1
		excess := 0.0
		for n, q := range lengths {
			switch {
			case q == length:
				excess += p[n] - d.Model.Rates[n]/d.total
			case q > length && (next < 0 || q < next):
				next = q
			}
		}
		if excess > slip && behind {
			return false
		}
		behind = behind || excess < -slip
	}
	return true
}

// fewest keeps the witness with the fewest jobs, the first of those.
func fewest(known *Witness, w Witness) *Witness {
	jobs := func(lengths []int64) (sum int64) {
		for _, q := range lengths {
			sum += q
		}
		return sum
	}
	if known != nil && jobs(known.Lengths) <= jobs(w.Lengths) {
		return known
	}
	w.Lengths, w.P = slices.Clone(w.Lengths), slices.Clone(w.P)
	return &w
}

// exchangeable lists the servers by rate.
func (d *DispatchRule) exchangeable() [][]int {
	var groups [][]int
	place := map[float64]int{}
	for n, rate := range d.Model.Rates {
		k, known := place[rate]
		if !known {
			k = len(groups)
			place[rate] = k
			groups = append(groups, nil)
		}
		groups[k] = append(groups[k], n)
	}
	return groups
}

// stateCount is the product over groups of C(size + levels, levels).
func stateCount(groups [][]int, levels int64) float64 {
	count := 1.0
	for _, g := range groups {
		for k := 1; k <= len(g); k++ {
			count *= float64(levels+int64(k)) / float64(k)
		}
	}
	return math.Round(count)
}

// visitStates runs over the lengths that do not fall within a group.
func visitStates(lengths []int64, groups [][]int, levels int64, visit func() error) error {
	var fill func(group, member int, least int64) error
	fill = func(group, member int, least int64) error {
		switch {
		case group == len(groups):
			return visit()
		case member == len(groups[group]):
			return fill(group+1, 0, 0)
		}
		for length := least; length <= levels; length++ {
			lengths[groups[group][member]] = length
			if err := fill(group, member+1, length); err != nil {
				return err
			}
		}
		return nil
	}
	return fill(0, 0, 0)
}

// mayStandStill tells whether with positive probability nothing arrives and
// nothing is served in a slot: then every state lasts for as many slots as one
// likes with positive probability.
func (d *DispatchRule) mayStandStill() (bool, error) {
	arrivals, err := d.Model.ArrivalLaw()
	if err != nil {
		return false, err
	}
	services, err := d.Model.ServiceLaws()
	if err != nil {
		return false, err
	}
	still := mayBeZero(arrivals)
	for _, law := range services {
		still = still && mayBeZero(law)
	}
	return still, nil
}

func mayBeZero(law slotted.Law) bool {
	first, p := law.Window(1e-300)
	return first == 0 && p[0] > 0
}

func (w *Witness) String() string {
	if w.HasThreshold {
		return fmt.Sprintf("queues %v, threshold %d", w.Lengths, w.Threshold)
	}
	return fmt.Sprintf("queues %v", w.Lengths)
}
