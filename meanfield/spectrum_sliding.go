package meanfield

import (
	"gonum.org/v1/gonum/mat"

	"qlimit/ctmc"
)

// slidingSurface is the reduced dynamics of a policy with k priority levels
// above load 1, on the surface where the levels 0..k-1 are empty. A server
// that falls from level k to k-1 gets a fresh job at once, so that level k
// loses nothing; the departures r from it absorb as many arrivals. The rest,
// ν = λ - r, goes to the fallback kernel h. In the tails s_{i,m}, with s_k = 1,
//
//	r = (1-p)μ1 (s_{k,1} - s_{k+1,1}) + μ2 (s_{k,2} - s_{k+1,2})
//	ds_{k,2}/dt = pμ1 s_{k,1} - μ2 s_{k,2},  s_{k,1} = 1 - s_{k,2}
//	ds_{i,1}/dt = ν K_i (s_{i-1,1} - s_{i,1}) + (1-p)μ1 s_{i+1,1} + μ2 s_{i+1,2} - μ1 s_{i,1}
//	ds_{i,2}/dt = ν K_i (s_{i-1,2} - s_{i,2}) + pμ1 s_{i,1} - μ2 s_{i,2},   i > k,
//
// K_i the divided difference of h between s_{i-1} and s_i. The coordinates are
// s_{k,2}, s_{k+1,1}, s_{k+1,2}, ..; with exponential service s_{k+1}, ...
type slidingSurface struct {
	law            unitLaw
	kernel         limitKernel
	load           float64
	sliding, above int // k, and the number of levels above k
}

func newSlidingSurface(sys ctmc.System) *slidingSurface {
	k := min(sys.Policy.Depth, sys.Buffer)
	return &slidingSurface{law: newUnitLaw(sys.Service), kernel: newLimitKernel(sys.Policy.Fallback),
		load: sys.Load, sliding: k, above: sys.Buffer - k}
}

func (s *slidingSurface) dim() int {
	if s.law.exponential {
		return s.above
	}
	return 1 + 2*s.above
}

// coordinates of the equilibrium.
func (s *slidingSurface) coordinates(fix *Fixpoint) []float64 {
	all := fix.coordinates(s.sliding+s.above, s.law.phases())
	return all[len(all)-s.dim():]
}

// phases returns s_{k+i,1} and s_{k+i,2}, i = 0..above, and 0 beyond.
func (s *slidingSurface) phases(z []float64, i int) (first, second float64) {
	switch {
	case i > s.above:
		return 0, 0
	case s.law.exponential && i == 0:
		return 1, 0
	case s.law.exponential:
		return z[i-1], 0
	case i == 0:
		return 1 - z[0], z[0]
	}
	return z[2*i-1], z[2*i]
}

// index of s_{k+i,m} among the coordinates, -1 for what is not one.
func (s *slidingSurface) index(i, m int) int {
	switch {
	case i > s.above || (s.law.exponential && (m == 2 || i == 0)) || (i == 0 && m == 1):
		return -1
	case s.law.exponential:
		return i - 1
	}
	return 2*i + m - 2
}

// departures is r.
func (s *slidingSurface) departures(z []float64) float64 {
	first, second := s.phases(z, 0)
	nextFirst, nextSecond := s.phases(z, 1)
	return s.law.leave*(first-nextFirst) + s.law.mu2*(second-nextSecond)*s.twoPhases()
}

func (s *slidingSurface) twoPhases() float64 {
	if s.law.exponential {
		return 0
	}
	return 1
}

