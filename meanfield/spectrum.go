package meanfield

import (
	"fmt"
	"math"
	"sort"

	"gonum.org/v1/gonum/mat"

	"qlimit/ctmc"
	"qlimit/meanfield/ode"
)

// Modes are the eigenvalues of the linearisation of the mean-field
// limit at its equilibrium. Rates are per unit of the service law's time.
//
// Near the equilibrium a deviation is a sum of terms e^{κt} with κ the
// eigenvalues, times powers of t where they are defective.
type Modes struct {
	Eigenvalues []Eigenvalue // by falling real part, then falling imaginary part

	Gap            float64 // minus the largest real part: the slowest rate of decay
	RelaxationTime float64 // 1/Gap

	// Sliding is the number of levels 0, 1, .. that slide at the equilibrium:
	// they are empty, a deviation into them is gone in finite time, and the
	// eigenvalues are those of the reduced dynamics on the surface where they
	// are empty.
	Sliding int
	// Repeats says how often the eigenvalues listed occur: once (1) or, where
	// every level above has the same ones, once for each of so many levels; 0
	// means for each of infinitely many. With more than one the eigenvalue is
	// defective and deviations spread over k levels decay as t^(k-1) e^{κt}.
	Repeats int

	// Conserved is the number of linear invariants of a population model, whose
	// eigenvalues 0 are not listed.
	Conserved int

	Levels   int       // number of levels of the linearisation
	Kind     ctmc.Kind // Limit
	Warnings []string  // sentences for footnotes
}

// Eigenvalue is Re + i Im. Within Error of it there is an eigenvalue, rounding
// errors of the determinant left aside.
type Eigenvalue struct {
	Re, Im float64 // per unit of the service law's time
	Error  float64 // distance within which an eigenvalue lies
}

// Spectrum returns the spectrum of a system at its mean-field equilibrium.
//
//   - Smooth policies: the eigenvalues of the Jacobian in the tails s_{i,m}. An
//     unlimited buffer is cut where the tail is negligible; for d >= 2 the
//     levels cut off add eigenvalues next to those of a server that empties
//     without arrivals, -μ1 and -μ2 (-1/mean when exponential).
//   - Policies with priority levels at load < 1: idle servers take every job,
//     no level slides, and the drift is linear near the equilibrium. The
//     eigenvalues are -μ1 and -μ2, once for each level.
//   - The same above load 1 with a finite buffer: the lowest levels slide and
//     the reduced dynamics is linearised.
//
// Every eigenvalue is that of a QR iteration on the balanced matrix, refined by
// Newton's method on the determinant and verified by inverse iteration to a
// relative change of at most 1e-13 of the balanced matrix; one that fails is
// left out with a warning. With exponential service and a smooth policy the matrix is
// made symmetric instead.
//
// Errors: those of [Equilibrium], and a priority policy at load exactly 1,
// where the equilibrium lies on the border of two regimes and has no
// linearisation.
func Spectrum(sys ctmc.System) (*Modes, error) {
	fix, err := Equilibrium(sys)
	if err != nil {
		return nil, err
	}
	var s *Modes
	switch {
	case sys.Policy.Smooth():
		s, err = smoothSpectrum(sys, fix)
	case sys.Load < 1:
		s = idleSpectrum(sys)
	case sys.Load > 1:
		s, err = slidingSpectrum(sys, fix)
	default:
		return nil, &ctmc.FieldError{Field: "load", Value: sys.Load, Allowed: "other than 1 for the spectrum of " + sys.Policy.String(),
			Reason: "at load 1 the equilibrium lies where idle servers just run out, on the border of two regimes with different linearisations"}
	}
	if err != nil {
		return nil, err
	}
	s.finish(1 / sys.Service.Mean())
	return s, nil
}

// finish sorts the eigenvalues, multiplies them by a change of the unit of
// time and reads the gap off the slowest.
func (s *Modes) finish(scale float64) {
	for i := range s.Eigenvalues {
		s.Eigenvalues[i].Re *= scale
		s.Eigenvalues[i].Im *= scale
		s.Eigenvalues[i].Error *= scale
	}
	sort.SliceStable(s.Eigenvalues, func(i, j int) bool {
		a, b := s.Eigenvalues[i], s.Eigenvalues[j]
		if a.Re != b.Re {
			return a.Re > b.Re
		}
		return a.Im > b.Im
	})
	s.Kind = ctmc.Limit
	if len(s.Eigenvalues) == 0 {
		return
	}
	slowest := s.Eigenvalues[0]
	s.Gap = -slowest.Re
	switch {
	case math.Abs(s.Gap) <= slowest.Error:
		s.Gap = 0
		s.Warnings = append(s.Warnings, "the slowest eigenvalue is on the imaginary axis to within its accuracy: the linearisation does not decide about stability")
	case s.Gap < 0:
		s.Warnings = append(s.Warnings, "the equilibrium is not linearly stable")
	default:
		s.RelaxationTime = 1 / s.Gap
		if slowest.Error > gapAccuracy*s.Gap {
			s.Warnings = append(s.Warnings, fmt.Sprintf("the gap is certain to %.2g only", slowest.Error))
		}
	}
}

