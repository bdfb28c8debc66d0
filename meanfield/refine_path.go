package meanfield

import (
	"context"
	"fmt"
	"math"

	"qlimit/ctmc"
	"qlimit/meanfield/ode"
)

// RefinedPath is the expansion of the means of a system along time, about the
// path of its fluid limit. Means are per server, times in the unit of the
// service law.
type RefinedPath struct {
	System ctmc.System // whose N enters JobsOrder1
	Times  []float64   // as asked for, as far as reached

	JobsLimit   []float64 // of the fluid, per server
	Correction1 []float64 // of the jobs: JobsOrder1 = JobsLimit + Correction1/N
	JobsOrder1  []float64 // at this N
	// JobsVariance is the limit of N Var(jobs per server).
	JobsVariance []float64

	TailLimit, TailOrder1 [][]float64 // [k][i-1]: at least i jobs at Times[k]

	// Levels is the number of levels followed, Neglected the largest value
	// that the last of them takes at this N in TailLimit or the correction.
	Levels    int
	Neglected float64

	Stats    ode.Stats  // the work it took
	Status   ode.Status // how the integration ended
	Method   ode.Method // that was used
	Kind     ctmc.Kind  // Limit
	Warnings []string   // sentences for footnotes
}

// RefineTrajectory returns the means of a system with a smooth policy to order
// 1/N along time, from a state that is known exactly at time 0 (in the class
// order of [State]; N times each fraction should be a whole number). Settings
// as in [RefinePopulationTrajectory]. For long times the correction tends to
// that of [Refine].
//
// Errors: a policy with priority levels, a start beyond the buffer, times that
// decrease, another field out of range ([ctmc.FieldError]), or more levels than
// the dense algebra can take ([ctmc.TooLargeError]).
func RefineTrajectory(ctx context.Context, sys ctmc.System, start State, times []float64, settings ode.Settings) (*RefinedPath, error) {
	if sys.Servers < 1 {
		return nil, &ctmc.FieldError{Field: "servers", Value: sys.Servers, Allowed: ">= 1"}
	}
	if err := checkSmooth(sys); err != nil {
		return nil, err
	}
	if err := sys.Policy.Validate(sys.Servers); err != nil {
		return nil, err
	}
	phases := sys.Phases()
	if err := checkPath(start, phases, times); err != nil {
		return nil, err
	}
	top := topLevel(start, phases)
	levels := sys.Buffer
	if sys.Buffer == ctmc.Unlimited {
		levels = top + 8
	}
	if top > levels {
		return nil, &ctmc.FieldError{Field: "start", Value: fmt.Sprintf("level %d", top), Allowed: fmt.Sprintf("levels up to the buffer, %d", levels)}
	}
	for {
		path, err := refinedPath(ctx, sys, levels, start, times, settings)
		if err != nil || sys.Buffer != ctmc.Unlimited || !path.Status.OK() || path.Neglected <= neglectedOnPath {
			return path, err
		}
		levels += max(4, levels/2)
	}
}

// neglectedOnPath is the fraction of servers at the level where a path with
// an unlimited buffer may be cut.
const neglectedOnPath = 1e-11

func refinedPath(ctx context.Context, sys ctmc.System, levels int, start State, times []float64, settings ode.Settings) (*RefinedPath, error) {
	if err := checkTransientDim(levels * sys.Phases()); err != nil {
		return nil, err // before memory is asked for
	}
	population, err := sys.Population(levels)
	if err != nil {
		return nil, err
	}
	x := make([]float64, population.Dim())
	copy(x, start[1:])
	for i := len(x) - 1 - population.Phases; i >= 0; i-- {
		x[i] += x[i+population.Phases]
	}
	expanded, err := RefinePopulationTrajectory(ctx, population, x, times, settings)
	if err != nil {
		return nil, err
	}
	p := &RefinedPath{System: sys, Times: expanded.Times, Levels: levels, Stats: expanded.Stats, Status: expanded.Status,
		Method: expanded.Method, Kind: expanded.Kind, Warnings: expanded.Warnings}
	n := float64(sys.Servers)
	for k, limit := range expanded.Limit {
		tail, jobs := levelSums(limit, population.Phases)
		correction, total := levelSums(expanded.Correction1[k], population.Phases)
		p.JobsLimit, p.Correction1 = append(p.JobsLimit, jobs), append(p.Correction1, total)
		p.JobsOrder1 = append(p.JobsOrder1, jobs+total/n)
		p.TailLimit, p.TailOrder1 = append(p.TailLimit, tail), append(p.TailOrder1, addScaled(tail, correction, 1/n))
		variance := 0.0
		for _, v := range expanded.Covariance[k].RawSymmetric().Data {
			variance += v
		}
		p.JobsVariance = append(p.JobsVariance, variance)
		if sys.Buffer == ctmc.Unlimited {
			p.Neglected = math.Max(p.Neglected, math.Abs(tail[levels-1])+math.Abs(correction[levels-1])/n)
		}
		if ratio := math.Abs(total) / n / math.Max(jobs, 1e-300); ratio > trustedFirst && len(p.Warnings) == 0 {
			p.Warnings = append(p.Warnings, fmt.Sprintf("the expansion is not trustworthy at %d servers: at time %g the 1/N term is %.2g of the limit", sys.Servers, p.Times[k], ratio))
		}
	}
	return p, nil
}

func checkTimes(times []float64) error {
	before := 0.0
	for _, t := range times {
		if !(t >= before) || math.IsInf(t, 0) {
			return &ctmc.FieldError{Field: "at", Value: t, Allowed: "times >= 0 in increasing order"}
		}
		before = t
	}
	return nil
}
