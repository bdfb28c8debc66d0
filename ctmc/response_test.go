package ctmc

import (
	"context"
	"math"
	"testing"

	"qlimit/coxian"
)

// TestResponseLawSingleServer: the response time in M/M/1 is exponential with
// rate 1 - ρ, the wait exceeds t with probability ρ e^{-(1-ρ)t}.
func TestResponseLawSingleServer(t *testing.T) {
	r := solve(t, System{Servers: 1, Load: .8, Service: coxian.Dist{Mu1: 2, P: 0, Mu2: 1}, Policy: JSQ()})
	law, err := r.ResponseLaw(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range []float64{0, .1, 1, 10, 40} {
		tail := math.Exp(-.4 * at)
		if got := law.ResponseTail(at); math.Abs(got-tail) > 1e-11*tail+1e-15 {
			t.Errorf("P(response > %g) = %.14g, want %.14g", at, got, tail)
		}
		if got := law.WaitTail(at); math.Abs(got-.8*tail) > 1e-11*tail+1e-15 {
			t.Errorf("P(wait > %g) = %.14g, want %.14g", at, got, .8*tail)
		}
	}
	for _, p := range []float64{0, .5, .99, .999999} {
		q, err := law.ResponseQuantile(p)
		if want := -math.Log(1-p) / .4; err != nil || math.Abs(q-want) > 1e-9*(1+want) {
			t.Errorf("response quantile %g: %.12g, want %.12g (%v)", p, q, want, err)
		}
		w, err := law.WaitQuantile(p)
		if want := math.Max(0, math.Log(.8/(1-p))/.4); err != nil || math.Abs(w-want) > 1e-9*(1+want) {
			t.Errorf("wait quantile %g: %.12g, want %.12g (%v)", p, w, want, err)
		}
	}
	for _, p := range []float64{-.1, 1, math.NaN()} {
		if _, err := law.ResponseQuantile(p); err == nil {
			t.Errorf("quantile %g accepted", p)
		}
	}
}

// TestResponseLawMoments: the mean is Little's, and moments agree with the
// integrals of the tails, for every policy; M/G/1 by Pollaczek-Khinchine.
func TestResponseLawMoments(t *testing.T) {
	service := coxian.Dist{Mu1: 2, P: .25, Mu2: .5}
	for _, s := range []System{
		{Servers: 3, Load: .9, Buffer: 4, Service: service, Policy: JSQ()},
		{Servers: 3, Load: 1.3, Buffer: 4, Service: service, Policy: PowerOfD(2, true)},
		{Servers: 2, Load: .7, Service: exponential(), Policy: JIQ()},
		{Servers: 1, Load: .5, Service: service, Policy: Random()},
		{Servers: 2, Load: .9, Buffer: 1, Service: coxian.Dist{Mu1: 2, P: 1, Mu2: 2}, Policy: I1F()},
	} {
		r := solve(t, s)
		law, err := r.ResponseLaw(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(law.MeanResponse-r.MeanResponse) > 1e-9*r.MeanResponse {
			t.Errorf("%v: mean response %.13g, Little %.13g", s, law.MeanResponse, r.MeanResponse)
		}
		if math.Abs(law.MeanWait-(law.MeanResponse-s.Service.Mean())) > 1e-12*law.MeanResponse {
			t.Errorf("%v: mean wait %g, response %g", s, law.MeanWait, law.MeanResponse)
		}
		// Simpson's rule for ∫ tail and ∫ 2t tail.
		const step, points = .1, 1200
		mean, second := 0.0, 0.0
		for k := 0; k <= points; k++ {
			weight := 2 * step / 3 * float64(1+k%2)
			if k == 0 || k == points {
				weight = step / 3
			}
			at := float64(k) * step
			tail := law.ResponseTail(at)
			mean += weight * tail
			second += weight * 2 * at * tail
		}
		if math.Abs(mean-law.MeanResponse) > 1e-5 || math.Abs(second-mean*mean-law.VarianceResponse) > 1e-4 {
			t.Errorf("%v: mean %g variance %g, integrated %g %g", s, law.MeanResponse, law.VarianceResponse, mean, second-mean*mean)
		}
		if s.Servers == 1 {
			want := s.Load * (1 + service.SCV()) / 2 / (1 - s.Load)
			if math.Abs(law.MeanWait-want) > 1e-9 {
				t.Errorf("M/G/1: mean wait %.12g, want %.12g", law.MeanWait, want)
			}
		}
	}
}
