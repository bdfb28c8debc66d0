package meanfield

// State is a point of the fluid: the fraction of servers in each class, in
// the order of [ctmc.Space]. Class 0 is idle; class 1 + (i-1)·phases + (m-1)
// is level i = 1..b, phase m. The entries of a state add up to 1.
type State []float64

// Shape is the number of levels b and of phases of a State.
type Shape struct {
	Levels, Phases int // b, and 1 or 2
}

// Classes is the length of a state, 1 + b·phases.
func (s Shape) Classes() int { return 1 + s.Levels*s.Phases }

// Class returns the class of a server with the given number of jobs, the one
// in service in the given phase (1 or 2; ignored at level 0).
func (s Shape) Class(level, phase int) int {
	if level == 0 {
		return 0
	}
	return 1 + (level-1)*s.Phases + (phase - 1)
}

// Mass is q_i, the fraction of servers with i jobs.
func (s Shape) Mass(q State, level int) float64 {
	first := s.Class(level, 1)
	if level == 0 || s.Phases == 1 {
		return q[first]
	}
	return q[first] + q[first+1]
}

// Jobs is Σ i q_i, the mean number of jobs per server.
func (s Shape) Jobs(q State) float64 {
	jobs := 0.0
	for level := s.Levels; level >= 1; level-- {
		jobs += float64(level) * s.Mass(q, level)
	}
	return jobs
}

// Uniform is the state in which every server holds the given number of jobs,
// the one in service in the given phase.
func (s Shape) Uniform(level, phase int) State {
	q := make(State, s.Classes())
	q[s.Class(level, phase)] = 1
	return q
}
