package diffusion

import (
	"fmt"
	"math"
	"slices"

	"qlimit/ctmc"
)

// Process is a Langevin process on the half line u >= 0,
//
//	dU = (c/U + r(U)) dt + σ(U) dB,
//
// with no flux through 0. A process on another half line x >= ℓ is this one
// with u = x - ℓ; the distance from the boundary is used so that small
// distances keep their relative accuracy.
//
// Between neighbouring Breaks r and σ² must be analytic functions that extend
// beyond the ends. Where the stationary density has fallen to e^-100 of its
// maximum it must go on falling: a second well behind so high a barrier is not
// seen.
type Process struct {
	Repulsion float64                 // c >= 0
	Drift     func(u float64) float64 // r(u), the drift without c/u
	Noise     float64                 // σ², used where Variance is nil
	Variance  func(u float64) float64 // σ²(u) > 0, for noise that depends on the state
	Breaks    []float64               // distances at which r or σ², or a derivative, jumps; increasing
	Scale     float64                 // a length to begin the search for panels with; 0 = 1
}

// Boundary says how the process meets 0.
type Boundary int

const (
	// Reflecting: 0 is reached and left at once.
	Reflecting Boundary = iota + 1
	// Entrance: 0 is never reached from inside, 2c/σ²(0) >= 1.
	Entrance
)

func (b Boundary) String() string {
	switch b {
	case Reflecting:
		return "reflecting"
	case Entrance:
		return "entrance"
	}
	return fmt.Sprintf("Boundary(%d)", int(b))
}

// Boundary classifies 0 by Feller's test: near 0 the scale density is u^-γ,
// γ = 2c/σ²(0), which is integrable exactly if γ < 1.
func (p Process) Boundary() Boundary {
	if p.exponent() >= 1 {
		return Entrance
	}
	return Reflecting
}

// exponent is γ = 2c/σ²(0): the stationary density is ∝ u^γ near 0.
func (p Process) exponent() float64 { return 2 * p.Repulsion / p.variance(0) }

func (p Process) variance(u float64) float64 {
	if p.Variance == nil {
		return p.Noise
	}
	return p.Variance(u)
}

// regularSlope is 2(c/u + r)/σ² - γ/u, the slope of the potential without its
// singular part.
func (p Process) regularSlope(u, gamma float64) float64 {
	if p.Variance == nil {
		return 2 * p.Drift(u) / p.Noise
	}
	v := p.Variance(u)
	slope := 2 * p.Drift(u) / v
	if p.Repulsion > 0 {
		slope += (2*p.Repulsion/v - gamma) / u
	}
	return slope
}

// TotalDrift is c/u + r(u), for u > 0.
func (p Process) TotalDrift(u float64) float64 {
	if p.Repulsion == 0 {
		return p.Drift(u)
	}
	return p.Repulsion/u + p.Drift(u)
}

// Validate checks the fields; what the functions do inside is found out by the
// methods that use them.
func (p Process) Validate() error {
	if p.Drift == nil {
		return &ctmc.FieldError{Field: "drift", Value: "missing", Allowed: "a function"}
	}
	if !(p.Repulsion >= 0) || math.IsInf(p.Repulsion, 1) {
		return &ctmc.FieldError{Field: "repulsion", Value: p.Repulsion, Allowed: ">= 0 and finite"}
	}
	if v := p.variance(0); !(v > 0) || math.IsInf(v, 1) {
		return &ctmc.FieldError{Field: "noise", Value: v, Allowed: "> 0 and finite"}
	}
	if !(p.Scale >= 0) || math.IsInf(p.Scale, 1) {
		return &ctmc.FieldError{Field: "scale", Value: p.Scale, Allowed: "> 0 and finite, or 0 for 1"}
	}
	before := 0.0
	for _, b := range p.Breaks {
		if !(b > before) || math.IsInf(b, 1) {
			return &ctmc.FieldError{Field: "breaks", Value: p.Breaks, Allowed: "positive, finite and increasing"}
		}
		before = b
	}
	return nil
}

// nextBreak is the first break beyond u, +Inf if there is none.
func (p Process) nextBreak(u float64) float64 {
	i, _ := slices.BinarySearchFunc(p.Breaks, u, func(b, u float64) int {
		if b <= u {
			return -1
		}
		return 1
	})
	if i == len(p.Breaks) {
		return math.Inf(1)
	}
	return p.Breaks[i]
}
