// Package slotted describes load-balanced systems in discrete time: the
// [Model], its laws of arrivals and service, and the dispatching policies.
//
// # Model
//
// N servers, first come first served, M dispatchers, slots t = 0, 1, 2, ...
// With Q_n(t) the jobs at server n when slot t begins:
//
//  1. Arrivals. Dispatcher m receives A^m(t) jobs, independent over slots and
//     dispatchers, mean λ_Σ/M. All of them go to one server; A_n(t) reach server n.
//
//  2. Service. Server n can serve S_n(t) jobs, independent over slots and
//     servers, mean μ_n; those that have just arrived may be among them.
//
//  3. Messages. Memories, thresholds and estimates are brought up to date.
//
// so that, U_n being the service that goes unused,
//
//	Q_n(t+1) = (Q_n(t) + A_n(t) - S_n(t))⁺,   U_n(t) = (S_n(t) - Q_n(t) - A_n(t))⁺.
//
// The total rate is μ_Σ = Σ μ_n, the slack ε = μ_Σ - λ_Σ, the load λ_Σ/μ_Σ. Rates
// are jobs per slot; servers may differ.
//
// # Laws
//
// A [Family] is a law up to its mean ([Poisson], [Geometric], [Binomial],
// [Burst], [Constant]), a [Law] the law of one count per slot. A law whose
// generating function is known is [Transformed]; package stein solves the
// resource-pooled queue with it.
//
// # Policies
//
// A [Policy] makes the [Dispatcher] of a run and declares what theory needs to
// know of it ([Declaration]): what a decision depends on and with which
// probabilities. [JSQ], [SQ], [JIQ], [JBT] and [JBTG] (join below threshold),
// [SED], [Random] and [Weighted] look at true lengths or at reports;
// [SQWithMemory] remembers servers; [LSQ], [LocalSQ] and [LocalJBA] decide on
// local estimates that an [UpdateRule] corrects. A new policy is one file with
// these two and one line in policyForms for its name on the command line.
// Whatever a dispatcher learns, it learns through a [View], which counts the
// messages.
//
//	m := &slotted.Model{Rates: []float64{1, 1, 10, 10}, Load: 0.9}
//	p, err := slotted.ParsePolicy("jbtg:d=2,T=1000")
//	r, err := sim.RunSlotted(ctx, m, p, sim.SlottedSettings{})
//
// The package computes nothing by itself: package sim simulates a model, package
// stein bounds it and decides stability and class Π.
//
// # Limits
//
// [MaxServers] servers, [MaxDispatchers] dispatchers, means up to [MostPerSlot]
// per slot. Dispatchers learn lengths at the start of a slot, never within it.
//
// # References
//
// X. Zhou, F. Wu, J. Tan, Y. Sun, N. Shroff, Proc. ACM Meas. Anal. Comput.
// Syst. 1(2) (2017). X. Zhou, N. Shroff, A. Wierman, Perform. Eval. 145 (2021).
// S. Vargaftik, I. Keslassy, A. Orda, IEEE/ACM Trans. Netw. (2020).
// docs/slotted.md has values of every policy.
package slotted
