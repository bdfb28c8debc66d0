package meanfield

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"qlimit/ctmc"
	"qlimit/meanfield/ode"
)

// PopulationDynamics is the fluid limit dx/dt = Σ ℓ β(x) of a population
// process. It is not safe for concurrent use.
type PopulationDynamics struct {
	Population ctmc.Population // whose fluid it is
	local      *localModel
}

// NewPopulationDynamics returns the fluid limit of a population process.
func NewPopulationDynamics(p ctmc.Population) *PopulationDynamics {
	return &PopulationDynamics{Population: p, local: newLocalModel(p)}
}

// Drift writes dx/dt.
func (d *PopulationDynamics) Drift(x, drift []float64) {
	clear(drift)
	for k, jump := range d.Population.Jumps() {
		addJump(drift, jump, d.Population.Rate(k, 0, x))
	}
}

// Jacobian writes the derivative of the drift at x by rows.
func (d *PopulationDynamics) Jacobian(x, jacobian []float64) {
	clear(jacobian)
	for k := range d.local.jumps {
		j := &d.local.jumps[k]
		d.local.population.Differentiate(k, 0, x, 1, &j.rate[0])
	}
	d.local.addJacobian(0, jacobian)
}

// Problem is the fluid limit as an initial value problem.
func (d *PopulationDynamics) Problem() ode.Problem {
	n := d.Population.Dim()
	var jacobian []float64
	return ode.Problem{
		Dim: n,
		F:   func(_ float64, x, slope []float64) { d.Drift(x, slope) },
		Jacobian: func(_ float64, x []float64, to *ode.Matrix) {
			if jacobian == nil {
				jacobian = make([]float64, n*n)
			}
			d.Jacobian(x, jacobian)
			for i, v := range jacobian {
				if v != 0 {
					to.Add(i/n, i%n, v)
				}
			}
		},
	}
}

// jumpSpan returns an orthonormal basis (n×r, by rows) of the span of the
// jumps, which a trajectory never leaves; nil when that is the whole space.
func jumpSpan(p ctmc.Population) []float64 {
	n, jumps := p.Dim(), p.Jumps()
	columns := mat.NewDense(n, len(jumps), nil)
	for k, jump := range jumps {
		for _, c := range jump {
			columns.Set(c.Coordinate, k, columns.At(c.Coordinate, k)+float64(c.By))
		}
	}
	var svd mat.SVD
	if !svd.Factorize(columns, mat.SVDThin) {
		return nil
	}
	values := svd.Values(nil)
	rank := 0
	for _, v := range values {
		if v > 1e-10*values[0] {
			rank++
		}
	}
	if rank == n {
		return nil
	}
	var u mat.Dense
	svd.UTo(&u)
	basis := make([]float64, n*rank)
	for i := range n {
		for a := range rank {
			basis[i*rank+a] = u.At(i, a)
		}
	}
	return basis
}

// PopulationEquilibrium returns the equilibrium that the fluid limit reaches
// from start: the drift is followed until it is slow, then Newton's method,
// within the span of the jumps, removes the rest of it. A conserved quantity
// keeps the value it has at start.
//
// An error: a start of the wrong length or not finite, or no equilibrium
// within the time limit (cycles, drift to infinity).
func PopulationEquilibrium(ctx context.Context, p ctmc.Population, start []float64) ([]float64, error) {
	if len(start) != p.Dim() || !finiteEntries(start) {
		return nil, &ctmc.FieldError{Field: "start", Value: start, Allowed: fmt.Sprintf("%d finite coordinates", p.Dim())}
	}
	d := NewPopulationDynamics(p)
	x := append([]float64(nil), start...)
	basis := jumpSpan(p)
	settings := ode.Settings{Method: ode.RadauIIA5, RelTol: 1e-6, AbsTol: 1e-9, SteadyState: &ode.SteadyState{}}
	for _, slow := range []float64{1e-4, 1e-7, 1e-10} {
		scale := d.largestFlow(x)
		if scale == 0 {
			return x, nil
		}
		settings.SteadyState.AbsTol = slow * scale
		solution, err := ode.Integrate(ctx, d.Problem(), 0, x, longTime/scale, settings)
		if err != nil {
			return nil, err
		}
		if !finiteEntries(solution.State) {
			break
		}
		if newton := d.newton(solution.State, basis); newton != nil && near(newton, solution.State, 0.01) {
			return newton, nil
		}
		x = solution.State
	}
	return nil, fmt.Errorf("population: no equilibrium is reached from %v: the drift neither settles nor lets Newton's method converge", start)
}

// longTime is how long the drift is followed, in inverse rates.
const longTime = 1e6

// largestFlow is the largest rate of a jump.
func (d *PopulationDynamics) largestFlow(x []float64) float64 {
	largest := 0.0
	for k := range d.Population.Jumps() {
		largest = math.Max(largest, math.Abs(d.Population.Rate(k, 0, x)))
	}
	return largest
}

func near(x, y []float64, tolerance float64) bool {
	size, distance := 0.0, 0.0
	for i := range x {
		size = math.Max(size, math.Abs(y[i]))
		distance = math.Max(distance, math.Abs(x[i]-y[i]))
	}
	return distance <= tolerance*math.Max(size, math.SmallestNonzeroFloat64)
}

// newton solves drift = 0 from x in the span of the jumps; nil when it does
// not converge to rounding.
func (d *PopulationDynamics) newton(start, basis []float64) []float64 {
	n := len(start)
	x := append([]float64(nil), start...)
	drift, jacobian := make([]float64, n), make([]float64, n*n)
	for range 30 {
		d.Drift(x, drift)
		d.Jacobian(x, jacobian)
		step := newtonStep(jacobian, drift, basis, n)
		if step == nil {
			return nil
		}
		size, largest := 0.0, 0.0
		for i := range x {
			x[i] -= step[i]
			size, largest = math.Max(size, math.Abs(step[i])), math.Max(largest, math.Abs(x[i]))
		}
		if size <= 4e-15*largest {
			return x
		}
	}
	d.Drift(x, drift)
	if largestAbs(drift) <= 1e-13*d.largestFlow(x) {
		return x
	}
	return nil
}

func newtonStep(jacobian, drift, basis []float64, n int) []float64 {
	matrix, right := jacobian, drift
	r := n
	if basis != nil {
		r = len(basis) / n
		matrix = compress(jacobian, basis, n, r)
		right = make([]float64, r)
		for i, v := range drift {
			for a := range r {
				right[a] += basis[i*r+a] * v
			}
		}
	}
	var solution mat.VecDense
	if err := solution.SolveVec(mat.NewDense(r, r, append([]float64(nil), matrix...)), mat.NewVecDense(r, append([]float64(nil), right...))); err != nil || !finiteEntries(solution.RawVector().Data) {
		return nil
	}
	step := append([]float64(nil), solution.RawVector().Data...)
	if basis == nil {
		return step
	}
	full := make([]float64, n)
	for i := range full {
		for a, v := range step {
			full[i] += basis[i*r+a] * v
		}
	}
	return full
}

func largestAbs(x []float64) float64 {
	largest := 0.0
	for _, v := range x {
		largest = math.Max(largest, math.Abs(v))
	}
	return largest
}
