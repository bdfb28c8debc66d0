package coxian

import (
	"fmt"
	"strconv"
)

// ParameterError reports a parameter outside its allowed range.
type ParameterError struct {
	Field   string  // the parameter's name in the service grammar: mu1, p, mu2, mean, scv, ...
	Value   float64 // the value given
	Allowed string  // the allowed range in words, e.g. "> 0"
}

func (e *ParameterError) Error() string {
	return fmt.Sprintf("service: %s = %s (must be %s)", e.Field, formatFloat(e.Value), e.Allowed)
}

// AttainableError reports moments that no Coxian-2 law has.
type AttainableError struct {
	Field string  // "scv" or "skew"
	Value float64 // the value asked for

	Low, High float64 // the attainable range at the other moments given; High is +Inf where there is no upper end
	LowOpen   bool    // Low itself is not attained (skewness at scv > 1)

	// Nearest is the attainable value nearest to Value. Where the bound is
	// open there is none, and Nearest lies a relative 1e-6 inside it.
	Nearest float64

	given string // the moments that fix the range, for the message
}

func (e *AttainableError) Error() string {
	return fmt.Sprintf("service: %s = %s (must be %s%s; nearest attainable value %s)",
		e.Field, formatFloat(e.Value), e.interval(), e.given, formatFloat(e.Nearest))
}

func (e *AttainableError) interval() string {
	low := formatFloat(e.Low)
	switch {
	case e.Low == e.High:
		return low
	case e.High > maxFloat && e.LowOpen:
		return "> " + low
	case e.High > maxFloat:
		return ">= " + low
	default:
		return "in [" + low + ", " + formatFloat(e.High) + "]"
	}
}

// formatFloat writes the shortest decimal that reads back as exactly x.
func formatFloat(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
