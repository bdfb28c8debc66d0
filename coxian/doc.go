// Package coxian implements the Coxian-2 service law, the two-phase law under
// which every queue of this module is served.
//
// A service starts in phase 1, an exponential time of rate μ1. At its end the
// job goes on to phase 2, an exponential time of rate μ2, with probability p,
// and leaves with probability 1-p. With q = 1-p the law S has
//
//	mean                1/μ1 + p/μ2
//	n-th cumulant       (n-1)! [1/μ1^n + (1-q^n)/μ2^n]
//	n-th moment         n! [1/μ1^n + p Σ_{j<n} μ1^-j μ2^-(n-j)]
//	P(in phase 2 at x)  p G(x), G(x) = μ1 (e^{-μ2 x} - e^{-μ1 x})/(μ1 - μ2)
//	survival            e^{-μ1 x} + p G(x)
//	density             q μ1 e^{-μ1 x} + p μ2 G(x)
//	transform           μ1 (μ2 + q s)/((μ1 + s)(μ2 + s))
//
// The class holds the exponential (p = 0), hypoexponential and Erlang-2
// (p = 1) and hyperexponential-2 laws. Its squared coefficient of variation
// (scv) is any number from 1/2 up.
//
// # Two meanings of p
//
// Here P is the probability of going on to phase 2. Several other tools state
// the probability of leaving after phase 1 instead. [FromContinuation] and
// [FromLeaving] make the choice explicit; [New] is FromContinuation.
//
// # Accuracy
//
// Density, distribution function, survival function and hazard rate are sums
// of positive terms, each evaluated without cancellation, so that they keep
// full relative accuracy at and near μ1 = μ2, near x = 0 and far in the tail,
// wherever the value is a normal float64. The tests hold them to a relative
// 2e-15 against 480-bit arithmetic.
//
// # Method set
//
// Dist has the method set of the continuous laws of gonum's stat/distuv.
package coxian