// drift writes dz/dt.
func (s *slidingSurface) drift(z, slope []float64) {
	l := &s.law
	left := s.load - s.departures(z)
	for i := 0; i <= s.above; i++ {
		first, second := s.phases(z, i)
		nextFirst, nextSecond := s.phases(z, i+1)
		arrivals := [3]float64{}
		if i > 0 {
			belowFirst, belowSecond := s.phases(z, i-1)
			k, _, _ := s.kernel.slopes(belowFirst+belowSecond, first+second)
			arrivals[1], arrivals[2] = left*k*(belowFirst-first), left*k*(belowSecond-second)
		}
		if row := s.index(i, 1); row >= 0 {
			slope[row] = arrivals[1] + l.leave*nextFirst + l.mu2*nextSecond - l.mu1*first
		}
		if row := s.index(i, 2); row >= 0 {
			slope[row] = arrivals[2] + l.proceed*first - l.mu2*second
		}
	}
}

// add adds value times the derivative of s_{k+i,m} to a row: s_{k,1} is
// 1 - s_{k,2}.
func (s *slidingSurface) add(jacobian *mat.Dense, row, i, m int, value float64) {
	if i == 0 && m == 1 && !s.law.exponential {
		m, value = 2, -value
	}
	if column := s.index(i, m); column >= 0 {
		jacobian.Set(row, column, jacobian.At(row, column)+value)
	}
}

// jacobian is the derivative of drift.
func (s *slidingSurface) jacobian(z []float64) *mat.Dense {
	l := &s.law
	jacobian := mat.NewDense(s.dim(), s.dim(), nil)
	left := s.load - s.departures(z)
	for i := 0; i <= s.above; i++ {
		for m := 1; m <= 2; m++ {
			row := s.index(i, m)
			if row < 0 {
				continue
			}
			if m == 1 {
				s.add(jacobian, row, i, 1, -l.mu1)
				s.add(jacobian, row, i+1, 1, l.leave)
				s.add(jacobian, row, i+1, 2, l.mu2)
			} else {
				s.add(jacobian, row, i, 1, l.proceed)
				s.add(jacobian, row, i, 2, -l.mu2)
			}
			if i > 0 {
				s.addArrivals(jacobian, z, row, i, m, left)
			}
		}
	}
	return jacobian
}

// addArrivals adds the derivative of ν K_i (s_{i-1,m} - s_{i,m}).
func (s *slidingSurface) addArrivals(jacobian *mat.Dense, z []float64, row, i, m int, left float64) {
	belowFirst, belowSecond := s.phases(z, i-1)
	first, second := s.phases(z, i)
	k, perBelow, perHere := s.kernel.slopes(belowFirst+belowSecond, first+second)
	gap := belowFirst - first
	if m == 2 {
		gap = belowSecond - second
	}
	s.add(jacobian, row, i-1, m, left*k)
	s.add(jacobian, row, i, m, -left*k)
	for n := 1; n <= 2; n++ {
		s.add(jacobian, row, i-1, n, left*perBelow*gap)
		s.add(jacobian, row, i, n, left*perHere*gap)
		rate := s.law.leave
		if n == 2 {
			rate = s.law.mu2
		}
		// ν falls with r.
		s.add(jacobian, row, 0, n, -rate*k*gap)
		s.add(jacobian, row, 1, n, rate*k*gap)
	}
}

// slidingSpectrum is the spectrum of the reduced dynamics above load 1.
func slidingSpectrum(sys ctmc.System, fix *Fixpoint) (*Modes, error) {
	surface := newSlidingSurface(sys)
	s := &Modes{Sliding: surface.sliding, Repeats: 1, Levels: sys.Buffer}
	if surface.dim() == 0 {
		s.Warnings = append(s.Warnings, "all servers are full, and every deviation is gone in finite time: there is no eigenvalue")
		return s, nil
	}
	if dim := surface.dim(); dim > maxSpectrumDim {
		return nil, &ctmc.TooLargeError{What: "coordinates of the linearisation", Value: float64(dim), Limit: maxSpectrumDim, Hint: "give a smaller --buffer"}
	}
	var err error
	jacobian := surface.jacobian(surface.coordinates(fix))
	s.Eigenvalues, s.Warnings, err = reliableEigenvalues(denseMatrix(jacobian.RawMatrix().Data, surface.dim()))
	return s, err
}
