package ctmc

import (
	"fmt"

	"qlimit/coxian"
)

// MaxServers is the largest number of servers a System may have.
const MaxServers = int64(1e15)

// MinLoad and MaxLoad bound the load of a System: beyond them there is nothing
// to see but the limits of floating-point numbers.
const (
	MinLoad = 1e-100
	MaxLoad = 1e9
)

// Unlimited is the Buffer of a system that never loses a job.
const Unlimited = 0

// System is a load-balanced system: N parallel FIFO servers, Poisson arrivals
// and a dispatcher.
//
// Times are in the unit of the service law as it was given; rates are per
// unit of that time. The arrival rate is Load × Servers / mean service time.
type System struct {
	Servers int64       // N, 1..MaxServers
	Load    float64     // arrival rate × mean service / servers, MinLoad..MaxLoad
	Buffer  int         // most jobs at one server, the one in service included; 0 = Unlimited
	Service coxian.Dist // service law
	Policy  Policy      // dispatching rule
}

// Validate checks every field. An unlimited buffer needs Load < 1.
func (s System) Validate() error {
	if s.Servers < 1 || s.Servers > MaxServers {
		return &FieldError{Field: "servers", Value: s.Servers, Allowed: "between 1 and 1e15"}
	}
	return s.validateApartFromServers(s.Servers)
}

// ValidateLimit checks the fields that matter in the many-server limit, where
// the number of servers plays no role.
func (s System) ValidateLimit() error { return s.validateApartFromServers(MaxServers) }

func (s System) validateApartFromServers(servers int64) error {
	if err := s.Service.Validate(); err != nil {
		return err
	}
	if !(s.Load >= MinLoad && s.Load <= MaxLoad) {
		return &FieldError{Field: "load", Value: s.Load, Allowed: "> 0, between 1e-100 and 1e9"}
	}
	if s.Buffer < 0 {
		return &FieldError{Field: "buffer", Value: s.Buffer, Allowed: ">= 1, or 0 for unlimited"}
	}
	if s.Buffer == Unlimited && s.Load >= 1 {
		return &FieldError{Field: "load", Value: s.Load, Allowed: "< 1 with an unlimited buffer",
			Reason: "the queues grow without bound; give a finite buffer to study overload"}
	}
	return s.Policy.Validate(servers)
}

// ArrivalRate is the total rate of the Poisson arrivals, λN.
func (s System) ArrivalRate() float64 {
	return s.Load * float64(s.Servers) / s.Service.Mean()
}

// Phases is 1 for exponential service (p = 0) and 2 otherwise.
func (s System) Phases() int { return s.Service.Phases() }

// String identifies the system: two systems with the same text are the same.
func (s System) String() string {
	buffer := ""
	if s.Buffer != Unlimited {
		buffer = fmt.Sprintf(" buffer=%d", s.Buffer)
	}
	return fmt.Sprintf("%s N=%d load=%g%s %s", s.Policy, s.Servers, s.Load, buffer, s.Service)
}
