// Package sim simulates load-balanced systems.
//
// [Run] simulates a ctmc.System through its occupancy, that is, the number of
// servers with at least i jobs for each i, by phase of the job in service.
// Servers with the same number of jobs are exchangeable, so nothing is lost
// and the cost of an event does not grow with the number of servers.
//
// # Estimators
//
// The simulator follows the jump chain and weights every state by its
// expected holding time instead of drawing exponential clocks; the variance
// can only fall. Waiting and blocking are not counted but integrated: with
// Poisson arrivals the fraction of jobs that wait is the time average of the
// probability that a job arriving now would wait. The mean response time
// follows by Little's law from the mean number of jobs and the rate of
// accepted jobs.
//
// Control variates with known mean 0, the generator acting on functions of the
// remaining work and of the occupancy, are integrated along the path and
// regressed out ([Settings].Controls; on unless switched off). [Result] holds
// the plain estimates beside the improved ones.
//
// [Compare] runs several policies on common random numbers and estimates the
// differences between them.
//
// # Randomness
//
// One PCG stream for each replication, keyed by seed, system, replication and
// purpose (package internal/stream). One 53-bit uniform number picks the
// event, the server class and the destination. The number of replications is
// part of the settings and the number of threads is not: it never changes a
// result.
package sim
