package validate

import (
	"context"
	"fmt"

	"qlimit/ctmc"
	"qlimit/ctmc/slotted"
	"qlimit/stein"
	"qlimit/validate/estimate"
	"qlimit/validate/sim"
)

// Ways to find a critical load.
const (
	AnyMethod = "auto"       // theory, else saturation, else detection
	Theory    = "theory"     // [stein.StabilityRegion]
	Saturated = "saturation" // [sim.CriticalBySaturation]
	Detection = "detection"  // [sim.DetectCritical]
)

// CriticalLoad is the load up to which a slotted policy is stable.
type CriticalLoad struct {
	Value, Low, High float64              // Low = High = Value for an exact one
	Fraction         string               // of an exact one, "" where it is no short one
	Kind             ctmc.Kind            // Exact, UpperBound or Estimate
	Method           string               // Theory, Saturated or Detection
	Level            float64              // of the interval; for Detection the confidence of its verdicts
	Because          string               // one sentence
	Trials           []sim.StabilityTrial // of Detection
	Slots            int64                // simulated
	Warnings         []string             // sentences for footnotes
}

// FindCriticalLoad finds the critical load by the given method. With AnyMethod
// nothing is simulated where theory knows the answer. width is the interval
// that Detection aims at. Errors: an invalid model or policy, a method that
// does not take the policy, or the error of the context.
func FindCriticalLoad(ctx context.Context, m *slotted.Model, p slotted.Policy, method string, width float64, settings sim.SlottedSettings) (*CriticalLoad, error) {
	region, err := stein.StabilityRegion(m, p)
	switch {
	case err != nil:
		return nil, err
	case region != nil && (method == AnyMethod || method == Theory):
		return &CriticalLoad{Value: region.CriticalLoad, Low: region.CriticalLoad, High: region.CriticalLoad, Fraction: region.Fraction,
			Kind: region.Kind, Method: Theory, Level: 1, Because: region.Because}, nil
	case method == Theory:
		return nil, &ctmc.FieldError{Field: "method", Value: method, Allowed: "auto, saturation or detection for this policy and these servers", Reason: "no theory gives the critical load of " + p.String()}
	case method == Saturated || method == AnyMethod && sim.LeavesToChance(m, p):
		return bySaturation(ctx, m, p, settings)
	}
	return byDetection(ctx, m, p, width, settings)
}

func bySaturation(ctx context.Context, m *slotted.Model, p slotted.Policy, settings sim.SlottedSettings) (*CriticalLoad, error) {
	s, err := sim.CriticalBySaturation(ctx, m, p, settings)
	if err != nil {
		return nil, err
	}
	c := &CriticalLoad{Value: 1, Low: s.Highest, High: 1, Kind: ctmc.Estimate, Method: Saturated, Level: estimate.DefaultLevel, Slots: s.Slots,
		Because: fmt.Sprintf("no set of slowest servers fills up below load %g", s.Highest)}
	if settings.Level > 0 {
		c.Level = settings.Level
	}
	if s.Found {
		c.Value, c.Low, c.High = s.Critical.Value, s.Critical.Value-s.Critical.HalfWidth, min(s.Critical.Value+s.Critical.HalfWidth, 1)
		c.Because = fmt.Sprintf("the %d slowest servers, kept busy, are there sent as much as they can serve", s.Servers)
		c.Warnings = s.Critical.Warnings
	}
	return c, nil
}

func byDetection(ctx context.Context, m *slotted.Model, p slotted.Policy, width float64, settings sim.SlottedSettings) (*CriticalLoad, error) {
	d, err := sim.DetectCritical(ctx, m, p, width, settings)
	if err != nil {
		return nil, err
	}
	c := &CriticalLoad{Value: d.Estimated(), Low: d.Stable, High: d.Unstable, Kind: ctmc.Estimate, Method: Detection, Level: d.Confidence,
		Trials: d.Trials, Slots: d.Slots, Because: "the queues stop growing at the lower end and grow linearly at the upper end"}
	if d.Unstable == 1 {
		c.Because = fmt.Sprintf("the queues do not grow linearly at load %g, the largest that is tested", d.Stable)
	}
	if d.Unstable-d.Stable > 2*width {
		c.Warnings = append(c.Warnings, "loads within the interval could not be decided: simulate more slots")
	}
	return c, nil
}
