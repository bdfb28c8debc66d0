package ctmc

// DefaultMemory is the memory that a chain and its solution may take by
// default, in bytes.
const DefaultMemory = int64(12) << 30

// What is kept, measured with little garbage: a chain and its solution take
// bytesPerState and bytesPerTransition; a set of states that is found by
// following transitions takes more for each that is known, and again for each
// that is expanded.
const (
	bytesPerState      = 120
	bytesPerTransition = 12

	bytesPerKnown    = 60
	bytesPerExpanded = bytesPerState + 40
	bytesPerOutgoing = bytesPerTransition + 20
)

// checkMemory refuses a chain on all states before memory is asked for. A class
// is occupied in a fraction N/(N + classes - 1) of the states; each occupied
// class has at most two transitions out besides the arrivals.
func (s System) checkMemory(states float64, limit int64) error {
	classes := float64(s.Buffer * s.Phases())
	n := float64(s.Servers)
	moves := 2 * classes
	if s.Phases() == 2 {
		moves = 2.5 * classes
	}
	moves *= n / (n + classes)
	if s.isTall() {
		return withinMemory(states*(bytesPerKnown+bytesPerExpanded+bytesPerOutgoing*moves), limit)
	}
	return withinMemory(states*(bytesPerState+bytesPerTransition*moves), limit)
}

// checkMemory refuses a chain before memory is asked for: from a state lead an
// arrival, a message and the departures from the levels that are occupied.
func (c *PullChain) checkMemory(limit int64) error {
	levels, n := float64(c.system.Buffer), float64(c.system.Servers)
	moves := 2 + levels*n/(n+levels)
	return withinMemory(float64(c.States())*(bytesPerState+bytesPerTransition*moves), limit)
}

// memory is about what the set takes, with a generator on it and its solution.
func (t *stateSet) memory() float64 {
	return float64(len(t.table.arena)) + bytesPerKnown*float64(t.table.len()) +
		bytesPerExpanded*float64(len(t.order)) + bytesPerOutgoing*float64(len(t.out))
}

// withinMemory refuses what takes more than the limit, 0 for [DefaultMemory].
func withinMemory(bytes float64, limit int64) error {
	limit = memoryLimit(limit)
	if bytes <= float64(limit) {
		return nil
	}
	const gibi = 1 << 30
	return &TooLargeError{What: "memory in GiB", Value: bytes / gibi, Limit: float64(limit) / gibi,
		Hint: "use fewer servers, a smaller buffer or a smaller load, allow more memory, or simulate"}
}

func memoryLimit(limit int64) int64 {
	if limit == 0 {
		return DefaultMemory
	}
	return limit
}
