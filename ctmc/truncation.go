package ctmc

import (
	"context"
	"fmt"
	"math"
)

// Truncation says how a chain without end was cut to the states that carry
// probability, and what that may have done to MeanJobs.
type Truncation struct {
	Threshold    float64 // states of less stationary probability were left out
	Neglected    float64 // estimated stationary probability of all that was left out
	LongestQueue int     // longest queue that was kept

	// Lower and Upper are proved bounds on MeanJobs, up to the errors of the
	// linear solves, where Certified says so: for JSQ with exponential service.
	Certified    bool
	Lower, Upper float64
}

// DefaultTruncatedStates is the number of states up to which a truncated chain
// grows by default; beyond half of it only where the mean is still
// uncertain by more than fairEffect.
const DefaultTruncatedStates = int64(2_000_000)

// The threshold falls by thresholdStep until the neglected mass and the
// relative change of the mean are below these, or the states run out.
const (
	firstThreshold   = 1e-3
	lastThreshold    = 1e-19
	thresholdStep    = 10
	neglectedMass    = 1e-12
	truncationEffect = 1e-10
)

// The search does not begin a step that would probably exceed the number of
// states once the mean changes by less than fairEffect.
const fairEffect = 1e-6

// A mean of a law with a larger residual says nothing: the sweeps were too few.
const unsettled = 1e-5

// A cut that changes the mean by more than largestEffect of itself is no answer.
const largestEffect = 3e-3

// tailMass is the probability beyond the highest number of jobs that is kept.
const tailMass = 1e-16

// truncated is the search for the states that carry probability.
type truncated struct {
	system    System
	settings  SolverSettings
	limit     int
	enough    int // states beyond which a fair answer will do
	set       *stateSet
	law       *Law
	mean      float64 // jobs per server
	certified bool    // the set is fit for [truncated.certify]
}

// solveTruncated finds the stationary measures of a system with an unlimited
// buffer on the states that carry probability. The set of states starts as the
// balanced states, with queues that differ by at most one job; it grows by the
// states into which more than a threshold of probability flows, while a few
// sweeps keep the law on it up to date; then the threshold falls.
func solveTruncated(ctx context.Context, s System, settings SolverSettings, maxStates int64) (*Stationary, error) {
	t := newTruncated(s, settings, maxStates)
	found, err := t.solution(ctx)
	if err != nil {
		return nil, err
	}
	r := found.measures
	if t.certified {
		if err := t.certify(ctx, r); err != nil {
			return nil, err
		}
	}
	return r, nil
}

func newTruncated(s System, settings SolverSettings, maxStates int64) *truncated {
	enough := maxStates
	if maxStates == 0 {
		maxStates, enough = DefaultTruncatedStates, DefaultTruncatedStates/2
	}
	t := &truncated{system: s, settings: settings, limit: int(min(maxStates, maxNumberedStates)), enough: int(min(enough, maxNumberedStates)), set: newStateSet(s)}
	t.set.most = settings.Memory
	return t
}

// solution finds the set of states and solves the chain on it.
func (t *truncated) solution(ctx context.Context) (*solution, error) {
	threshold, change, err := t.search(ctx)
	if err != nil {
		return nil, err
	}
	if t.system.certifiable() {
		if t.certified, err = t.widen(ctx); err != nil {
			return nil, err
		}
	}
	generator, err := t.set.generator(ctx, downward)
	if err != nil {
		return nil, err
	}
	t.settings.start = t.start(generator)
	if t.law, err = generator.Stationary(ctx, t.settings); err != nil {
		return nil, err
	}
	t.set.update(t.law.Probability)
	r := t.set.census(t.set.longest(), t.law, t.settings.Threads).result(generator, t.law)
	r.System.Buffer = t.set.longest()
	r.Truncated, r.TruncationError = true, change
	r.Truncation = Truncation{Threshold: threshold, Neglected: t.neglected(), LongestQueue: r.System.Buffer}
	return &solution{r, generator, t.law}, nil
}

