package main

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
)

// explaining is a flag value whose errors read well after the flag's name:
// "= 0 (must be an integer >= 1)".
type explaining interface {
	pflag.Value
	explains()
}

func refuse(text, allowed string) error {
	if text == "" {
		text = `""`
	}
	return fmt.Errorf("= %s (must be %s)", shortened(text), allowed)
}

func shortened(text string) string {
	if len(text) > 40 {
		return text[:40] + "..."
	}
	return text
}

var errNotDecimal = errors.New("not a decimal number")

// parseDecimal reads a plain decimal; hexadecimal, underscores, NaN and Inf,
// which ParseFloat would take, are refused.
func parseDecimal(text string) (float64, error) {
	if text == "" || strings.Trim(text, "0123456789+-.eE") != "" {
		return 0, errNotDecimal
	}
	return strconv.ParseFloat(text, 64)
}

// parseCount reads an integer, written plainly or as 1e9.
func parseCount(text string) (int64, bool) {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n, true
	}
	x, err := parseDecimal(text)
	if err != nil || x != math.Trunc(x) || math.Abs(x) > 1<<53 {
		return 0, false
	}
	return int64(x), true
}

// count is an int64 in [low, high] that may be written as 1e9.
type count struct {
	target    *int64
	low, high int64
	allowed   string
}

func (v *count) Set(text string) error {
	n, ok := parseCount(text)
	if !ok || n < v.low || n > v.high {
		return refuse(text, v.allowed)
	}
	*v.target = n
	return nil
}

func (v *count) Type() string { return "count" }
func (v *count) explains()    {}
func (v *count) String() string {
	if v.target == nil || *v.target == 0 {
		return ""
	}
	return shortCount(*v.target)
}

// shortCount writes 100000000 as 1e8.
func shortCount(n int64) string {
	text := strconv.FormatInt(n, 10)
	digits := strings.TrimRight(text, "0")
	if zeros := len(text) - len(digits); zeros >= 6 && n <= 1<<53 { // the largest that is read in this form
		return fmt.Sprintf("%se%d", digits, zeros)
	}
	return text
}

// countInt is [count] for an int.
type countInt struct {
	target    *int
	low, high int64
	allowed   string
}

func (v *countInt) Set(text string) error {
	var n int64
	if err := (&count{&n, v.low, v.high, v.allowed}).Set(text); err != nil {
		return err
	}
	*v.target = int(n)
	return nil
}

func (v *countInt) Type() string { return "count" }
func (v *countInt) explains()    {}
func (v *countInt) String() string {
	if v.target == nil || *v.target == 0 {
		return ""
	}
	return shortCount(int64(*v.target))
}

// unsigned is a uint64.
type unsigned struct{ target *uint64 }

func (v *unsigned) Set(text string) error {
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return refuse(text, "an integer between 0 and 18446744073709551615")
	}
	*v.target = n
	return nil
}

func (v *unsigned) Type() string { return "integer" }
func (v *unsigned) explains()    {}
func (v *unsigned) String() string {
	if v.target == nil {
		return ""
	}
	return strconv.FormatUint(*v.target, 10)
}

// decimal is a float64 accepted by a condition; set tells whether the flag was
// given.
type decimal struct {
	target  *float64
	accept  func(float64) bool
	allowed string
	percent bool // "1%" may be written for 0.01
}

func (v *decimal) Set(text string) error {
	number, scale := text, 1.0
	if stripped, found := strings.CutSuffix(text, "%"); v.percent && found {
		number, scale = stripped, 100
	}
	x, err := parseDecimal(number)
	if err != nil || !v.accept(x/scale) {
		return refuse(text, v.allowed)
	}
	*v.target = x / scale
	return nil
}

func (v *decimal) Type() string { return "number" }
func (v *decimal) explains()    {}
func (v *decimal) String() string {
	if v.target == nil || *v.target == 0 {
		return ""
	}
	return strconv.FormatFloat(*v.target, 'g', -1, 64)
}

func positive(x float64) bool   { return x > 0 }
func anyNumber(float64) bool    { return true }
func proportion(x float64) bool { return x > 0 && x < 1 }

// decimals is a list of numbers.
type decimals struct {
	target *[]float64
}

func (v *decimals) Set(text string) error {
	for _, part := range strings.Split(text, ",") {
		x, err := parseDecimal(strings.TrimSpace(part))
		if err != nil {
			return refuse(text, "numbers separated by commas")
		}
		*v.target = append(*v.target, x)
	}
	return nil
}

func (v *decimals) Type() string { return "numbers" }
func (v *decimals) explains()    {}
func (v *decimals) String() string {
	if v.target == nil {
		return ""
	}
	parts := make([]string, len(*v.target))
	for i, x := range *v.target {
		parts[i] = strconv.FormatFloat(x, 'g', -1, 64)
	}
	return strings.Join(parts, ",")
}

// fileName is a name that is not empty.
type fileName struct{ target *string }

func (v *fileName) Set(text string) error {
	if text == "" {
		return refuse(text, "the name of a file")
	}
	*v.target = text
	return nil
}

func (v *fileName) Type() string { return "file" }
func (v *fileName) explains()    {}
func (v *fileName) String() string {
	if v.target == nil {
		return ""
	}
	return *v.target
}

// choice is one of a few names.
type choice struct {
	target *string
	names  []string
}

func (v *choice) Set(text string) error {
	for _, name := range v.names {
		if text == name {
			*v.target = text
			return nil
		}
	}
	return fmt.Errorf("= %q (must be one of %s%s)", shortened(text), strings.Join(v.names, ", "), trailingSuggestion(text, v.names))
}

func trailingSuggestion(text string, names []string) string {
	if guess := suggestion(text, names); guess != "" {
		return "; " + strings.TrimSpace(guess)
	}
	return ""
}

func (v *choice) Type() string { return "name" }
func (v *choice) explains()    {}
func (v *choice) String() string {
	if v.target == nil {
		return ""
	}
	return *v.target
}
