package sim

import (
	"fmt"
	"math"
	"time"

	"qlimit/ctmc"
	"qlimit/ctmc/slotted"
	"qlimit/validate/estimate"
)

// SlottedMeasures are the stationary measures of a slotted system, for the
// whole system and in slots. Every estimate is of kind ctmc.Estimate.
type SlottedMeasures struct {
	// MeanQueue is E Σ_n Q_n when a slot begins, arrivals not yet there;
	// MeanResponse follows by Little's law, E ΣQ/λ_Σ: the number of slots whose
	// beginning a job sees, 0 for one that is served in the slot it comes in.
	// Both are the best the run has to say; PlainQueue is the time average.
	MeanQueue, MeanResponse, PlainQueue estimate.Estimate
	QueueMethod                         string // how MeanQueue was found

	Throughput      estimate.Estimate    // jobs served per slot
	Cross           estimate.Estimate    // E[Q_Σ⁺ U_Σ]
	Unused          estimate.Estimate    // E U_Σ = ε if stable
	UnusedTwo       estimate.Estimate    // E U_Σ²
	Across          [3]estimate.Estimate // E ‖Q_⊥‖^k, k = 1, 2, 4; Q_⊥ = Q - (ΣQ/N)(1, .., 1)
	EstimateError   estimate.Estimate    // E|Q_n - Q̃_n| over pairs of dispatcher and server; Undefined if none are kept
	EstimateErrorSq estimate.Estimate    // E|Q_n - Q̃_n|²

	Messages               [ctmc.MessageKinds]estimate.Estimate // per arrival slot
	MessagesPerArrivalSlot estimate.Estimate                    // per slot and dispatcher with arrivals
	MessagesPerJob         estimate.Estimate                    // of all kinds
	MemoryBits             float64                              // of all dispatchers, the most of any replication

	// By server; empty with more than 200 servers.
	ServerQueue []estimate.Estimate // E Q_n
	ServerLoad  []estimate.Estimate // jobs sent per slot/μ_n
	ServerError []estimate.Estimate // E|Q_n - Q̃_n|, mean over dispatchers
}

// SlottedResult of RunSlotted.
type SlottedResult struct {
	Model  *slotted.Model // that was simulated
	Policy slotted.Policy // that was simulated
	SlottedMeasures
	Stability Stability     // whether the queues keep growing
	Controls  ControlReport // what the control variates did

	PooledKnown  bool          // there is a PooledMean
	PooledMean   float64       // E q, exact, where it is known
	Zeta         float64       // σ_Σ² + ν_Σ² + ε²
	Slots        int64         // simulated, warm-up included
	Elapsed      time.Duration // wall clock
	Replications int           // independent runs
	SlotsPerRun  int64         // of each replication
	WarmUp       int64         // slots of each replication left out
	WarmUpRule   string        // how it was chosen
	Ending       Ending        // why the run stopped
	Warnings     []string      // sentences for footnotes
}

// SlotsPerSecond is the speed of the run over all threads.
func (r *SlottedResult) SlotsPerSecond() float64 {
	if r.Elapsed <= 0 {
		return 0
	}
	return float64(r.Slots) / r.Elapsed.Seconds()
}

// Names of the estimators of the mean queue.
const (
	byTimeAverage = "time average"
	byControls    = "control variates"
	byBoundary    = "boundary identity"
)

