package stein

import "math"

// IteratedLog is a positive number on a scale that holds towers of powers:
//
//	Iterations 1: log10 x = Value
//	Iterations 2: log10(-log10 x) = Value
//	Iterations 3: log10(log10(-log10 x)) = Value
//
// and so on, with the least number of iterations at which Value fits a float64.
// The number 0 has Iterations 0.
type IteratedLog struct {
	Iterations int     // number of logarithms; 0 for the number 0
	Value      float64 // their result
}

// Log10 returns log10 x if that fits a float64 and x > 0.
func (l IteratedLog) Log10() (value float64, ok bool) { return l.Value, l.Iterations == 1 }

// Float returns x, and whether it is a normal float64 or 0.
func (l IteratedLog) Float() (value float64, ok bool) {
	switch {
	case l.Iterations == 0:
		return 0, true
	case l.Iterations == 1 && l.Value > -307:
		return math.Exp(l.Value * math.Ln10), true
	}
	return 0, false
}

// tower is a probability p with
//
//	-log p = value                    height 0
//	-log p = exp(exp(..exp(value)))   height exponentials
//
// The height is the least at which the value fits.
type tower struct {
	height int
	value  float64
}

// impossible is p = 0.
var impossible = tower{height: math.MaxInt, value: math.Inf(1)}

// mostValue is the largest value of a tower of height 0.
const mostValue = 690

// plus is p e^{-x}, x >= 0. On a tower of height 1 or more, a summand that fits
// a float64 is beyond its digits unless it is huge itself.
func (p tower) plus(x float64) tower {
	switch {
	case p == impossible:
		return p
	case p.height == 0:
		return tower{value: p.value + x}
	case p.height == 1:
		return tower{height: 1, value: p.value + math.Log1p(x*math.Exp(-p.value))}
	}
	return p
}

// raised is p e^{-c/q}, c >= 0.
func (p tower) raised(c float64, q tower) tower {
	switch {
	case c == 0 || p == impossible:
		return p
	case q.height == 0 && q.value < mostValue:
		return p.plus(c * math.Exp(q.value))
	case q.height == 0:
		// -log p + c e^q = e^{q + log c} but for a part below the digits.
		v := q.value + math.Log(c) + math.Log1p(p.value/c*math.Exp(-q.value))
		if v < mostValue {
			return tower{value: math.Exp(v)}
		}
		return tower{height: 1, value: v}
	}
	// e^{exp(..)} dwarfs what it is multiplied with or added to.
	return tower{height: q.height + 1, value: q.value}
}

// less says that p is the smaller probability.
func (p tower) less(q tower) bool {
	if p.height != q.height {
		return p.height > q.height
	}
	return p.value > q.value
}

// asLog is p e^{add} on the printed scale.
func (p tower) asLog(add float64) IteratedLog {
	switch {
	case p == impossible:
		return IteratedLog{}
	case p.height == 0:
		return IteratedLog{1, (add - p.value) / math.Ln10}
	}
	// log10(-log10 p) = log10(e^v / ln 10); one more logarithm takes v to
	// v/ln 10 but for a part that has no digits left.
	v := p.value/math.Ln10 - math.Log10(math.Ln10)
	return IteratedLog{p.height + 1, v}
}
