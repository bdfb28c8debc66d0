package meanfield

import (
	"qlimit/meanfield/ode"
)

// fallbackFlow is the fluid while all priority levels 0..D-1, D >= 1, slide
// and the fallback kernel takes what they leave. Level D-1 absorbs r_D, the
// completions at level D, so that ν = λ - r_D is left:
//
//	ds_{D,2} = pμ1 s_{D,1} - μ2 s_{D,2},  s_{D,1} = 1 - s_{D,2}
//	ds_{i,1} = ν K_i (s_{i-1,1} - s_{i,1}) + (1-p)μ1 s_{i+1,1} + μ2 s_{i+1,2} - μ1 s_{i,1}
//	ds_{i,2} = ν K_i (s_{i-1,2} - s_{i,2}) + pμ1 s_{i,1} - μ2 s_{i,2},   i > D,
//
// K_i the divided difference of the kernel between s_{i-1} and s_i. The
// coordinates are s_{D,2} (two phases only), the tails above, and the jobs
// lost, at rate ν h(s) of the highest level.
type fallbackFlow struct {
	Shape
	law    *unitLaw
	kernel *limitKernel
	load   float64
	depth  int // D
	buffer int
	head   int
	slack  float64
}

func newFallbackFlow(f *follower) *fallbackFlow {
	return &fallbackFlow{Shape: f.shape, law: &f.law, kernel: &f.kernel, load: f.load, depth: f.sys.Policy.Depth,
		buffer: f.sys.Buffer, head: f.shape.Phases - 1, slack: f.slack()}
}

func (b *fallbackFlow) dim() int { return b.lost() + 1 }

// lost is the index of the jobs lost.
func (b *fallbackFlow) lost() int { return b.head + (b.Levels-b.depth)*b.Phases }

func (b *fallbackFlow) problem() ode.Problem {
	// Every row depends on ν, hence on the levels D and D+1.
	return ode.Problem{Dim: b.dim(), F: b.slope, Jacobian: b.jacobian, Structure: ode.Dense()}
}

func (b *fallbackFlow) enter(q State, y []float64) {
	above := [2]float64{}
	for level := b.Levels; level >= b.depth; level-- {
		for m := range b.Phases {
			above[m] += q[b.Class(level, m+1)]
			if level > b.depth {
				y[b.at(level)+m] = above[m]
			}
		}
	}
	if b.head == 1 {
		y[0] = above[1]
	}
}

// at is the index of s_{i,1}, i > D.
func (b *fallbackFlow) at(level int) int { return b.head + (level-b.depth-1)*b.Phases }

func (b *fallbackFlow) leave(y []float64, q State) {
	below := b.base(y)
	clear(q[:b.Class(b.depth, 1)])
	for level := b.depth; level <= b.Levels; level++ {
		here := b.tail(y, level+1)
		for m := range b.Phases {
			q[b.Class(level, m+1)] = below[m] - here[m]
		}
		below = here
	}
}

// base is (s_{D,1}, s_{D,2}).
func (b *fallbackFlow) base(y []float64) [2]float64 {
	if b.head == 1 {
		return [2]float64{1 - y[0], y[0]}
	}
	return [2]float64{1, 0}
}

// tail is (s_{i,1}, s_{i,2}), i > D.
func (b *fallbackFlow) tail(y []float64, level int) [2]float64 {
	if level > b.Levels {
		return [2]float64{}
	}
	at := b.at(level)
	if b.Phases == 1 {
		return [2]float64{y[at], 0}
	}
	return [2]float64{y[at], y[at+1]}
}

// passing is ν.
func (b *fallbackFlow) passing(y []float64) float64 {
	base, above := b.base(y), b.tail(y, b.depth+1)
	return b.load - b.law.leave*(base[0]-above[0]) - b.law.mu2*(base[1]-above[1])
}

