package diffusion

import (
	"math"

	"qlimit/ctmc"
)

// Delay is the law of the waiting time W and of the response time T = W + S of
// a job in the non-degenerate slowdown limit, exponential service. A job that
// arrives at state u waits, in mean service times,
//
//	CQ    exactly u
//	JSQ   Erlang(j) with probability 1-(u-j), else Erlang(j+1), j = floor(u)
//	I1F   as JSQ for u < 1, else exponential with mean u
//	IQF   0 with probability 1/(1+u), else exponential with mean 1+u
//
// each with mean u. (I1F, u >= 1: the job joins a server with one job with
// probability r = 1/u, else one with 2+j jobs with probability r(1-r)^j; the
// geometric number of exponential services is exponential.)
type Delay struct {
	nds NDS
	law *Law
	// JSQ: P(U > 1) and P(wait) = E min(U, 1).
	beyond, waiting float64
}

// Delay prepares the law. For service other than exponential only the
// probability of waiting is known, see [NDS.WaitProbability]; it is refused.
func (n NDS) Delay() (*Delay, error) {
	if err := n.Validate(); err != nil {
		return nil, err
	}
	if !n.Service.IsExponential() {
		return nil, &ctmc.FieldError{Field: "service", Value: n.Service, Allowed: "exponential for the law of the waiting time"}
	}
	law, err := n.Engine()
	if err != nil {
		return nil, err
	}
	d := &Delay{nds: n, law: law, beyond: law.Survival(1)}
	d.waiting, err = n.WaitProbability()
	return d, err
}

// WaitProbability is P(wait) = 1 - E r0(U): the arrivals that find idle servers
// are those that use up the newly idle ones. Under CQ every job waits. Errors:
// those of Validate.
func (n NDS) WaitProbability() (float64, error) {
	law, err := n.Engine()
	if err != nil {
		return 0, err
	}
	switch n.Discipline.rule() {
	case findsIdle:
		return law.Expect(func(u float64) float64 { return 2 * u / (2*u + n.noise()) }), nil
	case findsIdleOrOne:
		return law.Expect(newFastLevels(n.Service).busyAfter), nil
	}
	return 1, nil
}

// MeanWait is E W = E U and the mean response is one more.
func (d *Delay) MeanWait() float64 { return d.law.Mean() }

// WaitSurvival is P(W > w), w in mean service times.
func (d *Delay) WaitSurvival(w float64) float64 {
	if w < 0 {
		return 1
	}
	switch {
	case d.nds.Discipline.central:
		return math.Exp(-d.nds.Spare * w)
	case d.nds.Discipline.rule() == findsIdle:
		return d.law.Expect(func(u float64) float64 { return u / (1 + u) * math.Exp(-w/(1+u)) })
	case d.shortestFirst():
		// P(number of services > k) = E min((U-k)^+, 1), in closed form.
		return math.Exp(-w)*d.waiting + d.beyond*d.geometricPart(1, w)
	}
	return d.law.Expect(func(u float64) float64 {
		if u < 1 {
			return u * math.Exp(-w)
		}
		return math.Exp(-w / u)
	})
}

// ResponseSurvival is P(T > t), t in mean service times.
func (d *Delay) ResponseSurvival(t float64) float64 {
	if t <= 0 {
		return 1
	}
	switch {
	case d.nds.Discipline.central:
		return hypoexponential(d.nds.Spare, 1, t)
	case d.nds.Discipline.rule() == findsIdle:
		return d.law.Expect(func(u float64) float64 { return math.Exp(-t / (1 + u)) })
	case d.shortestFirst():
		return math.Exp(-t)*(1+t*d.waiting) + d.beyond*d.geometricPart(2, t)
	}
	return d.law.Expect(func(u float64) float64 {
		if u < 1 {
			return math.Exp(-t) * (1 + u*t)
		}
		return hypoexponential(1/u, 1, t)
	})
}

// shortestFirst tells JSQ, whose number of services is concentrated on two
// values, from I1F.
func (d *Delay) shortestFirst() bool { return d.nds.Discipline.policy.Depth > 2 }

// geometricPart is (1-q)/α Σ_{k>=first} e^-w w^k/k! q^{k-first}, q = e^-α: beyond
// u = 1 the state is exponential, so that P(more than k services), k >= 1, is
// P(U > 1) q^{k-1} (1-q)/α.
func (d *Delay) geometricPart(first int, w float64) float64 {
	alpha := d.nds.Spare
	q := math.Exp(-alpha)
	factor := -math.Expm1(-alpha) / alpha
	z := w * q
	if z < 1 {
		// Σ z^{k-first} w^first/k!
		term := math.Exp(-w)
		for k := 1; k <= first; k++ {
			term *= w / float64(k)
		}
		sum := term
		for k := first + 1; term > 1e-18*sum; k++ {
			term *= z / float64(k)
			sum += term
		}
		return factor * sum
	}
	rest := math.Exp(-w*(1-q)) - math.Exp(-w)
	if first == 2 {
		rest = (rest - math.Exp(-w)*z) / q
	}
	return factor * rest / q
}

// hypoexponential is the survival function of the sum of two exponential times
// of rates a and b: e^{-at} + a (e^{-at} - e^{-bt})/(b - a).
func hypoexponential(a, b, t float64) float64 {
	if a > b {
		a, b = b, a
	}
	// (1 - e^{-(b-a)t})/(b-a) without cancellation.
	d := (b - a) * t
	between := t
	if d > 1e-300 {
		between = -math.Expm1(-d) / (b - a)
	}
	return math.Exp(-a*t) * (1 + a*between)
}
