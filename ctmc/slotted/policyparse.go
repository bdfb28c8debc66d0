package slotted

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"qlimit/ctmc"
)

// policyForm is a policy by name: the options it takes, those of them that
// stand alone without a value, and how it is made. A new policy is one file
// and one line here.
type policyForm struct {
	options []string
	alone   []string
	build   func(o *policyOptions) Policy
}

var updateOptions = []string{"push", "pull", "refresh"}

var policyForms = map[string]policyForm{
	"jsq":       {nil, nil, func(*policyOptions) Policy { return JSQ() }},
	"sq":        {[]string{"d", "m", "replacement"}, []string{"stale"}, buildSQ},
	"pod":       {[]string{"d", "replacement"}, nil, buildSQ},
	"jiq":       {nil, nil, func(*policyOptions) Policy { return JIQ() }},
	"iqf":       {nil, nil, func(*policyOptions) Policy { return JIQ() }},
	"jbt":       {[]string{"d", "T"}, []string{"average"}, func(o *policyOptions) Policy { return JBT(o.threshold()) }},
	"jbtg":      {[]string{"d", "T"}, []string{"average"}, func(o *policyOptions) Policy { return JBTG(o.threshold()) }},
	"random":    {nil, nil, func(*policyOptions) Policy { return Random() }},
	"weighted":  {nil, nil, func(*policyOptions) Policy { return Weighted() }},
	"sed":       {nil, nil, func(*policyOptions) Policy { return SED() }},
	"lsq":       {updateOptions, []string{"smart"}, func(o *policyOptions) Policy { return LSQ(o.updates()) }},
	"local-sq":  {append([]string{"d"}, updateOptions...), []string{"smart"}, func(o *policyOptions) Policy { return LocalSQ(o.integer("d", 1), o.updates()) }},
	"local-jba": {updateOptions, []string{"smart"}, func(o *policyOptions) Policy { return LocalJBA(o.updates()) }},
}

func buildSQ(o *policyOptions) Policy {
	d := o.integer("d", 1)
	if o.given("m") {
		if o.given("replacement") {
			o.refuse("m and replacement do not go together")
		}
		return SQWithMemory(d, o.integer("m", 0), o.given("stale"))
	}
	if o.given("stale") {
		o.refuse("stale needs m")
	}
	return SQ(d, o.truth("replacement"))
}

