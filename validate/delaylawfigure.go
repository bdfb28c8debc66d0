package validate

import (
	"fmt"

	"qlimit/diffusion"
	"qlimit/validate/figure"
)

// DelayLawFigure draws P(T > t) of the response time T in the non-degenerate
// slowdown limits, exponential service (Gupta, Walton 2019): JSQ and I1F have
// the same law of the number of jobs, not of the response.
func DelayLawFigure(spare float64) (*figure.Figure, error) {
	least := 1e-3
	f := &figure.Figure{
		Name:    "nds-response",
		Title:   fmt.Sprintf("Response times in non-degenerate slowdown, arrival rate N − %g", spare),
		Caption: "P(T > t) in the limit N → ∞, exponential service, time in mean service times.",
		X:       figure.Axis{Label: "response time t"},
		Y:       figure.Axis{Label: "P(T > t)", Scale: figure.Log, Min: &least},
		Size:    figure.DoubleColumn,
	}
	const step, longest = 0.1, 200.0
	for group, d := range []diffusion.Discipline{diffusion.CQ, diffusion.JSQ, diffusion.I1F, diffusion.IQF} {
		limit := diffusion.NDS{Discipline: d, Spare: spare, Service: unitExponential}
		delay, err := limit.Delay()
		if err != nil {
			return nil, err
		}
		name := map[string]string{"cq": "CQ", "jsq": "JSQ", "i1f": "I1F", "iqf": "IQF"}[d.Name]
		s := figure.Series{Name: name, Kind: limit.Kind(), Group: group + 1}
		for t := 0.0; t <= longest; t += step {
			p := delay.ResponseSurvival(t)
			if p < least {
				break
			}
			s.X, s.Y = append(s.X, t), append(s.Y, p)
		}
		f.Series = append(f.Series, s)
	}
	return f, nil
}
