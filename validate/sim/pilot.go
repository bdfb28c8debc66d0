package sim

import (
	"math"
	"slices"

	"qlimit/ctmc"
	"qlimit/internal/stream"
)

const (
	pilotShare    = 50      // the pilot run is a 50th of the budget ..
	pilotMost     = 1 << 19 // .. and no more events than that
	pilotLevels   = 2e9     // and with two phases so many levels looked at
	pilotLooks    = 512
	pilotPaths    = 32 // from quantiles of the law of starts, if there is one
	quantileKnots = 10
	outerKnots    = 10 // beyond the largest work seen
	outerGrowth   = 1.5
)

// pilotKnots chooses knots for the remaining work: the quantiles that a short
// run of its own stream visits in its second half, and beyond them, for what it
// has not seen, knots at growing distances.
func pilotKnots(s ctmc.System, settings Settings) []float64 {
	random := stream.New(stream.Key{Seed: settings.Seed, Cell: s.String(), Purpose: stream.Pilot})
	events := min(float64(settings.Events)/pilotShare, pilotMost)
	if levels := settings.Start.levels(pilotPaths); s.Phases() == 2 && levels > 0 {
		events = min(events, pilotLevels/levels) // an event looks at every level
	}
	step := events / pilotLooks / eventRate(s)
	seen := make([]float64, 0, pilotLooks/2)
	paths := 1
	if settings.Start.law != nil {
		paths = pilotPaths
	}
	o := newOccupancy(s)
	for path := range paths {
		o = newOccupancy(s)
		o.start(settings.Start.at((float64(path)+0.5)/float64(paths), random))
		looks := pilotLooks / paths
		for k := range looks {
			o.runUntil(step, random)
			o.settle()
			if k >= looks/2 {
				seen = append(seen, o.work())
			}
		}
	}
	slices.Sort(seen)
	return spacedKnots(candidateKnots(seen, s), o)
}

// candidateKnots are in increasing order.
func candidateKnots(seen []float64, s ctmc.System) []float64 {
	least, most := seen[0], seen[len(seen)-1]
	n, root := float64(s.Servers), math.Sqrt(float64(s.Servers))
	spread := max(most-least, root, 4)
	knots := []float64{least - spread/2, least - spread/5}
	for k := range quantileKnots {
		knots = append(knots, seen[(2*k+1)*len(seen)/(2*quantileKnots)])
	}
	add := func(knot, step, growth float64, count int) {
		for range count {
			knots = append(knots, knot)
			knot += step
			step *= growth
		}
	}
	add(most, spread/8, outerGrowth, outerKnots)
	add(n-2*root, root/2, 1, 8)
	add(n+2*root, root, 1.3, 14)
	slices.Sort(knots)
	return knots
}

// spacedKnots rounds to whole numbers where all work is, and leaves out knots
// that are closer to the one before than a jump.
func spacedKnots(candidates []float64, o *occupancy) []float64 {
	w := newWorkSpline(nil, o)
	apart := max(w.largestUp, w.largestDown)
	var knots []float64
	last := 0.0
	for _, knot := range candidates {
		knot = math.Round(knot)
		if knot >= last+apart {
			knots = append(knots, knot)
			last = knot
		}
	}
	return knots
}
