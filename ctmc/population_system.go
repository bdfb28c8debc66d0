package ctmc

import (
	"math"

	"gonum.org/v1/gonum/integrate/quad"
)

// SystemPopulation is a [System] with a smooth policy as a [Population]. Its
// coordinates are the tails s_{1,1}, s_{1,2}, s_{2,1}, .. (s_1, s_2, .. for
// exponential service), s_{i,m} the fraction of servers with at least i jobs
// whose job in service is in phase m; in these the Jacobian of the drift is
// regular. Jumps and rates, with q_{i,m} = s_{i,m} - s_{i+1,m}:
//
//	arrival    e_{1,1}                          λ (1 - h(s_1))
//	           e_{i,m},  i > 1                  λ (h(s_{i-1}) - h(s_i)) q_{i-1,m}/q_{i-1}
//	service    -e_{i,1}                         (1-p) μ1 q_{i,1}
//	phase      Σ_{j<=i} (e_{j,2} - e_{j,1})     p μ1 q_{i,1}
//	service    Σ_{j<i} e_{j,1} - Σ_{j<=i} e_{j,2}   μ2 q_{i,2}
//
// where h is the fallback kernel, whose terms of order 1/N and 1/N² give those
// of the arrival rates. Jobs sent to a server at the last level are lost.
// Times are in the unit of the service law. It is not safe for concurrent use.
type SystemPopulation struct {
	System System // with a policy without priority levels
	Levels int    // levels kept; jobs beyond are lost
	Phases int    // 1 or 2

	arrival float64 // per server
	jumps   []Jump
	kinds   []systemJump
	support [][]int

	table dividedTable
}

// systemJump says what a jump is: an arrival to (level, phase), or the end of
// a phase at (level, phase) with the given rate.
type systemJump struct {
	arrival      bool
	level, phase int
	rate         float64
}

// Population returns the system on the given number of levels (0 = its
// buffer) as a population process. Policies with priority levels are refused:
// their drift is not differentiable.
func (s System) Population(levels int) (*SystemPopulation, error) {
	check := s
	check.Servers = max(check.Servers, 1)
	check.Buffer = max(check.Buffer, 1)
	if err := check.ValidateLimit(); err != nil {
		return nil, err
	}
	if !s.Policy.Smooth() {
		return nil, &FieldError{Field: "policy", Value: s.Policy.Name, Allowed: "a policy without priority levels, as pod or random",
			Reason: "a priority level makes the drift kink where it runs empty, so that there is no expansion in powers of 1/N"}
	}
	if levels == 0 {
		levels = s.Buffer
	}
	if levels < 1 || (s.Buffer != Unlimited && levels > s.Buffer) {
		return nil, &FieldError{Field: "levels", Value: levels, Allowed: "between 1 and the buffer"}
	}
	p := &SystemPopulation{System: s, Levels: levels, Phases: s.Phases(), arrival: s.Load / s.Service.Mean()}
	p.table.kernel = s.Policy.Fallback
	for level := 1; level <= levels; level++ {
		p.addLevel(level)
	}
	return p, nil
}

func (p *SystemPopulation) addLevel(level int) {
	law := p.System.Service
	for m := 1; m <= p.Phases; m++ {
		if level > 1 || m == 1 {
			p.add(systemJump{arrival: true, level: level, phase: m}, Jump{{p.Coordinate(level, m), 1}}, p.arrivalSupport(level))
		}
	}
	own := func(m int) []int {
		if level == p.Levels {
			return []int{p.Coordinate(level, m)}
		}
		return []int{p.Coordinate(level, m), p.Coordinate(level+1, m)}
	}
	if rate := (1 - law.P) * law.Mu1; rate > 0 {
		p.add(systemJump{level: level, phase: 1, rate: rate}, Jump{{p.Coordinate(level, 1), -1}}, own(1))
	}
	if p.Phases == 1 {
		return
	}
	var proceed, leave Jump
	for j := 1; j <= level; j++ {
		proceed = append(proceed, Change{p.Coordinate(j, 1), -1}, Change{p.Coordinate(j, 2), 1})
		if j < level {
			leave = append(leave, Change{p.Coordinate(j, 1), 1})
		}
		leave = append(leave, Change{p.Coordinate(j, 2), -1})
	}
	p.add(systemJump{level: level, phase: 1, rate: law.P * law.Mu1}, proceed, own(1))
	p.add(systemJump{level: level, phase: 2, rate: law.Mu2}, leave, own(2))
}

