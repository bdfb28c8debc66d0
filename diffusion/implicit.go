package diffusion

// flowSolver finds the flows of an implicit step. With A the generator of a
// grid, (A p)_i = J_{i-1} - J_i, the solution of (I - θA) x = r is
//
//	x_i = r_i + θ (J_{i-1} - J_i),
//	(1 + θ(up_i + down_i)) J_i - θ up_i J_{i-1} - θ down_i J_{i+1} = up_i r_i - down_i r_{i+1}.
//
// Solving for the flows keeps the total mass to rounding whatever the ratio of
// the rates, which solving for x does not. The elimination adds and multiplies
// positive numbers: the pivot is θ down_i plus an excess e_i = 1 + θ up_i
// e_{i-1}/pivot_{i-1}.
type flowSolver struct {
	grid   *grid
	theta  float64
	lower  []float64 // θ up_i/pivot_{i-1}
	upper  []float64 // θ down_i/pivot_i
	invert []float64 // 1/pivot_i
}

func newFlowSolver(g *grid) *flowSolver {
	n := len(g.up)
	return &flowSolver{grid: g, lower: make([]float64, n), upper: make([]float64, n), invert: make([]float64, n)}
}

// factor prepares θ; the last one is remembered.
func (s *flowSolver) factor(theta float64) {
	if theta == s.theta {
		return
	}
	s.theta = theta
	pivot, excess := 0.0, 0.0 // 1/pivot and excess of the flow before
	for i, up := range s.grid.up {
		s.lower[i] = theta * up * pivot
		excess = 1 + s.lower[i]*excess
		if i == 0 {
			excess = 1 + theta*up // no flow before the first
		}
		down := theta * s.grid.down[i]
		pivot = 1 / (down + excess)
		s.invert[i], s.upper[i] = pivot, down*pivot
	}
	// No flow after the last: its pivot is the same, its neighbour 0.
}

// solve overwrites the right side with the flows.
func (s *flowSolver) solve(j []float64) {
	n := len(j)
	lower, upper, invert := s.lower[:n], s.upper[:n], s.invert[:n]
	before := 0.0
	for i := range j {
		before = j[i] + lower[i]*before
		j[i] = before
	}
	after := 0.0
	for i := n - 1; i >= 0; i-- {
		after = j[i]*invert[i] + upper[i]*after
		j[i] = after
	}
}
