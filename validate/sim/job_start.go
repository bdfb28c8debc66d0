package sim

import (
	"qlimit/ctmc"
	"qlimit/internal/stream"
)

// startPurpose drives what is left of the jobs that are there at the start.
const startPurpose stream.Purpose = "start"

// validateStart requires a law with phases, since a Start speaks of them.
func (s *JobSystem) validateStart(start Start) error {
	if len(start.Tail) == 0 && start.law == nil {
		return nil
	}
	switch s.Service.(type) {
	case exponentialLaw, coxianLaw:
	default:
		return &ctmc.FieldError{Field: "start", Value: "a state with jobs", Allowed: "the empty system unless the service law is Coxian-2"}
	}
	if len(start.TailPhase2) > len(start.Tail) {
		return &ctmc.FieldError{Field: "start", Value: start.TailPhase2, Allowed: "not longer than the tail of all jobs"}
	}
	return start.validate(ctmc.System{Servers: int64(s.Servers), Buffer: s.Buffer})
}

// start puts jobs at the servers: the longest queues at the first servers, in
// each level those in phase 2 first. What is left of a job in phase 1 is like a
// new job, of one in phase 2 exponential.
func (f *Farm) start(start Start, s *JobSystem, seed uint64, replication int) {
	random := stream.New(stream.Key{Seed: seed, Cell: s.environment(), Replication: replication, Purpose: startPurpose})
	if start.law != nil {
		start = start.at(unit(random), random)
	}
	secondMean := 0.0
	if law, ok := s.Service.(coxianLaw); ok {
		secondMean = 1 / law.dist.Mu2
	}
	server, secondAbove := 0, int64(0)
	for level := len(start.Tail); level > 0; level-- {
		second := int64(0)
		if level <= len(start.TailPhase2) {
			second = start.TailPhase2[level-1] - secondAbove
			secondAbove += second
		}
		for ; int64(server) < start.Tail[level-1]; server++ {
			first := s.Service.Sample(random)
			if second > 0 && secondMean > 0 {
				first = secondMean * unitExponential(random)
				second--
			}
			f.join(server, 0, first)
			for range level - 1 {
				f.join(server, f.freeAt[server], s.Service.Sample(random))
			}
		}
	}
}
