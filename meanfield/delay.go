package meanfield

import (
	"fmt"

	"qlimit/coxian"
	"qlimit/ctmc"
)

// Delay is what jobs meet under a dispatching policy, without a buffer limit.
// Times are in the unit of the service law.
type Delay struct {
	MeanWait     float64   // of all jobs, those that do not wait included
	MeanResponse float64   // MeanWait and a mean service
	WaitProb     float64   // P(the chosen server is not idle)
	Kind         ctmc.Kind // Exact or Limit
	Method       string    // in words
}

// newDelay turns a waiting time in mean service times into a Delay.
func newDelay(wait, probability float64, service coxian.Dist, kind ctmc.Kind, method string) *Delay {
	mean := service.Mean()
	return &Delay{MeanWait: wait * mean, MeanResponse: (1 + wait) * mean, WaitProb: probability, Kind: kind, Method: method}
}

// checkDelay holds load and law against their ranges.
func checkDelay(load float64, service coxian.Dist) error {
	return ctmc.System{Load: load, Service: service, Policy: ctmc.Random()}.ValidateLimit()
}

// RandomDelay is the waiting time under random dispatch, where every server is
// an M/G/1 queue whatever their number (Pollaczek-Khinchine):
//
//	E[W] = λ (1 + scv)/(2 (1 - λ)) mean service times.
//
// Kind: exact.
//
// Errors: a load not in (0, 1).
func RandomDelay(load, mean, scv float64) (*Delay, error) {
	if !(load >= ctmc.MinLoad && load < 1) {
		return nil, &ctmc.FieldError{Field: "load", Value: load, Allowed: fmt.Sprintf("between %g and 1, 1 excluded", ctmc.MinLoad)}
	}
	wait := load * (1 + scv) / (2 * (1 - load))
	return &Delay{MeanWait: wait * mean, MeanResponse: (1 + wait) * mean, WaitProb: load, Kind: ctmc.Exact, Method: "Pollaczek-Khinchine"}, nil
}
