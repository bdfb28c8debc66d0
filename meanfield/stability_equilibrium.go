package meanfield

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"qlimit/ctmc"
	"qlimit/meanfield/ode"
)

// IntegratedEquilibrium is an equilibrium found by following the fluid until
// it comes to rest and then by Newton's method.
type IntegratedEquilibrium struct {
	Shape
	State        State   // fractions of servers by class, in the order of Shape
	MeanJobs     float64 // per server
	WaitProb     float64 // fraction of jobs sent to a server that is not idle, lost jobs counted
	BlockProb    float64 // fraction of jobs lost
	MeanResponse float64 // of the accepted jobs, in the unit of the service law

	Regime      Regime  // at the equilibrium; zero for a smooth policy
	Time        float64 // at which the fluid was near enough for Newton's method, in the unit of the service law
	Distance    float64 // largest component of the first Newton step: how near it was
	Newton      int     // Newton steps
	Residual    float64 // largest component of the drift, per mean service time
	SlowestRate float64 // |Re| of the eigenvalue of the linearised drift nearest 0, per mean service time; 0 if nothing can move
	// ErrorBound bounds the error of every component of the coordinates (the
	// tails): the residual, rounding errors included, times the norm of the
	// inverse of the linearised drift, a norm that the slowest rate governs.
	ErrorBound float64

	Stats    ode.Stats   // the work of the integration
	Status   ctmc.Status // Converged, or Stagnated where the fluid did not come to rest
	Kind     ctmc.Kind   // Limit
	Warnings []string    // sentences for footnotes
}

// Settings of the second route to the equilibrium.
const (
	restRelTol    = 1e-6 // tolerances of the integration
	restAbsTol    = 1e-9
	restSlope     = 1e-4 // slope at which Newton's method is tried first
	restHorizon   = 1e7  // mean service times after which the fluid is given up
	newtonGoal    = 1e-15
	maxRestNewton = 12
	maxRestSize   = 2048 // unknowns of the Newton equations
)

// EquilibriumByIntegration finds the equilibrium that the fluid of any policy
// reaches from start (nil = all servers idle), independently of the algebra of
// [Equilibrium]: it integrates until the slope is small and finishes within
// the regime reached by Newton's method, to rounding errors. A Newton iterate
// that leaves the regime or the simplex, or does not converge, sends the
// integration on to a slope ten times smaller.
//
// Zero tolerances in settings mean 1e-6 relative and 1e-9 absolute: they bear
// on the time at which Newton's method takes over, not on the result. An
// unlimited buffer needs load < 1 and is cut where fewer than 1e-12 jobs per
// server are lost over the integration.
//
// Errors are those of [Trajectory] and, for JSQ and its kind at load exactly
// 1, [ctmc.NotUniqueError]. If the fluid does not come to rest within 1e7 mean
// service times the last state is returned with Status ctmc.Stagnated.
func EquilibriumByIntegration(ctx context.Context, sys ctmc.System, start State, settings ode.Settings) (*IntegratedEquilibrium, error) {
	if err := sys.ValidateLimit(); err != nil {
		return nil, err
	}
	if p := newEquilibriumProblem(sys); sys.Load == 1 && !sys.Policy.Smooth() {
		if _, err := p.critical(); err != nil {
			return nil, err
		}
	}
	if start == nil {
		start = State{1}
	}
	if err := checkPath(start, sys.Phases(), nil); err != nil {
		return nil, err
	}
	if settings.RelTol == 0 {
		settings.RelTol = restRelTol
	}
	if settings.AbsTol == 0 {
		settings.AbsTol = restAbsTol
	}
	f, err := newFollower(sys, start, settings)
	if err != nil {
		return nil, err
	}
	f.end = restHorizon
	return f.comeToRest(ctx)
}

