package sim

import (
	"context"
	"fmt"

	"qlimit/ctmc/slotted"
)

// StabilityTrial is the verdict on one load.
type StabilityTrial struct {
	Load float64 // λ_Σ/μ_Σ
	Stability
	// Undecided: after the longest run allowed the queues grow significantly,
	// but not yet as those of an unstable system do, or linear growth cannot be
	// excluded.
	Undecided bool
	Slots     int64 // of the run that decided
}

// Detected is the outcome of looking for the critical load by simulation: the
// largest load found stable and the smallest found unstable; Unstable is 1, by
// theory, where no load tested was unstable. Confidence is the smaller of those
// of the tests at the two ends: at the upper one that the queues grow, at the
// lower one that they do not grow linearly from the start of the run.
type Detected struct {
	Stable, Unstable float64          // the ends of the interval
	Confidence       float64          // the smaller of those at the two ends
	Trials           []StabilityTrial // in the order they were made
	Slots            int64            // all trials together
}

// Estimated is the middle of the interval; 1, which no policy exceeds, where
// every load tested was stable.
func (d *Detected) Estimated() float64 {
	if d.Unstable == 1 {
		return 1
	}
	return (d.Stable + d.Unstable) / 2
}

const (
	// Growth at this level makes a trial undecided, although a system whose
	// mean settles shows it once in ten trials: a longer run costs little, and a
	// slow growth taken for none would put the interval in the wrong place.
	significantGrowth = 0.9
	// Undecided trials are repeated with this many times the slots, so often.
	longerBy = 4
	longest  = 2
)

// DetectCritical brackets the critical load of a policy by bisection, with the
// test of growth (see [Stability]) as the judge, until the interval is narrower
// than width or what is left cannot be decided. Each trial has the slots of the
// settings; where it remains undecided it is repeated with 4 and 16 times as
// many. Loads above 0.99 are not
// tested: there a stable system takes longer to settle than a run lasts.
//
// Errors: an invalid model or policy, a setting out of range, or the error of
// the context.
func DetectCritical(ctx context.Context, m *slotted.Model, p slotted.Policy, width float64, settings SlottedSettings) (*Detected, error) {
	settings, err := settings.withDefaults()
	if err != nil {
		return nil, err
	}
	settings.PooledMean = nil // only growth is of interest
	search := &criticalSearch{model: m, policy: p, settings: settings, confidence: map[float64]float64{0: 1, 1: 1}}
	d := &search.found
	d.Unstable = 1
	if err := search.try(ctx, highestTested); err != nil {
		return nil, err
	}
	for d.Stable < highestTested {
		load, more := search.next(width)
		if !more {
			break
		}
		if err := search.try(ctx, load); err != nil {
			return nil, err
		}
	}
	d.Confidence = min(search.confidence[d.Stable], search.confidence[d.Unstable])
	return d, nil
}

type criticalSearch struct {
	model      *slotted.Model
	policy     slotted.Policy
	settings   SlottedSettings
	found      Detected
	confidence map[float64]float64 // of the verdicts by load
}

// next is the load to try: the middle of what is open or, since undecided loads
// form a gap in it, of what is left on either side of the gap.
func (c *criticalSearch) next(width float64) (load float64, more bool) {
	d := &c.found
	low, high := d.Unstable, d.Stable // of the gap
	for _, t := range d.Trials {
		if t.Undecided && t.Load > d.Stable && t.Load < d.Unstable {
			low, high = min(low, t.Load), max(high, t.Load)
		}
	}
	switch {
	case low > high:
		return (d.Stable + d.Unstable) / 2, d.Unstable-d.Stable > width
	case low-d.Stable > width/2:
		return (d.Stable + low) / 2, true
	}
	return (high + d.Unstable) / 2, d.Unstable-high > width/2
}

// try judges one load.
func (c *criticalSearch) try(ctx context.Context, load float64) error {
	tried, settings := *c.model, c.settings
	tried.Load = load
	trial := StabilityTrial{Load: load}
	for attempt := 0; ; attempt++ {
		if p := c.settings.Progress; p != nil {
			settings.Progress = func(done, total float64, _ string) { p(done, total, fmt.Sprintf("load %.4f", load)) }
		}
		result, err := RunSlotted(ctx, &tried, c.policy, settings)
		if err != nil {
			return fmt.Errorf("load %.4g: %w", load, err)
		}
		if result.Ending == Interrupted {
			return context.Cause(ctx)
		}
		trial.Stability, trial.Slots = result.Stability, result.Slots
		c.found.Slots += result.Slots
		trial.Undecided = trial.Stable && (trial.Growing > significantGrowth || trial.Confidence < growthLevel)
		if !trial.Undecided || attempt == longest {
			break
		}
		settings.Slots *= longerBy
	}
	c.found.Trials = append(c.found.Trials, trial)
	c.confidence[load] = trial.Confidence
	switch {
	case trial.Undecided:
	case trial.Stable:
		c.found.Stable = max(c.found.Stable, load)
	default:
		c.found.Unstable = min(c.found.Unstable, load)
	}
	return nil
}
