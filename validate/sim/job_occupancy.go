package sim

import (
	"math/rand/v2"

	"qlimit/ctmc"
)

// OccupancyPolicy runs a policy that looks at queue lengths alone, as package
// ctmc declares it. Servers of equal length are equally likely.
//
// Messages: a job that is sent by power-of-d costs d queries and d replies,
// also where sampling with replacement meets a server twice; JSQ costs N of
// each. A policy with k < ∞ priority levels (JIQ: 1, I1F: 2) needs none for the
// jobs they take, since the dispatcher knows their servers: a departure that
// leaves fewer than k jobs sends one pull message. What passes the levels
// costs what the fallback costs.
func OccupancyPolicy(p ctmc.Policy) JobPolicy {
	return JobPolicy{Name: p.String(), Prepare: func(s *JobSystem) (func() Dispatcher, error) {
		if err := p.Validate(int64(s.Servers)); err != nil {
			return nil, err
		}
		switch p.Depth {
		case 0:
			return func() Dispatcher { return newKernelDispatcher(p.Fallback, s.Servers) }, nil
		case ctmc.AllLevels:
			return func() Dispatcher { return &shortest{newLevelSets(s.Servers, ctmc.AllLevels)} }, nil
		}
		return func() Dispatcher {
			return &priority{
				sets:     newLevelSets(s.Servers, p.Depth),
				depth:    p.Depth,
				fallback: newKernelDispatcher(p.Fallback, s.Servers),
			}
		}, nil
	}}
}

// shortest is JSQ.
type shortest struct{ sets *levelSets }

func (d *shortest) Choose(f *Farm, _ float64, random *rand.PCG) int {
	f.Count(Query, f.Servers())
	f.Count(Reply, f.Servers())
	return d.sets.choose(random)
}

func (d *shortest) Joined(f *Farm, server int) { d.sets.rise(server, f.Len(server)) }
func (d *shortest) Left(f *Farm, server int)   { d.sets.fall(server, f.Len(server)) }

// priority serves the levels below depth in order.
type priority struct {
	sets     *levelSets
	depth    int
	fallback Dispatcher
}

func (d *priority) Choose(f *Farm, size float64, random *rand.PCG) int {
	if d.sets.lowest < d.depth {
		return d.sets.choose(random)
	}
	return d.fallback.Choose(f, size, random)
}

func (d *priority) Joined(f *Farm, server int) {
	d.sets.rise(server, f.Len(server))
	d.fallback.Joined(f, server)
}

func (d *priority) Left(f *Farm, server int) {
	length := f.Len(server)
	if length < d.depth {
		f.Count(Pull, 1)
	}
	d.sets.fall(server, length)
	d.fallback.Left(f, server)
}
