package ctmc

// sweeper makes Gauss-Seidel sweeps π_j := Σ_i π_i q_ij / exit_j over a
// generator.
//
// Where transitions do not skip groups, the groups of even and of odd number
// depend on each other only: first all even groups are swept, then all odd
// ones, each group by one thread, and the result does not depend on their
// number. The sweeps converge as fast as those in the order of the groups.
// Otherwise the states are swept in order, in alternating direction.
type sweeper struct {
	generator *Generator
	workers   int
	backward  bool
}

func (s *sweeper) sweep(v []float64) {
	g := s.generator
	if groups := g.groupCount(); g.adjacent && groups > 1 {
		for parity := range 2 {
			eachPiece((groups+1-parity)/2, s.workers, func(k int) {
				h := 2*k + parity
				g.sweepRange(v, g.groups[h], g.groups[h+1], s.backward)
			})
		}
	} else {
		g.sweepRange(v, 0, g.States(), s.backward)
	}
	s.backward = !s.backward
}

// sweepRange sweeps the states at positions low..high-1.
func (g *Generator) sweepRange(v []float64, low, high int, backward bool) {
	if backward {
		for j := high - 1; j >= low; j-- {
			v[j] = g.inflow(v, j) / g.exit[j]
		}
		return
	}
	for j := low; j < high; j++ {
		v[j] = g.inflow(v, j) / g.exit[j]
	}
}
