package meanfield

import "math"

// A climb walks up the levels of an equilibrium, from s_i to s_{i+1}.
//
// Let jobs reach the fallback kernel h at rate λ, let K be the divided
// difference (h(s_i) - h(s_{i+1}))/(s_i - s_{i+1}) and write e = (1-p)μ1,
// M = μ1 μ2 = μ2 + pμ1 (mean 1). The balance of the levels from i+1 up,
//
//	e s_{i+1,1} + μ2 s_{i+1,2} = λ h(s_i) - lost,
//
// and of their phase 2,
//
//	λ K (s_{i,2} - s_{i+1,2}) + pμ1 s_{i+1,1} - μ2 s_{i+1,2} = 0,
//
// leave, once the phases are eliminated, one equation for q_i = s_i - s_{i+1},
//
//	(M + λ e K) q_i = M B_i + λ K f_i,                                (1)
//	B_i = s_i - λ h(s_i) + lost = pass s_i + lost (1-s_i) + λ (s_i - h(s_i)),
//
// where f_i = λ (h(s_{i-1}) - h(s_i)) is the flow from level i-1 to i and
// pass = 1 - λ + lost. All terms are positive, K falls and K q_i grows with
// q_i when h is convex, so the root is unique. The same equation for
// x = s_{i+1} with the phases kept, P = c + s_{i,2} (e - μ2),
// c = λ h(s_i) - lost, reads
//
//	(M + λ e K) x = M c + λ K P.                                      (2)
//
// Near s = 1 the climb counts the deficit 1 - s with (1), further up s itself
// with (2): neither subtracts, so that both 1 - s_i and s_i keep their
// relative accuracy. A start far below the smallest float64 (overload, many
// levels) is carried with a binary scale.
type climb struct {
	law    *unitLaw
	kernel *limitKernel

	rate float64 // λ, the rate at which jobs reach the kernel
	pass float64 // B at s = 1
	lost float64 // B at s = 0, the rate of lost jobs

	level         int
	s, deficit    float64 // s_i and 1 - s_i
	first, second float64 // s_{i,1}, s_{i,2}
	flow          float64 // f_i
	scale         int     // deficit, flow and pass stand for 2^-scale times their value
	ended         bool    // s_{i+1} is zero in float64
}

// Scaling: as long as scale > 0 the deficit is below 2^(128-512), where h is
// linear in the deficit.
const (
	scaleStep   = 512
	linearLimit = 0x1p128
)

// floor is where a tail ends: s_i below it are not reported.
const floor = 1e-300

// step moves one level up. It returns false when there is no positive
// s_{i+1}: with lost = 0 the tail has ended, otherwise lost is too large.
func (c *climb) step() bool {
	c.level++
	if c.scale > 0 {
		c.linearStep()
		return true
	}
	ha := c.kernel.tail(c.s, c.deficit)
	if c.deficit <= 0.5 {
		if q, ok := c.drop(ha); ok {
			c.moveBy(ha, q)
			return true
		}
	}
	x, ok := c.next(ha)
	if !ok || x < floor {
		c.ended = true
		return false
	}
	c.moveTo(ha, x)
	return true
}

// linearStep is equation (1) at s = 1, K = h'(1).
func (c *climb) linearStep() {
	l, slope := c.law, c.kernel.slopeAtOne()
	q := c.flow
	if !l.exponential {
		bracket := c.pass + (c.lost+c.rate*(slope-1))*c.deficit
		q = (l.product*bracket + c.rate*slope*c.flow) / (l.product + c.rate*l.leave*slope)
	}
	c.deficit += q
	c.flow = c.rate * slope * q
	if c.deficit > linearLimit {
		c.scale -= scaleStep
		c.deficit = math.Ldexp(c.deficit, -scaleStep)
		c.flow = math.Ldexp(c.flow, -scaleStep)
		c.pass = math.Ldexp(c.pass, -scaleStep)
	}
	if c.scale == 0 {
		c.s = 1 - c.deficit
	}
}

// drop solves (1) for q; false when q would exceed half of s.
func (c *climb) drop(ha float64) (q float64, ok bool) {
	l, a := c.law, c.s
	if l.exponential {
		return c.flow, c.flow <= a/2 // then q_i = f_i
	}
	bracket := l.product * (c.pass*a + c.lost*c.deficit + c.rate*c.kernel.gap(a, c.deficit))
	leave, again := c.rate*l.leave, c.rate*c.flow
	switch c.kernel.choices {
	case 1:
		q = (bracket + again) / (l.product + leave)
		return q, q <= a/2
	case 2:
		// leave q² - linear q + constant = 0, the smaller root.
		linear, constant := l.product+2*a*leave+again, bracket+2*a*again
		discriminant := linear*linear - 4*leave*constant
		if discriminant < 0 {
			return 0, false
		}
		q = 2 * constant / (linear + math.Sqrt(discriminant))
		return q, q <= a/2
	}
	excess := func(q float64) (value, derivative float64) {
		slope, perX := c.kernel.slope(a, ha, q)
		value = (l.product+leave*slope)*q - again*slope - bracket
		return value, l.product + leave*(slope-perX*q) + again*perX
	}
	if value, _ := excess(a / 2); value < 0 {
		return 0, false
	}
	return increasingConcaveRoot(excess), true
}