// comeToRest alternates integration and Newton's method.
func (f *follower) comeToRest(ctx context.Context) (*IntegratedEquilibrium, error) {
	for slope := restSlope; slope > 1e-13; slope /= 10 {
		f.steady = &ode.SteadyState{AbsTol: slope}
		f.settled = false
		if err := f.follow(ctx); err != nil {
			return nil, err
		}
		if !f.settled {
			break
		}
		n, err := f.newton()
		for err == nil && n.converged && f.cutsOff(n) {
			// At rest more levels may be in use than on the way.
			f.flow.leave(n.y, f.q)
			if err = f.addLevels(); err == nil {
				n, err = f.newton()
			}
		}
		if err != nil {
			return nil, err
		}
		if n.converged {
			return f.atRest(n), nil
		}
	}
	e := f.describe(f.q)
	e.Status = ctmc.Stagnated
	e.Warnings = append(f.path.Warnings, fmt.Sprintf("the fluid has not come to rest by time %g", f.time*f.mean))
	return e, nil
}

// restNewton is Newton's method for the slopes of the present flow.
type restNewton struct {
	y, slope  []float64
	lu        mat.LU
	norm      float64 // of the Jacobian
	steps     int
	distance  float64
	residual  float64
	converged bool
}

// newton looks for the root of the slopes near the present state.
func (f *follower) newton() (*restNewton, error) {
	p := f.flow.problem()
	if p.Jacobian == nil {
		return &restNewton{}, nil // a level about to grow is not at rest
	}
	dim := p.Dim - 1 // without the lost jobs
	if dim == 0 {
		// All servers hold jobs to the buffer, in the only phase.
		n := &restNewton{y: append([]float64(nil), f.in.State()...), slope: make([]float64, 1), converged: true}
		p.F(0, n.y, n.slope)
		return n, nil
	}
	if dim > maxRestSize {
		return nil, &ctmc.TooLargeError{What: "unknowns", Value: float64(dim), Limit: maxRestSize, Hint: "use the algebraic equilibrium"}
	}
	n := &restNewton{y: append([]float64(nil), f.in.State()...), slope: make([]float64, p.Dim)}
	jac := ode.NewMatrix(p.Dim, p.Structure)
	full := mat.NewDense(dim, dim, nil)
	var step mat.VecDense
	for last := math.Inf(1); n.steps < maxRestNewton; n.steps++ {
		p.F(0, n.y, n.slope)
		jac.Zero()
		p.Jacobian(0, n.y, jac)
		fill(full, jac)
		right := mat.NewVecDense(dim, nil)
		for i := range dim {
			right.SetVec(i, -n.slope[i])
		}
		if f.flow.conservesMass() {
			f.massRow(full, right, n.y)
		}
		n.norm = mat.Norm(full, 1)
		n.lu.Factorize(full)
		if err := n.lu.SolveVecTo(&step, false, right); err != nil {
			return n, nil // singular to working accuracy
		}
		size := mat.Norm(&step, math.Inf(1))
		if n.steps == 0 {
			n.distance = size
		}
		// Converged: the steps no longer shrink, or are rounding errors.
		if size <= newtonGoal || size < 1e-12 && size >= last/2 {
			break
		}
		if !(size < 1) {
			return n, nil
		}
		for i := range dim {
			n.y[i] += step.AtVec(i)
		}
		last = size
	}
	n.residual = 0
	for _, s := range n.slope[:dim] {
		n.residual = math.Max(n.residual, math.Abs(s))
	}
	n.converged = n.steps < maxRestNewton && f.admissible(n.y)
	return n, nil
}

// cutsOff reports whether a root loses jobs at a level where the fluid is cut.
func (f *follower) cutsOff(n *restNewton) bool {
	return f.flow.cut() && n.slope[len(n.slope)-1] > cutRate
}

// cutRate is the rate of jobs lost at the cut, per server and mean service
// time, that is neglected at an equilibrium. Random routing near load 1 passes
// it on to the mean amplified by the square of the number of levels.
const cutRate = 1e-18

func fill(full *mat.Dense, jac *ode.Matrix) {
	dim, _ := full.Dims()
	lower, upper := jac.Bandwidths()
	full.Zero()
	for i := range dim {
		for j := max(0, i-lower); j <= min(dim-1, i+upper); j++ {
			full.Set(i, j, jac.At(i, j))
		}
	}
}

// massRow replaces the first equation, which the others imply, by Σ q = 1.
func (f *follower) massRow(full *mat.Dense, right *mat.VecDense, y []float64) {
	r := f.flow.(*receiverFlow)
	dim, _ := full.Dims()
	missing := 1.0
	for j := range dim {
		weight := 1.0
		if j == 1 && r.head == 2 {
			weight = 0 // q_{k,2} is a part of u
		}
		full.Set(0, j, weight)
		missing -= weight * y[j]
	}
	right.SetVec(0, missing)
}