// search grows the set until the truncation does no harm. It returns the
// threshold reached and an estimate of the error of the mean, on the large side.
func (t *truncated) search(ctx context.Context) (threshold, change float64, err error) {
	if err := t.raise(ctx, t.firstTop()); err != nil {
		return 0, 0, err
	}
	states, growth, before, complete := 0, 1.0, math.Inf(1), true
	change = math.Inf(1)
	settled := false
	for threshold = firstThreshold; ; threshold /= thresholdStep {
		mean := t.mean
		fits, err := t.growTo(ctx, threshold)
		if err != nil {
			return 0, 0, err
		}
		wasSettled := settled
		settled = t.law.Residual <= unsettled
		if states > 0 {
			before, change = change, math.Inf(1)
			if settled && wasSettled {
				change = math.Abs(t.mean - mean)
			}
			growth = float64(len(t.set.order)) / float64(states)
		}
		states, complete = len(t.set.order), fits
		enough := t.neglected() <= neglectedMass && change <= truncationEffect*t.mean
		fair := change <= fairEffect*t.mean && float64(states)*growth > float64(t.enough)
		if enough || fair || !fits || threshold < lastThreshold {
			break
		}
		if steps := stepsTo(largestEffect*t.mean, change, before); float64(states)*math.Pow(growth, steps) > hopeless*float64(t.limit) {
			break
		}
	}
	if change > largestEffect*t.mean {
		if err := withinMemory(t.set.memory()*growth, t.set.most); err != nil {
			return 0, 0, err
		}
		steps := math.Max(1, stepsTo(largestEffect*t.mean, change, before))
		return 0, 0, &TooLargeError{What: "states", Value: float64(states) * math.Pow(growth, steps), Limit: float64(t.limit),
			Hint: fmt.Sprintf("%d states leave the mean %s; give a finite buffer, allow more states, or simulate", states, uncertain(change))}
	}
	return threshold, remaining(change, before, complete), nil
}

func uncertain(change float64) string {
	if math.IsInf(change, 1) {
		return "unknown: the law on them does not settle"
	}
	return fmt.Sprintf("uncertain by %.2g", change)
}

// remaining estimates by how much the mean would still change from the changes
// that the last two lowerings of the threshold made: as a geometric series, and
// not below the last one. A lowering that was cut short, by the limit of the
// number of states, says less than the one before.
func remaining(change, before float64, complete bool) float64 {
	switch ratio := change / before; {
	case math.IsInf(before, 1) || !(ratio < 1):
		return change
	case !complete:
		return before
	default:
		return change * math.Max(1, ratio/(1-ratio))
	}
}

// hopeless is how many times the states to come must exceed the limit, as they
// grow now, for the search to end.
const hopeless = 5

// stepsTo extrapolates how many more steps a geometrically falling change needs
// to reach a goal; 0 when that cannot be seen yet.
func stepsTo(goal, change, before float64) float64 {
	if change <= goal || !(change < before) || math.IsInf(before, 1) {
		return 0
	}
	return math.Log(goal/change) / math.Log(change/before)
}

// firstTop is a number of jobs that the system hardly ever exceeds if the
// number decays like load^jobs, as in the pooled queue.
func (t *truncated) firstTop() int {
	s := t.system
	decay := -math.Log(s.Load) / math.Max(1, (1+s.Service.SCV())/2)
	top := float64(s.Servers)*(1+s.Load) + math.Log(1/tailMass)/decay
	return int(math.Min(top, math.MaxInt32/2))
}

func (t *truncated) raise(ctx context.Context, top int) error {
	if top > t.limit {
		return &TooLargeError{What: "states", Value: float64(top), Limit: float64(t.limit),
			Hint: "the number of jobs alone takes that many; give a finite buffer, allow more states, or simulate"}
	}
	return t.set.raise(ctx, top)
}

// mostOutside is the probability outside the set above which its law does not tell
// how the number of jobs decays.
const mostOutside = 0.1