// increasingConcaveRoot applies Newton's method from 0, where the function is
// negative: the iterates of an increasing concave function rise to the root.
func increasingConcaveRoot(f func(float64) (value, derivative float64)) float64 {
	q := 0.0
	for range maxNewton {
		value, derivative := f(q)
		next := q - value/derivative
		if !(next > q*(1+4*epsilon)) {
			return math.Max(next, q)
		}
		q = next
	}
	return q
}

const (
	maxNewton = 200
	epsilon   = 0x1p-53
)

// next solves (2) for x; false when the flow c does not reach level i+1.
func (c *climb) next(ha float64) (x float64, ok bool) {
	l, a := c.law, c.s
	inflow := c.rate*ha - c.lost
	if !(inflow > 0) {
		return 0, false
	}
	if l.exponential {
		return inflow, true
	}
	mixed := inflow + c.second*(l.leave-l.mu2)
	leave, constant := c.rate*l.leave, l.product*inflow
	switch c.kernel.choices {
	case 1:
		x = (constant + c.rate*mixed) / (l.product + leave)
		return x, x > 0
	case 2:
		// leave x² + linear x - total = 0; e s_i - P = f_i.
		linear, total := l.product+c.rate*c.flow, constant+c.rate*a*mixed
		x = 2 * total / (linear + math.Sqrt(linear*linear+4*leave*total))
		return x, x > 0
	}
	x = math.Min(inflow, a)
	for range maxNewton {
		slope, perX := c.kernel.slope(a, ha, a-x)
		value := (l.product+leave*slope)*x - c.rate*slope*mixed - constant
		derivative := l.product + leave*slope + c.rate*perX*(l.leave*x-mixed)
		next := math.Min(x-value/derivative, a)
		if next <= 0 {
			next = x / 2
		}
		if math.Abs(next-x) <= 4*epsilon*x {
			return next, true
		}
		x = next
	}
	return x, x > 0
}

// moveBy takes the step s -> s - q.
func (c *climb) moveBy(ha, q float64) {
	slope, _ := c.kernel.slope(c.s, ha, q)
	a := c.s
	c.deficit += q
	if c.deficit <= 0.5 {
		c.s = 1 - c.deficit
	} else {
		c.s = a - q
	}
	c.flow = c.rate * slope * q
	c.splitPhases(slope)
}

// moveTo takes the step s -> x.
func (c *climb) moveTo(ha, x float64) {
	q := c.s - x
	slope, _ := c.kernel.slope(c.s, ha, q)
	c.s, c.deficit = x, 1-x
	c.flow = c.rate * slope * q
	c.splitPhases(slope)
	if c.surplus() > 0 {
		// The sum of the phases, not x: their difference s_i - s_{i,2} must
		// stay s_{i,1} to rounding, or its error would grow with the levels.
		c.s = c.first + c.second
		c.deficit = 1 - c.s
	}
}

// splitPhases is the balance of the two phases over the levels from i+1 up,
//
//	(μ1 + λK) s_{i+1,1} = λK s_{i,1} + λ h(s_{i+1}) - lost,
//	(μ2 + λK) s_{i+1,2} = λK s_{i,2} + pμ1 s_{i+1,1}.
func (c *climb) splitPhases(slope float64) {
	l := c.law
	if l.exponential {
		c.first = c.s
		return
	}
	up := c.rate * slope
	// No flow comes down from beyond the buffer; a climb whose lost rate is
	// too large meets its end here, one at the root only the rounding of 0.
	fromAbove := math.Max(c.surplus(), 0)
	c.first = (up*c.first + fromAbove) / (l.mu1 + up)
	c.second = (up*c.second + l.proceed*c.first) / (l.mu2 + up)
}

// surplus is λ h(s_i) - lost: at the buffer it must vanish.
func (c *climb) surplus() float64 {
	if c.scale > 0 {
		return 1 // s_b is still 1
	}
	// With many choices h(s) is small already where s is not.
	if shortfall := c.kernel.shortfall(c.deficit); shortfall <= 0.5 {
		return (1 - c.pass) - c.rate*shortfall
	}
	return c.rate*c.kernel.tail(c.s, c.deficit) - c.lost
}
