package ctmc

import (
	"context"
	"math"
	"testing"

	"qlimit/coxian"
)

// TestAutocovarianceInfiniteServers: the number of jobs in M/M/∞ with mean a
// has covariance a e^{-t}.
func TestAutocovarianceInfiniteServers(t *testing.T) {
	s := System{Servers: 60, Load: .1, Buffer: 1, Service: exponential(), Policy: JSQ()}
	lags := []float64{0, 1e-9, .5, 2, 30, 1e14}
	r, err := SolveAutocovariance(context.Background(), s, lags, TransientSettings{Tolerance: 1e-12})
	if err != nil {
		t.Fatal(err)
	}
	for k, lag := range lags {
		if want := 6 * math.Exp(-lag); math.Abs(r.Covariance[k]-want) > 1e-10 {
			t.Errorf("lag %g: covariance %.14g, want %.14g", lag, r.Covariance[k], want)
		}
	}
	if r.Error > 1e-12 || math.Abs(r.Time-1) > 1e-9 {
		t.Errorf("error bound %g, integrated time %.12g", r.Error, r.Time)
	}
}

// TestAutocovarianceIntegral: for an unlimited buffer and two phases the
// integral of the covariances over lags by Simpson's rule is that from
// Poisson's equation, and the covariance at lag 0 is the variance of the law of
// the total.
func TestAutocovarianceIntegral(t *testing.T) {
	s := System{Servers: 3, Load: .4, Service: coxian.Dist{Mu1: 2, P: .25, Mu2: .5}, Policy: JSQ()}
	const step, points = .05, 3001
	lags := make([]float64, points)
	for k := range lags {
		lags[k] = step * float64(k)
	}
	r, err := SolveAutocovariance(context.Background(), s, lags, TransientSettings{})
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for k := 2; k < points; k += 2 {
		sum += step / 3 * (r.Covariance[k-2] + 4*r.Covariance[k-1] + r.Covariance[k])
	}
	if math.Abs(2*sum-r.AsymptoticVariance) > 1e-6*r.AsymptoticVariance {
		t.Errorf("integral %.10g, from Poisson's equation %.10g", 2*sum, r.AsymptoticVariance)
	}
	mean, square := 0.0, 0.0
	for k, p := range r.Stationary.Total {
		mean += float64(k) * p
		square += float64(k*k) * p
	}
	if variance := square - mean*mean; math.Abs(variance-r.Covariance[0]) > 1e-8*variance || math.Abs(mean-3*r.Stationary.MeanJobs) > 1e-9 {
		t.Errorf("mean %.12g, variance %.12g, covariance at 0 %.12g", mean, variance, r.Covariance[0])
	}
}

// TestAutocovarianceLags: bad lags are refused, and no lags are no error.
func TestAutocovarianceLags(t *testing.T) {
	s := System{Servers: 2, Load: 1.2, Buffer: 2, Service: exponential(), Policy: JSQ()}
	for _, lags := range [][]float64{{-1}, {1, 1}, {math.NaN()}} {
		if _, err := SolveAutocovariance(context.Background(), s, lags, TransientSettings{}); err == nil {
			t.Errorf("lags %v accepted", lags)
		}
	}
	r, err := SolveAutocovariance(context.Background(), s, nil, TransientSettings{})
	if err != nil || r.Time <= 0 || r.Covariance != nil {
		t.Errorf("no lags: %+v, %v", r, err)
	}
}