// admissible reports whether a root lies in the regime and in the simplex.
func (f *follower) admissible(y []float64) bool {
	if _, left := f.flow.leftRegime(y); left {
		return false
	}
	f.flow.leave(y, f.trial)
	return least(f.trial) > -1e-12
}

// atRest describes the equilibrium found by Newton's method.
func (f *follower) atRest(n *restNewton) *IntegratedEquilibrium {
	f.flow.leave(n.y, f.q)
	clearNegative(f.q)
	e := f.describe(f.q)
	e.Newton, e.Distance, e.Residual = n.steps, n.distance, n.residual
	e.ErrorBound = n.errorBound()
	e.SlowestRate = slowestRate(n, f.flow.conservesMass())
	e.Status = ctmc.Converged
	return e
}

// describe fills in the means of a state.
func (f *follower) describe(q State) *IntegratedEquilibrium {
	e := &IntegratedEquilibrium{Shape: f.shape, State: append(State(nil), q...), Regime: f.now, Time: f.time * f.mean,
		Stats: f.earlier, Kind: ctmc.Limit}
	e.MeanJobs = e.Jobs(e.State)
	router := ctmc.FluidRouter{Policy: f.sys.Policy, Arrival: f.load, Service: f.law.dist(), Levels: f.shape.Levels}
	route := make([]float64, f.shape.Classes())
	router.Route(q, route)
	e.WaitProb = math.Max(0, 1-route[0])
	busy := 1 - q[0]
	if f.shape.Levels == f.sys.Buffer {
		e.BlockProb = f.shape.Mass(route, f.shape.Levels)
		if e.BlockProb < 0x1p-50 {
			e.BlockProb = 0
		}
	}
	e.MeanResponse = e.MeanJobs * f.mean / busy
	return e
}

// slowestRate is |Re| of the eigenvalue of the linearised drift nearest 0, by
// inverse iteration with the factors of Newton's equations. Three iterates in
// a row determine the two eigenvalues nearest 0, real or a conjugate pair. If
// Σ q = 1 stands in the first equation, the iterates keep Σ q = 0.
func slowestRate(n *restNewton, massRow bool) float64 {
	dim := len(n.y) - 1
	if dim == 0 {
		return 0
	}
	v, right := mat.NewVecDense(dim, nil), mat.NewVecDense(dim, nil)
	solve := func(x, b *mat.VecDense) error {
		right.CopyVec(b)
		if massRow {
			right.SetVec(0, 0)
		}
		return n.lu.SolveVecTo(x, false, right)
	}
	for i := range dim {
		v.SetVec(i, 1+math.Sin(float64(3*i+1)))
	}
	var first, second mat.VecDense
	rate := math.NaN()
	for range 200 {
		if solve(&first, v) != nil {
			return 0
		}
		first.ScaleVec(1/mat.Norm(&first, 2), &first)
		v.CopyVec(&first)
		if solve(&first, v) != nil || solve(&second, &first) != nil {
			return 0
		}
		before := rate
		rate = nearestZero(v, &first, &second)
		if math.Abs(rate-before) <= 1e-10*rate {
			break
		}
		v.CopyVec(&second)
	}
	return rate
}

// nearestZero fits c = a x + b x' to vectors x, A⁻¹x, A⁻²x and returns |Re 1/z|
// for the largest root z of z² = a z + b.
func nearestZero(x, first, second *mat.VecDense) float64 {
	xx, xf, ff := mat.Dot(x, x), mat.Dot(x, first), mat.Dot(first, first)
	xs, fs := mat.Dot(x, second), mat.Dot(first, second)
	determinant := xx*ff - xf*xf
	if determinant <= 1e-14*xx*ff {
		return math.Abs(xf / ff) // one direction: A first = x
	}
	a := (fs*xx - xs*xf) / determinant
	b := (xs*ff - fs*xf) / determinant
	if d := a*a/4 + b; d >= 0 {
		z := math.Abs(a)/2 + math.Sqrt(d)
		return 1 / z
	}
	// z = a/2 ± i√.., |z|² = -b, Re(1/z) = Re z/|z|².
	return math.Abs(a / (2 * b))
}
