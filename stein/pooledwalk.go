package stein

import (
	"math"
	"math/cmplx"
	"reflect"

	"qlimit/ctmc"
	"qlimit/ctmc/slotted"
	"qlimit/internal/nearzero"
)

// walk is the random walk behind the resource-pooled queue of a slotted model,
//
//	q(t+1) = (q(t) + X)⁺, X = A_Σ - Σ_n S_n,
//
// whose steps are integers with mean -ε.
type walk struct {
	slack       float64 // ε = μ_Σ - λ_Σ
	service     float64 // μ_Σ
	arrivals    slotted.Transformed
	dispatchers float64 // number of independent arrival streams
	services    []serviceGroup

	arrivalVariance, serviceVariance float64 // σ_Σ², ν_Σ²
}

// serviceGroup are servers with the same law of service.
type serviceGroup struct {
	law   slotted.Transformed
	count int64
}

func newWalk(m *slotted.Model) (*walk, error) {
	if err := m.Validate(); err != nil {
		return nil, err
	}
	if m.Load >= 1 {
		return nil, &ctmc.FieldError{Field: "load", Value: m.Load, Allowed: "between 0 and 1, 1 excluded", Reason: "the pooled queue has no stationary law at load 1 or above"}
	}
	arrivals, err := m.ArrivalLaw()
	if err != nil {
		return nil, err
	}
	services, err := m.ServiceLaws()
	if err != nil {
		return nil, err
	}
	w := &walk{slack: m.Slack(), service: m.TotalRate(), dispatchers: float64(m.DispatcherCount())}
	if w.arrivals, err = transformed("arrivals", arrivals); err != nil {
		return nil, err
	}
	if w.services, err = grouped(services); err != nil {
		return nil, err
	}
	w.arrivalVariance, w.serviceVariance, err = m.Variances()
	return w, err
}

// grouped puts servers with the same law together, as far as laws can be
// compared.
func grouped(laws []slotted.Law) ([]serviceGroup, error) {
	var groups []serviceGroup
	place := map[slotted.Law]int{}
	for _, law := range laws {
		comparable := reflect.TypeOf(law).Comparable()
		if comparable {
			if k, known := place[law]; known {
				groups[k].count++
				continue
			}
			place[law] = len(groups)
		}
		t, err := transformed("service-law", law)
		if err != nil {
			return nil, err
		}
		groups = append(groups, serviceGroup{law: t, count: 1})
	}
	return groups, nil
}

func transformed(field string, law slotted.Law) (slotted.Transformed, error) {
	if t := slotted.TransformOf(law); t != nil {
		return t, nil
	}
	return nil, &ctmc.FieldError{Field: field, Value: law.String(), Allowed: "a bounded law, or one with a generating function (slotted.Transformed)"}
}

// zeta is ζ = σ_Σ² + ν_Σ² + ε² = E X².
func (w *walk) zeta() float64 {
	return w.arrivalVariance + w.serviceVariance + w.slack*w.slack
}

// logTransform is log E[(1+u)^X] with the two terms of first order in u joined
// to -ε u, so that no digits are lost near 0, however small the slack.
func (w *walk) logTransform(u complex128) complex128 {
	inverse := -u / (1 + u) // 1/(1+u) - 1
	// -μ_Σ u + μ_Σ u²/(1+u) = μ_Σ inverse
	sum := complex(-w.slack, 0)*u - complex(w.service, 0)*u*inverse
	sum += complex(w.dispatchers, 0) * w.arrivals.LogTransform(u)
	for _, g := range w.services {
		if t := g.law.LogTransform(inverse); !math.IsInf(real(t), -1) {
			sum += complex(float64(g.count), 0) * t
		} else {
			return complex(math.Inf(-1), 0)
		}
	}
	return sum
}

// logMoment is log E[(1+u)^X] for real u.
func (w *walk) logMoment(u float64) float64 { return real(w.logTransform(complex(u, 0))) }

// neverPositive tells that no slot brings more jobs than are served in it.
func (w *walk) neverPositive() bool {
	most, bounded := w.arrivals.Max()
	if !bounded {
		return false
	}
	least := 0.0
	for _, g := range w.services {
		if g.law.Variance() == 0 { // all others may serve nothing, or nearly
			least += g.law.Mean() * float64(g.count)
		}
	}
	return float64(most)*w.dispatchers <= least
}

// decay is the u0 > 0 with E[(1+u0)^X] = 1: the tail of q falls like
// (1+u0)^-k. It is +Inf if there is none below the largest number.
func (w *walk) decay() float64 {
	low, radius := 0.0, w.arrivals.Radius()
	// Without third and higher cumulants the root is near 2 ε/(σ² + ν² + ..).
	high := math.Min(w.slack/w.zeta(), radius/2)
	for w.logMoment(high) <= 0 {
		low = high
		if high = math.Min(2*high, (high+radius)/2); high <= low || math.IsInf(high, 1) {
			return low
		}
	}
	for range 200 {
		middle := low + (high-low)/2
		if middle <= low || middle >= high || high-low < 1e-12*high {
			break
		}
		if w.logMoment(middle) > 0 {
			high = middle
		} else {
			low = middle
		}
	}
	return low
}

// logOneMinus is -log(1 - E[(1+u)^X]), the sum over k of E[(1+u)^X_k]/k.
func (w *walk) logOneMinus(u complex128) complex128 {
	l := w.logTransform(u)
	if real(l) < -0.7 {
		return -nearzero.Log1p(-cmplx.Exp(l))
	}
	r := -nearzero.Expm1(l)
	return complex(-math.Log(math.Hypot(real(r), imag(r))), -math.Atan2(imag(r), real(r)))
}
