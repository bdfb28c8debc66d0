package slotted

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"qlimit/ctmc"
	"qlimit/internal/nearest"
)

// familyForms lists the families by name, with the option each needs.
var familyForms = map[string]struct {
	option string
	build  func(n int64) Family
}{
	"poisson":   {"", func(int64) Family { return Poisson{} }},
	"geometric": {"", func(int64) Family { return Geometric{} }},
	"constant":  {"", func(int64) Family { return Constant{} }},
	"burst":     {"k", func(k int64) Family { return Burst{Size: k} }},
	"binomial":  {"n", func(n int64) Family { return Binomial{Trials: n} }},
}

// FamilyNames lists the names that [ParseFamily] knows.
func FamilyNames() []string {
	names := make([]string, 0, len(familyForms))
	for name := range familyForms {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// ParseFamily reads a law up to its mean; the field names it in errors:
//
//	poisson | geometric | constant | burst:k=10 | binomial:n=20
func ParseFamily(field, text string) (Family, error) {
	name, rest, hasOptions := strings.Cut(strings.TrimSpace(text), ":")
	form, known := familyForms[strings.ToLower(name)]
	if !known {
		return nil, unknownName(field, name, FamilyNames())
	}
	want := name
	if form.option != "" {
		want = name + ":" + form.option + "=INTEGER"
	}
	refusal := &ctmc.FieldError{Field: field, Value: strconv.Quote(text), Allowed: want}
	if form.option == "" {
		if hasOptions {
			return nil, refusal
		}
		return form.build(0), nil
	}
	key, value, _ := strings.Cut(rest, "=")
	if strings.TrimSpace(key) != form.option {
		return nil, refusal
	}
	n, err := parseInteger(value)
	if err != nil {
		return nil, refusal
	}
	if err := checkTrials(form.option, n); err != nil {
		return nil, err
	}
	return form.build(n), nil
}

// parseInteger takes 1000 and 1e3.
func parseInteger(text string) (int64, error) {
	x, err := parseNumber(text)
	if err != nil || x != math.Trunc(x) || math.Abs(x) > 1<<53 {
		return 0, strconv.ErrSyntax
	}
	return int64(x), nil
}

// parseNumber takes decimals, not hexadecimal, NaN or Inf.
func parseNumber(text string) (float64, error) {
	text = strings.TrimSpace(text)
	if text == "" || strings.Trim(text, "0123456789+-.eE") != "" {
		return 0, strconv.ErrSyntax
	}
	return strconv.ParseFloat(text, 64)
}

func unknownName(field, name string, known []string) error {
	e := &ctmc.FieldError{Field: field, Value: strconv.Quote(name), Allowed: "one of " + strings.Join(known, ", ")}
	if guess := nearest.Of(name, known); guess != "" {
		e.Reason = fmt.Sprintf("did you mean %s?", guess)
	}
	return e
}
