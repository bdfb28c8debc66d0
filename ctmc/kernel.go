package ctmc

import (
	"fmt"
	"math"
)

// Kernel is a rule that picks a server by looking at queue lengths alone:
// the fallback for jobs that no priority level of a [Policy] takes.
//
// A kernel is given by one function, the probability that the job is sent to
// a server that holds at least i jobs when m of the n servers do.
type Kernel interface {
	// Tail returns P(level >= i) when m of n servers hold at least i jobs,
	// 0 <= m <= n: non-decreasing in m, Tail(0, n) = 0, Tail(n, n) = 1.
	Tail(m, n int64) float64
	// Expansion writes to dst[j] the j-th derivative in s of the coefficient
	// of n^-order, order = 0, 1, 2, in the expansion of Tail(n s, n) for
	// large n. Order 0 is the limit kernel.
	Expansion(s float64, order int, dst []float64)
	// Validate reports whether the kernel makes sense for n servers.
	Validate(n int64) error
}

// Sampling is the power-of-d kernel: sample Choices servers uniformly and
// take the shortest, ties broken uniformly. With one choice it is the uniform
// kernel.
//
//	without replacement: P(level >= i) = C(m, d)/C(n, d)
//	with replacement:    P(level >= i) = (m/n)^d
type Sampling struct {
	Choices     int64 // d >= 1
	Replacement bool  // the same server may be drawn twice
}

// Uniform sends the job to a server chosen uniformly from all.
var Uniform = Sampling{Choices: 1}

// Validate requires 1 <= Choices <= n, also with replacement, where more draws
// than servers would make sense but mostly are a mistake. The error is a
// [FieldError].
func (k Sampling) Validate(n int64) error {
	if k.Choices < 1 {
		return &FieldError{Field: "d", Value: k.Choices, Allowed: ">= 1"}
	}
	if k.Choices > n {
		return &FieldError{Field: "d", Value: k.Choices, Allowed: fmt.Sprintf("between 1 and the number of servers, %d", n)}
	}
	return nil
}

// Tail returns P(level >= i) exactly up to rounding. Without replacement it
// is the product over j < d of (m-j)/(n-j), or over the n-m servers outside,
// whichever is shorter.
func (k Sampling) Tail(m, n int64) float64 {
	d := k.Choices
	switch {
	case m >= n:
		return 1
	case m <= 0:
		return 0
	case d == 1:
		return float64(m) / float64(n)
	case k.Replacement:
		return math.Pow(float64(m)/float64(n), float64(d))
	case m < d:
		return 0
	case d == 2:
		return float64(m) / float64(n) * (float64(m-1) / float64(n-1))
	case n-m < d:
		// C(m, d)/C(n, d) = C(n-d, n-m)/C(n, n-m).
		return fallingRatio(n-d, n, n-m)
	}
	return fallingRatio(m, n, d)
}

// Expansion uses, with e_k and h_k the elementary and complete symmetric
// polynomials of 0, 1, .., d-1 and ε = 1/n,
//
//	∏ (s - jε)/(1 - jε) = s^d + ε (h1 s^d - e1 s^(d-1))
//	                    + ε² (h2 s^d - h1 e1 s^(d-1) + e2 s^(d-2)) + O(ε³).
func (k Sampling) Expansion(s float64, order int, dst []float64) {
	for j := range dst {
		dst[j] = 0
	}
	d := float64(k.Choices)
	if order == 0 {
		addMonomial(dst, 1, s, k.Choices)
		return
	}
	if k.Replacement || k.Choices == 1 {
		return
	}
	first := d * (d - 1) / 2
	sumOfSquares := (d - 1) * d * (2*d - 1) / 6
	switch order {
	case 1:
		addMonomial(dst, first, s, k.Choices)
		addMonomial(dst, -first, s, k.Choices-1)
	case 2:
		addMonomial(dst, (first*first+sumOfSquares)/2, s, k.Choices)
		addMonomial(dst, -first*first, s, k.Choices-1)
		addMonomial(dst, (first*first-sumOfSquares)/2, s, k.Choices-2)
	default:
		panic("ctmc: expansion of a kernel beyond order 2")
	}
}

// addMonomial adds the derivatives of c s^power to dst.
func addMonomial(dst []float64, c, s float64, power int64) {
	for j := range dst {
		if int64(j) > power || c == 0 {
			return
		}
		dst[j] += c * math.Pow(s, float64(power-int64(j)))
		c *= float64(power - int64(j))
	}
}

func (k Sampling) String() string {
	switch {
	case k.Choices == 1:
		return "random"
	case k.Replacement:
		return fmt.Sprintf("pod:d=%d,replacement=true", k.Choices)
	}
	return fmt.Sprintf("pod:d=%d", k.Choices)
}
