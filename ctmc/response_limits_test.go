package ctmc

import (
	"context"
	"errors"
	"math"
	"testing"

	"qlimit/coxian"
)

// TestResponseAtAnyTime: the response time of M/M/1 is exponential with rate
// 1 - λ, so that P(> t) falls below all that is kept and is 0 from there on, at
// no cost however late.
func TestResponseAtAnyTime(t *testing.T) {
	s := System{Servers: 1, Load: 0.5, Service: coxian.Dist{Mu1: 1, Mu2: 1}, Policy: JSQ()}
	r, err := SolveStationary(context.Background(), s, SolverSettings{Tolerance: 1e-14}, 0)
	if err != nil {
		t.Fatal(err)
	}
	law, err := r.ResponseLaw(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range []float64{1, 10, 40, 60} {
		want := math.Exp(-at / 2)
		if got := law.ResponseTail(at); math.Abs(got-want) > 1e-9*want+1e-15 {
			t.Errorf("P(response > %g) = %g, want %g", at, got, want)
		}
	}
	for _, at := range []float64{200, 1e6, 1e15, 1e300, math.MaxFloat64} {
		if got := law.ResponseTail(at); got != 0 {
			t.Errorf("P(response > %g) = %g, want 0", at, got)
		}
		if got := law.WaitTail(at); got != 0 {
			t.Errorf("P(wait > %g) = %g, want 0", at, got)
		}
	}
}

// TestResponseBehindLongQueues: with one phase the law costs what the queue is
// long; with two, the square, which is refused.
func TestResponseBehindLongQueues(t *testing.T) {
	const buffer = 200_000
	r := &Stationary{System: System{Servers: 1, Load: 1, Buffer: buffer, Service: coxian.Dist{Mu1: 1, Mu2: 1}, Policy: JSQ()}, Joined: make([]float64, buffer+1)}
	r.Joined[buffer-1] = 1 // all jobs meet so many others: the wait is Erlang
	law, err := r.ResponseLaw(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	// The median of an Erlang law of k phases is k - 1/3 + O(1/k).
	if median, err := law.WaitQuantile(0.5); err != nil || math.Abs(median-(buffer-1-1./3)) > 1e-3 {
		t.Errorf("median wait %.10g, %v, want %.10g", median, err, buffer-1-1./3)
	}
	r.System.Service = coxian.Dist{Mu1: 2, P: 0.5, Mu2: 1}
	r.Joined = make([]float64, 2*buffer+1)
	r.Joined[2*buffer-3] = 1
	var large *TooLargeError
	if _, err := r.ResponseLaw(context.Background()); !errors.As(err, &large) {
		t.Errorf("two phases: %v, want a refusal", err)
	}
}
