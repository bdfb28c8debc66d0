package ctmc

import (
	"fmt"
	"math"
)

// Kind says what a number is: how it relates to the true value of the system
// it speaks of. Every number that qlimit prints carries one.
type Kind int

const (
	// Exact is the value of the finite system itself, up to rounding and a
	// stated truncation.
	Exact Kind = iota + 1
	// Limit is the value of a limiting system (many servers, heavy traffic).
	Limit
	// LowerBound and UpperBound are proved bounds of the exact value.
	LowerBound
	UpperBound
	// Conjecture is an approximation supported by simulation only.
	Conjecture
	// Estimate is the outcome of a simulation and comes with an interval.
	Estimate
)

var kindNames = map[Kind]string{
	Exact:      "exact",
	Limit:      "limit",
	LowerBound: "lower-bound",
	UpperBound: "upper-bound",
	Conjecture: "conjecture",
	Estimate:   "estimate",
}

func (k Kind) String() string {
	if name, ok := kindNames[k]; ok {
		return name
	}
	return fmt.Sprintf("Kind(%d)", int(k))
}

// MarshalText makes a Kind appear by its name in JSON and CSV.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText reads the name of a Kind.
func (k *Kind) UnmarshalText(text []byte) error {
	for kind, name := range kindNames {
		if name == string(text) {
			*k = kind
			return nil
		}
	}
	return &FieldError{Field: "kind", Value: string(text), Allowed: "exact, limit, lower-bound, upper-bound, conjecture or estimate"}
}

// Status says how an iteration ended.
type Status int

const (
	// Converged: the stated tolerance was reached.
	Converged Status = iota + 1
	// NotConverged: the iteration limit came first; the best iterate is
	// returned with its residual.
	NotConverged
	// Stagnated: rounding stopped progress above the stated tolerance.
	Stagnated
	// Interrupted: the context was cancelled.
	Interrupted
)

var statusNames = map[Status]string{
	Converged:    "converged",
	NotConverged: "not-converged",
	Stagnated:    "stagnated",
	Interrupted:  "interrupted",
}

func (s Status) String() string {
	if name, ok := statusNames[s]; ok {
		return name
	}
	return fmt.Sprintf("Status(%d)", int(s))
}

// MarshalText makes a Status appear by its name in JSON and CSV.
func (s Status) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// FieldError reports a bad input: which field, its value, and what is allowed.
type FieldError struct {
	Field   string // name of the field as the user gives it, e.g. "load"
	Value   any    // the offending value
	Allowed string // the allowed range, e.g. "> 0"
	Reason  string // why, when the range alone does not say it
}

func (e *FieldError) Error() string {
	text := fmt.Sprintf("%s = %v (must be %s)", e.Field, e.Value, e.Allowed)
	if e.Reason != "" {
		text += ": " + e.Reason
	}
	return text
}

// TooLargeError reports a request beyond what a method can do.
type TooLargeError struct {
	What  string  // what is too large, e.g. "states"
	Value float64 // how large it is
	Limit float64 // the method's limit
	Hint  string  // what to do instead
}

func (e *TooLargeError) Error() string {
	value := fmt.Sprintf("%.4g", e.Value)
	if math.IsInf(e.Value, 1) {
		value = "more than 1e308"
	}
	text := fmt.Sprintf("%s = %s (must be at most %.4g for this method)", e.What, value, e.Limit)
	if e.Hint != "" {
		text += ": " + e.Hint
	}
	return text
}

// NotConvergedError reports an iteration that did not reach its tolerance where
// the best iterate is no answer.
type NotConvergedError struct {
	What     string // e.g. "exact chain"
	Status   Status
	Steps    int // 0 where it takes none
	Residual float64
}

func (e *NotConvergedError) Error() string {
	after := ""
	if e.Steps > 0 {
		after = fmt.Sprintf(" after %d sweeps", e.Steps)
	}
	return fmt.Sprintf("%s: %s%s with residual %.2g", e.What, e.Status, after, e.Residual)
}

// NotUniqueError reports a question with a continuum of answers.
type NotUniqueError struct {
	What string // which quantity of which system
	Why  string // description of the set of answers
}

func (e *NotUniqueError) Error() string { return e.What + " is not unique: " + e.Why }