func (e *slottedExperiment) result(policy int, interrupted bool) *SlottedResult {
	cells := e.series.OriginalCells()
	r := &SlottedResult{
		Model: e.model, Policy: e.policies[policy],
		SlottedMeasures: undefinedMeasures(e.settings.Level),
		Stability:       e.stability(policy), Zeta: e.layout.zeta,
		Slots:        int64(len(e.runs)) * int64(cells) * int64(e.slots),
		Elapsed:      time.Since(e.started),
		Replications: len(e.runs), SlotsPerRun: int64(cells) * int64(e.slots),
		Ending: BudgetSpent,
	}
	if e.layout.knowsPooled() {
		r.PooledKnown, r.PooledMean = true, e.layout.pooledMean
	}
	warm := e.warmUp(policy)
	r.WarmUp = int64(warm.Cells) * int64(max(warm.Span, 1)) * int64(e.slots)
	r.WarmUpRule = warm.Rule
	if interrupted {
		r.Ending = Interrupted
		r.Warnings = append(r.Warnings, fmt.Sprintf("interrupted: the estimates use the %d slots that all replications had simulated", r.SlotsPerRun))
	}
	e.addFlows(r, policy, warm)
	if !r.Stability.Stable {
		r.Warnings = append(r.Warnings, "unstable: the queues grow without bound and have no stationary mean")
		return r
	}
	e.addQueues(r, policy, warm)
	if !warm.Reliable && e.settings.WarmUp >= 0 && r.QueueMethod == byTimeAverage {
		r.Warnings = append(r.Warnings, "the warm-up may be longer than the run: simulate more slots")
	}
	return r
}

// undefinedMeasures have no values, but the level of those to come.
func undefinedMeasures(level float64) SlottedMeasures {
	none := estimate.Estimate{Level: level}
	return SlottedMeasures{
		MeanQueue: none, MeanResponse: none, PlainQueue: none, Cross: none, Unused: none, UnusedTwo: none,
		Across: [3]estimate.Estimate{none, none, none}, EstimateError: none, EstimateErrorSq: none,
	}
}

func (e *slottedExperiment) warmUp(policy int) estimate.WarmUp {
	if w, given := e.givenWarmUp(); given {
		return w
	}
	own := e.layout.block(policy)
	return e.pastStart(e.series.WarmUp(own+slotQueue, own+slotAcross))
}

// pastStart leaves out the first cell in any case: a system without
// randomness has nothing else to show where it began.
func (e *slottedExperiment) pastStart(w estimate.WarmUp) estimate.WarmUp {
	return longer(w, e.series.FixedWarmUp(1))
}

func (e *slottedExperiment) givenWarmUp() (w estimate.WarmUp, given bool) {
	switch slots := e.settings.WarmUp; {
	case slots < 0:
		return estimate.NoWarmUp(), true
	case slots > 0:
		return e.series.FixedWarmUp(int(math.Min(math.Ceil(slots/float64(e.slots)), slottedCells))), true
	}
	return w, false
}

// addFlows fills in what an unstable system has, too.
func (e *slottedExperiment) addFlows(r *SlottedResult, policy int, warm estimate.WarmUp) {
	own, level := e.layout.block(policy), e.settings.Level
	r.Throughput = silentConstant(e.series.Mean(own+slotServed, warm, level))
	all := estimate.Linear{}
	for kind := range r.Messages {
		column := own + slotMessages + kind
		r.Messages[kind] = wholeConstant(e.series.Ratio(estimate.ColumnMean(column), estimate.ColumnMean(slotDecisions), warm, level))
		all.Columns = append(all.Columns, column)
		all.Coefficients = append(all.Coefficients, 1)
	}
	r.MessagesPerArrivalSlot = wholeConstant(e.series.Ratio(all, estimate.ColumnMean(slotDecisions), warm, level))
	r.MessagesPerJob = silentConstant(e.series.Ratio(all, estimate.ColumnMean(slotArrived), warm, level))
	for _, one := range e.runs {
		r.MemoryBits = math.Max(r.MemoryBits, one.states[policy].dispatcher.MemoryBits())
	}
	for n := range e.layout.perServer {
		r.ServerLoad = append(r.ServerLoad, silentConstant(scaled(e.series.Mean(e.layout.serverSent(policy, n), warm, level), 1/e.model.Rates[n])))
	}
}

// wholeConstant: a number of messages that is the same for every decision is
// a whole number, which the division by slots may have missed by a rounding.
func wholeConstant(e estimate.Estimate) estimate.Estimate {
	const rounding = 1e-12
	whole := math.Round(e.Value)
	if e.Status == estimate.Undefined || e.StandardError > rounding*math.Abs(e.Value) || math.Abs(e.Value-whole) > rounding*whole {
		return e
	}
	return estimate.Estimate{Status: estimate.Constant, Value: whole, Level: e.Level, Cells: e.Cells}
}