func (p *SystemPopulation) add(kind systemJump, jump Jump, support []int) {
	p.kinds, p.jumps, p.support = append(p.kinds, kind), append(p.jumps, jump), append(p.support, support)
}

// arrivalSupport lists the coordinates of the level below and of the level.
func (p *SystemPopulation) arrivalSupport(level int) []int {
	first, last := p.Coordinate(max(level-1, 1), 1), p.Coordinate(level, p.Phases)
	support := make([]int, 0, 4)
	for i := first; i <= last; i++ {
		support = append(support, i)
	}
	return support
}

// Coordinate is the index of s_{level,phase}.
func (p *SystemPopulation) Coordinate(level, phase int) int { return (level-1)*p.Phases + phase - 1 }

// Dim is levels × phases.
func (p *SystemPopulation) Dim() int { return p.Levels * p.Phases }

// Jumps lists the jumps of all levels.
func (p *SystemPopulation) Jumps() []Jump { return p.jumps }

// Support lists at most four coordinates.
func (p *SystemPopulation) Support(jump int) []int { return p.support[jump] }

// total is s_i.
func (p *SystemPopulation) total(x []float64, level int) float64 {
	first := p.Coordinate(level, 1)
	if p.Phases == 1 {
		return x[first]
	}
	return x[first] + x[first+1]
}

// Rate is the coefficient of N^-order of a rate.
func (p *SystemPopulation) Rate(jump, order int, x []float64) float64 {
	k := p.kinds[jump]
	if !k.arrival {
		if order > 0 {
			return 0
		}
		rate := k.rate * x[p.support[jump][0]]
		if len(p.support[jump]) == 2 {
			rate -= k.rate * x[p.support[jump][1]]
		}
		return rate
	}
	if k.level == 1 {
		s := p.total(x, 1)
		return p.arrival * p.table.slope(order, 1, s) * (1 - s)
	}
	slope := p.table.slope(order, p.total(x, k.level-1), p.total(x, k.level))
	return p.arrival * slope * (x[p.Coordinate(k.level-1, k.phase)] - x[p.Coordinate(k.level, k.phase)])
}

// Differentiate uses, for an arrival to level i > 1 at rate λ K(a, x)
// (y_{i-1,m} - y_{i,m}), K the divided difference of the kernel between a =
// s_{i-1} and x = s_i, Leibniz' rule with
//
//	∂_a^j ∂_x^k K = ∫ (1-t)^k t^j h^(j+k+1)(x + t (a-x)) dt,  t from 0 to 1.
func (p *SystemPopulation) Differentiate(jump, order int, x []float64, degree int, d *RateDerivatives) {
	k, support := p.kinds[jump], p.support[jump]
	d.Resize(len(support), degree)
	switch {
	case !k.arrival:
		if order == 0 {
			d.Of[0][0] = p.Rate(jump, 0, x)
			if degree > 0 {
				d.Of[1][0] = k.rate
				if len(support) == 2 {
					d.Of[1][1] = -k.rate
				}
			}
		}
	case !p.table.present(order):
	case k.level == 1:
		p.differentiateFirst(order, x, degree, d)
	default:
		p.differentiateArrival(k, order, x, degree, d)
	}
}

// differentiateFirst is for the rate λ (h(1) - h(s_1)).
func (p *SystemPopulation) differentiateFirst(order int, x []float64, degree int, d *RateDerivatives) {
	s := p.total(x, 1)
	d.Of[0][0] = p.arrival * p.table.slope(order, 1, s) * (1 - s)
	var h [MaxDegree + 1]float64
	p.table.kernel.Expansion(s, order, h[:degree+1])
	for n := 1; n <= degree; n++ {
		for i := range d.Of[n] {
			d.Of[n][i] = -p.arrival * h[n]
		}
	}
}

