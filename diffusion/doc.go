// Package diffusion is the limit of load-balanced systems in which the load
// approaches 1 while the number of servers grows: one-dimensional diffusions
// and what stands between them and the finite system.
//
// # Engine
//
// A [Process] is a Langevin process on the half line u >= 0,
//
//	dU = (c/U + r(U)) dt + σ(U) dB,
//
// whose boundary is reflecting, or an entrance boundary where the repulsion c
// is strong enough. [Process.Stationary] gives its stationary [Law] from scale
// and speed by adaptive Gauss-Legendre panels in log space,
// [Process.Transient] the law at given times from any start by a conservative
// scheme whose discrete stationary law is the exact one, [Process.Path] sample
// paths, [Law.MeanFirstPassage] mean passage times, [Process.Relaxation] the
// spectral gap and [Law.AutocorrelationTime] the integrated autocorrelation.
//
// # Limits and approximations
//
// [NDS] is the non-degenerate slowdown limit (arrival rate N - α) for one
// central queue (CQ), join-the-shortest-queue (JSQ), idle-one-first (I1F) and
// idle-queue-first (IQF), with exponential service (kind limit) and Coxian-2
// service (kind conjecture); [Price] compares them. [Averaged] is the averaged
// birth-death chain at finite N (kind conjecture). [HalfinWhitt] and
// [HeavyTraffic] are the neighbouring regimes.
//
// Units: means are per server, times are mean service times; the time of an
// NDS process is real time divided by N.
//
// docs/diffusion.md derives the equations and states what is proved, what is
// derived and what is conjecture.
package diffusion
