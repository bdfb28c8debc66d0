package ctmc

import "math"

// Space is the set of occupancy states of N servers over a number of classes:
// all vectors of non-negative counts with sum N, in lexicographic order
// starting with all servers in the last class.
//
// Class 0 is idle; class 1 + (i-1)·phases + (m-1) is level i = 1..b, phase m.
type Space struct {
	Servers int64 // N
	Levels  int   // b, the buffer
	Phases  int   // 1 or 2
	// choose[c][r] = C(r+c, c): ways to spread r servers over c+1 classes.
	choose [][]int64
}

// maxRankableStates bounds a Space so that ranks fit an int64 with room.
const maxRankableStates = int64(1) << 60

// NewSpace returns the occupancy space of N servers, b levels and the given
// number of phases; an error when its states cannot be numbered.
func NewSpace(servers int64, levels, phases int) (*Space, error) {
	states := CountStates(servers, levels, phases)
	if states > float64(maxRankableStates) || float64(servers)*float64(levels*phases+1) > 1e8 {
		return nil, &TooLargeError{What: "states", Value: states, Limit: float64(maxRankableStates)}
	}
	s := &Space{Servers: servers, Levels: levels, Phases: phases}
	classes := s.Classes()
	s.choose = make([][]int64, classes)
	for c := range s.choose {
		row := make([]int64, servers+1)
		for r := range row {
			switch {
			case c == 0 || r == 0:
				row[r] = 1
			default:
				row[r] = row[r-1] + s.choose[c-1][r]
			}
		}
		s.choose[c] = row
	}
	return s, nil
}

// CountStates returns C(N + b·phases, b·phases), the number of occupancy
// states, as a float64 (+Inf when beyond it).
func CountStates(servers int64, levels, phases int) float64 {
	k := float64(levels) * float64(phases)
	small, large := min(k, float64(servers)), max(k, float64(servers))
	count := 1.0
	for j := 1.0; j <= small; j++ {
		count *= (large + j) / j
		if math.IsInf(count, 1) {
			break
		}
	}
	return math.Round(count)
}

// Classes is the number of server classes, 1 + b·phases.
func (s *Space) Classes() int { return 1 + s.Levels*s.Phases }

// States is the number of states.
func (s *Space) States() int64 { return s.choose[s.Classes()-1][s.Servers] }

// Class returns the class of a server with the given number of jobs, the one
// in service in the given phase (1 or 2; ignored at level 0).
func (s *Space) Class(level, phase int) int { return classOf(level, phase, s.Phases) }

func classOf(level, phase, phases int) int {
	if level == 0 {
		return 0
	}
	return 1 + (level-1)*phases + (phase - 1)
}

// Level returns the number of jobs at a server of the class.
func (s *Space) Level(class int) int { return levelOf(class, s.Phases) }

func levelOf(class, phases int) int { return (class + phases - 1) / phases }

// Rank returns the index of a state, 0..States()-1, in O(classes).
func (s *Space) Rank(counts []int64) int64 {
	rest, rank := s.Servers, int64(0)
	for c := 0; c < len(counts)-1; c++ {
		// States whose count in class c is smaller come first: with j < n
		// servers in class c, rest-j are spread over the classes behind it.
		behind := s.choose[len(counts)-1-c]
		rank += behind[rest] - behind[rest-counts[c]]
		rest -= counts[c]
	}
	return rank
}

// Unrank writes the state of the given rank, in O(classes · log N).
func (s *Space) Unrank(rank int64, counts []int64) {
	rest, last := s.Servers, len(counts)-1
	for c := 0; c < last; c++ {
		behind := s.choose[last-c]
		// The largest n for which the states with fewer servers in class c
		// number at most rank.
		low, high := int64(0), rest
		for low < high {
			middle := (low + high + 1) / 2
			if behind[rest]-behind[rest-middle] <= rank {
				low = middle
			} else {
				high = middle - 1
			}
		}
		counts[c] = low
		rank -= behind[rest] - behind[rest-low]
		rest -= low
	}
	counts[last] = rest
}

// Next moves to the state of the next rank; the last state stays.
func (s *Space) Next(counts []int64) {
	last := len(counts) - 1
	if last == 0 {
		return
	}
	c := last
	for c > 0 && counts[c] == 0 {
		c--
	}
	if c == 0 {
		return // all servers idle: the highest rank
	}
	// One server moves from the last occupied class to the one before, those
	// left over to the end.
	left := counts[c] - 1
	counts[c] = 0
	counts[c-1]++
	counts[last] = left
}

// rankChange returns by how much the rank changes when one server moves from
// class a to class b. rest must hold the number of servers in each class and
// behind it.
//
// By Pascal's rule the rank is, up to a constant, minus the sum over the
// classes k >= 1 of choose[last-k+1][rest_k - 1], so that only the rests
// between the two classes count.
func (s *Space) rankChange(rest []int64, a, b int) int64 {
	last, change := len(s.choose)-1, int64(0)
	for k := b + 1; k <= a; k++ { // towards idle: the rests shrink
		change += s.choose[last-k][rest[k]-1]
	}
	for k := a + 1; k <= b; k++ {
		change -= s.choose[last-k][rest[k]]
	}
	return change
}

// rests writes the number of servers in each class and behind it.
func (s *Space) rests(counts, rest []int64) {
	sum := int64(0)
	for c := len(counts) - 1; c >= 0; c-- {
		sum += counts[c]
		rest[c] = sum
	}
}

// Tails writes the number of servers with at least i jobs, i = 0..b.
func (s *Space) Tails(counts, tail []int64) { tailCounts(counts, s.Phases, tail) }

func tailCounts(counts []int64, phases int, tail []int64) {
	above := int64(0)
	for level := len(tail) - 1; level >= 1; level-- {
		first := classOf(level, 1, phases)
		for m := 0; m < phases; m++ {
			above += counts[first+m]
		}
		tail[level] = above
	}
	tail[0] = above + counts[0]
}

// Jobs returns the number of jobs in the system in a state.
func (s *Space) Jobs(counts []int64) int64 {
	total := int64(0)
	for c, n := range counts {
		total += int64(s.Level(c)) * n
	}
	return total
}
