package meanfield

import (
	"fmt"
	"math"
	"math/cmplx"
	"sort"

	"gonum.org/v1/gonum/mat"

	"qlimit/meanfield/ode"
)

const (
	maxRefinement = 60
	// refineWork bounds the operations spent on refining; the slowest modes
	// come first, and the rest is left as the QR iteration found it.
	refineWork = 3e8
	// backwardTolerance is the relative change of the entries of the matrix
	// up to which an eigenpair counts as one.
	backwardTolerance = 1e-13
	// countWork is the largest elimination that is done some hundred times to
	// count the eigenvalues of a half-plane.
	countWork = 2e6
	// listedAccuracy is the relative accuracy that an eigenvalue needs to be
	// listed.
	listedAccuracy = 1e-4
)

// rootSearch improves the eigenvalues of a matrix by the simultaneous
// iteration of Ehrlich and Aberth,
//
//	z_j ← z_j - N_j/(1 - N_j Σ_{k≠j} 1/(z_j - z_k)),   N_j = p(z_j)/p'(z_j),
//
// Newton's method that keeps away from the roots other iterates approach. It
// does not depend on the scale of the rows, and hardly on the starting values.
type rootSearch struct {
	pencil  *shifted
	z       []complex128
	newton  []float64 // |N_j|
	refined int       // the first so many are refined
}

// reliableEigenvalues of a matrix: those of the QR iteration on the balanced
// matrix, refined, each verified by an eigenpair. What is not verified is
// left out and counted in a warning.
func reliableEigenvalues(a *ode.Matrix) ([]Eigenvalue, []string, error) {
	b := balanced(a)
	start, err := qrEigenvalues(b)
	if err != nil {
		return nil, nil, err
	}
	s := newRootSearch(b, start)
	s.refine()
	list, warnings, err := s.verified()
	if err != nil {
		return nil, nil, err
	}
	if text := s.overlooked(list); text != "" {
		warnings = append(warnings, text)
	}
	return list, warnings, nil
}

// overlooked counts the eigenvalues right of the slowest one listed, a tenth of
// its real part away, and says so if there are any.
func (s *rootSearch) overlooked(list []Eigenvalue) string {
	if s.pencil.work() > countWork {
		return "the matrix is too large to make sure that no eigenvalue slower than the gap was overlooked"
	}
	slowest := largestReal(list)
	line := slowest + math.Max(0.1*math.Abs(slowest), 1e-10*s.pencil.norm)
	if count := s.pencil.countRight(line); !(math.Abs(count) < 0.3) {
		return fmt.Sprintf("a count of the eigenvalues with a real part above %.6g (in the unit of the linearisation) gives %.2f instead of 0: the gap may be that of a faster mode", line, count)
	}
	return ""
}

func qrEigenvalues(a *ode.Matrix) ([]complex128, error) {
	n, _ := a.Dims()
	full := mat.NewDense(n, n, nil)
	fill(full, a)
	var eigen mat.Eigen
	if !eigen.Factorize(full, mat.EigenNone) {
		return nil, fmt.Errorf("spectrum: the QR iteration for the eigenvalues did not converge")
	}
	return eigen.Values(nil), nil
}

func newRootSearch(a *ode.Matrix, start []complex128) *rootSearch {
	s := &rootSearch{pencil: newShifted(a), z: append([]complex128(nil), start...)}
	sort.SliceStable(s.z, func(i, j int) bool { return real(s.z[i]) > real(s.z[j]) })
	s.newton = make([]float64, len(s.z))
	for i := range s.newton {
		s.newton[i] = math.Inf(1)
	}
	s.refined = min(len(s.z), max(2, int(refineWork/(6*s.pencil.work()))))
	return s
}

// refine sweeps over the iterates that still move.
func (s *rootSearch) refine() {
	done := make([]bool, s.refined)
	for sweep := range maxRefinement {
		moving := false
		for j := range done {
			if !done[j] {
				done[j] = s.improve(j, sweep)
				moving = moving || !done[j]
			}
		}
		if !moving {
			return
		}
	}
}

