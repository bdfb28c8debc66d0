package sim

import "math/rand/v2"

// Columns of the cell averages; tail s_i is column firstTail + i - 1.
const (
	jobsColumn = iota
	waitColumn
	blockColumn
	firstTail
)

// simulateCell runs for about the given time and writes its time averages.
func (o *occupancy) simulateCell(time float64, random *rand.PCG, averages []float64, basis controlBasis) int64 {
	o.clearIntegrals()
	events := o.runUntil(time, random)
	o.writeAverages(averages, basis)
	return events
}

// writeAverages ends a cell.
func (o *occupancy) writeAverages(averages []float64, basis controlBasis) {
	passed := o.settle()
	servers := float64(o.servers)
	jobs := 0.0
	for i := 1; i < len(o.levels); i++ {
		jobs += o.levels[i].countTime
	}
	averages[jobsColumn] = jobs / passed / servers
	averages[waitColumn] = o.levels[1].routeTime / passed / o.arrival
	averages[blockColumn] = o.lostTime() / passed / o.arrival
	tails := averages[firstTail:]
	if o.spline != nil {
		tails = averages[firstTail:basis.firstColumn]
		o.controlAverages(passed, basis, averages[basis.firstColumn:])
	}
	for k := range tails {
		tails[k] = o.levels[k+1].countTime / passed / servers
	}
}

// lostTime is ∫ λN P(an arrival is lost) dt.
func (o *occupancy) lostTime() float64 {
	if o.gatedFull {
		return o.fullTime
	}
	if o.buffer < len(o.levels) {
		return o.levels[o.buffer].routeTime
	}
	return 0
}
