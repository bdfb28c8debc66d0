package coxian

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"qlimit/internal/nearest"
)

// forms are the names of the service grammar with the keys each one takes.
var forms = []struct {
	name  string
	keys  []string
	build func(values) (Dist, error)
}{
	{"exp", []string{"mean"}, func(v values) (Dist, error) { return Exponential(v.or("mean", 1)) }},
	{"erlang2", []string{"mean"}, func(v values) (Dist, error) { return Erlang2(v.or("mean", 1)) }},
	{"coxian", []string{"mu1", "p", "mu2", "mean", "scv", "skew"}, buildCoxian},
	{"hyperexp", []string{"p", "mu1", "mu2"}, buildHyperexponential},
}

// Parse reads a service law:
//
//	exp                              exponential of mean 1; exp:mean=2
//	erlang2                          Erlang-2 of mean 1; erlang2:mean=3
//	coxian:mu1=2,p=0.25,mu2=0.5      rates, p the probability of going on to phase 2
//	coxian:mean=1,scv=4              the fit of FitMeanSCV; mean defaults to 1
//	coxian:mean=1,scv=4,skew=3.5     the fit of FitMoments
//	hyperexp:p=0.1,mu1=0.2,mu2=1.8   mixture, p the probability of the branch of rate mu1
//
// Keys may come in any order, spaces around names, keys and numbers are
// ignored. Numbers are plain decimals such as 0.25 or 1e-3. Every error begins
// with "service: " and names the offending part.
func Parse(text string) (Dist, error) {
	if len(text) > maxTextLength {
		return Dist{}, fmt.Errorf("service: the law is %d characters long (at most %d)", len(text), maxTextLength)
	}
	name, arguments, hasArguments := strings.Cut(text, ":")
	name = strings.TrimSpace(name)
	if name == "" {
		return Dist{}, fmt.Errorf("service: no law named (one of %s)", listOf(formNames()))
	}
	for _, form := range forms {
		if form.name != name {
			continue
		}
		v, err := readValues(name, arguments, hasArguments, form.keys)
		if err != nil {
			return Dist{}, err
		}
		return form.build(v)
	}
	return Dist{}, fmt.Errorf("service: unknown law %q (did you mean %q? one of %s)",
		name, nearest.Of(name, formNames()), listOf(formNames()))
}

const maxTextLength = 1000

func formNames() []string {
	names := make([]string, len(forms))
	for i, form := range forms {
		names[i] = form.name
	}
	return names
}

func buildCoxian(v values) (Dist, error) {
	rates, moments := v.given("mu1", "p", "mu2"), v.given("mean", "scv", "skew")
	if len(rates) > 0 && len(moments) > 0 {
		return Dist{}, fmt.Errorf("service: coxian takes either mu1, p, mu2 or mean, scv, skew (%s and %s were given)", rates[0], moments[0])
	}
	if len(moments) > 0 {
		if err := v.require("coxian", "scv"); err != nil {
			return Dist{}, err
		}
		if _, ok := v["skew"]; ok {
			return FitMoments(v.or("mean", 1), v["scv"], v["skew"])
		}
		return FitMeanSCV(v.or("mean", 1), v["scv"])
	}
	if len(rates) == 0 {
		return Dist{}, fmt.Errorf("service: coxian needs parameters (coxian:mu1=2,p=0.25,mu2=0.5 or coxian:mean=1,scv=4)")
	}
	if err := v.require("coxian", "mu1", "p", "mu2"); err != nil {
		return Dist{}, err
	}
	return New(v["mu1"], v["p"], v["mu2"])
}

func buildHyperexponential(v values) (Dist, error) {
	if err := v.require("hyperexp", "p", "mu1", "mu2"); err != nil {
		return Dist{}, err
	}
	return FromHyperexponential(v["p"], v["mu1"], v["mu2"])
}

// values are the key=value pairs of one law.
type values map[string]float64

func (v values) or(key string, otherwise float64) float64 {
	if value, ok := v[key]; ok {
		return value
	}
	return otherwise
}

func (v values) given(keys ...string) []string {
	return slices.DeleteFunc(keys, func(key string) bool { _, ok := v[key]; return !ok })
}

func (v values) require(name string, keys ...string) error {
	for _, key := range keys {
		if _, ok := v[key]; !ok {
			return fmt.Errorf("service: %s needs %s (%s is missing)", name, listOf(keys), key)
		}
	}
	return nil
}

func readValues(name, text string, present bool, keys []string) (values, error) {
	v := values{}
	if !present {
		return v, nil
	}
	for _, pair := range strings.Split(text, ",") {
		key, number, isPair := strings.Cut(pair, "=")
		key, number = strings.TrimSpace(key), strings.TrimSpace(number)
		switch {
		case key == "" && !isPair:
			return nil, fmt.Errorf("service: %s has an empty parameter (key=value, keys %s)", name, listOf(keys))
		case !slices.Contains(keys, key):
			return nil, fmt.Errorf("service: %s has no parameter %q (did you mean %q? one of %s)", name, key, nearest.Of(key, keys), listOf(keys))
		case number == "":
			return nil, fmt.Errorf("service: %s has no value (%s=number)", key, key)
		}
		if _, twice := v[key]; twice {
			return nil, fmt.Errorf("service: %s is given twice", key)
		}
		value, err := readNumber(key, number)
		if err != nil {
			return nil, err
		}
		v[key] = value
	}
	return v, nil
}

// readNumber reads a plain decimal; hexadecimal, NaN and Inf, which ParseFloat
// would take, are refused.
func readNumber(key, text string) (float64, error) {
	if strings.Trim(text, "0123456789+-.eE") != "" {
		return 0, fmt.Errorf("service: %s = %s (must be a decimal number)", key, shorten(text))
	}
	value, err := strconv.ParseFloat(text, 64)
	switch {
	case err == nil:
		return value, nil
	case errors.Is(err, strconv.ErrRange):
		return 0, fmt.Errorf("service: %s = %s (must be within the range of float64)", key, shorten(text))
	}
	return 0, fmt.Errorf("service: %s = %s (must be a decimal number)", key, shorten(text))
}

func shorten(text string) string {
	if len(text) > 40 {
		text = text[:40] + "..."
	}
	return strconv.Quote(text)
}

func listOf(words []string) string { return strings.Join(words, ", ") }
