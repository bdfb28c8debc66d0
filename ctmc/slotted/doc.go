// Package slotted describes load-balanced systems in discrete time: the
// [Model], its laws of arrivals and service, and the dispatching policies.
//
// # Model
//
// N servers, first come first served, M dispatchers, slots t = 0, 1, 2, ...
// With Q_n(t) the jobs at server n when slot t begins:
//
//  1. Arrivals. Dispatcher m receives A^m(t) jobs, independent over slots and
//     dispatchers, mean λ_Σ/M. All of them go to one server.
//
//  2. Service. Server n can serve S_n(t) jobs, independent over slots and
//     servers, mean μ_n; those that have just arrived may be among them:
//
//     Q_n(t+1) = (Q_n(t) + A_n(t) - S_n(t))⁺,
//     U_n(t) = (S_n(t) - Q_n(t) - A_n(t))⁺ (unused service).
//
//  3. Messages. Memories, thresholds and estimates are brought up to date.
//
// ε = μ_Σ - λ_Σ is the slack, load = λ_Σ/μ_Σ (X. Zhou, F. Wu, J. Tan, Y. Sun and
// N. Shroff, Proc. ACM Meas. Anal. Comput. Syst. 1(2), 2017; X. Zhou, N. Shroff
// and A. Wierman, Perform. Eval. 145, 2021).
//
// # Policies
//
// A [Policy] makes the [Dispatcher] of a run and declares what theory needs to
// know of it ([Declaration]). A new policy is one file with these two and one
// line in policyForms for its name on the command line. Whatever a dispatcher
// learns, it learns through a [View], which counts the messages.
package slotted
