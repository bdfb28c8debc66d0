package validate

import (
	"context"
	"fmt"

	"qlimit/ctmc"
	"qlimit/meanfield"
	"qlimit/validate/estimate"
	"qlimit/validate/figure"
	"qlimit/validate/sim"
)

// TailStudy says what the figure of the tails of power-of-d shows.
type TailStudy struct {
	Load       float64      // below 1
	Choices    []int64      // a curve for each d
	Servers    int64        // of the simulated points; 0 = curves only
	Simulation sim.Settings // of the points
}

// TailFigure draws the fraction s_i of servers with at least i jobs, exponential
// service: in the mean-field limit s_i = λ^((d^i - 1)/(d - 1)), doubly
// exponential for d >= 2 (Mitzenmacher, IEEE TPDS 2001), and as simulated with
// sampling without replacement.
func TailFigure(ctx context.Context, s TailStudy) (*figure.Figure, error) {
	least, most := 1e-6, 1.0
	f := &figure.Figure{
		Name:    "choices-tail",
		Title:   fmt.Sprintf("What a choice does to the tail: power-of-d, load %g", s.Load),
		Caption: "Fraction of servers with at least i jobs, exponential service. Lines: mean-field limit N → ∞.",
		X:       figure.Axis{Label: "jobs i"},
		Y:       figure.Axis{Label: "fraction with at least i jobs", Scale: figure.Log, Min: &least, Max: &most},
		Size:    figure.DoubleColumn,
	}
	if s.Servers > 0 {
		f.Caption += fmt.Sprintf(" Points: simulation of %d servers (estimates) with 95%% intervals, where these are above 0, seed %d.", s.Servers, s.Simulation.Seed)
	}
	const mostLevels = 20
	for i, d := range s.Choices {
		system := ctmc.System{Servers: max(s.Servers, d), Load: s.Load, Service: unitExponential, Policy: ctmc.PowerOfD(d, false)}
		limit, err := meanfield.Equilibrium(system)
		if err != nil {
			return nil, err
		}
		name := fmt.Sprintf("d = %d", d)
		if d == 1 {
			name = "d = 1 (random)"
		}
		f.Series = append(f.Series, limitTail(name, i+1, limit.Tail, least, mostLevels))
		if s.Servers == 0 {
			continue
		}
		settings := s.Simulation
		settings.Start = sim.RoundedStart(s.Servers, limit.Tail, limit.TailPhase2)
		r, err := sim.Run(ctx, system, settings)
		if err != nil {
			return nil, err
		}
		f.Series = append(f.Series, simulatedTail(fmt.Sprintf("d = %d, simulated", d), i+1, r.Tail, least, mostLevels))
	}
	return f, nil
}

func limitTail(name string, group int, tail []float64, least float64, levels int) figure.Series {
	s := figure.Series{Name: name, Kind: ctmc.Limit, Group: group, X: []float64{0}, Y: []float64{1}}
	for i, y := range tail {
		if y < least || i >= levels {
			break
		}
		s.X, s.Y = append(s.X, float64(i+1)), append(s.Y, y)
	}
	return s
}

func simulatedTail(name string, group int, tail []estimate.Estimate, least float64, levels int) figure.Series {
	s := figure.Series{Name: name, Kind: ctmc.Estimate, Style: figure.Points, Group: group}
	addEstimate(&s, 0, estimate.Estimate{Value: 1})
	for i, e := range tail {
		if e.Status != estimate.Usable || e.Value < least || e.Value <= e.HalfWidth || i >= levels {
			break
		}
		addEstimate(&s, float64(i+1), e)
	}
	return s
}
