package sim

import (
	"fmt"
	"math"

	"qlimit/ctmc"
)

// MaxJobServers is the largest system that RunJobs takes.
const MaxJobServers = 10_000_000

// JobSystem is a system of N parallel servers, first come first served, whose
// jobs are followed one by one. Times are in the unit of the service law.
type JobSystem struct {
	Servers  int       // N, 1..MaxJobServers
	Load     float64   // arrival rate × mean service / servers
	Buffer   int       // most jobs at one server, the one in service included; 0 = ctmc.Unlimited
	Arrivals Law       // of the time between arrivals, up to its mean; nil = Poisson
	Service  Law       // of the sizes of jobs, independent of each other and of the arrivals
	Policy   JobPolicy // dispatching rule
}

// Bounds of the load: outside them nothing happens, or nothing but losses.
const (
	leastJobLoad = 1e-6
	mostJobLoad  = 1e6
)

// Validate checks every field but the policy, which has its own conditions.
func (s *JobSystem) Validate() error {
	switch {
	case s.Servers < 1 || s.Servers > MaxJobServers:
		return &ctmc.FieldError{Field: "servers", Value: s.Servers, Allowed: "between 1 and 1e7 for the simulation of single jobs"}
	case !(s.Load >= leastJobLoad && s.Load <= mostJobLoad):
		return &ctmc.FieldError{Field: "load", Value: s.Load, Allowed: "between 1e-6 and 1e6 for the simulation of single jobs"}
	case s.Buffer < 0 || s.Buffer > math.MaxInt32:
		return &ctmc.FieldError{Field: "buffer", Value: s.Buffer, Allowed: ">= 1, or 0 for unlimited"}
	case s.Buffer == ctmc.Unlimited && s.Load >= 1:
		return &ctmc.FieldError{Field: "load", Value: s.Load, Allowed: "< 1 with an unlimited buffer", Reason: "the queues grow without bound; give a finite buffer to study overload"}
	case s.Service == nil:
		return &ctmc.FieldError{Field: "service", Value: nil, Allowed: "a law"}
	case s.Policy.Prepare == nil:
		return &ctmc.FieldError{Field: "policy", Value: s.Policy.Name, Allowed: "a policy with a dispatcher"}
	}
	if err := checkPositive("mean service time", s.Service.Mean()); err != nil {
		return err
	}
	return checkPositive("mean time between arrivals", s.arrivals().Mean())
}

func (s *JobSystem) arrivals() Law {
	if s.Arrivals == nil {
		return Poisson()
	}
	return s.Arrivals
}

// ArrivalRate is the total rate of arrivals, Load × Servers / mean service.
func (s *JobSystem) ArrivalRate() float64 {
	return s.Load * float64(s.Servers) / s.Service.Mean()
}

// environment is what the policies that are compared have in common. It keys
// the random streams, so that they meet the same jobs at the same times.
func (s *JobSystem) environment() string {
	return fmt.Sprintf("jobs N=%d load=%g arrivals=%s service=%s", s.Servers, s.Load, s.arrivals(), s.Service)
}

func (s *JobSystem) String() string {
	buffer := ""
	if s.Buffer != ctmc.Unlimited {
		buffer = fmt.Sprintf(" buffer=%d", s.Buffer)
	}
	return fmt.Sprintf("%s N=%d load=%g%s arrivals=%s service=%s", s.Policy, s.Servers, s.Load, buffer, s.arrivals(), s.Service)
}
