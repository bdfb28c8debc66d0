package validate

import (
	"context"
	"fmt"

	"qlimit/ctmc"
	"qlimit/validate/figure"
)

// Probabilities below leastDrawn are left out of the figures of exact chains.
const leastDrawn = 1e-12

// ChainTotal draws P(k jobs in the system) of exactly solved systems, on a
// logarithmic axis.
func ChainTotal(solved []*ctmc.Stationary) *figure.Figure {
	f := chainFigure("chain-total", solved)
	f.Caption = "Exact stationary probabilities of the number of jobs in the system."
	f.X, f.Y = figure.Axis{Label: "jobs in the system"}, figure.Axis{Label: "probability", Scale: figure.Log}
	for _, r := range solved {
		s := figure.Series{Name: chainLabel(r, r.MeanJobs*float64(r.System.Servers)), Kind: ctmc.Exact}
		for k, p := range r.Total {
			if p >= leastDrawn {
				s.X, s.Y = append(s.X, float64(k)), append(s.Y, p)
			}
		}
		f.Series = append(f.Series, s)
	}
	return f
}

// ResponseTails draws P(response > t) of exactly solved systems down to a least
// probability, on a logarithmic axis.
func ResponseTails(ctx context.Context, solved []*ctmc.Stationary, least float64) (*figure.Figure, error) {
	const points = 200
	f := chainFigure("response-tail", solved)
	f.Caption = "Exact tails of the response time of accepted jobs, first come first served."
	f.X, f.Y = figure.Axis{Label: "time t"}, figure.Axis{Label: "P(response > t)", Scale: figure.Log}
	for _, r := range solved {
		law, err := r.ResponseLaw(ctx)
		if err != nil {
			return nil, err
		}
		reach, err := law.ResponseQuantile(1 - least)
		if err != nil {
			return nil, err
		}
		s := figure.Series{Name: chainLabel(r, law.MeanResponse), Kind: ctmc.Exact}
		for i := range points + 1 {
			t := reach * float64(i) / points
			s.X, s.Y = append(s.X, t), append(s.Y, law.ResponseTail(t))
		}
		f.Series = append(f.Series, s)
	}
	return f, nil
}

// chainLabel names a policy with its mean, and with the jobs that it loses: with
// a finite buffer means alone say nothing about which policy is better.
func chainLabel(r *ctmc.Stationary, mean float64) string {
	label := fmt.Sprintf("%s, mean %.4g", r.System.Policy, mean)
	if !r.Truncated {
		label += fmt.Sprintf(", lost %.2g%%", 100*r.BlockProb)
	}
	return label
}

func chainFigure(name string, solved []*ctmc.Stationary) *figure.Figure {
	s := solved[0].System
	title := fmt.Sprintf("%d servers, load %.6g", s.Servers, s.Load)
	if !solved[0].Truncated {
		title += fmt.Sprintf(", at most %d jobs each", s.Buffer)
	}
	return &figure.Figure{Name: name, Title: title, Size: figure.DoubleColumn}
}
