package ctmc

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"qlimit/coxian"
)

// PullRule is the dispatching rule with a memory for the IDs of idle servers. Every
// idle server sends its ID at the moments of a Poisson process of rate Rate;
// the dispatcher stores it if there is room and it is not there yet. A job goes
// to a server drawn from the stored IDs, which is then forgotten, or, if there
// is none, to a server drawn from all.
//
// A stored server is idle: jobs reach servers by other ways than their ID only
// when nothing is stored.
//
// Source: Gamarnik, Tsitsiklis, Zubeldia, Stoch. Syst. 8 (2018).
type PullRule struct {
	Memory int64   // most IDs stored, c >= 0; AnyMemory for no limit
	Rate   float64 // μ >= 0, per unit of the time of the service law; +Inf: idle servers are stored at once
}

// AnyMemory is the Memory of a dispatcher that can store all IDs.
const AnyMemory = math.MaxInt64

// String is the text that [ParsePull] reads.
func (p PullRule) String() string {
	memory, rate := "inf", "inf"
	if p.Memory != AnyMemory {
		memory = strconv.FormatInt(p.Memory, 10)
	}
	if !math.IsInf(p.Rate, 1) {
		rate = strconv.FormatFloat(p.Rate, 'g', -1, 64)
	}
	return fmt.Sprintf("pull:memory=%s,rate=%s", memory, rate)
}

// Validate checks both fields. The error is a [FieldError].
func (p PullRule) Validate() error {
	if p.Memory < 0 {
		return &FieldError{Field: "memory", Value: p.Memory, Allowed: "an integer >= 0, or inf"}
	}
	if !(p.Rate >= 0) || p.Rate > maxPullRate && !math.IsInf(p.Rate, 1) {
		return &FieldError{Field: "rate", Value: p.Rate, Allowed: "a number between 0 and 1e50, or inf"}
	}
	return nil
}

// maxPullRate keeps products of rates finite.
const maxPullRate = 1e50

// Memoryless returns the policy without memory that the rule is equal to in
// law, where there is one: without memory or messages random dispatch; with
// messages at once, whatever the memory, join-the-idle-queue.
func (p PullRule) Memoryless() (policy Policy, ok bool) {
	switch {
	case p.Memory == 0 || p.Rate == 0:
		policy = Random()
	case math.IsInf(p.Rate, 1):
		policy = JIQ()
	default:
		return Policy{}, false
	}
	policy.Name = p.String()
	return policy, true
}

// IsPull reports whether the text of a policy names the rule with a memory.
func IsPull(text string) bool {
	name, _, _ := strings.Cut(text, ":")
	return strings.ToLower(strings.TrimSpace(name)) == "pull"
}

// ParsePull reads pull:memory=M,rate=R, either of which may be inf. Errors: a
// [FieldError] that names the option at fault.
func ParsePull(text string) (PullRule, error) {
	if !IsPull(text) {
		return PullRule{}, &FieldError{Field: "policy", Value: strconv.Quote(text), Allowed: "pull:memory=M,rate=R"}
	}
	_, rest, hasOptions := strings.Cut(text, ":")
	options, err := splitOptions(text, rest, hasOptions, pullOptions)
	if err != nil {
		return PullRule{}, err
	}
	return pullFromOptions(options)
}

var pullOptions = []string{"memory", "rate"}

func pullFromOptions(options map[string]string) (PullRule, error) {
	p := PullRule{Memory: AnyMemory, Rate: math.Inf(1)}
	for _, name := range pullOptions {
		if _, given := options[name]; !given {
			return p, &FieldError{Field: name, Value: "missing", Allowed: "a number >= 0, or inf", Reason: "write pull:memory=2,rate=5"}
		}
	}
	if text := options["memory"]; text != "inf" {
		x, err := strconv.ParseFloat(text, 64)
		if err != nil || x != math.Trunc(x) || !(x >= 0 && x <= float64(MaxServers)) {
			return p, &FieldError{Field: "memory", Value: text, Allowed: "an integer between 0 and 1e15, or inf"}
		}
		p.Memory = int64(x)
	}
	if text := options["rate"]; text != "inf" {
		x, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsInf(x, 0) {
			return p, &FieldError{Field: "rate", Value: text, Allowed: "a number between 0 and 1e50, or inf"}
		}
		p.Rate = x
	}
	return p, p.Validate()
}

// memorylessPull is the policy of a text that needs no memory.
func memorylessPull(options map[string]string) (Policy, error) {
	p, err := pullFromOptions(options)
	if err != nil {
		return Policy{}, err
	}
	policy, ok := p.Memoryless()
	if !ok {
		return Policy{}, &FieldError{Field: "policy", Value: p, Allowed: "a policy that looks at queue lengths alone here",
			Reason: "the dispatcher's memory is no part of this method's state; simulate, meanfield equilibrium, meanfield trajectory and ctmc stationary take it, others only memory=0, rate=0 or rate=inf"}
	}
	return policy, nil
}

// PullSystem is a [System] with a [PullRule] dispatcher and exponential service.
// For other service laws theory has no closed state: they are refused unless
// the dispatcher needs no memory (see [PullRule.Memoryless]), when a System does.
type PullSystem struct {
	Servers int64       // N, 1..MaxServers
	Load    float64     // arrival rate × mean service / servers
	Buffer  int         // most jobs at one server; 0 = Unlimited
	Service coxian.Dist // exponential where the memory is needed
	Pull    PullRule    // the dispatching rule
}

// Validate checks every field. An unlimited buffer needs Load < 1.
func (s PullSystem) Validate() error {
	if err := s.validateParts(); err != nil {
		return err
	}
	return s.withRandom().Validate()
}

// ValidateLimit checks the fields that matter in the many-server limit.
func (s PullSystem) ValidateLimit() error {
	if err := s.validateParts(); err != nil {
		return err
	}
	return s.withRandom().ValidateLimit()
}

func (s PullSystem) validateParts() error {
	if err := s.Pull.Validate(); err != nil {
		return err
	}
	if err := s.Service.Validate(); err != nil {
		return err
	}
	if !s.Service.IsExponential() {
		return &FieldError{Field: "service", Value: s.Service, Allowed: "exponential with " + s.Pull.String(),
			Reason: "the theory of limited memory is one of exponential service; simulate jobs takes any law"}
	}
	return nil
}

// withRandom is the system with random dispatch.
func (s PullSystem) withRandom() System {
	return System{Servers: s.Servers, Load: s.Load, Buffer: s.Buffer, Service: s.Service, Policy: Random()}
}

// Described is the system in the form of a [System] whose policy has the name
// of the rule and cannot be used to route jobs.
func (s PullSystem) Described() System {
	d := s.withRandom()
	d.Policy = Policy{Name: s.Pull.String()}
	return d
}

// String identifies the system.
func (s PullSystem) String() string { return s.Described().String() }

// ServerRate is the rate of messages of an idle server in units of one over a
// mean service time.
func (s PullSystem) ServerRate() float64 { return s.Pull.Rate * s.Service.Mean() }
