// Package ctmc holds the finite system that every theory approximates, and
// its exact analysis as a continuous-time Markov chain.
//
// A [System] is N parallel FIFO servers with Coxian-2 service, one Poisson
// stream of jobs and a dispatcher that sends each job on at once by a
// [Policy]. A policy is declared once, as a number of priority levels and a
// fallback [Kernel]; the finite chain, the simulator and the fluid limit all
// derive their routing from that declaration.
//
// By exchangeability the state of a system is its occupancy: how many servers
// are in each class, where the classes are (0) for idle servers and (i, m)
// for servers with i = 1..b jobs whose job in service is in phase m. There
// are C(N+b, b) such states for exponential service and C(N+2b, 2b) for
// Coxian-2 service; [Space] ranks and unranks them.
//
// [Chain] is the generic finite chain: an initial state and a function that
// lists the transitions out of a state. [System.Chain] is one; whatever has
// memory is another. [Explore] turns a chain into a sparse [Generator], and
// [Generator.Stationary] finds its stationary law by elimination without
// subtractions (small chains) or by Gauss-Seidel sweeps with aggregation.
//
// The package also holds the vocabulary of results ([Kind], [Status]) that
// all theories share.
package ctmc
