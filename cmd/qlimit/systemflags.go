package main

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"qlimit/coxian"
	"qlimit/ctmc"
	"qlimit/ctmc/slotted"
	"qlimit/validate/sim"
)

// systemFlags are the flags that describe a [ctmc.System], the same for all
// commands.
type systemFlags struct {
	servers                   int64
	load, spare, loadExponent float64
	buffer                    int
	service, policy           string
	policies                  []string // that a shell offers

	flags *pflag.FlagSet
}

// scope says whether a command speaks of a finite system, of the equilibrium
// of its many-server limit, or of a path of that limit over a finite time,
// which may be overloaded without a buffer limit.
type scope int

const (
	finiteSystem scope = iota
	manyServerLimit
	limitPath
)

const (
	serviceUsage = "service law `S`: exp, erlang2, coxian:mu1=2,p=0.25,mu2=0.5, coxian:mean=1,scv=4, coxian:mean=1,scv=4,skew=4, hyperexp:p=0.1,mu1=0.2,mu2=1.8; mean= may be added to exp and erlang2"
	policyUsage  = "dispatching policy `P`: jsq, jiq (iqf), i1f, random, pod:d=2 (sq:d=2); pod takes replacement=true, jiq and i1f take fallback=pod:d=2"
)

func (f *systemFlags) addTo(c *cobra.Command) {
	f.service, f.policy = "exp", "jsq"
	f.flags = c.Flags()
	f.flags.SortFlags = false
	f.flags.VarP(&count{&f.servers, 1, ctmc.MaxServers, "an integer between 1 and 1e15"}, "servers", "n", "`number` of servers N, 1 to 1e15 (1e6 may be written)")
	f.addLoadTo(f.flags)
	f.flags.Var(&countInt{&f.buffer, 0, math.MaxInt32, "an integer >= 1, or 0 for unlimited"}, "buffer", "most `jobs` at one server, the one in service included; 0 = unlimited")
	f.flags.StringVar(&f.service, "service", f.service, serviceUsage)
	f.flags.StringVar(&f.policy, "policy", f.policy, policyUsage)
	f.policies = policiesOffered
	offer(c, "policy", &f.policies)
	offer(c, "service", &servicesOffered)
}

func (f *systemFlags) addLoadTo(flags *pflag.FlagSet) {
	flags.Var(&decimal{target: &f.load, accept: positive, allowed: "a number > 0"}, "load", "load `L` = arrival rate x mean service / servers")
	flags.Var(&decimal{target: &f.spare, accept: anyNumber, allowed: "a number"}, "spare", "spare servers `A`: load = 1 - A/N")
	flags.Var(&decimal{target: &f.loadExponent, accept: positive, allowed: "a number > 0"}, "load-exponent", "exponent `A`: load = 1 - N^-A")
}

// system builds the system that the flags describe and checks every field.
func (f *systemFlags) system(about scope) (ctmc.System, error) {
	if about == finiteSystem && !f.flags.Changed("servers") {
		return ctmc.System{}, badRequest("--servers is missing (an integer between 1 and 1e15)")
	}
	service, err := parseService(f.service)
	if err != nil {
		return ctmc.System{}, err
	}
	policy, err := parsePolicy(f.policy)
	if err != nil {
		return ctmc.System{}, err
	}
	s := ctmc.System{Servers: f.servers, Buffer: f.buffer, Service: service, Policy: policy}
	if s.Load, err = f.systemLoad(); err != nil {
		return ctmc.System{}, err
	}
	checked := s
	if about == limitPath && s.Buffer == ctmc.Unlimited {
		checked.Buffer = math.MaxInt32 // nothing is wrong with overload for a while
	}
	if about != finiteSystem && s.Servers == 0 {
		return s, checked.ValidateLimit()
	}
	return s, checked.Validate()
}

