package ode

import "fmt"

// Structure describes the places where a Jacobian can be non-zero. It decides
// how the matrix is stored and factored, and how many evaluations of F a
// finite-difference Jacobian costs. The zero value is a full matrix.
type Structure struct {
	// Banded restricts the non-zero entries (i, j) to -Lower <= j-i <= Upper.
	Banded       bool
	Lower, Upper int

	// Pattern, if not nil, lists for every row the columns it depends on.
	// A pattern whose bandwidth makes a banded factorisation cheaper than a
	// full one is stored as a band; in either case columns without a common
	// row share one evaluation of F. It excludes Banded.
	Pattern [][]int
}

// Full reports whether nothing is known of the structure.
func (s Structure) Full() bool { return !s.Banded && s.Pattern == nil }

// Dense is the structure of a full Jacobian, the zero Structure.
func Dense() Structure { return Structure{} }

// Banded is the structure of a Jacobian with the given numbers of diagonals
// below and above the main one.
func Banded(lower, upper int) Structure {
	return Structure{Banded: true, Lower: lower, Upper: upper}
}

// Sparse is the structure of a Jacobian whose row i depends on the columns
// pattern[i] only.
func Sparse(pattern [][]int) Structure { return Structure{Pattern: pattern} }

func (s *Structure) check(dim int) error {
	if s.Banded && s.Pattern != nil {
		return fmt.Errorf("ode: Structure has both Banded and Pattern, allowed is one of them")
	}
	if s.Banded {
		if s.Lower < 0 || s.Lower >= dim {
			return fmt.Errorf("ode: Structure.Lower = %d, must be in [0, %d]", s.Lower, dim-1)
		}
		if s.Upper < 0 || s.Upper >= dim {
			return fmt.Errorf("ode: Structure.Upper = %d, must be in [0, %d]", s.Upper, dim-1)
		}
	}
	if s.Pattern == nil {
		return nil
	}
	if len(s.Pattern) != dim {
		return fmt.Errorf("ode: Structure.Pattern has %d rows, must be Problem.Dim = %d", len(s.Pattern), dim)
	}
	for i, row := range s.Pattern {
		for _, j := range row {
			if j < 0 || j >= dim {
				return fmt.Errorf("ode: Structure.Pattern[%d] holds column %d, must be in [0, %d]", i, j, dim-1)
			}
		}
	}
	return nil
}

// bandwidths returns the numbers of lower and upper diagonals within which
// the matrix is stored; a full matrix is reported by banded = false.
func (s *Structure) bandwidths(dim int) (lower, upper int, banded bool) {
	if s.Banded {
		return s.Lower, s.Upper, true
	}
	if s.Pattern == nil {
		return 0, 0, false
	}
	for i, row := range s.Pattern {
		for _, j := range row {
			lower = max(lower, i-j)
			upper = max(upper, j-i)
		}
	}
	// Pivoting fills `lower` further diagonals: past half the matrix the band
	// form saves neither memory nor work.
	return lower, upper, 2*lower+upper+1 <= dim/2
}

// columnGroups partitions the columns 0..dim-1 so that no two columns of a
// group have an entry in the same row (Curtis, Powell & Reid 1974; greedy
// colouring in natural order). rows[j] lists the rows of column j.
func (s *Structure) columnGroups(dim int) (groups, rows [][]int) {
	rows = s.rowsOfColumns(dim)
	takenBy := make([][]bool, 0) // takenBy[c][i]: row i is used by colour c
	for j := range dim {
		c := 0
		for c < len(takenBy) && touchesAny(rows[j], takenBy[c]) {
			c++
		}
		if c == len(takenBy) {
			takenBy = append(takenBy, make([]bool, dim))
			groups = append(groups, nil)
		}
		for _, i := range rows[j] {
			takenBy[c][i] = true
		}
		groups[c] = append(groups[c], j)
	}
	return groups, rows
}

func touchesAny(rows []int, taken []bool) bool {
	for _, i := range rows {
		if taken[i] {
			return true
		}
	}
	return false
}

func (s *Structure) rowsOfColumns(dim int) [][]int {
	rows := make([][]int, dim)
	if s.Pattern != nil {
		for i, columns := range s.Pattern {
			for _, j := range columns {
				if n := len(rows[j]); n == 0 || rows[j][n-1] != i {
					rows[j] = append(rows[j], i)
				}
			}
		}
		return rows
	}
	all := make([]int, dim)
	for i := range all {
		all[i] = i
	}
	for j := range dim {
		rows[j] = all
		if s.Banded {
			rows[j] = all[max(0, j-s.Upper):min(dim, j+s.Lower+1)]
		}
	}
	return rows
}