// PolicyNames lists the names that [ParsePolicy] knows.
func PolicyNames() []string {
	names := make([]string, 0, len(policyForms))
	for name := range policyForms {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// ParsePolicy reads a policy:
//
//	jsq | jiq | random | weighted | sed
//	sq:d=2 | sq:d=2,replacement=true | sq:d=2,m=3[,stale]       (pod:d=2 is sq:d=2)
//	jbt:d=2,T=1000 | jbtg:d=2,T=1000 | jbt:average,T=1000   (T may be inf)
//	lsq:UPDATES | local-sq:d=2,UPDATES | local-jba:UPDATES
//
// UPDATES are push=D, pull=P, smart (with pull=P, else P = 1) or refresh=P; see
// [UpdateRule]; without them push=2. Without T it is 1000.
//
// Errors: a *ctmc.FieldError that names the option at fault or suggests the
// nearest name.
func ParsePolicy(text string) (Policy, error) {
	name, rest := text, ""
	if at := strings.IndexAny(text, ":,"); at >= 0 {
		name, rest = text[:at], text[at+1:]
		if rest == "" {
			return nil, &ctmc.FieldError{Field: "policy", Value: strconv.Quote(text), Allowed: "name:key=value,key=value"}
		}
	}
	name = strings.ToLower(strings.TrimSpace(name))
	form, known := policyForms[name]
	if !known {
		return nil, unknownName("policy", name, PolicyNames())
	}
	o, err := readPolicyOptions(text, rest, form)
	if err != nil {
		return nil, err
	}
	policy := form.build(o)
	return policy, o.err
}

// policyOptions are the options of one text; err is the first thing wrong.
type policyOptions struct {
	text   string
	values map[string]string
	err    error
}

func readPolicyOptions(text, rest string, form policyForm) (*policyOptions, error) {
	o := &policyOptions{text: text, values: map[string]string{}}
	if rest == "" {
		return o, nil
	}
	allowed := append(slices.Clone(form.options), form.alone...)
	for _, pair := range strings.Split(rest, ",") {
		key, value, assigned := strings.Cut(pair, "=")
		key = strings.TrimSpace(key)
		if key == "t" {
			key = "T"
		}
		switch {
		case len(allowed) == 0:
			return nil, &ctmc.FieldError{Field: "policy", Value: strconv.Quote(text), Allowed: "written without options", Reason: fmt.Sprintf("unknown option %q", key)}
		case !slices.Contains(allowed, key):
			return nil, unknownName("policy option", key, allowed)
		case slices.Contains(form.alone, key) == assigned || assigned && strings.TrimSpace(value) == "":
			return nil, &ctmc.FieldError{Field: "policy", Value: strconv.Quote(text), Allowed: "name:key=value,key=value", Reason: fmt.Sprintf("%q is no option", pair)}
		}
		if _, twice := o.values[key]; twice {
			return nil, &ctmc.FieldError{Field: "policy", Value: strconv.Quote(text), Allowed: "given each option once", Reason: key + " is repeated"}
		}
		o.values[key] = strings.TrimSpace(value)
	}
	return o, nil
}

func (o *policyOptions) given(key string) bool { _, ok := o.values[key]; return ok }

func (o *policyOptions) refuse(reason string) {
	if o.err == nil {
		o.err = &ctmc.FieldError{Field: "policy", Value: strconv.Quote(o.text), Allowed: "name:key=value,key=value", Reason: reason}
	}
}

// integer is at least least.
func (o *policyOptions) integer(key string, least int64) int64 {
	text, ok := o.values[key]
	if !ok {
		o.refuse(key + " is missing")
		return 0
	}
	n, err := parseInteger(text)
	if (err != nil || n < least) && o.err == nil {
		o.err = &ctmc.FieldError{Field: key, Value: text, Allowed: fmt.Sprintf("an integer >= %d", max(least, 0))}
	}
	return n
}

func (o *policyOptions) probability(key string) float64 {
	text, ok := o.values[key]
	if !ok {
		return 0
	}
	p, err := parseNumber(text)
	if (err != nil || !(p >= 0 && p <= 1)) && o.err == nil {
		o.err = &ctmc.FieldError{Field: key, Value: text, Allowed: "a probability, between 0 and 1"}
	}
	return p
}

func (o *policyOptions) truth(key string) bool {
	text, ok := o.values[key]
	if !ok {
		return false
	}
	truth, err := strconv.ParseBool(text)
	if err != nil && o.err == nil {
		o.err = &ctmc.FieldError{Field: key, Value: text, Allowed: "true or false"}
	}
	return truth
}

// defaultPeriod is the T of the literature.
const defaultPeriod = 1000

func (o *policyOptions) threshold() ThresholdRule {
	r := ThresholdRule{Period: defaultPeriod, Average: o.given("average")}
	switch {
	case r.Average && o.given("d"):
		o.refuse("average and d do not go together")
	case !r.Average:
		r.Samples = o.integer("d", 1)
	}
	if text, ok := o.values["T"]; ok {
		if strings.EqualFold(text, "inf") {
			r.Period = 0
		} else {
			r.Period = o.integer("T", 1)
		}
	}
	return r
}

func (o *policyOptions) updates() UpdateRule {
	u := UpdateRule{Smart: o.given("smart"), Reports: o.given("pull") || o.given("smart"), Pull: o.probability("pull"), Refresh: o.probability("refresh")}
	if u.Smart && !o.given("pull") {
		u.Pull = 1
	}
	if o.given("push") {
		u.Push = o.integer("push", 1)
	}
	if o.given("refresh") && u.Refresh == 0 && o.err == nil {
		o.err = &ctmc.FieldError{Field: "refresh", Value: o.values["refresh"], Allowed: "a probability, > 0 and at most 1"}
	}
	if u == (UpdateRule{}) {
		u.Push = defaultPush
	}
	return u
}

// defaultPush is the update of local policies for which none is given: as many
// messages as SQ(2).
const defaultPush = 2
