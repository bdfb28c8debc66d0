package ctmc

import "fmt"

// Model is a [Population] given by a list of transitions. It is
// [Differentiable]; rates that do not know their derivatives are
// differentiated numerically, which the results of package meanfield say in a
// warning.
type Model struct {
	dim         int
	transitions []Transition
	jumps       []Jump
	support     [][]int
}

// Transition is a kind of event of a Model.
type Transition struct {
	Name   string  // for messages; may be empty
	Change []int64 // ℓ, one entry for each coordinate
	Rate   Rate    // β(x), per unit of N and of time; >= 0 in every state
	// OverN and OverN2 are the coefficients of 1/N and 1/N² of the rate; nil
	// means 0.
	OverN, OverN2 Rate
	// DependsOn lists the coordinates on which the rates depend; nil means
	// all. Fewer make derivatives cheaper.
	DependsOn []int
}

// Rate is the rate of a transition as a function of the state x = n/N. A Rate
// that also has the method Derivative of [SmoothRate] and [Polynomial] is
// differentiated by it.
type Rate interface {
	At(x []float64) float64 // the value at x, >= 0 in every state
}

type differentiableRate interface {
	Rate
	Derivative(x []float64, by []int) float64
}

// RateFunc is a Rate without known derivatives.
type RateFunc func(x []float64) float64

// At calls the function.
func (f RateFunc) At(x []float64) float64 { return f(x) }

// SmoothRate is a rate with a function for its partial derivatives: by lists
// the 1 to 4 coordinates, in increasing order, by which to differentiate.
type SmoothRate struct {
	Value       func(x []float64) float64           // the rate at x
	Derivatives func(x []float64, by []int) float64 // its partial derivative by the coordinates listed
}

// At returns the rate.
func (r SmoothRate) At(x []float64) float64 { return r.Value(x) }

// Derivative returns a partial derivative.
func (r SmoothRate) Derivative(x []float64, by []int) float64 { return r.Derivatives(x, by) }

// Polynomial is a rate Σ c x_0^{p_0} x_1^{p_1} .. with exact derivatives.
type Polynomial []Term

// Term is c x_0^{p_0} x_1^{p_1} ..; powers left out are 0.
type Term struct {
	Coefficient float64 // c
	Powers      []int   // p_0, p_1, ..
}

// At returns the value of the polynomial.
func (p Polynomial) At(x []float64) float64 { return p.Derivative(x, nil) }

// Derivative returns a partial derivative; by lists the coordinates.
func (p Polynomial) Derivative(x []float64, by []int) float64 {
	sum := 0.0
	for _, term := range p {
		product := term.Coefficient
		for i, power := range term.Powers {
			for _, j := range by {
				if j == i {
					product *= float64(power)
					power--
				}
			}
			for ; power > 0; power-- {
				product *= x[i]
			}
		}
		for _, j := range by {
			if j >= len(term.Powers) {
				product = 0
			}
		}
		sum += product
	}
	return sum
}

// NewModel returns the population process with the given number of coordinates
// and transitions. It is not safe for concurrent use if some rate is not.
// Errors: no coordinates, no transitions, or a transition whose change or
// dependence does not fit ([FieldError]).
func NewModel(coordinates int, transitions ...Transition) (*Model, error) {
	if coordinates < 1 {
		return nil, &FieldError{Field: "coordinates", Value: coordinates, Allowed: ">= 1"}
	}
	if len(transitions) == 0 {
		return nil, &FieldError{Field: "transitions", Value: 0, Allowed: "at least one"}
	}
	m := &Model{dim: coordinates, transitions: transitions}
	all := make([]int, coordinates)
	for i := range all {
		all[i] = i
	}
	for k, t := range transitions {
		if err := t.check(k, coordinates); err != nil {
			return nil, err
		}
		var jump Jump
		for i, by := range t.Change {
			if by != 0 {
				jump = append(jump, Change{Coordinate: i, By: by})
			}
		}
		support := t.DependsOn
		if support == nil {
			support = all
		}
		m.jumps = append(m.jumps, jump)
		m.support = append(m.support, support)
	}
	return m, nil
}

func (t *Transition) check(k, coordinates int) error {
	name := t.Name
	if name == "" {
		name = fmt.Sprint(k)
	}
	if len(t.Change) != coordinates {
		return &FieldError{Field: "transition " + name + ": change", Value: t.Change, Allowed: fmt.Sprintf("a vector of length %d", coordinates)}
	}
	if t.Rate == nil {
		return &FieldError{Field: "transition " + name + ": rate", Value: nil, Allowed: "a function"}
	}
	before := -1
	for _, i := range t.DependsOn {
		if i <= before || i >= coordinates {
			return &FieldError{Field: "transition " + name + ": depends on", Value: t.DependsOn, Allowed: fmt.Sprintf("increasing coordinates in 0..%d", coordinates-1)}
		}
		before = i
	}
	return nil
}

// Dim is the number of coordinates.
func (m *Model) Dim() int { return m.dim }

// Jumps lists the changes of the transitions.
func (m *Model) Jumps() []Jump { return m.jumps }

// Support is DependsOn of the transition.
func (m *Model) Support(jump int) []int { return m.support[jump] }

func (m *Model) rate(jump, order int) Rate {
	t := &m.transitions[jump]
	return [3]Rate{t.Rate, t.OverN, t.OverN2}[order]
}

// Rate is the coefficient of N^-order of the rate of a transition.
func (m *Model) Rate(jump, order int, x []float64) float64 {
	if r := m.rate(jump, order); r != nil {
		return r.At(x)
	}
	return 0
}

// Differentiate uses the derivatives the rate knows, else differences.
func (m *Model) Differentiate(jump, order int, x []float64, degree int, d *RateDerivatives) {
	support := m.support[jump]
	d.Resize(len(support), degree)
	rate := m.rate(jump, order)
	if rate == nil {
		return
	}
	smooth, ok := rate.(differentiableRate)
	if !ok {
		differentiateNumerically(rate.At, support, x, degree, d)
		return
	}
	d.Of[0][0] = rate.At(x)
	var by [MaxDegree]int
	for n := 1; n <= degree; n++ {
		d.FillSymmetric(len(support), n, func(places []int) float64 {
			for k, a := range places {
				by[k] = support[a]
			}
			return smooth.Derivative(x, by[:n])
		})
	}
}
