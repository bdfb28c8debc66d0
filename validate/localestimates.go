package validate

import (
	"context"

	"qlimit/ctmc/slotted"
	"qlimit/stein"
	"qlimit/validate/estimate"
	"qlimit/validate/sim"
)

// EstimateError is the error of local estimates at one load: measured, and the
// bound that the updates promise.
type EstimateError struct {
	Load, Slack float64           // λ_Σ/μ_Σ and ε = μ_Σ - λ_Σ
	Measured    estimate.Estimate // E|Q_n - Q̃_n|, mean over pairs of dispatcher and server
	Second      estimate.Estimate // E|Q_n - Q̃_n|²
	Bound       float64           // of the largest pair's
	HasBound    bool              // there is a Bound
}

// MeasureEstimateErrors simulates a policy with local estimates at the slack of
// the model, its half and its quarter: delay optimality in heavy traffic asks
// for an error that stays bounded as the slack falls.
func MeasureEstimateErrors(ctx context.Context, m *slotted.Model, p slotted.Policy, settings sim.SlottedSettings) ([]EstimateError, error) {
	var list []EstimateError
	for part := 1.0; part >= 0.25; part /= 2 {
		tried := m.WithSlack(m.Slack() * part)
		promise, err := stein.LocalEstimates(tried, p)
		if err != nil {
			return nil, err
		}
		result, err := sim.RunSlotted(ctx, tried, p, settings)
		if err != nil {
			return nil, err
		}
		if result.Ending == sim.Interrupted {
			return nil, context.Cause(ctx)
		}
		list = append(list, EstimateError{Load: tried.Load, Slack: tried.Slack(), Measured: result.EstimateError, Second: result.EstimateErrorSq,
			Bound: promise.ErrorBound, HasBound: promise.Bounded})
	}
	return list, nil
}
