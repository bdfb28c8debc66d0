package sim

import (
	"context"
	"fmt"
	"math"
	"slices"

	"qlimit/ctmc"
	"qlimit/ctmc/slotted"
	"qlimit/validate/estimate"
)

// HeavyTrafficVerdict is the conclusion of a sweep.
type HeavyTrafficVerdict string

const (
	HeavyTrafficOptimal    HeavyTrafficVerdict = "consistent with heavy-traffic delay optimal" // β > 1/2
	NotHeavyTrafficOptimal HeavyTrafficVerdict = "not heavy-traffic delay optimal"             // β < 1/2
	HeavyTrafficUndecided  HeavyTrafficVerdict = "undecided"                                   // β cannot be told from 1/2, or not be fitted
	HeavyTrafficUnstable   HeavyTrafficVerdict = "not heavy-traffic delay optimal: unstable"   // the queues grow at some slack
)

// HeavyTrafficPoint is one slack of a sweep.
type HeavyTrafficPoint struct {
	Slack, Load float64           // ε and 1 - ε/μ_Σ
	Policy      slotted.Policy    // as it is at this slack
	Stable      bool              // the queues do not keep growing
	MeanQueue   estimate.Estimate // E ΣQ
	Scaled      estimate.Estimate // ε E ΣQ
	HalfZeta    float64           // ζ/2
	Ratio       estimate.Estimate // ε E ΣQ/(ζ/2), at least 1 - E U_Σ²/ζ
	Cross       estimate.Estimate // E[Q_Σ⁺ U_Σ]
	Error       estimate.Estimate // E|Q_n - Q̃_n| of policies with estimates
	Slots       int64             // simulated
	Warnings    []string          // sentences for footnotes
}

// HeavyTraffic is the outcome of [SweepHeavyTraffic].
type HeavyTraffic struct {
	Points []HeavyTrafficPoint // in decreasing slack

	// Exponent β of E[Q_Σ⁺ U_Σ] ~ ε^β, fitted to the Fitted points of the
	// smallest slacks by weighted least squares in logarithms, and its standard
	// error, inflated where the points do not lie on a line.
	Exponent, ExponentError float64
	Fitted                  int

	Verdict    HeavyTrafficVerdict // on the trend
	Confidence float64             // that β is on the side of 1/2 that the verdict says, by the normal law; 0.9999 stands for more
}

const (
	// A policy is heavy-traffic delay optimal iff E[Q_Σ⁺ U_Σ] -> 0 (given
	// E U_Σ² -> 0). Policies with a bounded ‖Q_⊥‖ have β = 1 up to
	// logarithms, those without have β = 0: the line is drawn in between.
	criticalExponent  = 0.5
	verdictConfidence = 0.95
	mostConfidence    = 0.9999
	leastSweep        = 3
)

// SweepHeavyTraffic runs a policy, which may depend on the slack, with
// decreasing slack ε = μ_Σ - λ_Σ and judges from the trend of the cross term
// whether ε E ΣQ tends to the limit of the pooled queue, (σ_Σ² + ν_Σ²)/2.
//
// The verdict is of a trend over the slacks given; what happens at smaller
// ones it cannot know. Slots of the settings are those of each slack.
//
// Errors: slacks that do not decrease or are too few, an invalid model or
// policy, or the error of the context.
func SweepHeavyTraffic(ctx context.Context, m *slotted.Model, policyAt func(slack float64) (slotted.Policy, error), slacks []float64, settings SlottedSettings) (*HeavyTraffic, error) {
	slacks = slices.Clone(slacks)
	slices.Sort(slacks)
	slices.Reverse(slacks)
	if err := checkSlacks(m, slacks); err != nil {
		return nil, err
	}
	out := &HeavyTraffic{}
	tell := settings.Progress
	for i, slack := range slacks {
		if tell != nil {
			settings.Progress = func(done, total float64, _ string) {
				tell(float64(i)+done/total, float64(len(slacks)), fmt.Sprintf("slack %g", slack))
			}
		}
		policy, err := policyAt(slack)
		if err != nil {
			return nil, err
		}
		r, err := RunSlotted(ctx, m.WithSlack(slack), policy, settings)
		if err != nil {
			return nil, err
		}
		if r.Ending == Interrupted {
			return nil, ctx.Err()
		}
		out.Points = append(out.Points, heavyTrafficPoint(r, slack))
	}
	out.judge()
	return out, nil
}

