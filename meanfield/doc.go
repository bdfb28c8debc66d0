// Package meanfield is the many-server limit of a load-balanced system: the
// fluid of the fractions of servers in each class, its drift, its equilibria
// and its trajectories.
//
// [Equilibrium] finds the equilibrium of any [ctmc.System], below, at and
// above load 1, by a climb from level to level that subtracts nothing, so
// that tails keep their relative accuracy down to 1e-300. [Dynamics] is the
// drift of the class fractions for every policy, with Filippov's sliding
// where priority levels are empty. [SmoothSystem] is the drift of the tails
// for policies without priority levels, with its banded Jacobian.
//
// [Trajectory] follows the fluid of any policy from any start ([ParseStart],
// [ReadStart]) and lists its changes of [Regime].
// [EquilibriumByIntegration] is the second, independent route to the
// equilibrium, and [ScanStability] takes it from many starts.
//
// Inside, the service law is rescaled to mean 1 and the load is the arrival
// rate λ per server. Means are per server; MeanResponse and the times of a
// [Path] are in the unit of the law as given.
//
// docs/meanfield.md and docs/trajectories.md derive the equations and state
// what is proved.
package meanfield