func (p *SystemPopulation) differentiateArrival(k systemJump, order int, x []float64, degree int, d *RateDerivatives) {
	lower, upper := p.Coordinate(k.level-1, k.phase), p.Coordinate(k.level, k.phase)
	gap := x[lower] - x[upper]
	slopes := p.table.derivatives(order, p.total(x, k.level-1), p.total(x, k.level), degree)
	phases := p.Phases
	for n := 0; n <= degree; n++ {
		d.FillSymmetric(2*phases, n, func(places []int) float64 {
			inLower, ofGapLower, ofGapUpper := 0, 0.0, 0.0
			for _, a := range places {
				if a < phases {
					inLower++
				}
				switch a {
				case k.phase - 1:
					ofGapLower++
				case phases + k.phase - 1:
					ofGapUpper++
				}
			}
			inUpper := n - inLower
			value := slopes[inLower][inUpper] * gap
			if ofGapLower > 0 {
				value += ofGapLower * slopes[inLower-1][inUpper]
			}
			if ofGapUpper > 0 {
				value -= ofGapUpper * slopes[inLower][inUpper-1]
			}
			return p.arrival * value
		})
	}
}

// totalCount is N s_i.
func (p *SystemPopulation) totalCount(counts []int64, level int) int64 {
	total := int64(0)
	for m := 1; m <= p.Phases; m++ {
		total += counts[p.Coordinate(level, m)]
	}
	return total
}

// RateAt is the exact rate at N servers, counts = N s. It alone is safe for
// concurrent use.
func (p *SystemPopulation) RateAt(jump int, counts []int64, size int64) float64 {
	k := p.kinds[jump]
	if !k.arrival {
		n := counts[p.support[jump][0]]
		if len(p.support[jump]) == 2 {
			n -= counts[p.support[jump][1]]
		}
		return k.rate * float64(n)
	}
	to := k.level
	here, below := p.totalCount(counts, to), size
	if to > 1 {
		below = p.totalCount(counts, to-1)
	}
	kernel := p.System.Policy.Fallback
	rate := p.arrival * float64(size) * (kernel.Tail(below, size) - kernel.Tail(here, size))
	atLevel := below - here
	if rate <= 0 || atLevel == 0 {
		return 0
	}
	if to == 1 || p.Phases == 1 {
		return rate
	}
	inPhase := counts[p.Coordinate(to-1, k.phase)] - counts[p.Coordinate(to, k.phase)]
	return rate * float64(inPhase) / float64(atLevel)
}

// dividedTable evaluates divided differences of the terms of a kernel and
// their derivatives by Gauss-Legendre quadrature, exact for the polynomials
// that sampling kernels of moderate d are.
type dividedTable struct {
	kernel         Kernel
	nodes, weights []float64
	h              [MaxDegree + 2]float64
	value          [MaxDegree + 1][MaxDegree + 1]float64
}

// present reports whether the kernel has a term of the order at all.
func (t *dividedTable) present(order int) bool {
	sampling, ok := t.kernel.(Sampling)
	return order == 0 || !ok || !(sampling.Replacement || sampling.Choices == 1)
}

func (t *dividedTable) prepare() {
	if t.nodes != nil {
		return
	}
	count := 32
	if sampling, ok := t.kernel.(Sampling); ok {
		d := float64(sampling.Choices)
		count = int(math.Min(math.Floor(d/2)+3, 48+4*math.Sqrt(d)))
		count = min(count, 4096)
	}
	t.nodes, t.weights = make([]float64, count), make([]float64, count)
	quad.Legendre{}.FixedLocations(t.nodes, t.weights, 0, 1)
}

// slope is (h(a) - h(x))/(a - x) for the coefficient h of N^-order.
func (t *dividedTable) slope(order int, a, x float64) float64 {
	if !t.present(order) {
		return 0
	}
	if order == 0 {
		return LimitSlope(t.kernel, a, x)
	}
	return t.derivatives(order, a, x, 0)[0][0]
}

// derivatives returns ∂_a^j ∂_x^k of the slope at [j][k], j + k <= degree.
func (t *dividedTable) derivatives(order int, a, x float64, degree int) *[MaxDegree + 1][MaxDegree + 1]float64 {
	t.prepare()
	t.value = [MaxDegree + 1][MaxDegree + 1]float64{}
	for node, at := range t.nodes {
		t.kernel.Expansion(x+at*(a-x), order, t.h[:degree+2])
		powerA := t.weights[node]
		for j := 0; j <= degree; j++ {
			power := powerA
			for k := 0; j+k <= degree; k++ {
				t.value[j][k] += power * t.h[j+k+1]
				power *= 1 - at
			}
			powerA *= at
		}
	}
	return &t.value
}
