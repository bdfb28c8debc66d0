// Package ctmc holds the finite system that every theory approximates, and
// its exact analysis as a continuous-time Markov chain.
//
// # Model
//
// A [System] is N parallel servers, first come first served, with Coxian-2
// service (μ1, p, μ2), Poisson arrivals of total rate λN and a dispatcher that
// sends each job on at once by a [Policy]. A server holds at most b jobs; a job
// sent to a full server is lost. Servers are exchangeable, so that the state is
// the number n_c of servers in each class c: (0) idle, and (i,m) with i = 1..b
// jobs, the one in service in phase m. With a_i the probability that an arrival
// is sent to a server with i jobs, and q = n/N,
//
//	arrival  (0) -> (1,1)                          λN a_0
//	arrival  (i,m) -> (i+1,m), lost if i = b       λN a_i q_{i,m}/q_i
//	service  (i,1) -> (i-1,1)                      (1-p) μ1 n_{i,1}
//	phase    (i,1) -> (i,2)                        p μ1 n_{i,1}
//	service  (i,2) -> (i-1,1)                      μ2 n_{i,2}
//
// where (0,1) stands for (0). There are C(N+b, b) states for exponential service
// and C(N+2b, 2b) for Coxian-2 service; [Space] ranks and unranks them.
//
// # Policies
//
// A policy is declared once, as a number of priority levels and a fallback
// [Kernel]: levels 0..k-1 are served strictly in order, and what passes them goes
// to the kernel, one function P(level >= i) given how many servers hold i jobs.
// [JSQ] has all levels, [JIQ] one, [I1F] two, [PowerOfD] and [Random] none. The
// finite chain, the simulator ([Moves]) and the fluid limit ([FluidRouter]) all
// derive their routing from that declaration. [PullRule] is the rule with a
// memory for the IDs of idle servers, [PullSystem] the system it drives.
//
// # Exact answers
//
// [SolveStationary] gives the stationary measures of a system,
// [Stationary.ResponseLaw] the law of response and waiting times,
// [SolveTransient] the law over time, [SolveAutocovariance] how long the number
// of jobs is remembered, [SolvePullStationary] the pull system, and [Pooled] the
// M/M/N queue, which no policy beats with exponential service:
//
//	system := ctmc.System{Servers: 5, Load: 0.8, Service: coxian.Dist{Mu1: 1, Mu2: 1}, Policy: ctmc.JSQ()}
//	r, err := ctmc.SolveStationary(ctx, system, ctmc.SolverSettings{}, 0)
//	fmt.Println(r.MeanJobs, r.WaitProb, r.TrustedDigits())
//
// Means are per server, times in the unit of the service law.
//
// # Chains and populations of one's own
//
// [Chain] is the generic finite chain: an initial state and a function that
// lists the transitions out of a state. [Explore] turns one into a sparse
// [Generator], and [Generator.Stationary] finds its stationary law by
// elimination without subtractions (small chains) or by Gauss-Seidel sweeps with
// aggregation over groups and extrapolation. [Population] is a density-dependent
// process (jump k at rate N β_k(n/N)), [Model] the easiest way to write one, and
// [PopulationChain] its exact chain; package meanfield has its fluid limit and
// size expansion. A System with a smooth policy is one ([System.Population]).
//
// # Results
//
// The vocabulary that all theories share lives here: [Kind] (exact, limit,
// bounds, conjecture, estimate), [Status], [FieldError] for bad input (it names
// field, value and range), [TooLargeError] and [NotUniqueError].
//
// # Accuracy and limits
//
// The flow imbalance of a solution is below 1e-12 of the flow; it, an indication
// of the error and the status are part of the result ([Law]). Chains of up to
// 5e7 states are taken while they fit in memory. With an unlimited buffer only
// states that carry probability are kept; [Truncation] says what that may have
// done to the mean, for JSQ with exponential service with proved bounds. The mean
// of a system whose states run out before it is known to 3e-3 is refused.
// docs/ctmc.md lists what each case was compared with, and times.
//
// # References
//
// W. K. Grassmann, M. I. Taksar, D. P. Heyman, Oper. Res. 33 (1985), elimination.
// J. R. Koury, D. F. McAllister, W. J. Stewart, SIAM J. Alg. Disc. Meth. 5 (1984),
// aggregation. A. Sidi, Vector Extrapolation Methods with Applications (2017).
// B. L. Fox, P. W. Glynn, Commun. ACM 31 (1988), uniformization. T. G. Kurtz,
// J. Appl. Probab. 7 (1970), populations. D. Gamarnik, J. N. Tsitsiklis,
// M. Zubeldia, Stoch. Syst. 8 (2018), the pull rule.
package ctmc
