package ode

import "fmt"

// Solution is the result of Integrate.
type Solution struct {
	// Time and State are where the integration ended.
	Time  float64
	State []float64

	// States[k] is the state at Times[k], for the requested times up to the
	// end, or for every step; at a jump it is the state before for the former,
	// after for the latter.
	Times  []float64
	States [][]float64

	// Hits are the located events in the order of time.
	Hits []Hit

	// Trajectory is the dense output, if Settings.KeepTrajectory was set.
	Trajectory *Trajectory

	Status Status // how it ended; see Err
	Stats  Stats  // the work it took
}

// Err returns nil if Status.OK and otherwise an error that says why and where
// the integration ended early.
func (s *Solution) Err() error {
	if s.Status.OK() {
		return nil
	}
	advice := ""
	if 2*s.Stats.StabilityLimited > s.Stats.Accepted {
		advice = "; the problem looks stiff, try RadauIIA5"
	}
	return fmt.Errorf("ode: %v at time %v after %d accepted and %d rejected steps, the last of size %.3g%s",
		s.Status, s.Time, s.Stats.Accepted, s.Stats.Rejected, s.Stats.LastStep, advice)
}
