// Package meanfield is the many-server limit of a load-balanced system: the
// fluid of the fractions of servers in each class, its equilibria, trajectories
// and spectrum, and the corrections of order 1/N and 1/N² to its means.
//
// # Equations
//
// With q_{i,m} the fraction of servers with i jobs, the one in service in phase
// m, and α_{i,m} the fraction of arrivals sent there,
//
//	dq_0     = -λ α_0 + (1-p)μ1 q_{1,1} + μ2 q_{1,2}
//	dq_{i,1} = λ (α_{i-1,1} - α_{i,1}) + (1-p)μ1 q_{i+1,1} + μ2 q_{i+1,2} - μ1 q_{i,1}
//	dq_{i,2} = λ (α_{i-1,2} - α_{i,2}) + pμ1 q_{i,1} - μ2 q_{i,2}.
//
// Power-of-d, and every policy without priority levels, is smooth: with s_i the
// fraction of servers with at least i jobs, α_i = s_i^d - s_{i+1}^d. JSQ, JIQ and
// I1F are discontinuous; their solutions are Filippov's, in which empty priority
// levels slide: each absorbs exactly its inflow. In equilibrium below load 1 no
// job waits there (s_1 = λ, s_2 = 0), while under power-of-d with exponential
// service s_i = λ^((d^i - 1)/(d - 1)).
//
// # What there is
//
// [Equilibrium] finds the equilibrium of any [ctmc.System], below, at and
// above load 1, by a climb from level to level that subtracts nothing, so
// that tails keep their relative accuracy down to 1e-300.
// [EquilibriumByIntegration] is the second, independent route, and
// [ScanStability] takes it from many starts. [Trajectory] follows the fluid of any
// policy from any start ([ParseStart], [ReadStart]) and lists its changes of
// [Regime]. [Spectrum] gives the eigenvalues at the equilibrium and with them the
// relaxation time. [Dynamics] is the drift itself for every policy,
// [SmoothSystem] that of the tails for smooth ones, with its banded Jacobian.
//
// [Refine] expands the stationary means of a smooth policy in powers of 1/N,
//
//	E[s] = π + V/N + A/N² + O(N^-3),   A W + W Aᵀ + Q = 0,   V = -A^-1 (½ B:W + f_1),
//
// and [RefineTrajectory] the means over time. [PopulationEquilibrium],
// [RefinePopulation], [RefinePopulationTrajectory] and [PopulationSpectrum] do the
// same for any [ctmc.Population].
//
// [PullEquilibrium] and [PullTrajectory] are the fluid of a dispatcher that stores
// at most c IDs of idle servers; [LeastLoaded], [RoundRobin] and [RandomDelay] the
// waiting times of rules outside a System.
//
//	system := ctmc.System{Servers: 10, Load: 0.9, Service: service, Policy: ctmc.PowerOfD(2, true)}
//	limit, err := meanfield.Equilibrium(system)   // limit.MeanJobs, limit.Tail
//	near, err := meanfield.Refine(ctx, system, 2) // near.MeanJobsOrder2
//
// # Units
//
// Inside, the service law is rescaled to mean 1 and the load is the arrival
// rate λ per server. Means are per server; MeanResponse and the times of a
// [Path] are in the unit of the law as given.
//
// # Accuracy and limits
//
// Numbers are those of the limit to rounding (Equilibrium) or to the tolerance
// asked for (trajectories, default 1e-10). How far the limit is from N servers is
// another matter: for power-of-d about a/(N (1-λ)) jobs, a below 1/2 for
// exponential service; for JSQ, JIQ and I1F it is useless once N(1-λ) falls
// below some √N (docs/accuracy.md). The expansion is refused for policies with
// priority levels, and says itself where it cannot be trusted. An unlimited buffer
// needs load < 1; JSQ and I1F at load exactly 1 have no unique equilibrium, which
// is an error, not a number.
//
// # References
//
// N. D. Vvedenskaya, R. L. Dobrushin, F. I. Karpelevich, Probl. Inf. Transm. 32
// (1996) and M. Mitzenmacher, IEEE Trans. Parallel Distrib. Syst. 12 (2001),
// power-of-d. N. Gast, B. Van Houdt, Proc. ACM Meas. Anal. Comput. Syst. 1(2)
// (2017) and N. Gast, L. Bortolussi, M. Tribastone, Perform. Eval. 129 (2019), the
// expansion. D. Gamarnik, J. N. Tsitsiklis, M. Zubeldia, Stoch. Syst. 8 (2018),
// limited memory. docs/meanfield.md, docs/trajectories.md and docs/expansion.md
// derive the equations and state what is proved.
package meanfield
