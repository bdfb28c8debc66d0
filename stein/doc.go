// Package stein holds what can be said about a load-balanced system at a finite
// number of servers without solving its chain: the generator acting on test
// functions, bounds by Stein's method and state-space collapse, bounds by
// resource pooling and by limited memory and messages, and the class of slotted
// dispatchers that are optimal in heavy traffic.
//
// # The identity behind it
//
// In steady state E[Gf(S)] = 0 for every test function f of the state S, G the
// generator. [Generator] applies G to any function, [Basis] lists test functions
// for control variates and for tests of simulation output, and [Decomposition]
// takes f(s) = g(X(s)), X jobs per server, with g the solution of Stein's equation
// of a fluid that drains at rate δ ([Equation]):
//
//	-δ g'(x) = (x - η)⁺,   g(x) = -((x - η)⁺)²/(2δ),
//
//	E(X-η)⁺ = E[-δ g'(X) - λN(1-A_b)(g(X+1/N) - g(X)) - N D_1 (g(X-1/N) - g(X))],
//
// A_b the probability that an arrival is lost, D_1 the departures per server. It
// is exact; Taylor's formula bounds the right side by
//
//	E(X-η)⁺ <= λ/(Nδ) + ((b-η)⁺ (λ+δ)/δ) P(X > η, D_1 < λ+δ).
//
// # Upper bounds
//
// [Solve] bounds a [Problem] (N, how the load scales, finite buffer b, Coxian-2
// service, policy): E X <= η + H, and P(wait), P(block), mean wait from the same
// H >= E(X-η)⁺. The last probability comes from a chain of sets ([Proof], [Step]),
// each by a tail lemma: where V drifts by -g at most, moves by ν at most, and
// upwards at rate q at most,
//
//	P(V > B + 2νj) <= (qν/(qν+g))^(j+1).
//
// [Bounds] has three versions: as published (for N large enough, not verified
// here), explicit (every constant at the given N) and best (the free choices
// optimised). A [Bound] that says no more than what is known anyway is vacuous,
// one whose [Condition] fails is not known; neither is replaced by an asymptotic
// form. [MembershipAt] decides whether a policy qualifies.
//
//	b, err := stein.Solve(stein.Problem{
//		Servers: 1e8, Scaling: stein.LoadExponent(0.25), Buffer: 2, Service: service, Policy: ctmc.JSQ(),
//	})
//	fmt.Println(b.Explicit.MeanJobs.Value, b.Best.MeanJobs.Value, b.Lower.MeanJobs)
//
// # Lower bounds
//
// No policy beats pooled resources: [PoolContinuous] is M/M/N, M/G/1 of speed N and
// the conservation of work; [PoolSlotted] is q(t+1) = (q + A_Σ - S_Σ)⁺, whose mean
// (ζ - E u²)/(2ε) it computes exactly by Spitzer's identity and once more by
// Wiener-Hopf factorisation. [Resources] bounds the delay of every symmetric policy
// with c log2 n bits of memory and few messages, as n grows.
//
// # Slotted dispatchers
//
// With P_n the probability that the jobs of a slot join the n-th shortest queue,
// [Ranked] says whether a distribution is tilted (Δ_n = P_n - μ_σ(n)/μ_Σ changes
// sign once, from above) and δ-tilted. [DispatchRule] reads the distributions from
// a policy's declaration, [DispatchRule.Member] decides class Π, which implies
// throughput and heavy-traffic delay optimality; [StabilityRegion] is the exact
// critical load where theory has one, [LocalEstimates] what updates of estimates
// promise.
//
// # Accuracy and limits
//
// Identities hold to rounding (tests: 1e-10 on exact chains of every kind). The
// explicit bounds are proved but loose: for JSQ at load 1 - N^(-1/4) and b = 2
// they need N = 7e7 (exponential service) to say something, the best ones about
// 1e4; below, they are reported as vacuous with the N at which they are not.
// Erlang-2 service (p = 1) is out of the argument's reach. Pooled means have
// relative errors below 1e-13. The resource bound speaks of the limit n -> ∞ only
// and may be as small as a tower of powers ([IteratedLog]).
//
// # References
//
// X. Liu, K. Gong, L. Ying, Nav. Res. Logist. (2022), the theorem. D. Bertsimas,
// D. Gamarnik, J. N. Tsitsiklis, Ann. Appl. Probab. 11 (2001), the tail lemma.
// A. Eryilmaz, R. Srikant, Queueing Syst. (2012). X. Zhou et al., Proc. ACM Meas.
// Anal. Comput. Syst. 1(2) (2017) and Perform. Eval. 145 (2021), class Π and local
// estimates. D. Gamarnik, J. N. Tsitsiklis, M. Zubeldia, Ann. Appl. Probab. 30
// (2020), memory and messages. Derivations, and which of them are ours:
// docs/bounds.md, docs/classpi.md, docs/resources.md, docs/outputtest.md.
package stein
