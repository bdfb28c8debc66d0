package meanfield

import (
	"context"

	"qlimit/ctmc"
	"qlimit/meanfield/ode"
)

// PullTrajectory follows the fluid of [PullEquilibrium] from a start, as
// [Trajectory] does that of a policy without memory. The memory itself is
// always in its own equilibrium: it moves on a time scale of order 1/N.
//
// With messages at once (μ = ∞) the fluid is that of join-the-idle-queue: the
// condition s_1 = 1 is its sliding mode, whose beginnings and ends are located.
//
// Errors: those of Trajectory.
func PullTrajectory(ctx context.Context, s ctmc.PullSystem, start State, times []float64, settings ode.Settings) (*Path, error) {
	sys := s.Described()
	if policy, ok := s.Pull.Memoryless(); ok {
		sys.Policy = policy
		return Trajectory(ctx, sys, start, times, settings)
	}
	checked := s
	if s.Buffer == ctmc.Unlimited {
		checked.Buffer = 1 // a load of 1 and above is no fault of a path
	}
	if err := checked.ValidateLimit(); err != nil {
		return nil, err
	}
	sys.Service.P = 0 // a law with two phases that is exponential all the same
	sys.Service.Mu1 = 1 / s.Service.Mean()
	sys.Policy = ctmc.Random()
	sys.Policy.Name = s.Pull.String()
	if err := checkPath(start, sys.Phases(), times); err != nil {
		return nil, err
	}
	f, err := newFollower(sys, start, settings)
	if err != nil {
		return nil, err
	}
	fluid := newPullFluid(s)
	f.pull = &fluid
	return f.to(ctx, times)
}

// pullFlow is the fluid with a limited memory as a flow, in the tails s_1, ..,
// s_b: one regime for all times. Jobs are lost at rate λ P0 s_b.
type pullFlow struct {
	pullFluid
	*SmoothSystem
	buffer int
}

func newPullFlow(f *follower) *pullFlow {
	return &pullFlow{*f.pull, &SmoothSystem{Shape: f.shape, load: f.load, law: f.law, kernel: f.kernel}, f.sys.Buffer}
}

func (p *pullFlow) problem() ode.Problem {
	return ode.Problem{Dim: p.Levels + 1, F: func(_ float64, y, slope []float64) { p.drift(y[:p.Levels], slope) }}
}

// drift writes ds_i/dt and, behind them, the rate of lost jobs.
func (p *pullFlow) drift(s, slope []float64) {
	idle := 1 - s[0]
	empty := p.empty(idle)
	up := p.pullFluid.load * empty
	slope[0] = p.firstLevel(idle, empty) - s[0]
	for i := range s {
		if i > 0 {
			slope[i] = up*(s[i-1]-s[i]) - s[i]
		}
		if i+1 < len(s) {
			slope[i] += s[i+1]
		}
	}
	slope[len(s)] = up * s[len(s)-1]
}

// stiffness bounds the rates of the drift: P0 changes with s_1 at a slope of at
// most about min(c, 1)·μ/λ.
func (p *pullFlow) stiffness() float64 { return max(1, p.pullFluid.load, p.rate) }

func (p *pullFlow) enter(q State, y []float64)              { p.Coordinates(q, y[:p.Levels]) }
func (p *pullFlow) leave(y []float64, q State)              { p.State(y[:p.Levels], q) }
func (p *pullFlow) endings() []ending                       { return nil }
func (p *pullFlow) leftRegime([]float64) (endingKind, bool) { return 0, false }
func (p *pullFlow) cut() bool                               { return p.Levels != p.buffer }
func (p *pullFlow) conservesMass() bool                     { return false }
