package validate

import (
	"context"
	"fmt"

	"qlimit/ctmc"
	"qlimit/ctmc/slotted"
	"qlimit/validate/figure"
	"qlimit/validate/sim"
)

// HeavyTrafficStudy simulates dispatchers while the slack ε = μ_Σ - λ_Σ falls.
type HeavyTrafficStudy struct {
	Model    slotted.Model       // its load is not used
	Policies []slotted.Policy    // a curve for each
	Slacks   []float64           // ε of the points
	Settings sim.SlottedSettings // slots of each policy and slack
}

// Figure draws ε E ΣQ/(ζ/2) against ε: a policy is delay optimal in heavy traffic
// if and only if its curve tends to 1, as that of the resource-pooled queue does
// (Zhou, Shroff, Wierman 2021).
func (s HeavyTrafficStudy) Figure(ctx context.Context) (*figure.Figure, error) {
	f := &figure.Figure{
		Name:    "heavy-traffic",
		Title:   fmt.Sprintf("Towards heavy traffic: %d servers, %d dispatchers", len(s.Model.Rates), s.Model.DispatcherCount()),
		Caption: fmt.Sprintf("ε E ΣQ over ζ/2, the limit of the resource-pooled queue: policies that are delay optimal in heavy traffic tend to 1 as ε → 0. Simulated (estimates) with 95%% intervals, rates %s, seed %d.", slotted.FormatRates(s.Model.Rates), s.Settings.Seed),
		X:       figure.Axis{Label: "slack ε, jobs per slot", Scale: figure.Log},
		Y:       figure.Axis{Label: "ε E ΣQ over ζ/2", Scale: figure.Log},
		Size:    figure.DoubleColumn,
		Marks:   []figure.Mark{{Direction: figure.Horizontal, At: 1, Label: "delay optimal as ε → 0"}},
	}
	tell := s.Settings.Progress
	for i, policy := range s.Policies {
		settings := s.Settings
		if tell != nil {
			settings.Progress = func(done, total float64, _ string) {
				tell(float64(i)+done/total, float64(len(s.Policies)), policy.String())
			}
		}
		same := func(float64) (slotted.Policy, error) { return policy, nil }
		sweep, err := sim.SweepHeavyTraffic(ctx, &s.Model, same, s.Slacks, settings)
		if err != nil {
			return nil, err
		}
		series := figure.Series{Name: policy.String(), Kind: ctmc.Estimate, Style: figure.LinePoints, Group: i + 1}
		for _, p := range sweep.Points {
			if p.Stable && p.Ratio.Value > p.Ratio.HalfWidth {
				addEstimate(&series, p.Slack, p.Ratio)
			}
		}
		if len(series.X) > 0 {
			f.Series = append(f.Series, series)
		}
	}
	if len(f.Series) == 0 {
		return nil, fmt.Errorf("no policy is stable at any of the slacks")
	}
	return f, nil
}
