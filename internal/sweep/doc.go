// Package sweep spreads one computation over many parameter values and many
// machines: a plan lists the cells, a run of a shard leaves one file for each
// of its cells, and a merge checks that all are there and reduces them in the
// order of the plan, so that the outcome does not depend on how the cells were
// shared out.
//
// [ParseSpec] reads what to vary, [NewPlan] makes the immutable [Plan], whose cells
// are named by a hash of their parameters and of the program; [Plan.Run] computes a
// [Shard], skipping cells that are there; [Plan.Merge] reduces or lists what is
// [Missing]. [SlurmScript] writes a job array that does the same on a cluster. A
// cell computes through the function [Execute], so that the package knows nothing
// of queues.
package sweep