// improve takes one step of z_j and reports whether it is at rest: the step is
// a rounding error or, near rounding errors, no smaller than the last one.
func (s *rootSearch) improve(j, sweep int) bool {
	z := s.z[j]
	newton := 1 / s.pencil.eliminate(z, nil)
	size := cmplx.Abs(newton)
	if math.IsNaN(size) || math.IsInf(size, 0) {
		s.z[j] += complex(0x1p-40*s.pencil.norm, 0)
		return false
	}
	floor := 0x1p-52 * cmplx.Abs(z)
	if size <= floor || size >= s.newton[j] && size <= 1e-10*cmplx.Abs(z) {
		s.newton[j] = math.Max(size, floor)
		return true
	}
	s.newton[j] = size
	repulsion := complex128(0)
	for k, other := range s.z {
		if k != j && other != z {
			repulsion += 1 / (z - other)
		}
	}
	step := newton / (1 - newton*repulsion)
	if sweep%15 == 14 {
		// Two real iterates may have to leave the axis as a pair.
		step *= complex(1, 0.1)
	}
	if !cmplx.IsNaN(step) && !cmplx.IsInf(step) {
		s.z[j] = z - step
	}
	return false
}

// verified lists the eigenvalues that inverse iteration confirms and that are
// determined: a matrix far from normal has points next to which rounding errors
// of the entries make eigenvalues anywhere.
func (s *rootSearch) verified() ([]Eigenvalue, []string, error) {
	var list []Eigenvalue
	dropped, slowest := 0, math.Inf(-1)
	for j, z := range s.z[:s.refined] {
		// A root lies within n|p/p'| of z.
		bound := float64(len(s.z)) * s.newton[j]
		size := math.Max(cmplx.Abs(z), 0x1p-52*s.pencil.norm)
		if bound > listedAccuracy*size && bound > 0x1p-45*s.pencil.norm || s.pencil.backwardError(z) > backwardTolerance {
			dropped++
			slowest = math.Max(slowest, real(z))
			continue
		}
		list = append(list, Eigenvalue{Re: real(z), Im: imag(z), Error: bound})
	}
	slowest = math.Max(slowest, largestReal(list))
	paired := pairUp(list)
	dropped += len(list) - len(paired)
	list = paired
	if len(list) == 0 {
		return nil, nil, fmt.Errorf("spectrum: none of the %d eigenvalues could be verified", len(s.z))
	}
	var warnings []string
	if dropped > 0 {
		text := fmt.Sprintf("%d of %d eigenvalues are not determined in double precision and are left out", dropped, len(s.z))
		if gap := largestReal(list); slowest > gap+1e-9*math.Abs(gap) {
			text += "; one of them may be slower than the gap"
		}
		warnings = append(warnings, text)
	}
	if rest := len(s.z) - s.refined; rest > 0 {
		warnings = append(warnings, fmt.Sprintf("only the %d slowest of %d eigenvalues were refined and verified; the others are left out", s.refined, len(s.z)))
	}
	return list, warnings, nil
}

func largestReal(list []Eigenvalue) float64 {
	largest := math.Inf(-1)
	for _, v := range list {
		largest = math.Max(largest, v.Re)
	}
	return largest
}

// pairUp puts eigenvalues that are real to their accuracy on the axis and
// makes pairs exactly conjugate. One without its partner is not an eigenvalue
// of a real matrix to the accuracy claimed, and is left out.
func pairUp(list []Eigenvalue) []Eigenvalue {
	var paired []Eigenvalue
	used := make([]bool, len(list))
	for i, v := range list {
		if used[i] {
			continue
		}
		used[i] = true
		if math.Abs(v.Im) <= math.Min(v.Error, 1e-9*math.Abs(v.Re)) {
			v.Im = 0
			paired = append(paired, v)
			continue
		}
		for j, w := range list {
			distance := math.Hypot(v.Re-w.Re, v.Im+w.Im)
			if !used[j] && distance <= v.Error+w.Error+1e-9*math.Hypot(v.Re, v.Im) {
				used[j] = true
				v.Error = math.Max(v.Error, w.Error)
				paired = append(paired, v, Eigenvalue{Re: v.Re, Im: -v.Im, Error: v.Error})
				break
			}
		}
	}
	return paired
}
