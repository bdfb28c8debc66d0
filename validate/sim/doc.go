// Package sim simulates load-balanced systems.
//
// # Simulators
//
//	Run            ctmc.System              occupancy; 1 to 1e9 servers, cost of an event independent of N
//	RunPull        ctmc.PullSystem          occupancy and stored IDs
//	RunPopulation  ctmc.Population          any density-dependent process
//	RunJobs        JobSystem                job by job: quantiles, renewal arrivals, any service law
//	RunSlotted     slotted.Model            discrete time, several dispatchers, messages
//
// [Run] simulates a ctmc.System through its occupancy, that is, the number of
// servers with at least i jobs for each i, by phase of the job in service.
// Servers with the same number of jobs are exchangeable, so nothing is lost.
// [RunJobs] follows single jobs by Lindley's recursion; its policies are a
// [Dispatcher] each, that of a ctmc.Policy is [OccupancyPolicy]. [RunSlotted] runs
// the policies of package slotted and tests whether the queues keep growing
// ([Stability]).
//
// [Compare] and [CompareSlotted] run several policies on common random numbers
// and estimate the differences between them; [SweepHeavyTraffic],
// [CriticalBySaturation] and [DetectCritical] look for heavy-traffic optimality and
// for critical loads. [NewPlan] says from theory how long a run has to be.
//
//	r, err := sim.Run(ctx, system, sim.Settings{Seed: 1, Precision: 1e-3})
//	fmt.Println(r.MeanJobs.Value, r.MeanJobs.HalfWidth, r.Warnings)
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
// remaining work and of the occupancy,
//
//	E[h] is estimated by  avg(h) - Σ β_k avg(G f_k),   E[G f_k] = 0,
//
// are integrated along the path and regressed out ([Settings].Controls; on unless
// switched off). [Result] holds the plain estimates beside the improved ones, and
// [ControlReport] says what was gained.
//
// # Intervals
//
// Independent replications, warm-up by MSER-5, batch means corrected for
// correlation and skewness: package estimate, which documents the measured
// coverage. A [StartLaw] lets replications near load 1 start close to equilibrium.
// Every result has its warnings and how it ended ([Ending]); a run too short for
// its correlation time says so.
//
// # Randomness
//
// One PCG stream for each replication, keyed by seed, system, replication and
// purpose (package internal/stream). One 53-bit uniform number picks the
// event, the server class and the destination. The number of replications is
// part of the settings and the number of threads is not: it never changes a
// result, unless a Budget of time ends the run.
//
// # Limits
//
// [MaxServers] servers by occupancy, [MaxJobServers] job by job. A queue that is
// not stable has no mean: Run refuses load >= 1 without a buffer, RunSlotted
// reports it. docs/simulation.md, docs/jobs.md and docs/slotted.md have speeds,
// variance ratios and coverage.
//
// # References
//
// S. S. Lavenberg, P. D. Welch, Management Science 27 (1981), control variates.
// K. P. White, Simulation 69 (1997), warm-up. A. Tafazzoli, J. R. Wilson, E. K.
// Lada, N. M. Steiger, INFORMS J. Comput. 23 (2011), intervals. M. E. O'Neill, PCG
// (2014).
package sim
