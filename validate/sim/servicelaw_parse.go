package sim

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"qlimit/coxian"
	"qlimit/ctmc"
	"qlimit/internal/nearest"
)

// ReadSample returns the numbers that a law from a file is made of.
type ReadSample func(name string) ([]float64, error)

// lawForm is a law by name: the keys it takes and the one to be given.
type lawForm struct {
	keys     []string
	required []string
	build    func(v map[string]float64) (Law, error)
}

var serviceForms = map[string]lawForm{
	"deterministic": {[]string{"mean"}, nil, func(v map[string]float64) (Law, error) {
		return Deterministic(v["mean"])
	}},
	"lognormal": {[]string{"mean", "scv"}, []string{"scv"}, func(v map[string]float64) (Law, error) {
		return law(Lognormal(v["mean"], v["scv"]))
	}},
	"pareto": {[]string{"alpha", "low", "high"}, []string{"alpha", "low", "high"}, func(v map[string]float64) (Law, error) {
		return law(BoundedPareto(v["alpha"], v["low"], v["high"]))
	}},
	"erlang": {[]string{"k", "mean"}, []string{"k"}, buildErlang},
}

var arrivalForms = map[string]lawForm{
	"exp": {nil, nil, func(map[string]float64) (Law, error) { return Poisson(), nil }},
	"deterministic": {nil, nil, func(map[string]float64) (Law, error) {
		return Deterministic(1)
	}},
	"erlang": {[]string{"k"}, []string{"k"}, buildErlang},
	"hyperexp": {[]string{"scv"}, []string{"scv"}, func(v map[string]float64) (Law, error) {
		return law(Hyperexponential(1, v["scv"]))
	}},
	"lognormal": {[]string{"scv"}, []string{"scv"}, func(v map[string]float64) (Law, error) {
		return law(Lognormal(1, v["scv"]))
	}},
}

func buildErlang(v map[string]float64) (Law, error) {
	k := v["k"]
	if k != math.Trunc(k) || k < 1 || k > mostPhases {
		return nil, &ctmc.FieldError{Field: "k", Value: k, Allowed: fmt.Sprintf("an integer between 1 and %d", mostPhases)}
	}
	return law(Erlang(int(k), v["mean"]))
}

// law keeps a nil law from hiding in an interface.
func law(l SizeLaw, err error) (Law, error) {
	if err != nil {
		return nil, err
	}
	return l, nil
}

// ParseServiceLaw reads a law of job sizes:
//
//	exp | erlang2 | coxian:.. | hyperexp:..   as coxian.Parse reads them
//	deterministic                             all of size 1; deterministic:mean=2
//	erlang:k=4                                mean 1; erlang:k=4,mean=2
//	lognormal:scv=4                           mean 1; lognormal:mean=2,scv=4
//	pareto:alpha=1.5,low=1,high=1000          bounded Pareto
//	csv:FILE                                  the values in a file
//
// read is asked for the values of csv:FILE; nil refuses that form. Errors name
// the part at fault.
func ParseServiceLaw(text string, read ReadSample) (Law, error) {
	name, _, _ := strings.Cut(text, ":")
	switch name {
	case "exp", "erlang2", "coxian", "hyperexp":
		d, err := coxian.Parse(text)
		if err != nil {
			return nil, err
		}
		return CoxianLaw(d), nil
	}
	return parseLaw("size", text, serviceForms, []string{"exp", "erlang2", "coxian", "hyperexp", "csv"}, read)
}

// ParseArrivals reads a law of the times between arrivals, up to its mean:
//
//	exp | erlang:k=4 | hyperexp:scv=4 | deterministic | lognormal:scv=4 | csv:FILE
//
// hyperexp has balanced means, see [Hyperexponential]; read and errors are as of
// [ParseServiceLaw].
func ParseArrivals(text string, read ReadSample) (Law, error) {
	return parseLaw("arrivals", text, arrivalForms, []string{"csv"}, read)
}

func parseLaw(field, text string, forms map[string]lawForm, others []string, read ReadSample) (Law, error) {
	name, rest, hasOptions := strings.Cut(text, ":")
	if name == "csv" {
		if rest == "" {
			return nil, &ctmc.FieldError{Field: field, Value: strconv.Quote(text), Allowed: "csv:FILE"}
		}
		if read == nil {
			return nil, &ctmc.FieldError{Field: field, Value: strconv.Quote(text), Allowed: "a law without a file", Reason: "there is nothing to read files with"}
		}
		values, err := read(rest)
		if err != nil {
			return nil, err
		}
		return law(Empirical(values))
	}
	form, known := forms[name]
	if !known {
		return nil, unknownForm(field, name, append(keysOf(forms), others...))
	}
	values, err := lawValues(field, text, rest, hasOptions, form)
	if err != nil {
		return nil, err
	}
	return form.build(values)
}

func unknownForm(field, name string, known []string) error {
	e := &ctmc.FieldError{Field: field, Value: strconv.Quote(name), Allowed: "one of " + strings.Join(known, ", ")}
	if guess := nearest.Of(name, known); guess != "" {
		e.Reason = fmt.Sprintf("did you mean %s?", guess)
	}
	return e
}

// lawValues reads key=value pairs; mean is 1 unless given.
func lawValues(field, text, rest string, present bool, form lawForm) (map[string]float64, error) {
	refuse := func(reason string) error {
		return &ctmc.FieldError{Field: field, Value: strconv.Quote(text), Allowed: "name:key=number,key=number", Reason: reason}
	}
	values := map[string]float64{}
	if present {
		for _, pair := range strings.Split(rest, ",") {
			key, number, _ := strings.Cut(pair, "=")
			key = strings.TrimSpace(key)
			if !containsText(form.keys, key) {
				return nil, refuse(fmt.Sprintf("unknown key %q", key))
			}
			if _, twice := values[key]; twice {
				return nil, refuse(key + " is repeated")
			}
			x, err := parsePlainNumber(strings.TrimSpace(number))
			if err != nil {
				return nil, refuse(fmt.Sprintf("%s = %q is no number", key, number))
			}
			values[key] = x
		}
	}
	for _, key := range form.required {
		if _, ok := values[key]; !ok {
			return nil, refuse(key + " is missing")
		}
	}
	if _, ok := values["mean"]; !ok {
		values["mean"] = 1
	}
	return values, nil
}

// parsePlainNumber takes decimals, not hexadecimal, NaN or Inf.
func parsePlainNumber(text string) (float64, error) {
	if text == "" || strings.Trim(text, "0123456789+-.eE") != "" {
		return 0, strconv.ErrSyntax
	}
	return strconv.ParseFloat(text, 64)
}

func containsText(list []string, text string) bool {
	for _, item := range list {
		if item == text {
			return true
		}
	}
	return false
}
