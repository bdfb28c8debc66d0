package slotted

import "qlimit/ctmc"

// Policy is a dispatching rule. Its methods must not change it: one policy
// serves many runs.
type Policy interface {
	// String is the policy as [ParsePolicy] reads it.
	String() string
	// Validate reports what the policy does not allow (a *ctmc.FieldError).
	Validate(m *Model) error
	// Dispatcher returns the dispatchers of a run of a valid model, all
	// servers idle, nothing remembered. Messages that the servers send of
	// their own accord before the first slot go through the view.
	Dispatcher(m *Model, v *View) Dispatcher
	// Declaration states what theory needs to know.
	Declaration() Declaration
}

// Dispatcher is what decides in a run: all dispatchers of the system in one
// object, so that servers may choose whom to tell. It learns through the view
// alone, draws its random numbers from there, and allocates nothing once a run
// is under way.
type Dispatcher interface {
	// Choose returns the server, 0 .. N-1, of all jobs > 0 that arrived at a
	// dispatcher in this slot. Lengths are those of the start of the slot.
	Choose(v *View, dispatcher int, jobs int64) int
	// EndOfSlot is called after service. Lengths are those of the start of the
	// next slot.
	EndOfSlot(v *View)
	// MemoryBits is the size of what all dispatchers together have to
	// remember, a number counted with the bits of the largest one so far.
	MemoryBits() float64
}

// Estimating is a Dispatcher that keeps estimates of all queue lengths.
type Estimating interface {
	Dispatcher
	// Estimates are those of one dispatcher, valid until the next call of any
	// method.
	Estimates(dispatcher int) []int64
}

// Noted is a Policy whose results need a word of explanation, "" if not.
type Noted interface {
	Policy
	Note() string // one sentence for a footnote
}

// Memory says what a decision depends on.
type Memory string

const (
	Oblivious  Memory = "none"       // on nothing
	TrueLength Memory = "lengths"    // on the queue lengths when the slot begins
	Threshold  Memory = "threshold"  // on which of them are at most a threshold
	Remembered Memory = "remembered" // on what is remembered of some servers
	Local      Memory = "estimates"  // on local estimates of all queue lengths
)

// Declaration is what theory needs to know of a policy.
type Declaration struct {
	Memory Memory // what a decision depends on

	// Probabilities writes to p[n] the probability that server n is chosen,
	// ties broken as the policy breaks them: given the lengths for TrueLength,
	// given the local estimates of the dispatcher for Local, given lengths and
	// threshold for Threshold (whose stored servers are those with lengths at
	// most the threshold, see [ThresholdRule]). lengths and p have N entries.
	// nil for Remembered.
	Probabilities func(m *Model, lengths []int64, threshold int64, p []float64)

	Threshold ThresholdRule // for Threshold
	Updates   UpdateRule    // for Local
}

// ThresholdRule says how the threshold r of a policy with reporting servers is
// set: it starts at 0, and at the end of every Period-th slot becomes the
// shortest of Samples queues sampled uniformly without replacement, or the
// average of all queues rounded down.
type ThresholdRule struct {
	Period  int64 // T in slots; 0 = never
	Samples int64 // d
	Average bool  // the average of all queues, not the shortest of a sample
}

// UpdateRule says how the local estimates of M dispatchers are corrected, at
// the end of a slot.
type UpdateRule struct {
	Push    int64   // servers that a dispatcher samples when it had arrivals
	Reports bool    // a server that has become idle reports, and with probability Pull one that has served jobs
	Pull    float64 // probability of a report after a service
	Smart   bool    // it does, and the report goes to the dispatcher whose estimate is furthest off, not to one at random
	Refresh float64 // probability of each pair of dispatcher and server to be refreshed in a slot
}

// Kinds of messages: see [ctmc.Message].
const (
	Query  = ctmc.Query
	Reply  = ctmc.Reply
	Pull   = ctmc.Pull
	Update = ctmc.Update
)
