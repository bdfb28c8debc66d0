// Package diffusion is the limit of load-balanced systems in which the load
// approaches 1 while the number of servers grows: one-dimensional diffusions
// and what stands between them and the finite system.
//
// # Non-degenerate slowdown
//
// N servers, arrival rate N - α, α fixed. With X = (jobs in the system)/N and
// time sped up by N, U = X - 1 tends to
//
//	dU = (E[idle servers | U] - α) dt + σ dB,   u >= 0,   σ² = 1 + scv,
//
// in which the discipline enters through the mean number of idle servers:
//
//	CQ, one queue    0, reflected at 0               U ~ Exp(2α/σ²)
//	IQF = JIQ        (σ²/2)/u                        U ~ Gamma(2, 2α/σ²)
//	JSQ, I1F         (1-u)⁺/u, exponential service   ∝ u e^{-(1+α)u} on (0,1), e^{-1-αu} beyond
//	JSQ, I1F         r0/(1 - r0), Coxian-2 service   by the engine
//
// [NDS] has this limit: its stationary law, waiting and response times ([Delay]),
// relaxation. [Price] compares the disciplines and [LargestPrice] finds the
// largest price of immediate dispatch, 1.13546622432510 for exponential service.
// Power-of-d has no such limit ([PowerOfDGrowth]).
//
//	limit := diffusion.NDS{Discipline: diffusion.JSQ, Spare: 1, Service: service}
//	mean, err := limit.MeanJobs() // 2.2384 jobs per server
//
// # Finite N and neighbouring regimes
//
// [Averaged] is the averaged birth-death chain at finite N: jobs come at rate λN
// and leave at rate N - E[I | X], the idle servers I averaged over their own fast
// chain. [HalfinWhitt] is the M/M/N queue at arrival rate N - β√N, [HeavyTraffic]
// the classical regime, N fixed and the load to 1.
//
// # Engine
//
// A [Process] is a Langevin process on the half line u >= 0,
//
//	dU = (c/U + r(U)) dt + σ(U) dB,   stationary density m(u) ∝ σ^-2 exp ∫ 2(c/u + r)/σ² du,
//
// whose boundary is reflecting, or an entrance boundary where the repulsion c
// is strong enough (2c/σ²(0) >= 1). [Process.Stationary] gives its stationary
// [Law] from scale and speed by adaptive Gauss-Legendre panels in log space,
// [Process.Transient] the law at given times from any start by a conservative
// scheme whose discrete stationary law is the exact one, [Process.Path] sample
// paths, [Law.MeanFirstPassage] mean passage times, [Process.Relaxation] the
// spectral gap and [Law.AutocorrelationTime] the integrated autocorrelation.
//
// # Units
//
// Means are per server, times are mean service times; the time of an NDS
// process is real time divided by N.
//
// # Accuracy and kinds
//
// Stationary laws carry relative errors of a few 1e-14, transient laws the
// tolerance asked for in time and an error in space that falls as the square of
// the number of cells. That concerns the limit, which is proved for exponential
// service (kind limit); other service laws and Averaged are conjectures, held
// against simulation: for JSQ with exponential service at α = 1 Averaged is 0.4%
// high at N = 100 and 0.03% at N = 1000, the limit 4.6% and 0.8%. docs/accuracy.md
// and docs/diffusion.md have tables. Averaged refuses loads below 1/2.
//
// # References
//
// V. Gupta, N. Walton, Oper. Res. 67(1) (2019). S. Halfin, W. Whitt, Oper. Res. 29
// (1981). S. Karlin, H. M. Taylor, A Second Course in Stochastic Processes (1981),
// chapter 15. A. Eryilmaz, R. Srikant, Queueing Syst. (2012).
package diffusion
