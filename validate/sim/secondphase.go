package sim

// secondPhase holds what is integrated of the servers of a level whose job in
// service is in phase 2.
type secondPhase struct {
	last, lastRoute float64 // clocks of the last change
	time            float64 // ∫ n_{i,2} dt
	rate            float64 // λN P(an arrival goes to level i) n_{i,2}/n_i
	flow            float64 // ∫ rate dt
}

// watchSecondPhase begins to integrate; the state must have been set.
func (o *occupancy) watchSecondPhase() {
	o.second = make([]secondPhase, o.stride)
	for i := 1; i < o.stride-1; i++ {
		o.rateSecond(i)
	}
}

// integrateSecond brings the integrals of level i up to date. What arrives at
// the depth of a gated system or above does so over the gate's time.
func (o *occupancy) integrateSecond(i int) {
	s := &o.second[i]
	s.time += float64(o.inPhase[2][i]) * (o.clock - s.last)
	s.last = o.clock
	now := o.clock
	if o.gated && i >= o.depth {
		now = o.gate
	}
	s.flow += s.rate * (now - s.lastRoute)
	s.lastRoute = now
}

// rateSecond computes the rate of level i anew.
func (o *occupancy) rateSecond(i int) {
	second := o.inPhase[2][i]
	if second == 0 {
		o.second[i].rate = 0
		return
	}
	reaches := o.table[i]
	if o.gated && i == o.depth {
		reaches = o.arrival
	}
	share := float64(second) / float64(o.levels[i].count-o.levels[i+1].count)
	o.second[i].rate = (reaches - o.table[i+1]) * share
}