func (b *fallbackFlow) slope(_ float64, y, slope []float64) {
	l, passing := b.law, b.passing(y)
	below, belowTotal := b.base(y), 1.0
	if b.head == 1 {
		slope[0] = l.proceed*below[0] - l.mu2*below[1]
	}
	here := b.tail(y, b.depth+1)
	for level := b.depth + 1; level <= b.Levels; level++ {
		at, above := b.at(level), b.tail(y, level+1)
		total := here[0] + here[1]
		k, _, _ := b.kernel.slopes(belowTotal, total)
		slope[at] = passing*k*(below[0]-here[0]) + l.leave*above[0] - l.mu1*here[0]
		if b.Phases == 2 {
			slope[at] += l.mu2 * above[1]
			slope[at+1] = passing*k*(below[1]-here[1]) + l.proceed*here[0] - l.mu2*here[1]
		}
		below, belowTotal, here = here, total, above
	}
	k, _, _ := b.kernel.slopes(belowTotal, 0)
	slope[b.lost()] = passing * k * belowTotal
}

func (b *fallbackFlow) jacobian(_ float64, y []float64, jac *ode.Matrix) {
	l, passing := b.law, b.passing(y)
	below, belowTotal := b.base(y), 1.0
	if b.head == 1 {
		jac.Add(0, 0, -l.proceed-l.mu2)
	}
	for level := b.depth + 1; level <= b.Levels; level++ {
		at, here := b.at(level), b.tail(y, level)
		total := here[0] + here[1]
		k, perBelow, perHere := b.kernel.slopes(belowTotal, total)
		for m := range b.Phases {
			row, step := at+m, below[m]-here[m]
			b.addPassing(jac, row, k*step)
			for n := range b.Phases {
				jac.Add(row, at+n, passing*perHere*step)
				if level > b.depth+1 {
					jac.Add(row, at-b.Phases+n, passing*perBelow*step)
				}
			}
			jac.Add(row, row, -passing*k)
			switch {
			case level > b.depth+1:
				jac.Add(row, row-b.Phases, passing*k)
			case b.head == 1:
				// s_{D,1} = 1 - s_{D,2}, and s_D = 1.
				jac.Add(row, 0, passing*k*float64(2*m-1))
			}
		}
		b.addService(jac, level)
		below, belowTotal = here, total
	}
	k, perTotal, _ := b.kernel.slopes(belowTotal, 0)
	b.addPassing(jac, b.lost(), k*belowTotal)
	for m := range b.Phases {
		if b.Levels > b.depth {
			jac.Add(b.lost(), b.at(b.Levels)+m, passing*(k+perTotal*belowTotal))
		}
	}
}

// addPassing adds factor times the derivatives of ν to a row.
func (b *fallbackFlow) addPassing(jac *ode.Matrix, row int, factor float64) {
	l := b.law
	if b.head == 1 {
		jac.Add(row, 0, factor*(l.leave-l.mu2))
	}
	if b.Levels > b.depth {
		jac.Add(row, b.head, factor*l.leave)
		if b.Phases == 2 {
			jac.Add(row, b.head+1, factor*l.mu2)
		}
	}
}

// addService adds the derivatives of the service terms of a level.
func (b *fallbackFlow) addService(jac *ode.Matrix, level int) {
	l, at := b.law, b.at(level)
	jac.Add(at, at, -l.mu1)
	if level < b.Levels {
		jac.Add(at, at+b.Phases, l.leave)
	}
	if b.Phases == 2 {
		jac.Add(at+1, at, l.proceed)
		jac.Add(at+1, at+1, -l.mu2)
		if level < b.Levels {
			jac.Add(at, at+3, l.mu2)
		}
	}
}

func (b *fallbackFlow) endings() []ending {
	return []ending{{slidingEnds, func(_ float64, y []float64) float64 { return b.passing(y) }}}
}

func (b *fallbackFlow) leftRegime(y []float64) (endingKind, bool) {
	return slidingEnds, b.passing(y) < -b.slack
}

func (b *fallbackFlow) cut() bool           { return b.Levels != b.buffer }
func (b *fallbackFlow) conservesMass() bool { return false }
