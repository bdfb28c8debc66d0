package ode

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// chain is a reaction-diffusion chain whose row i depends on its neighbours
// within reach, with a Jacobian in closed form.
func chain(n, reach int, analytic bool, s Structure) Problem {
	p := Problem{Dim: n, Structure: s, F: func(_ float64, y, d []float64) {
		for i := range d {
			d[i] = -float64(i+1) * y[i] * y[i]
			for k := max(0, i-reach); k <= min(n-1, i+reach); k++ {
				d[i] += math.Sin(float64(i-k)+y[k]) * 10
			}
		}
	}}
	if analytic {
		p.Jacobian = func(_ float64, y []float64, jac *Matrix) {
			for i := range n {
				jac.Add(i, i, -2*float64(i+1)*y[i])
				for k := max(0, i-reach); k <= min(n-1, i+reach); k++ {
					jac.Add(i, k, math.Cos(float64(i-k)+y[k])*10)
				}
			}
		}
	}
	return p
}

func bandPattern(n, reach int) [][]int {
	pattern := make([][]int, n)
	for i := range pattern {
		for k := max(0, i-reach); k <= min(n-1, i+reach); k++ {
			pattern[i] = append(pattern[i], k)
		}
	}
	return pattern
}

func chainStart(n int) []float64 {
	y := make([]float64, n)
	for i := range y {
		y[i] = 1 + 0.5*math.Sin(float64(i))
	}
	return y
}

func formJacobian(p Problem, y []float64) *jacobian {
	c := newCourse(p, Settings{})
	copy(c.y, y)
	c.problem.F(0, c.y, c.slope)
	j := newJacobian(c)
	j.form(1e-3)
	return j
}

// All ways to form the Jacobian agree: differences of full columns, coloured
// by a band or a pattern, and the closed form.
func TestJacobiansAgree(t *testing.T) {
	const n, reach = 20, 2
	y := chainStart(n)
	exact := formJacobian(chain(n, reach, true, Dense()), y).matrix
	full := formJacobian(chain(n, reach, false, Dense()), y)
	for name, s := range map[string]Structure{
		"band": Banded(reach, reach), "pattern": Sparse(bandPattern(n, reach)),
	} {
		got := formJacobian(chain(n, reach, false, s), y)
		if evaluations := got.course.stats.DifferenceEvaluations; evaluations != 2*reach+1 {
			t.Errorf("%s: %d evaluations, want the bandwidth %d", name, evaluations, 2*reach+1)
		}
		for i := range n {
			for j := range n {
				if got.matrix.At(i, j) != full.matrix.At(i, j) {
					t.Errorf("%s: entry (%d, %d) = %v, full differences give %v", name, i, j, got.matrix.At(i, j), full.matrix.At(i, j))
				}
				if math.Abs(got.matrix.At(i, j)-exact.At(i, j)) > 2e-6 {
					t.Errorf("%s: entry (%d, %d) = %v, exact %v", name, i, j, got.matrix.At(i, j), exact.At(i, j))
				}
			}
		}
	}
	if full.course.stats.DifferenceEvaluations != n {
		t.Errorf("full differences took %d evaluations, want %d", full.course.stats.DifferenceEvaluations, n)
	}
}

// The solution does not depend on how the Jacobian is stored or formed, up to
// the tolerance.
func TestSolutionIndependentOfStructure(t *testing.T) {
	const n, reach = 20, 2
	solve := func(p Problem) *Solution {
		s := run(t, p, 0, chainStart(n), 1, Settings{Method: RadauIIA5, RelTol: 1e-9, AbsTol: 1e-12})
		if s.Status != Done {
			t.Fatal(s.Err())
		}
		return s
	}
	dense := solve(chain(n, reach, true, Dense()))
	band := solve(chain(n, reach, true, Banded(reach, reach)))
	for i := range n {
		// The same matrix factored in two storages: equal up to rounding.
		if math.Abs(dense.State[i]-band.State[i]) > 1e-12 {
			t.Errorf("component %d: dense %v, banded %v", i, dense.State[i], band.State[i])
		}
	}
	if dense.Stats.Work <= band.Stats.Work {
		t.Errorf("a full decomposition counts for %d, a banded one for %d", dense.Stats.Work, band.Stats.Work)
	}
	dense.Stats.Work = band.Stats.Work
	if dense.Stats != band.Stats {
		t.Errorf("work differs: dense %+v, banded %+v", dense.Stats, band.Stats)
	}
	for _, s := range []Structure{Dense(), Banded(reach, reach), Sparse(bandPattern(n, reach))} {
		differences := solve(chain(n, reach, false, s))
		if e := units(differences.State, dense.State, 1e-9, 1); e > 1 {
			t.Errorf("%+v: %.2g tolerances away from the closed-form Jacobian", s, e)
		}
	}
}

// No two columns of a group share a row, and every column is in one group.
func TestColumnGroups(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 15).Draw(t, "n")
		pattern := make([][]int, n)
		for i := range pattern {
			pattern[i] = rapid.SliceOfN(rapid.IntRange(0, n-1), 0, n).Draw(t, "row")
		}
		s := Sparse(pattern)
		if err := s.check(n); err != nil {
			t.Fatal(err)
		}
		groups, _ := s.columnGroups(n)
		seen := make([]int, n)
		for _, group := range groups {
			for _, j := range group {
				seen[j]++
			}
			for i, row := range pattern {
				used := 0
				for _, j := range group {
					if slices.Contains(row, j) {
						used++
					}
				}
				if used > 1 {
					t.Fatalf("row %d meets %d columns of group %v", i, used, group)
				}
			}
		}
		for j, times := range seen {
			if times != 1 {
				t.Fatalf("column %d is in %d groups", j, times)
			}
		}
	})
}

func TestMatrixBand(t *testing.T) {
	m := NewMatrix(5, Banded(1, 2))
	if l, u := m.Bandwidths(); l != 1 || u != 2 {
		t.Fatalf("bandwidths %d, %d", l, u)
	}
	next := 1.0
	for i := range 5 {
		for j := max(0, i-1); j <= min(4, i+2); j++ {
			m.Set(i, j, next)
			m.Add(i, j, 100)
			next++
		}
	}
	next = 1
	for i := range 5 {
		for j := range 5 {
			want := 0.0
			if j >= i-1 && j <= i+2 {
				want = next + 100
				next++
			}
			if got := m.At(i, j); got != want {
				t.Errorf("entry (%d, %d) = %v, want %v", i, j, got, want)
			}
		}
	}
	m.Zero()
	if m.At(2, 2) != 0 {
		t.Error("Zero left an entry")
	}
	for name, misuse := range map[string]func(){
		"outside the band":   func() { m.Set(3, 0, 1) },
		"outside the matrix": func() { m.At(5, 0) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			misuse()
		}()
	}
}
