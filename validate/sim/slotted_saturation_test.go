package sim

import (
	"context"
	"errors"
	"testing"

	"qlimit/ctmc"
	"qlimit/ctmc/slotted"
)

// fallbackFlow is what reaches the slow one of two servers under JIQ when it
// never idles: with the fast one busy, half of the arrivals. P(busy) is that of
// the chain Q -> (Q + A - S)⁺, where the arrivals come with probability 1/2 if
// Q > 0, iterated to its stationary law.
func fallbackFlow(t *testing.T, m slotted.Model) float64 {
	t.Helper()
	arrivals, err := m.ArrivalLaw()
	if err != nil {
		t.Fatal(err)
	}
	services, err := m.ServiceLaws()
	if err != nil {
		t.Fatal(err)
	}
	firstA, a := arrivals.Window(1e-16)
	firstS, s := services[1].Window(1e-16)
	const size = 200
	law := make([]float64, size)
	law[0] = 1
	for range 2000 {
		arrived := make([]float64, size+len(a)+int(firstA))
		for q, p := range law {
			taken := 1.0
			if q > 0 {
				taken = 0.5
				arrived[q] += p / 2
			}
			for k, x := range a {
				arrived[q+int(firstA)+k] += p * taken * x
			}
		}
		next := make([]float64, size)
		for q, p := range arrived {
			if p < 1e-18 {
				continue
			}
			for k, x := range s {
				next[min(max(q-int(firstS)-k, 0), size-1)] += p * x
			}
		}
		law = next
	}
	return m.ArrivalRate() * (1 - law[0]) / 2
}

// TestSaturationAgainstChain: with two servers the root can be had from a chain
// of one queue.
func TestSaturationAgainstChain(t *testing.T) {
	m := slotted.Model{Rates: []float64{.3, 2}}
	low, high := 0., 1.
	for range 30 {
		m.Load = (low + high) / 2
		if fallbackFlow(t, m) > .3 {
			high = m.Load
		} else {
			low = m.Load
		}
	}
	m.Load = 0
	// The squared errors of eight runs in units of their standard errors; their
	// sum exceeds 36 once in 50,000.
	sum := 0.0
	for seed := range uint64(8) {
		s, err := CriticalBySaturation(context.Background(), &m, slotted.JIQ(), SlottedSettings{Seed: seed, Slots: 1e5})
		if err != nil || !s.Found || s.Servers != 1 || s.Critical.HalfWidth > .01 {
			t.Fatalf("%+v, %v", s, err)
		}
		z := (s.Critical.Value - low) / s.Critical.StandardError
		sum += z * z
	}
	if sum > 36 {
		t.Errorf("squared errors sum to %.3g: not the root of the chain, %.5f", sum, low)
	}
}

// TestSaturationOfTwoPools: between .85 and .88 for five servers of rate 1 and
// five of rate 10, the same bits with one thread.
func TestSaturationOfTwoPools(t *testing.T) {
	m := &slotted.Model{Rates: []float64{1, 1, 1, 1, 1, 10, 10, 10, 10, 10}}
	settings := SlottedSettings{Seed: 1, Slots: 1e5}
	s, err := CriticalBySaturation(context.Background(), m, slotted.JIQ(), settings)
	if err != nil || !s.Found {
		t.Fatalf("%+v, %v", s, err)
	}
	if low, high := s.Critical.Value-s.Critical.HalfWidth, s.Critical.Value+s.Critical.HalfWidth; low < .85 || high > .88 || s.Servers != 5 || s.Rate != 1 {
		t.Errorf("%+v", s)
	}
	settings.Threads = 1
	again, err := CriticalBySaturation(context.Background(), m, slotted.JIQ(), settings)
	if err != nil || again.Critical.Value != s.Critical.Value {
		t.Errorf("one thread: %v, %v, want %v", again.Critical.Value, err, s.Critical.Value)
	}
}

func TestSaturationOfEqualServers(t *testing.T) {
	s, err := CriticalBySaturation(context.Background(), &slotted.Model{Rates: []float64{1, 1}}, slotted.JIQ(), SlottedSettings{Slots: 1e5})
	if err != nil || s.Found {
		t.Errorf("equal servers: %+v, %v", s, err)
	}
	var field *ctmc.FieldError
	if _, err := CriticalBySaturation(context.Background(), &slotted.Model{Rates: []float64{1, 2}}, slotted.JSQ(), SlottedSettings{}); !errors.As(err, &field) {
		t.Errorf("JSQ: %v", err)
	}
}