func checkSlacks(m *slotted.Model, slacks []float64) error {
	if len(slacks) < leastSweep {
		return &ctmc.FieldError{Field: "slacks", Value: len(slacks), Allowed: fmt.Sprintf("at least %d of them", leastSweep)}
	}
	for i, slack := range slacks {
		switch {
		case !(slack > 0 && slack < m.TotalRate()):
			return &ctmc.FieldError{Field: "slack", Value: slack, Allowed: fmt.Sprintf("> 0 and < the sum of the rates, %g", m.TotalRate())}
		case i > 0 && slack == slacks[i-1]:
			return &ctmc.FieldError{Field: "slack", Value: slack, Allowed: "given once"}
		}
	}
	return nil
}

func heavyTrafficPoint(r *SlottedResult, slack float64) HeavyTrafficPoint {
	return HeavyTrafficPoint{
		Slack: slack, Load: r.Model.Load, Policy: r.Policy, Stable: r.Stability.Stable,
		MeanQueue: r.MeanQueue,
		Scaled:    scaled(r.MeanQueue, slack), HalfZeta: r.Zeta / 2,
		Ratio: scaled(r.MeanQueue, 2*slack/r.Zeta),
		Cross: r.Cross, Error: r.EstimateError, Slots: r.Slots, Warnings: r.Warnings,
	}
}

// judge fits the exponent and draws the conclusion.
func (h *HeavyTraffic) judge() {
	for _, p := range h.Points {
		if !p.Stable {
			h.Verdict, h.Confidence = HeavyTrafficUnstable, mostConfidence
			return
		}
	}
	h.Verdict = HeavyTrafficUndecided
	h.Fitted = max(leastSweep, (len(h.Points)+1)/2)
	if !h.fit(h.Points[len(h.Points)-h.Fitted:]) {
		return
	}
	h.Confidence = math.Min(normalCDF(math.Abs(h.Exponent-criticalExponent)/h.ExponentError), mostConfidence)
	switch {
	case h.Confidence < verdictConfidence:
	case h.Exponent > criticalExponent:
		h.Verdict = HeavyTrafficOptimal
	default:
		h.Verdict = NotHeavyTrafficOptimal
	}
}

func normalCDF(z float64) float64 { return math.Erfc(-z/math.Sqrt2) / 2 }

// fit is false if some cross term is not positive beyond its error.
func (h *HeavyTraffic) fit(points []HeavyTrafficPoint) bool {
	var w, x, y []float64
	sum, meanX, meanY := 0.0, 0.0, 0.0
	for _, p := range points {
		c := p.Cross
		if c.Status != estimate.Usable || !(c.Value > 2*c.StandardError) || c.StandardError == 0 {
			return false
		}
		relative := c.StandardError / c.Value
		w, x, y = append(w, 1/(relative*relative)), append(x, math.Log(p.Slack)), append(y, math.Log(c.Value))
	}
	for i := range w {
		sum += w[i]
		meanX += w[i] * x[i]
		meanY += w[i] * y[i]
	}
	meanX, meanY = meanX/sum, meanY/sum
	xx, xy := 0.0, 0.0
	for i := range w {
		xx += w[i] * (x[i] - meanX) * (x[i] - meanX)
		xy += w[i] * (x[i] - meanX) * (y[i] - meanY)
	}
	h.Exponent = xy / xx
	misfit := 0.0
	for i := range w {
		off := y[i] - meanY - h.Exponent*(x[i]-meanX)
		misfit += w[i] * off * off
	}
	h.ExponentError = math.Sqrt(math.Max(1, misfit/float64(len(w)-2)) / xx)
	return true
}
