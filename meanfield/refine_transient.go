package meanfield

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"qlimit/ctmc"
	"qlimit/meanfield/ode"
)

// transient integrates the expansion along a trajectory of the fluid limit,
//
//	x' = f(x),   V' = A V + ½ B:W + f¹,   W' = A W + W A^T + Q,
//
// all derivatives at x(t), from a known state: V = 0, W = 0. The unknowns are
// x, V and W on and above the diagonal, by rows.
type transient struct {
	*localModel
	a, w, q []float64
	columns []int // of the non-zero entries of a row of A
	err     error
}

func newTransient(p ctmc.Population) *transient {
	l := newLocalModel(p)
	size := l.n * l.n
	return &transient{localModel: l, a: make([]float64, size), w: make([]float64, size), q: make([]float64, size)}
}

func (t *transient) dim() int { return 2*t.n + t.n*(t.n+1)/2 }

func (t *transient) slope(_ float64, y, slope []float64) {
	n := t.n
	x, v, packed := y[:n], y[n:2*n], y[2*n:]
	if err := t.at(x, 1); err != nil {
		t.err = err
		slope[0] = math.NaN()
		return
	}
	clear(slope)
	t.addDrift(0, slope[:n])
	clear(t.a)
	t.addJacobian(0, t.a)
	unpack(packed, t.w, n)
	t.firstForcing(t.w, slope[n:2*n])
	clear(t.q)
	t.addNoise(limitRate, t.q)
	t.multiply(v, slope[n:2*n])
	pack(t.q, slope[2*n:], n)
}

// multiply adds A V to the slope of V, and A W + W A^T to q.
func (t *transient) multiply(v, slope []float64) {
	n := t.n
	for i := range n {
		row := t.a[i*n : (i+1)*n]
		t.columns = t.columns[:0]
		for k, entry := range row {
			if entry != 0 {
				t.columns = append(t.columns, k)
			}
		}
		for _, k := range t.columns {
			entry := row[k]
			slope[i] += entry * v[k]
			// (A W)_ij goes to (i, j) and, transposed, to (j, i): of the two
			// only the one on or above the diagonal is kept.
			wk := t.w[k*n : (k+1)*n]
			for j := range i {
				t.q[j*n+i] += entry * wk[j]
			}
			t.q[i*n+i] += 2 * entry * wk[i]
			for j := i + 1; j < n; j++ {
				t.q[i*n+j] += entry * wk[j]
			}
		}
	}
}

func pack(full, packed []float64, n int) {
	for i := range n {
		copied := copy(packed, full[i*n+i:(i+1)*n])
		packed = packed[copied:]
	}
}

func unpack(packed, full []float64, n int) {
	for i := range n {
		for j := i; j < n; j++ {
			full[i*n+j], full[j*n+i] = packed[j-i], packed[j-i]
		}
		packed = packed[n-i:]
	}
}

// maxTransientDim bounds the unknowns: W alone has n(n+1)/2 of them.
const maxTransientDim = 150

// PopulationPath is the expansion of the mean of a population process along
// time: E[x(t)] = Limit + Correction1/N + O(N^-2), N Cov(x(t)) -> Covariance.
type PopulationPath struct {
	Times       []float64       // as asked for, as far as reached
	Limit       [][]float64     // the fluid, [k][coordinate] at Times[k]
	Correction1 [][]float64     // of the means, coefficient of 1/N
	Covariance  []*mat.SymDense // limit of N Cov(x)

	Stats    ode.Stats  // the work it took
	Status   ode.Status // how the integration ended
	Method   ode.Method // that was used
	Kind     ctmc.Kind  // Limit
	Warnings []string   // sentences for footnotes
}

// RefinePopulationTrajectory follows a population process that starts exactly
// in the state start at time 0, at times that must not decrease. Zero
// tolerances in settings mean 1e-10 relative and 1e-12 absolute; the times in
// settings are not used. A path that ends early has a Status that says why and
// holds the times reached. The expansion holds on finite time intervals, and
// for all times when the path tends to a stable equilibrium.
func RefinePopulationTrajectory(ctx context.Context, p ctmc.Population, start, times []float64, settings ode.Settings) (*PopulationPath, error) {
	if len(start) != p.Dim() || !finiteEntries(start) {
		return nil, &ctmc.FieldError{Field: "start", Value: start, Allowed: "one finite number for each coordinate"}
	}
	if err := checkTimes(times); err != nil {
		return nil, err
	}
	if err := checkTransientDim(p.Dim()); err != nil {
		return nil, err
	}
	t := newTransient(p)
	y := make([]float64, t.dim())
	copy(y, start)
	path := &PopulationPath{Kind: ctmc.Limit, Status: ode.Done, Method: settings.Method}
	end := 0.0
	if len(times) > 0 {
		end = times[len(times)-1]
	}
	if end == 0 {
		for range times {
			path.add(0, y, t.n)
		}
		return path, nil
	}
	settings.Times = times
	if settings.MaxWork == 0 {
		settings.MaxWork = DefaultPathWork
	}
	if settings.RelTol == 0 {
		settings.RelTol = pathRelTol
	}
	if settings.AbsTol == 0 {
		settings.AbsTol = pathAbsTol
	}
	solution, err := ode.Integrate(ctx, ode.Problem{Dim: t.dim(), F: t.slope}, 0, y, end, settings)
	if err != nil {
		return nil, err
	}
	path.Stats, path.Status = solution.Stats, solution.Status
	for k, y := range solution.States {
		path.add(solution.Times[k], y, t.n)
	}
	if err := solution.Err(); err != nil {
		if t.err != nil {
			err = t.err
		}
		path.Warnings = append(path.Warnings, err.Error())
	}
	return path, nil
}

func checkTransientDim(dim int) error {
	if dim > maxTransientDim {
		return &ctmc.TooLargeError{What: "coordinates of the expansion along a trajectory", Value: float64(dim), Limit: maxTransientDim,
			Hint: "give a smaller --buffer"}
	}
	return nil
}

func (p *PopulationPath) add(time float64, y []float64, n int) {
	p.Times = append(p.Times, time)
	p.Limit = append(p.Limit, append([]float64(nil), y[:n]...))
	p.Correction1 = append(p.Correction1, append([]float64(nil), y[n:2*n]...))
	w := make([]float64, n*n)
	unpack(y[2*n:], w, n)
	p.Covariance = append(p.Covariance, mat.NewSymDense(n, w))
}
