package diffusion

import (
	"math"

	"qlimit/coxian"
	"qlimit/ctmc"
)

// DispatchPrice compares the mean jobs per server of the disciplines in the
// non-degenerate slowdown limit. The ratios are statements about the limit:
// those of finite systems exceed them (JSQ over M/M/N with 100 servers at
// α = 2: 1.1625 by simulation against 1.1354).
type DispatchPrice struct {
	Spare                    float64   // α
	MeanCQ, MeanJSQ, MeanIQF float64   // E X, jobs per server
	RatioJSQ, RatioIQF       float64   // JSQ/CQ and IQF/CQ
	Kind                     ctmc.Kind // Limit, or Conjecture for service that is not exponential
}

// Price is the price of immediate dispatch at α = spare: how much longer jobs
// stay under JSQ (or I1F) and IQF than under one central queue. Errors: an α or
// a law out of range.
func Price(spare float64, service coxian.Dist) (DispatchPrice, error) {
	p := DispatchPrice{Spare: spare}
	for _, part := range []struct {
		discipline Discipline
		mean       *float64
	}{{CQ, &p.MeanCQ}, {JSQ, &p.MeanJSQ}, {IQF, &p.MeanIQF}} {
		n := NDS{Discipline: part.discipline, Spare: spare, Service: service}
		mean, err := n.MeanJobs()
		if err != nil {
			return p, err
		}
		*part.mean, p.Kind = mean, n.Kind()
	}
	p.RatioJSQ, p.RatioIQF = p.MeanJSQ/p.MeanCQ, p.MeanIQF/p.MeanCQ
	return p, nil
}

// LargestPrice is the largest ratio of JSQ to CQ over all α, and the α where
// it is attained: for exponential service 1.13546622432510 at 2.09081692676,
// which the literature rounds up to 15%.
//
// The stationary laws are an exponential family in α, dE U/dα = -(2/σ²)Var U,
// so that the maximum is the root of
//
//	σ²/(α(2α + σ²)) - (2/σ²) Var U/(1 + E U),
//
// found by bisection to the last bits; no difference quotient is involved. For
// laws of large scv it lies at about 1.5 scv; beyond MaxSpare that is an error.
func LargestPrice(service coxian.Dist) (ratio, spare float64, err error) {
	slope := func(alpha float64) float64 {
		law, failed := NDS{Discipline: JSQ, Spare: alpha, Service: service}.Stationary()
		if failed != nil {
			err = failed
			return 0
		}
		noise := noiseOf(service)
		return noise/(alpha*(2*alpha+noise)) - 2/noise*law.Variance()/(1+law.Mean())
	}
	lo, hi := MinSpare, 1.0
	for slope(hi) > 0 && err == nil {
		if hi == MaxSpare {
			return 0, 0, &ctmc.FieldError{Field: "service", Value: service, Allowed: "such that the largest price is at α <= 1e6",
				Reason: "for a large scv it is at about 1.5 scv"}
		}
		lo, hi = hi, math.Min(10*hi, MaxSpare)
	}
	for hi-lo > 4e-16*hi && err == nil {
		middle := math.Sqrt(lo * hi)
		if middle <= lo || middle >= hi {
			break
		}
		if slope(middle) > 0 {
			lo = middle
		} else {
			hi = middle
		}
	}
	if err != nil {
		return 0, 0, err
	}
	p, err := Price(hi, service)
	return p.RatioJSQ, hi, err
}