func parseService(text string) (coxian.Dist, error) {
	law, err := coxian.Parse(text)
	if err != nil {
		return coxian.Dist{}, &failure{exitRequest, err}
	}
	return law, nil
}

// parsePolicy says of a name that it does not know which simulator does.
func parsePolicy(text string) (ctmc.Policy, error) {
	policy, err := ctmc.ParsePolicy(text)
	name, _, _ := strings.Cut(strings.ToLower(text), ":")
	var field *ctmc.FieldError
	if !errors.As(err, &field) || slices.Contains(ctmc.PolicyNames(), name) {
		return policy, err
	}
	if slices.Contains(sim.JobPolicyNames(), name) {
		field.Reason = "simulate jobs takes " + name
	} else if slices.Contains(slotted.PolicyNames(), name) {
		field.Reason = "simulate slotted takes " + name
	}
	return policy, err
}

// systemLoad is the load by the one flag of three that was given.
func (f *systemFlags) systemLoad() (float64, error) {
	given := f.loadFlagsGiven()
	switch {
	case len(given) == 0:
		return 0, badRequest("the load is missing (give one of --load, --spare, --load-exponent)")
	case len(given) > 1:
		return 0, badRequest("--%s and --%s were both given (give one of --load, --spare, --load-exponent)", given[0], given[1])
	case given[0] == "load":
		return f.load, nil
	case f.servers == 0:
		return 0, badRequest("--%s needs --servers: the load depends on the number of servers", given[0])
	case given[0] == "spare":
		return f.loadFromSpare()
	}
	return f.loadFromExponent()
}

func (f *systemFlags) loadFlagsGiven() []string {
	var given []string
	for _, name := range []string{"load", "spare", "load-exponent"} {
		if f.flags.Changed(name) {
			given = append(given, name)
		}
	}
	return given
}

func (f *systemFlags) loadFromSpare() (float64, error) {
	allowed, good := "> 0 and < the number of servers", f.spare > 0 && f.spare < float64(f.servers)
	if f.buffer != ctmc.Unlimited {
		allowed, good = "< the number of servers", f.spare < float64(f.servers)
	}
	load := 1 - f.spare/float64(f.servers)
	if !good || math.IsInf(load, 0) {
		return 0, &ctmc.FieldError{Field: "spare", Value: f.spare, Allowed: allowed + ", " + strconv.FormatInt(f.servers, 10)}
	}
	return load, roundsToOne("spare", f.spare, load, f.buffer)
}

func (f *systemFlags) loadFromExponent() (float64, error) {
	if f.servers == 1 {
		return 0, &ctmc.FieldError{Field: "load-exponent", Value: f.loadExponent, Allowed: "used with 2 servers or more", Reason: "1 - N^-A is 0 at N = 1"}
	}
	// 1 - N^-A = -expm1(-A log N), accurate for small A.
	load := -math.Expm1(-f.loadExponent * math.Log(float64(f.servers)))
	return load, roundsToOne("load-exponent", f.loadExponent, load, f.buffer)
}

// roundsToOne refuses a load below 1 that float64 cannot tell from 1.
func roundsToOne(flag string, value, load float64, buffer int) error {
	if load == 1 && buffer == ctmc.Unlimited {
		return &ctmc.FieldError{Field: flag, Value: value, Allowed: "such that the load stays below 1 with an unlimited buffer", Reason: "the load rounds to 1"}
	}
	return nil
}

// describe names a system in one line.
func describe(s ctmc.System) string {
	servers, buffer := "N to infinity", "unlimited"
	if s.Servers > 0 {
		servers = fmt.Sprintf("%d servers", s.Servers)
	}
	if s.Servers == 1 {
		servers = "1 server"
	}
	if s.Buffer != ctmc.Unlimited {
		buffer = strconv.Itoa(s.Buffer)
	}
	return fmt.Sprintf("%s, %s, load %s, buffer %s", s.Policy, servers, significant(s.Load), buffer)
}
