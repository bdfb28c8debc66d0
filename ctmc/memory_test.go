package ctmc

import (
	"context"
	"errors"
	"strings"
	"testing"

	"qlimit/coxian"
)

// TestSeriesLimit: a law that would be followed for days is refused before its
// chain is made.
func TestSeriesLimit(t *testing.T) {
	s := System{Servers: 1e7, Load: 0.7, Buffer: 1, Service: coxian.Dist{Mu1: 1, Mu2: 1}, Policy: JSQ()}
	_, err := SolveTransient(context.Background(), s, []int64{1e7}, []float64{1, 10}, TransientSettings{})
	var large *TooLargeError
	if !errors.As(err, &large) || large.What != "events times states" || !(large.Value > large.Limit) {
		t.Errorf("%v, want a refusal", err)
	}
}

// TestMemoryLimits: whatever the number of states allowed, a chain that does
// not fit in the memory is refused by its estimated bytes.
func TestMemoryLimits(t *testing.T) {
	exponential := coxian.Dist{Mu1: 1, Mu2: 1}
	const many = int64(1e12)
	for name, solve := range map[string]func(SolverSettings) error{
		"number of jobs alone": func(s SolverSettings) error {
			_, err := SolveStationary(context.Background(), System{Servers: 1, Load: 0.99999999, Service: exponential, Policy: JSQ()}, s, many)
			return err
		},
		"grown": func(s SolverSettings) error {
			s.Memory = 1 << 20
			_, err := SolveStationary(context.Background(), System{Servers: 20, Load: 0.95, Service: exponential, Policy: Random()}, s, many)
			return err
		},
		"all states": func(s SolverSettings) error {
			s.Memory = 1 << 20
			_, err := SolveStationary(context.Background(), System{Servers: 20, Load: 0.95, Buffer: 5, Service: exponential, Policy: JSQ()}, s, many)
			return err
		},
		"tall": func(s SolverSettings) error {
			s.Memory = 1 << 20
			_, err := SolveStationary(context.Background(), System{Servers: 1, Load: 0.95, Buffer: 4000, Service: exponential, Policy: JSQ()}, s, many)
			return err
		},
		"stored IDs": func(s SolverSettings) error {
			s.Memory = 1 << 20
			_, err := SolvePullStationary(context.Background(), PullSystem{Servers: 20, Load: 0.95, Buffer: 5, Service: exponential, Pull: PullRule{Memory: 2, Rate: 1}}, s, many)
			return err
		},
	} {
		err := solve(SolverSettings{})
		var large *TooLargeError
		if !errors.As(err, &large) || !strings.HasPrefix(large.What, "memory") || !(large.Value > large.Limit) {
			t.Errorf("%s: %v, want a refusal by memory", name, err)
		}
	}
}
