// Package coxian implements the Coxian-2 service law, the two-phase law under
// which every queue of this module is served.
//
// # The law
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
// # Types
//
// [Dist] is the law, with the method set of the continuous laws of gonum's
// stat/distuv. [Remaining] is the law of what is left of a service, given the
// probabilities of the phases; [Dist.Residual] is its equilibrium case.
//
// A law comes from its parameters ([New], [Exponential], [Erlang2],
// [FromHyperexponential]), from text ([Parse]), from moments ([FitMeanSCV],
// [FitMoments]; [SkewnessRange] says which exist) or from data ([FitSample] by
// moments, [FitEM] by maximum likelihood):
//
//	d, err := coxian.FitMeanSCV(1, 4) // mean 1, scv 4: μ1 = 2, p = 1/8, μ2 = 1/4
//
// Two moments do not determine the law, and mean waiting times depend on what
// they leave open: at scv 10 and load 0.9 the many-server limit of power-of-two
// has a mean of 6.31 jobs under one such law and of 6.08 under another.
//
// # Two meanings of p
//
// Here P is the probability of going on to phase 2. Several other tools state
// the probability of leaving after phase 1 instead. [FromContinuation] and
// [FromLeaving] make the choice explicit; [New] is FromContinuation.
//
// # Errors
//
// A parameter outside its range gives a [ParameterError], moments that no law of
// the class has an [AttainableError], which names the attainable range and its
// nearest point. Nothing is clamped. Methods of a Dist assume a valid law
// ([Dist.Validate]).
//
// # Accuracy
//
// Density, distribution function, survival function and hazard rate are sums
// of positive terms, each evaluated without cancellation, so that they keep
// full relative accuracy at and near μ1 = μ2, near x = 0 and far in the tail,
// wherever the value is a normal float64. The tests hold them to a relative
// 2e-15 against 480-bit arithmetic. A quantile is exact for a probability a few
// units in the last place away.
//
// # References
//
// D. R. Cox, Proc. Camb. Phil. Soc. 51 (1955), for the class. M. F. Neuts,
// Matrix-Geometric Solutions in Stochastic Models (1981), for laws of phase type.
// S. Asmussen, O. Nerman, M. Olsson, Scand. J. Statist. 23 (1996), for the fit by
// maximum likelihood. docs/coxian.md derives the fits.
package coxian