// growTo grows the set by the states of at least the threshold, until nearly
// none is left outside; false when there are too many.
func (t *truncated) growTo(ctx context.Context, threshold float64) (bool, error) {
	const rounds, few = 5, 1.05
	for range rounds {
		before := len(t.set.order)
		if err := t.set.grow(ctx, threshold, t.limit); err != nil {
			return false, err
		}
		if err := t.solve(ctx); err != nil {
			return false, err
		}
		if !t.set.fits(t.limit) {
			return false, nil
		}
		beyond, ratio := t.beyondTop()
		if beyond > tailMass && ratio < 1 && t.neglected() < mostOutside {
			if err := t.raise(ctx, t.set.highest+1+int(math.Log(tailMass/beyond)/math.Log(ratio))); err != nil {
				return false, err
			}
		} else if float64(len(t.set.order)) <= few*float64(before) {
			break
		}
	}
	return true, nil
}

// solve brings the law on the set up to date, as exactly as the truncation
// deserves.
func (t *truncated) solve(ctx context.Context) error {
	g, err := t.set.generator(ctx, downward)
	if err != nil {
		return err
	}
	settings := t.settings
	settings.Method, settings.MaxIterations = Krylov, 10*(extrapolationWindow+2)
	settings.Tolerance = math.Max(settings.Tolerance, 0.003*t.neglected())
	settings.start = t.start(g)
	law, err := g.stationaryByIteration(ctx, settings)
	if err != nil {
		return err
	}
	t.law = law
	t.set.update(law.Probability)
	t.mean = 0
	for k, number := range t.set.order {
		t.mean += law.Probability[k] * float64(t.set.total[number])
	}
	t.mean /= float64(t.system.Servers)
	return nil
}

// leastStart keeps the first iterate positive.
const leastStart = 1e-200

// start is the estimated law in the order of storage.
func (t *truncated) start(g *Generator) []float64 {
	start := make([]float64, len(t.set.order))
	for k, number := range t.set.order {
		start[k] = t.set.estimate[number] + leastStart
	}
	return g.byPosition(start)
}

// neglected estimates the probability outside the set by what flows out of it.
func (t *truncated) neglected() float64 {
	sum := 0.0
	for number, p := range t.set.estimate {
		if t.set.expanded[number] == 0 {
			sum += p
		}
	}
	return sum
}

// beyondTop estimates the probability beyond the highest number of jobs from
// the two highest, and returns the ratio at which it decays.
func (t *truncated) beyondTop() (beyond, ratio float64) {
	top, last := 0.0, 0.0
	for _, number := range t.set.order {
		switch int(t.set.total[number]) {
		case t.set.highest:
			top += t.set.estimate[number]
		case t.set.highest - 1:
			last += t.set.estimate[number]
		}
	}
	if top == 0 || last == 0 {
		return 0, 0
	}
	ratio = top / last
	if ratio >= 1 {
		return 1, ratio
	}
	return top * ratio / (1 - ratio), ratio
}

// longest is the longest queue in the set.
func (t *stateSet) longest() int {
	longest := int32(0)
	for _, number := range t.order {
		t.state = decodeRuns(t.table.code(int(number)), t.state[:0])
		longest = max(longest, t.walk.level(t.state[len(t.state)-1].class))
	}
	return int(longest)
}

// census averages over a law on the set.
func (t *stateSet) census(levels int, law *Law, threads int) *census {
	return takeCensus(t.walk.system, levels, len(t.order), workersFor(threads, len(t.order)), func(low, high int, visit func(p float64, state []run)) {
		var state []run
		for k := low; k < high; k++ {
			state = decodeRuns(t.table.code(int(t.order[k])), state[:0])
			visit(law.Probability[k], state)
		}
	})
}

// TrustedDigits is the number of decimal digits of MeanJobs that the estimated
// errors of truncation and solution leave.
func (r *Stationary) TrustedDigits() int {
	relative := r.TruncationError/r.MeanJobs + r.Law.Error + 1e-15
	return max(0, int(-math.Log10(relative)))
}
