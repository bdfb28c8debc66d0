package ctmc

// Moves lists the transitions out of an occupancy state of a System as moves
// of one server between two classes. It needs no numbering of the states, so
// that it serves any number of servers and an unlimited buffer too.
//
// It is not safe for concurrent use.
type Moves struct {
	Phases int // 1 or 2

	policy      Policy
	buffer      int // Unlimited or the last level
	arrival     float64
	mu1, p, mu2 float64
	tail        []int64
	route       []float64
}

// Moves returns the moves of the system, which must be valid.
func (s System) Moves() *Moves {
	return &Moves{
		Phases: s.Phases(), policy: s.Policy, buffer: s.Buffer, arrival: s.ArrivalRate(),
		mu1: s.Service.Mu1, p: s.Service.P, mu2: s.Service.Mu2,
	}
}

// Class returns the class of a server with the given number of jobs, the one
// in service in the given phase, as [Space.Class] does.
func (v *Moves) Class(level, phase int) int { return classOf(level, phase, v.Phases) }

// Level returns the number of jobs at a server of the class.
func (v *Moves) Level(class int) int { return levelOf(class, v.Phases) }

// Visit calls use for every move out of the state with its total rate > 0:
//
//	arrival  (0) -> (1,1)            at λN a_0
//	arrival  (i,m) -> (i+1,m)        at λN a_i q_{i,m}/q_i, i < b
//	service  (i,1) -> (i-1,1)        at (1-p) μ1 n_{i,1}
//	phase    (i,1) -> (i,2)          at p μ1 n_{i,1}
//	service  (i,2) -> (i-1,1)        at μ2 n_{i,2}
//
// where (0,1) stands for (0). The state holds the number of servers in classes
// 0, 1, .., up to a whole level; the classes of higher levels are empty. With
// a longer buffer than that, a move may lead to the level above the last one
// of the state.
func (v *Moves) Visit(state []int64, use func(from, to int, rate float64)) {
	top := v.Level(len(state) - 1)
	v.visitArrivals(state, top, use)
	for level := 1; level <= top; level++ {
		first := v.Class(level, 1)
		below := v.Class(level-1, 1)
		if n := float64(state[first]); n > 0 {
			if rate := (1 - v.p) * v.mu1 * n; rate > 0 {
				use(first, below, rate)
			}
			if v.Phases == 2 {
				use(first, first+1, v.p*v.mu1*n)
			}
		}
		if v.Phases == 2 {
			if n := float64(state[first+1]); n > 0 {
				use(first+1, below, v.mu2*n)
			}
		}
	}
}

func (v *Moves) visitArrivals(state []int64, top int, use func(from, to int, rate float64)) {
	v.levels(state, top)
	for level := 0; level <= top; level++ {
		rate := v.arrival * v.route[level]
		if rate <= 0 || level == v.buffer && v.buffer != Unlimited {
			continue
		}
		if level == 0 {
			use(0, 1, rate)
			continue
		}
		atLevel := float64(v.tail[level] - v.tail[level+1])
		for m := 1; m <= v.Phases; m++ {
			from := v.Class(level, m)
			if share := rate * float64(state[from]) / atLevel; share > 0 {
				use(from, from+v.Phases, share)
			}
		}
	}
}

// levels fills the tail counts and the routing of the state.
func (v *Moves) levels(state []int64, top int) {
	if cap(v.route) < top+1 {
		v.tail, v.route = make([]int64, 2*top+2), make([]float64, 2*top+1)
	}
	v.tail, v.route = v.tail[:top+2], v.route[:top+1]
	v.tail[top+1] = 0
	tailCounts(state, v.Phases, v.tail[:top+1])
	v.policy.RouteLevels(v.tail, v.route)
}

// Routing returns the tail counts of a state, tail[i] = servers with at least
// i jobs, and the probabilities that an arrival is sent to level i, for the
// levels of the state. The slices are valid until the next call of a method.
func (v *Moves) Routing(state []int64) (tail []int64, route []float64) {
	top := v.Level(len(state) - 1)
	v.levels(state, top)
	return v.tail[:top+1], v.route
}
