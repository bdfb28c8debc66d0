// Package sweep spreads one computation over many parameter values and many
// machines: a plan lists the cells, a run of a shard leaves one file for each
// of its cells, and a merge checks that all are there and reduces them in the
// order of the plan, so that the outcome does not depend on how the cells were
// shared out.
package sweep
