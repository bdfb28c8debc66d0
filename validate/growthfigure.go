package validate

import (
	"context"
	"fmt"
	"math"

	"qlimit/ctmc"
	"qlimit/diffusion"
	"qlimit/meanfield"
	"qlimit/validate/figure"
	"qlimit/validate/sim"
)

// GrowthStudy says what the figure of power-of-d near load 1 shows: exponential
// service, arrival rate N - α, the number of servers N growing.
type GrowthStudy struct {
	Choices    int64        // d >= 2
	Spare      float64      // α
	Servers    []int64      // the N to simulate, each above 2α and at least d
	Simulation sim.Settings // of each point; Start is the mean field's
}

// widestGrowth is the largest N of the curves.
const widestGrowth = 1e6

// GrowthFigure draws why power-of-d has no non-degenerate slowdown limit: its
// mean number of jobs per server grows like log_d(N/α), in the mean field at
// load 1 - α/N and in simulations, while that of JSQ tends to a limit.
func GrowthFigure(ctx context.Context, s GrowthStudy) (*figure.Figure, error) {
	name := fmt.Sprintf("power-of-%d", s.Choices)
	f := &figure.Figure{
		Name:  "nds-growth",
		Title: fmt.Sprintf("No limit for %s at arrival rate N − %g", name, s.Spare),
		X:     figure.Axis{Label: "servers N", Scale: figure.Log},
		Y:     figure.Axis{Label: "mean jobs per server"},
		Size:  figure.DoubleColumn,
	}
	field := figure.Series{Name: name + ", mean field at load 1 − α/N", Kind: ctmc.Limit, Group: 1, Dash: figure.Solid}
	logarithm := figure.Series{Name: fmt.Sprintf("log%s(N/α)", subscript(s.Choices)), Kind: ctmc.Limit, Group: 2, Dash: figure.Dotted}
	shortest := figure.Series{Name: "JSQ, averaged birth-death", Kind: ctmc.Conjecture, Group: 3, Dash: figure.Dashed}
	for _, size := range s.sizes() {
		equilibrium, err := meanfield.Equilibrium(s.system(size, ctmc.PowerOfD(s.Choices, true)))
		if err != nil {
			return nil, err
		}
		growth, err := diffusion.PowerOfDGrowth(s.Choices, size, s.Spare)
		if err != nil {
			return nil, err
		}
		averaged, err := s.averaged(size)
		if err != nil {
			return nil, err
		}
		addPoint(&field, size, equilibrium.MeanJobs)
		addPoint(&logarithm, size, growth)
		addPoint(&shortest, size, averaged)
	}
	sampled, err := s.simulated(ctx, ctmc.PowerOfD(s.Choices, false), name, 1)
	if err != nil {
		return nil, err
	}
	best, err := s.simulated(ctx, ctmc.JSQ(), "JSQ", 3)
	if err != nil {
		return nil, err
	}
	limit, err := diffusion.NDS{Discipline: diffusion.JSQ, Spare: s.Spare, Service: unitExponential}.MeanJobs()
	if err != nil {
		return nil, err
	}
	f.Series = []figure.Series{field, sampled, logarithm, shortest, best}
	f.Marks = []figure.Mark{{Direction: figure.Horizontal, At: limit, Label: "limit of JSQ"}}
	f.Caption = fmt.Sprintf("Exponential service. Whenever N grows by the factor %d the mean field of %s has one job more per server, and simulated systems (without replacement) follow it: there is no limit as N → ∞ with α = %g fixed. Points with 95%% intervals, at most %.2g events each, seed %d.",
		s.Choices, name, s.Spare, float64(s.Simulation.Events), s.Simulation.Seed)
	return f, nil
}

// sizes are the N of the curves, a geometric sequence up to the widest.
func (s GrowthStudy) sizes() []int64 {
	smallest := max(10, math.Ceil(2*s.Spare), float64(s.Choices))
	const points = 40
	var sizes []int64
	for i := range points + 1 {
		n := smallest * math.Pow(widestGrowth/smallest, float64(i)/points)
		sizes = append(sizes, int64(math.Round(n)))
	}
	return sizes
}

func addPoint(s *figure.Series, servers int64, y float64) {
	s.X, s.Y = append(s.X, float64(servers)), append(s.Y, y)
}

func (s GrowthStudy) system(servers int64, p ctmc.Policy) ctmc.System {
	return ctmc.System{Servers: servers, Load: 1 - s.Spare/float64(servers), Service: unitExponential, Policy: p}
}

func (s GrowthStudy) averaged(servers int64) (float64, error) {
	law, err := diffusion.Averaged{Discipline: diffusion.JSQ, Servers: servers, Load: 1 - s.Spare/float64(servers), Service: unitExponential}.Solve()
	if err != nil {
		return 0, err
	}
	return law.MeanJobs(), nil
}

// simulated are the simulated means of a policy.
func (s GrowthStudy) simulated(ctx context.Context, p ctmc.Policy, name string, group int) (figure.Series, error) {
	points := figure.Series{Name: name + ", simulated", Kind: ctmc.Estimate, Style: figure.Points, Group: group}
	for _, n := range s.Servers {
		system, settings := s.system(n, p), s.Simulation
		if p.Depth == 0 {
			equilibrium, err := meanfield.Equilibrium(system)
			if err != nil {
				return points, err
			}
			settings.Start = sim.RoundedStart(n, equilibrium.Tail, equilibrium.TailPhase2)
		} else {
			mean, err := s.averaged(n)
			if err != nil {
				return points, err
			}
			settings.Start = sim.BalancedStart(n, mean)
		}
		r, err := sim.Run(ctx, system, settings)
		if err != nil {
			return points, err
		}
		addPoint(&points, n, r.MeanJobs.Value)
		points.Low = append(points.Low, r.MeanJobs.Value-r.MeanJobs.HalfWidth)
		points.High = append(points.High, r.MeanJobs.Value+r.MeanJobs.HalfWidth)
	}
	return points, nil
}

// subscript writes a whole number in subscript digits.
func subscript(n int64) string {
	text := []rune(fmt.Sprint(n))
	for i, digit := range text {
		text[i] = digit - '0' + '₀'
	}
	return string(text)
}
