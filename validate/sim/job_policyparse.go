package sim

import (
	"fmt"
	"sort"
	"strconv"
	"strings"

	"qlimit/ctmc"
)

// jobPolicyForms are the policies that need more than queue lengths. A new
// policy is one constructor and one line here.
var jobPolicyForms = map[string]struct {
	options  []string
	required bool
	build    func(options map[string]int) JobPolicy
}{
	"rr":   {nil, false, func(map[string]int) JobPolicy { return RoundRobin() }},
	"ll":   {[]string{"d"}, false, buildLeastLoaded},
	"sq":   {[]string{"d", "m"}, true, func(o map[string]int) JobPolicy { return ShortestWithMemory(o["d"], o["m"]) }},
	"sita": {nil, false, func(map[string]int) JobPolicy { return SizeInterval() }},
}

func buildLeastLoaded(options map[string]int) JobPolicy {
	if d, ok := options["d"]; ok {
		return LeastLoadedOf(d)
	}
	return LeastLoaded()
}

// JobPolicyNames lists what ParseJobPolicy accepts.
func JobPolicyNames() []string {
	names := append(ctmc.PolicyNames(), keysOf(jobPolicyForms)...)
	sort.Strings(names)
	unique := names[:0]
	for i, name := range names {
		if i == 0 || name != names[i-1] {
			unique = append(unique, name)
		}
	}
	return unique
}

// ParseJobPolicy reads a policy: every text that ctmc.ParsePolicy takes, and
//
//	rr            round robin
//	ll, ll:d=2    least work of all servers, of d sampled ones
//	sq:d=2,m=3    shortest of d sampled and m remembered servers
//	sita          size-interval assignment
//	pull:memory=2,rate=5  stored IDs of idle servers
//
// Errors: a *ctmc.FieldError that names the option at fault or suggests the
// nearest name.
func ParseJobPolicy(text string) (JobPolicy, error) {
	if ctmc.IsPull(text) {
		rule, err := ctmc.ParsePull(text)
		if err != nil {
			return JobPolicy{}, err
		}
		return PullWithMemory(rule), nil
	}
	name, rest, hasOptions := strings.Cut(text, ":")
	name = strings.ToLower(strings.TrimSpace(name))
	form, known := jobPolicyForms[name]
	if name == "sq" && !strings.Contains(rest, "m=") {
		known = false // SQ(d) without memory
	}
	if !known {
		return parseOccupancyPolicy(name, text)
	}
	options, err := jobPolicyOptions(text, rest, hasOptions, form.options)
	if err != nil {
		return JobPolicy{}, err
	}
	if form.required && len(options) < len(form.options) {
		return JobPolicy{}, &ctmc.FieldError{Field: "policy", Value: strconv.Quote(text), Allowed: name + ":d=2,m=3"}
	}
	return form.build(options), nil
}

func parseOccupancyPolicy(name, text string) (JobPolicy, error) {
	if !containsText(ctmc.PolicyNames(), name) {
		return JobPolicy{}, unknownForm("policy", name, JobPolicyNames())
	}
	p, err := ctmc.ParsePolicy(text)
	if err != nil {
		return JobPolicy{}, err
	}
	return OccupancyPolicy(p), nil
}

func jobPolicyOptions(text, rest string, present bool, allowed []string) (map[string]int, error) {
	options := map[string]int{}
	if !present {
		return options, nil
	}
	refuse := func(reason string) error {
		return &ctmc.FieldError{Field: "policy", Value: strconv.Quote(text), Allowed: "name:key=integer,key=integer", Reason: reason}
	}
	for _, pair := range strings.Split(rest, ",") {
		key, number, _ := strings.Cut(pair, "=")
		key = strings.TrimSpace(key)
		if !containsText(allowed, key) {
			return nil, refuse(fmt.Sprintf("unknown option %q", key))
		}
		if _, twice := options[key]; twice {
			return nil, refuse(key + " is repeated")
		}
		n, err := strconv.ParseInt(strings.TrimSpace(number), 10, 32)
		if err != nil {
			return nil, refuse(fmt.Sprintf("%s = %q is no integer", key, number))
		}
		options[key] = int(n)
	}
	return options, nil
}

func keysOf[V any](m map[string]V) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}
