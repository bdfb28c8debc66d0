package diffusion

import (
	"math"

	"qlimit/ctmc"
)

// Relaxation is how fast a process forgets its start.
type Relaxation struct {
	Gap  float64 // spectral gap of the generator, per unit time
	Time float64 // 1/Gap
	// Continuous says that no eigenvalue lies below the continuous spectrum,
	// whose bottom is then the gap.
	Continuous bool
	Error      float64 // of the gap, by comparison of two grids; 0 for the continuous spectrum
}

// Relaxation computes the spectral gap. Where the drift tends to -β and the
// noise to σ² far out, the spectrum is continuous from β²/(2σ²) on; an
// eigenvalue below that is the gap. It is the second eigenvalue of the
// symmetric tridiagonal matrix similar to the generator on a grid, found by
// Sturm sequences and extrapolated from two grids, whose difference gives the
// error.
//
// Exactly known: CQ α²/(2σ²), continuous; IQF 4α²/(9σ²), an eigenvalue (the
// first excited state of a hydrogen atom in two dimensions).
func (p Process) Relaxation() (Relaxation, error) {
	law, err := p.Stationary()
	if err != nil {
		return Relaxation{}, err
	}
	bottom := law.continuousBottom()
	const cells = 2000
	coarse := newGrid(law, stretchedMesh(cells, law.innerLength(law.Reach()), law.Reach())).secondEigenvalue()
	fine := newGrid(law, stretchedMesh(2*cells, law.innerLength(law.Reach()), law.Reach())).secondEigenvalue()
	gap := fine + (fine-coarse)/3
	r := Relaxation{Gap: gap, Time: 1 / gap, Error: math.Abs(fine-coarse) / 3}
	if gap >= bottom*(1-1e-9) {
		r = Relaxation{Gap: bottom, Time: 1 / bottom, Continuous: true}
	}
	if !(r.Gap > 0) {
		return r, &ctmc.FieldError{Field: "drift", Value: r.Gap, Allowed: "bounded away from 0 far from the boundary",
			Reason: "the process has no spectral gap"}
	}
	return r, nil
}

// Relaxation is that of the limit, exact for CQ and IQF. Errors: those of
// Validate.
func (n NDS) Relaxation() (Relaxation, error) {
	p, err := n.Process()
	if err != nil {
		return Relaxation{}, err
	}
	if n.Discipline.Name == IQF.Name {
		gap := 4 * n.Spare * n.Spare / (9 * n.noise())
		return Relaxation{Gap: gap, Time: 1 / gap}, nil
	}
	return p.Relaxation()
}

// continuousBottom is β²/(2σ²) with the drift and noise at 1000 times the
// reach; +Inf where the drift still grows there.
func (l *Law) continuousBottom() float64 {
	at := func(u float64) float64 {
		beta := l.process.TotalDrift(u)
		return beta * beta / (2 * l.process.variance(u))
	}
	near, far := at(1e5*l.end), at(1e7*l.end)
	if far > near*1.01 {
		return math.Inf(1)
	}
	return far
}

// secondEigenvalue is the smallest positive eigenvalue of minus the generator,
// by bisection on the number of eigenvalues below.
func (g *grid) secondEigenvalue() float64 {
	lo, hi := 0.0, 0.0
	for i := range g.up {
		hi = math.Max(hi, g.up[i]+g.down[i])
	}
	hi *= 2
	for range 200 {
		middle := (lo + hi) / 2
		if lo > 0 && hi/lo > 4 {
			middle = math.Sqrt(lo * hi)
		}
		if middle <= lo || middle >= hi || hi-lo < 1e-13*hi {
			break
		}
		if g.eigenvaluesBelow(middle) >= 2 {
			hi = middle
		} else {
			lo = middle
		}
	}
	return (lo + hi) / 2
}

// eigenvaluesBelow counts by the signs of the pivots of the tridiagonal matrix
// minus x. The pivots are kept as up_i minus a defect, d_i = up_i - x_i, with
// x_i = x + down_{i-1} x_{i-1}/(x_{i-1} - up_{i-1}): near the eigenvalue 0 no
// digits are lost.
func (g *grid) eigenvaluesBelow(x float64) int {
	count, defect := 0, x
	for i := range g.up {
		pivot := g.up[i] - defect
		if pivot == 0 {
			pivot = -1e-300
		}
		if pivot < 0 {
			count++
		}
		// (down_{i}) (1 - up_i/pivot) = -down_i defect/pivot
		defect = x + g.down[i]*(defect/pivot)
	}
	if defect > 0 {
		count++
	}
	return count
}
