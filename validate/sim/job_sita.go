package sim

import (
	"fmt"
	"math/rand/v2"
	"sort"

	"qlimit/ctmc"
)

// SizeInterval is size-interval assignment (SITA): the dispatcher knows the
// size of a job and sends it to server i if the size lies in the i-th of N
// intervals. It needs no messages. With up to 8 servers the cut-offs minimise
// the mean waiting time under Poisson arrivals, with more they give every
// server the same load; see [SizeIntervals].
//
// It needs a [SizeLaw] and a load below 1, and refuses laws that cannot be
// divided so that every server keeps a load below 1, such as the
// deterministic.
func SizeInterval() JobPolicy {
	return JobPolicy{Name: "sita", Prepare: func(s *JobSystem) (func() Dispatcher, error) {
		law, ok := s.Service.(SizeLaw)
		if !ok {
			return nil, &ctmc.FieldError{Field: "size law", Value: s.Service, Allowed: "a law with partial moments for size-interval assignment", Reason: "all jobs have the same size or the law does not say how sizes are spread"}
		}
		cutoffs, _, err := SizeIntervals(law, s.Servers, s.ArrivalRate())
		if err != nil {
			return nil, err
		}
		return func() Dispatcher { return &sizeInterval{cutoffs: cutoffs} }, nil
	}}
}

type sizeInterval struct {
	Unnotified
	cutoffs []float64 // largest size of all servers but the last
}

func (d *sizeInterval) Choose(_ *Farm, size float64, _ *rand.PCG) int {
	if len(d.cutoffs) > mostOptimised {
		return sort.SearchFloat64s(d.cutoffs, size)
	}
	server := 0
	for _, c := range d.cutoffs {
		server += one(size > c)
	}
	return server
}

// mostOptimised is the most servers whose cut-offs are optimised.
const mostOptimised = 8

// SizeIntervals returns the cut-offs of size-interval assignment, the largest
// sizes of servers 1 .. n-1 in increasing order, and the mean waiting time they
// have under Poisson arrivals, where every server is an M/G/1 queue
// (Pollaczek-Khinchine):
//
//	E[W] = Σ_i p_i Λ E[S²; i] / (2 (1 - Λ E[S; i])),  p_i = P(S in interval i)
//
// Up to 8 servers the cut-offs minimise it: by dynamic programming over a grid,
// then one cut-off at a time between the neighbours on the grid. With more
// servers every interval has the same load. A *ctmc.FieldError says if some
// server would have a load of 1 or more.
func SizeIntervals(law SizeLaw, servers int, arrivalRate float64) (cutoffs []float64, meanWait float64, err error) {
	d := newSizeDivision(law, arrivalRate)
	if load := arrivalRate * law.Mean() / float64(servers); !(load > 0 && load < 1) {
		return nil, 0, &ctmc.FieldError{Field: "load", Value: load, Allowed: "> 0 and < 1 for size-interval assignment"}
	}
	if servers <= mostOptimised {
		cutoffs = d.refine(d.bestOnGrid(servers))
	} else {
		cutoffs = d.equalLoads(servers)
	}
	meanWait, stable := d.meanWait(cutoffs)
	if !stable || len(cutoffs) != servers-1 {
		return nil, 0, &ctmc.FieldError{Field: "size law", Value: law, Allowed: fmt.Sprintf("divisible into %d intervals of load < 1 for size-interval assignment", servers), Reason: "too many jobs have the same size"}
	}
	return cutoffs, meanWait, nil
}
