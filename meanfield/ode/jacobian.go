package ode

import "math"

type jacobianAge int

const (
	staleJacobian jacobianAge = iota // to be formed before the next attempt
	usedJacobian                     // formed at an earlier state, still good
	freshJacobian                    // formed at the present state
)

// jacobian forms ∂F/∂y at the present state of a course.
type jacobian struct {
	course *course
	matrix *Matrix
	age    jacobianAge

	groups, rows  [][]int // columns evaluated together; rows of a column
	shifted, diff []float64
	increments    []float64
}

func newJacobian(c *course) *jacobian {
	n := c.problem.Dim
	j := &jacobian{course: c, matrix: NewMatrix(n, c.problem.Structure)}
	if c.problem.Jacobian == nil {
		j.prepareDifferences()
	}
	return j
}

func (j *jacobian) prepareDifferences() {
	n := j.course.problem.Dim
	j.groups, j.rows = j.course.problem.Structure.columnGroups(n)
	vectors := make([]float64, 3*n)
	j.shifted, j.diff, j.increments = vectors[:n:n], vectors[n:2*n:2*n], vectors[2*n:]
}

// form evaluates the Jacobian for a step of size h.
func (j *jacobian) form(h float64) {
	c := j.course
	c.stats.Jacobians++
	j.matrix.Zero()
	if c.problem.Jacobian != nil {
		c.problem.Jacobian(c.t, c.y, j.matrix)
	} else {
		j.differences(h)
	}
	j.age = freshJacobian
}

// differences forms the Jacobian by forward differences, one evaluation of F
// for every group of columns that share no row (Curtis, Powell & Reid 1974).
func (j *jacobian) differences(h float64) {
	c := j.course
	for _, columns := range j.groups {
		copy(j.shifted, c.y)
		for _, k := range columns {
			j.increments[k] = j.increment(k, h)
			j.shifted[k] += j.increments[k]
		}
		c.stats.DifferenceEvaluations++
		c.problem.F(c.t, j.shifted, j.diff)
		for _, k := range columns {
			for _, i := range j.rows[k] {
				j.matrix.data[i*j.matrix.stride+k+j.matrix.base] = (j.diff[i] - c.slope[i]) / j.increments[k]
			}
		}
	}
}

// increment returns the displacement of component k: √ε times the larger of
// its size, its expected change over the step and the size below which its
// relative accuracy does not matter; towards larger values unless the
// component is negative, and exactly representable.
func (j *jacobian) increment(k int, h float64) float64 {
	c := j.course
	y := c.y[k]
	scale := max(math.Abs(y), math.Abs(h*c.slope[k]), c.tolerance.absolute[k]/c.tolerance.relative)
	delta := 1.5e-8 * max(scale, 1e-290)
	if y < 0 {
		delta = -delta
	}
	return (y + delta) - y
}

func (j *jacobian) finite() bool {
	for _, v := range j.matrix.data {
		if !isFinite(v) {
			return false
		}
	}
	return true
}
