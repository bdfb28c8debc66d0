package ctmc

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"qlimit/internal/nearest"
)

// policyForms lists the names that [ParsePolicy] knows, with the options each
// takes. A new policy is one constructor and one line here.
var policyForms = map[string]struct {
	options []string
	build   func(options map[string]string) (Policy, error)
}{
	"jsq":    {nil, func(map[string]string) (Policy, error) { return JSQ(), nil }},
	"jiq":    {[]string{"fallback"}, func(o map[string]string) (Policy, error) { return withFallbackOption(JIQ(), o) }},
	"iqf":    {[]string{"fallback"}, func(o map[string]string) (Policy, error) { return withFallbackOption(JIQ(), o) }},
	"i1f":    {[]string{"fallback"}, func(o map[string]string) (Policy, error) { return withFallbackOption(I1F(), o) }},
	"random": {nil, func(map[string]string) (Policy, error) { return Random(), nil }},
	"pod":    {[]string{"d", "replacement"}, powerOfDFromOptions},
	"sq":     {[]string{"d", "replacement"}, powerOfDFromOptions},
	"pull":   {pullOptions, memorylessPull},
}

// PolicyNames returns the names that ParsePolicy accepts, sorted.
func PolicyNames() []string {
	names := make([]string, 0, len(policyForms))
	for name := range policyForms {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// ParsePolicy reads a policy as the command line writes it:
//
//	jsq | jiq | iqf | i1f | random | pod:d=2 | sq:d=2
//
// with the option replacement=true|false on pod (default false), and the
// option fallback=pod:d=2 on jiq and i1f, which extends to the end of the
// text. Of pull:memory=M,rate=R it takes those that need no memory; the others
// are for [ParsePull].
//
// Errors: a [FieldError] that names the option at fault or suggests the nearest
// name.
func ParsePolicy(text string) (Policy, error) {
	name, rest, hasOptions := strings.Cut(text, ":")
	name = strings.ToLower(strings.TrimSpace(name))
	form, known := policyForms[name]
	if !known {
		return Policy{}, unknownName("policy", name, PolicyNames())
	}
	options, err := splitOptions(text, rest, hasOptions, form.options)
	if err != nil {
		return Policy{}, err
	}
	return form.build(options)
}

func unknownName(field, name string, known []string) error {
	e := &FieldError{Field: field, Value: strconv.Quote(name), Allowed: "one of " + strings.Join(known, ", ")}
	if guess := nearest.Of(name, known); guess != "" {
		e.Reason = fmt.Sprintf("did you mean %s?", guess)
	}
	return e
}

// splitOptions reads key=value pairs; a fallback takes the rest of the text.
func splitOptions(whole, rest string, present bool, allowed []string) (map[string]string, error) {
	options := map[string]string{}
	for present && rest != "" {
		pair := rest
		if strings.HasPrefix(rest, "fallback=") {
			rest = ""
		} else {
			pair, rest, _ = strings.Cut(rest, ",")
		}
		key, value, ok := strings.Cut(pair, "=")
		key = strings.TrimSpace(key)
		if !ok || value == "" {
			return nil, &FieldError{Field: "policy", Value: strconv.Quote(whole), Allowed: "name:key=value,key=value", Reason: fmt.Sprintf("%q is not key=value", pair)}
		}
		if !slices.Contains(allowed, key) {
			return nil, unknownOption(whole, key, allowed)
		}
		if _, twice := options[key]; twice {
			return nil, &FieldError{Field: "policy", Value: strconv.Quote(whole), Allowed: "given each option once", Reason: key + " is repeated"}
		}
		options[key] = strings.TrimSpace(value)
	}
	if present && len(options) == 0 {
		return nil, &FieldError{Field: "policy", Value: strconv.Quote(whole), Allowed: "name:key=value,key=value", Reason: "nothing after the colon"}
	}
	return options, nil
}

func unknownOption(whole, key string, allowed []string) error {
	if len(allowed) == 0 {
		return &FieldError{Field: "policy", Value: strconv.Quote(whole), Allowed: "written without options", Reason: fmt.Sprintf("unknown option %q", key)}
	}
	return unknownName("policy option", key, allowed)
}

func powerOfDFromOptions(options map[string]string) (Policy, error) {
	text, ok := options["d"]
	if !ok {
		return Policy{}, &FieldError{Field: "d", Value: "missing", Allowed: "an integer >= 1", Reason: "write pod:d=2"}
	}
	d, err := parseChoices(text)
	if err != nil {
		return Policy{}, err
	}
	replacement := false
	if text, ok := options["replacement"]; ok {
		if replacement, err = strconv.ParseBool(text); err != nil {
			return Policy{}, &FieldError{Field: "replacement", Value: text, Allowed: "true or false"}
		}
	}
	return PowerOfD(d, replacement), nil
}

// parseChoices reads d, which may be written as 1e6.
func parseChoices(text string) (int64, error) {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || x != math.Trunc(x) || !(x >= 1 && x <= float64(MaxServers)) {
		return 0, &FieldError{Field: "d", Value: text, Allowed: "an integer between 1 and 1e15"}
	}
	return int64(x), nil
}

func withFallbackOption(p Policy, options map[string]string) (Policy, error) {
	text, ok := options["fallback"]
	if !ok {
		return p, nil
	}
	kernel, err := parseFallback(text)
	if err != nil {
		return Policy{}, fmt.Errorf("fallback: %w", err)
	}
	return p.WithFallback(kernel), nil
}

// parseFallback reads the policies that are a kernel alone.
func parseFallback(text string) (Sampling, error) {
	name, rest, hasOptions := strings.Cut(text, ":")
	switch name {
	case "random":
		_, err := splitOptions(text, rest, hasOptions, nil)
		return Uniform, err
	case "pod", "sq":
		options, err := splitOptions(text, rest, hasOptions, []string{"d", "replacement"})
		if err != nil {
			return Sampling{}, err
		}
		p, err := powerOfDFromOptions(options)
		if err != nil {
			return Sampling{}, err
		}
		return p.Fallback.(Sampling), nil
	}
	return Sampling{}, unknownName("fallback", name, []string{"pod", "random"})
}
