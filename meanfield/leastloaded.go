package meanfield

import (
	"context"
	"math"

	"qlimit/coxian"
	"qlimit/ctmc"
	"qlimit/meanfield/ode"
)

// LeastLoaded returns the waiting time in the many-server limit if every job
// goes to the one with the least work of d sampled servers (LL(d)).
//
// In the limit the work at d servers is independent. With F(w) the fraction of
// servers with more than w of work (unit: mean service times), a job finds more
// than w before it with probability F(w)^d, so that F(0) = λ,
//
//	P(wait) = λ^d,   E[W] = ∫_0^∞ F(w)^d dw.
//
// Work crosses w downwards at rate -F'(w) and upwards by the jobs whose service
// straddles w. With Y_m(w) the rate of those that straddle it in phase m,
//
//	F'   = -(Y_1 + Y_2)
//	Y_1' = -μ1 Y_1 + λ d F^{d-1} (Y_1 + Y_2)
//	Y_2' = pμ1 Y_1 - μ2 Y_2,    Y_1(0) = λ (1 - λ^d), Y_2(0) = 0,
//
// integrated until nothing is left. Exponential service has the closed form
//
//	E[W] = Σ_{k>=1} λ^{dk}/(1 + k (d-1))
//
// mean service times, the expansion of (1/λ)∫F - 1 with F(w) = (λ + (λ^{1-d} -
// λ) e^{(d-1)w})^{1/(1-d)}; for d = 2, -log(1 - λ²)/λ² - 1. One choice is
// random dispatch.
//
// Accuracy: closed forms to rounding; the integral to about 1e-10 of its value.
// Kind: limit (asymptotic independence is proved for exponential service; for
// other laws it is the usual ansatz of the cavity queue).
//
// Source: Hellemans, Van Houdt, Proc. ACM Meas. Anal. Comput. Syst. 2 (2018).
//
// Errors: d below 1, a load not in (0, 1), or a law out of range.
func LeastLoaded(d int64, load float64, service coxian.Dist) (*Delay, error) {
	if d < 1 || d > ctmc.MaxServers {
		return nil, &ctmc.FieldError{Field: "d", Value: d, Allowed: "an integer between 1 and 1e15"}
	}
	if err := checkDelay(load, service); err != nil {
		return nil, err
	}
	choices := float64(d)
	probability := math.Pow(load, choices)
	switch {
	case d == 1:
		r, err := RandomDelay(load, service.Mean(), service.SCV())
		if err == nil {
			r.Kind = ctmc.Limit
		}
		return r, err
	case service.IsExponential():
		return newDelay(leastLoadedSeries(choices, load), probability, service, ctmc.Limit, "series"), nil
	case probability == 0:
		return newDelay(0, 0, service, ctmc.Limit, "below the smallest number"), nil
	}
	wait, err := leastLoadedIntegral(choices, load, newUnitLaw(service))
	if err != nil {
		return nil, err
	}
	return newDelay(wait, probability, service, ctmc.Limit, "cavity queue"), nil
}

// logNearOne is log x, with all digits also where x is close to 1.
func logNearOne(x float64) float64 {
	if x > 0.5 {
		return math.Log1p(x - 1)
	}
	return math.Log(x)
}

// leastLoadedSeries is Σ_{k>=1} z^k/(1 + k(d-1)), z = λ^d. Where z is close to
// 1 the terms from the 256th on are summed by the Euler-Maclaurin formula: with
// a = -log z, e = 1/(d-1) and g(x) = e^{-ax}/(x + e),
//
//	∫_M^∞ g = e^{ae} E_1(a (M + e)).
func leastLoadedSeries(d, load float64) float64 {
	const direct, smallDecay = 256, 1e-3
	a, e := -d*logNearOne(load), 1/(d-1)
	sum := 0.0
	for k := 1.0; ; k++ {
		term := math.Exp(-a*k) / (k + e)
		if a < smallDecay && k == direct {
			u := k + e
			integral := math.Exp(a*e) * exponentialIntegral(a*u)
			slope := -term * (a + 1/u)
			third := -term * (a*a*a + 3*a*a/u + 6*a/(u*u) + 6/(u*u*u))
			sum += integral + term/2 - slope/12 + third/720
			break
		}
		sum += term
		if term <= 1e-18*sum {
			break
		}
	}
	return sum * e
}

// exponentialIntegral is E_1(x) = -γ - log x + Σ (-1)^{k+1} x^k/(k k!), 0 < x <= 1.
func exponentialIntegral(x float64) float64 {
	const euler = 0.57721566490153286061
	sum, power := -euler-math.Log(x), -1.0
	for k := 1.0; k < 30; k++ {
		power *= -x / k
		sum += power / k
	}
	return sum
}

// leastLoadedIntegral integrates the cavity queue in units of F(0) = λ: the
// unknowns are F/λ, Y_1/λ, Y_2/λ and ∫(F/λ)^d, which λ^d scales to E[W].
func leastLoadedIntegral(d, load float64, law unitLaw) (float64, error) {
	all := math.Pow(load, d) // λ^d
	problem := ode.Problem{Dim: 4, F: func(_ float64, y, slope []float64) {
		f := math.Max(y[0], 0)
		down := y[1] + y[2]
		slope[0] = -down
		slope[1] = -law.mu1*y[1] + d*all*math.Pow(f, d-1)*down
		slope[2] = law.proceed*y[1] - law.mu2*y[2]
		slope[3] = math.Pow(f, d)
	}}
	slow := math.Min(law.mu1, law.mu2)
	state := []float64{1, -math.Expm1(d * logNearOne(load)), 0, 0}
	settings := ode.Settings{Method: ode.RadauIIA5, RelTol: 1e-12, AbsTols: []float64{1e-15, 1e-15, 1e-15, 1e-15 / d}}
	for from, length := 0.0, 1/(d*slow); ; length *= 2 {
		s, err := ode.Integrate(context.Background(), problem, from, state, from+length, settings)
		if err != nil {
			return 0, err
		}
		if err := s.Err(); err != nil {
			return 0, err
		}
		from, state = s.Time, s.State
		// What is left is about F^d/(d slow).
		if left := math.Pow(math.Max(state[0], 0), d) / (d * slow); left <= 1e-14*state[3] {
			return all * state[3], nil
		}
	}
}
