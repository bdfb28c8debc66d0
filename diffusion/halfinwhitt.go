package diffusion

import (
	"math"

	"qlimit/ctmc"
)

// HalfinWhitt is the limit of the M/M/N queue with arrival rate N - β√N, β > 0
// (Halfin and Whitt, Oper. Res. 29, 1981): (jobs - N)/√N tends to a diffusion
// on the whole line with noise √2 and drift -β above 0, -β - x below. Its
// stationary law is exponential of rate β above 0, with probability
//
//	P(wait) = 1/(1 + β Φ(β)/φ(β)),
//
// and normal around -β below.
type HalfinWhitt struct{ Beta float64 } // β > 0

// Validate requires 0 < β <= 1e6.
func (h HalfinWhitt) Validate() error {
	if !(h.Beta > 0 && h.Beta <= 1e6) {
		return &ctmc.FieldError{Field: "beta", Value: h.Beta, Allowed: "> 0 and at most 1e6"}
	}
	return nil
}

// WaitProbability is P(wait); it is 0 where it lies below the smallest float64
// (β > 38.4), see [HalfinWhitt.LogWaitProbability].
func (h HalfinWhitt) WaitProbability() float64 {
	return h.density() / h.unscaled()
}

// LogWaitProbability is log P(wait), for any β. Near β = 0 it is small itself.
func (h HalfinWhitt) LogWaitProbability() float64 {
	if h.Beta < 1 {
		return -math.Log1p(h.Beta * h.busy() / h.density())
	}
	return logNormalDensity(h.Beta) - math.Log(h.unscaled())
}

// unscaled is φ + βΦ = β + φ (1 - β M), M Mills' ratio: P(wait) is φ over it.
func (h HalfinWhitt) unscaled() float64 {
	return h.Beta + h.density()*(1-h.Beta*millsRatio(h.Beta))
}

// density is φ(β) with the rounding of β² accounted for.
func (h HalfinWhitt) density() float64 {
	half := h.Beta * h.Beta / 2
	rest := math.FMA(h.Beta, h.Beta, -2*half) / 2
	return math.Exp(-half) * (1 - rest) / math.Sqrt(2*math.Pi)
}

// busy is Φ(β).
func (h HalfinWhitt) busy() float64 { return math.Erfc(-h.Beta/math.Sqrt2) / 2 }

// Mean is the mean of (jobs - N)/√N, P(wait)/β - β: the number of idle servers
// is β√N in the mean.
func (h HalfinWhitt) Mean() float64 { return h.WaitProbability()/h.Beta - h.Beta }

// MeanQueue is the mean number of waiting jobs over √N.
func (h HalfinWhitt) MeanQueue() float64 { return h.WaitProbability() / h.Beta }

// MeanJobs is the approximate mean number of jobs in a system of N servers,
// N + √N times the mean.
func (h HalfinWhitt) MeanJobs(servers int64) float64 {
	n := float64(servers)
	return n + math.Sqrt(n)*h.Mean()
}

// Variance is the variance of (jobs - N)/√N. Below 0 the second moment of the
// truncated normal law is 1 + β² + βφ/Φ; P(wait) Φ β = (1 - P(wait)) φ joins
// the parts.
func (h HalfinWhitt) Variance() float64 {
	p, b := h.WaitProbability(), h.Beta
	second := p*2/(b*b) + (1-p)*(1+b*b) + p*b*b
	return second - h.Mean()*h.Mean()
}

// Density of (jobs - N)/√N at x.
func (h HalfinWhitt) Density(x float64) float64 {
	p := h.WaitProbability()
	if x >= 0 {
		return p * h.Beta * math.Exp(-h.Beta*x)
	}
	return (1 - p) * math.Exp(logNormalDensity(x+h.Beta)) / h.busy()
}

// CDF of (jobs - N)/√N at x.
func (h HalfinWhitt) CDF(x float64) float64 {
	p := h.WaitProbability()
	if x >= 0 {
		return 1 - p*math.Exp(-h.Beta*x)
	}
	return (1 - p) * math.Erfc(-(x+h.Beta)/math.Sqrt2) / 2 / h.busy()
}

// Survival of (jobs - N)/√N at x.
func (h HalfinWhitt) Survival(x float64) float64 {
	p := h.WaitProbability()
	if x >= 0 {
		return p * math.Exp(-h.Beta*x)
	}
	between := (math.Erfc((x+h.Beta)/math.Sqrt2) - math.Erfc(h.Beta/math.Sqrt2)) / 2
	return p + (1-p)*between/h.busy()
}

// Quantile of (jobs - N)/√N, for 0 < p < 1.
func (h HalfinWhitt) Quantile(p float64) float64 {
	if !(p > 0 && p < 1) {
		panic("diffusion: quantile of a number outside (0, 1)")
	}
	wait := h.WaitProbability()
	if 1-p <= wait {
		return math.Log(wait/(1-p)) / h.Beta
	}
	// P(X <= x) = (1-wait) Φ(x+β)/Φ(β), with erfc(erfcinv(q)) = q.
	return -math.Sqrt2*math.Erfcinv(2*p*h.busy()/(1-wait)) - h.Beta
}