// addQueues fills in the stationary measures.
func (e *slottedExperiment) addQueues(r *SlottedResult, policy int, warm estimate.WarmUp) {
	own, level := e.layout.block(policy), e.settings.Level
	mean := func(column int) estimate.Estimate {
		return silentConstant(e.series.Mean(own+column, warm, level))
	}
	e.addMeanQueue(r, policy, warm)
	r.Unused = mean(slotUnused)
	r.Cross = narrower(e.perUnused(policy, slotCross, warm), mean(slotCross))
	r.UnusedTwo = narrower(e.perUnused(policy, slotUnusedTwo, warm), mean(slotUnusedTwo))
	for k, column := range []int{slotAcross, slotAcrossTwo, slotAcrossFour} {
		r.Across[k] = mean(column)
	}
	keepsEstimates := e.runs[0].states[policy].estimating != nil
	if keepsEstimates {
		r.EstimateError, r.EstimateErrorSq = mean(slotErrors), mean(slotErrorsTwo)
	}
	for n := range e.layout.perServer {
		r.ServerQueue = append(r.ServerQueue, silentConstant(e.series.Mean(e.layout.serverQueue(policy, n), warm, level)))
		if keepsEstimates {
			r.ServerError = append(r.ServerError, silentConstant(e.series.Mean(e.layout.serverError(policy, n), warm, level)))
		}
	}
}

// addMeanQueue takes the best of three estimates of E ΣQ.
func (e *slottedExperiment) addMeanQueue(r *SlottedResult, policy int, warm estimate.WarmUp) {
	r.PlainQueue = e.series.Mean(e.layout.block(policy)+slotQueue, warm, e.settings.Level)
	r.MeanQueue, r.QueueMethod = r.PlainQueue, byTimeAverage
	if e.layout.knowsPooled() {
		improved, report := e.controlledQueue(policy, warm, r.PlainQueue)
		if r.Controls = report; report.Used && better(improved, r.MeanQueue) {
			r.MeanQueue, r.QueueMethod = improved, byControls
		}
		boundary := e.boundaryQueue(policy, warm)
		doubtful := len(boundary.Warnings) > 0 && len(r.MeanQueue.Warnings) > 0
		if boundary.Status == estimate.Usable && (doubtful || better(boundary, r.MeanQueue)) && !contradicts(r.PlainQueue, boundary) {
			// Where all are in doubt it is the one that forgets the start first.
			r.MeanQueue, r.QueueMethod = boundary, byBoundary
		}
		r.Controls.Used = r.QueueMethod == byControls
	}
	if rate := e.model.ArrivalRate(); rate > 0 {
		r.MeanResponse = scaled(r.MeanQueue, 1/rate)
	}
}

// better prefers an estimate without warnings, then the narrower one.
func better(a, b estimate.Estimate) bool {
	switch {
	case a.Status != estimate.Usable || b.Status != estimate.Usable:
		return false
	case len(a.Warnings) == 0 != (len(b.Warnings) == 0):
		return len(a.Warnings) == 0
	}
	return a.StandardError < b.StandardError
}

// controlledQueue regresses the mean queue on the controls.
func (e *slottedExperiment) controlledQueue(policy int, warm estimate.WarmUp, plain estimate.Estimate) (estimate.Estimate, ControlReport) {
	column := e.layout.block(policy) + slotQueue
	groups := e.layout.groups(policy)
	w, given := e.givenWarmUp()
	if !given {
		w = e.series.Controls(estimate.Sums(groups), estimate.NoWarmUp()).WarmUp(column)
	}
	c := e.series.Controls(estimate.Sums(groups), w)
	if !c.Stationary(column) && warm.Cells > w.Cells {
		c = e.series.Controls(estimate.Sums(groups), warm)
	}
	improved := c.Mean(column, e.settings.Level)
	return improved, judged(c, column, len(groups), plain, improved)
}

// contradicts tells whether an estimate is far from a plain one that has
// nothing to be warned of.
func contradicts(plain, other estimate.Estimate) bool {
	return len(plain.Warnings) == 0 && plain.Status == estimate.Usable &&
		math.Abs(other.Value-plain.Value) > farthestApart*math.Hypot(plain.StandardError, other.StandardError)
}