// gapAccuracy is the relative error of the gap that is passed over in silence.
const gapAccuracy = 1e-6

// idleSpectrum is that of the drift near an equilibrium with idle servers,
//
//	ds_{i,1}/dt = λ 1(i=1) + (1-p)μ1 s_{i+1,1} + μ2 s_{i+1,2} - μ1 s_{i,1}
//	ds_{i,2}/dt = pμ1 s_{i,1} - μ2 s_{i,2},
//
// block triangular with the same block at each level.
func idleSpectrum(sys ctmc.System) *Modes {
	law := newUnitLaw(sys.Service)
	s := &Modes{Repeats: sys.Buffer, Levels: 1, Eigenvalues: []Eigenvalue{{Re: -law.mu1}}}
	if !law.exponential {
		s.Eigenvalues = append(s.Eigenvalues, Eigenvalue{Re: -law.mu2})
	}
	if sys.Buffer != 1 {
		s.Warnings = append(s.Warnings, "every level has these eigenvalues: where k levels are disturbed the decay is t^(k-1) times the exponential")
	}
	return s
}

// smoothSpectrum uses the Jacobian of the tails.
func smoothSpectrum(sys ctmc.System, fix *Fixpoint) (*Modes, error) {
	levels := spectrumLevels(sys, fix)
	smooth, err := NewSmoothSystem(sys, levels)
	if err != nil {
		return nil, err
	}
	if dim := smooth.Dim(); dim > maxSpectrumDim {
		return nil, &ctmc.TooLargeError{What: "coordinates of the linearisation", Value: float64(dim), Limit: maxSpectrumDim, Hint: "give a smaller --buffer"}
	}
	jacobian := ode.NewMatrix(smooth.Dim(), smooth.Structure())
	smooth.Jacobian(0, fix.coordinates(levels, smooth.Phases), jacobian)
	s := &Modes{Repeats: 1, Levels: levels}
	if smooth.Phases == 1 {
		s.Eigenvalues, err = tridiagonalEigenvalues(jacobian)
	} else {
		s.Eigenvalues, s.Warnings, err = reliableEigenvalues(jacobian)
	}
	if err != nil {
		return nil, err
	}
	if levels != sys.Buffer {
		s.Warnings = append(s.Warnings, cutWarning(sys, levels))
	}
	return s, nil
}

func cutWarning(sys ctmc.System, levels int) string {
	if independentServers(sys) && sys.Buffer == ctmc.Unlimited {
		text := fmt.Sprintf("the spectrum is that of %d levels; with an unlimited buffer and random routing it is continuous", levels)
		if sys.Phases() == 1 {
			edge := 1 - math.Sqrt(sys.Load)
			text += fmt.Sprintf(", with the gap (1-√load)² = %.6g per mean service time", edge*edge)
		}
		return text
	}
	return fmt.Sprintf("the spectrum is that of the first %d levels; the levels above are next to empty", levels)
}

const (
	maxSpectrumDim = 1000
	// spectrumTail is where an unlimited buffer is cut.
	spectrumTail = 1e-12
	// spectrumRandomLevels is where random routing with an unlimited buffer
	// is cut: its spectrum fills an interval, and more levels only show more
	// points of it.
	spectrumRandomLevels = 200
)

func spectrumLevels(sys ctmc.System, fix *Fixpoint) int {
	levels := 1
	for levels < len(fix.Tail) && fix.Tail[levels-1] > spectrumTail {
		levels++
	}
	if sys.Buffer != ctmc.Unlimited {
		if independentServers(sys) {
			return sys.Buffer
		}
		return min(levels, sys.Buffer)
	}
	if independentServers(sys) {
		levels = min(levels, spectrumRandomLevels)
	}
	return levels
}

// tridiagonalEigenvalues of a matrix whose mirror entries have products >= 0:
// those of the symmetric matrix with their roots.
func tridiagonalEigenvalues(jacobian *ode.Matrix) ([]Eigenvalue, error) {
	n, _ := jacobian.Dims()
	symmetric := mat.NewSymDense(n, nil)
	for i := range n {
		symmetric.SetSym(i, i, jacobian.At(i, i))
		if i+1 < n {
			product := jacobian.At(i, i+1) * jacobian.At(i+1, i)
			symmetric.SetSym(i, i+1, math.Sqrt(math.Max(product, 0)))
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(symmetric, false) {
		return nil, fmt.Errorf("spectrum: the QR iteration for the eigenvalues did not converge")
	}
	values := eigen.Values(nil)
	// Backward stability and Weyl's inequality.
	rounding := 8 * 0x1p-53 * math.Max(math.Abs(values[0]), math.Abs(values[n-1]))
	list := make([]Eigenvalue, 0, n)
	for _, v := range values {
		list = append(list, Eigenvalue{Re: v, Error: rounding})
	}
	return list, nil
}
